// A full screen of styled lines, and its keyboard input. The terminal is restored however the program ends:
// at the end of the object, by a signal, or by a crash.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "report/warp/screen.h"

namespace cudalab::cli {

// Keys that are not characters.
enum SpecialKey : int {
  kKeyNone = 0,  // the window was resized: draw again
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
  // Throws Error(kUnavailable) if there is no terminal or the program was built without ncurses; `instead` is
  // the advice in that message.
  FullScreen(const Console& console, bool colour, const std::string& instead);
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  report::ScreenSize size() const;
  void draw(const std::vector<report::ScreenLine>& lines);
  // Waits for a key: a character or a SpecialKey; 'q' at the end of the input.
  int read_key();

 private:
  bool colour_;
};

}  // namespace cudalab::cli
