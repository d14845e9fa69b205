// Runs the built cudalab in a pseudo-terminal, types keys, and reads the screen.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <filesystem>
#include <string>
#include <vector>

namespace cudalab::e2e {

class Terminal {
 public:
  Terminal(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
           unsigned short columns = 100, const char* name = "xterm",  // $TERM; null: unset
           unsigned short rows = 40);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) const;
  void signal(int number) const;
  void resize(unsigned short columns,
              unsigned short rows) const;  // sends SIGWINCH to the program, as a terminal does
  // Reads until `text` has appeared since the last call, and returns what was read. Throws if it does not
  // appear.
  std::string read_until(const std::string& text);
  // Reads to the end. Returns the exit code, or 128 + the number of the signal that ended the program.
  int wait();
  const std::string& everything() const { return everything_; }
  termios settings() const;  // of the terminal, whichever program uses it

 private:
  bool read_more();

  int master_ = -1;
  pid_t child_ = -1;
  std::string unread_, everything_;
};

}  // namespace cudalab::e2e
