// Keys as they are pressed: a terminal without line editing and echo, as it was before on every way out.
#pragma once

#include <termios.h>

namespace cudalab::cli {

// While an object lives, standard input gives each key at once. Ctrl-C, Ctrl-Z and the other signals keep
// working, and leave the terminal as it was.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
};

// One key that waits on standard input; 0 where none does, and at the end of the input 'q'. A key that sends
// several characters, as an arrow does, is one key, the escape.
char read_key();

}  // namespace cudalab::cli
