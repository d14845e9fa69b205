// Runs the built cudalab in a place of its own while a fault happens to it, and says how it ended and what it
// left behind: processes, files, words.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"

namespace cudalab::faults {

// One verb as it is typed, in a folder that holds what it needs.
struct Verb {
  const char* name;
  std::vector<std::string> words;
};

// The folders of one run: where it works, where it puts temporary files, where it keeps what is compiled.
class Place {
 public:
  Place();
  std::filesystem::path work() const { return root_ / "work"; }
  std::filesystem::path temporary() const { return root_ / "tmp"; }
  std::filesystem::path cache() const { return root_ / "cache"; }
  std::map<std::string, std::string> files() const;  // below work(), with their content
  std::vector<std::string> temporary_files() const;

 private:
  TemporaryFolder root_;
};

// With an exercise that was started, a kernel, a program, a result and a class of submissions; `is_compiled`:
// and what an earlier run compiled.
void fill(const Place& place, bool is_compiled);

// Whether there is a whole program in it, which takes nvcc to build and the runtime to run.
bool has_program();

// A signal, so many seconds after the program has its handlers.
struct Strike {
  int signal = 0;
  double after_seconds = 0;
};

struct Fault {
  std::string shell;  // a script that ends with `"$@"`; empty: the program itself
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<Strike> strike;
  std::optional<int> terminal;  // the descriptor of a terminal to run in
};

struct Ending {
  int code = -1;  // 128 + the signal's number where one ended it; -1: it hung
  std::string out, err;
  double seconds = 0;
  std::vector<std::string> survivors;  // processes that it started and that did not end with it
};

Ending run(const Place& place, const std::vector<std::string>& words, const Fault& fault = {});

// What is wrong after a run: empty, or a sentence for each thing. Nothing may stay that an undisturbed run
// does not make, nothing may be half-written.
std::string leftovers(const Place& place, const std::map<std::string, std::string>& before,
                      const std::map<std::string, std::string>& undisturbed);

// Does so many pieces of work, several at once.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

// Of a table of faults: all where $CUDALAB_FAULTS is "all", those of its rows FIRST-LAST, 1/N of them, else a
// few, spread evenly.
bool is_wanted(std::size_t row);

}  // namespace cudalab::faults
