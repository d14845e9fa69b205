// A full screen of styled lines, and the keys that are pressed on it. The terminal is as it was on every way
// out: the end of the object, a signal, a crash.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "report/warp/screen.h"

namespace cudalab::cli {

// Keys that are no character.
enum SpecialKey : int {
  kKeyNone = 0,  // the size has changed: draw again
  kKeyUp = 0x110000,
  kKeyDown,
  kKeyLeft,
  kKeyRight,
  kKeyPageUp,
  kKeyPageDown,
  kKeyHome,
  kKeyEnd,
  kKeyBackspace,
  kKeyEnter,
  kKeyEscape,
};

class FullScreen {
 public:
  // Throws Error(kUnavailable) where there is no terminal, or the program was built without ncurses;
  // `instead` says what to do then.
  FullScreen(const Console& console, bool colour, const std::string& instead);
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  report::ScreenSize size() const;
  void draw(const std::vector<report::ScreenLine>& lines);
  // Waits. A character, or a SpecialKey; 'q' at the end of the input.
  int read_key();

 private:
  bool colour_;
};

}  // namespace cudalab::cli
