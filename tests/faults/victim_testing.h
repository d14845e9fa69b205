// Runs the built cudalab in a folder of its own while a fault occurs, and reports how it ended and what it
// left behind: processes, files, output.
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

// One verb as it is typed, in a folder that contains what it needs.
struct Verb {
  const char* name;
  std::vector<std::string> words;
};

// The folders of one run: its working folder, its temporary files, its compile cache.
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

// Adds a started exercise, a kernel, a program, a result and a class of submissions. `is_compiled`: also the
// cache of an earlier run.
void fill(const Place& place, bool is_compiled);

// Whether the folder contains a whole program, which needs nvcc to build and the runtime to run.
bool has_program();

// A signal, and when it is sent: seconds after the program has installed its handlers.
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
  int code = -1;  // 128 + the number of the signal that ended it; -1: it hung
  std::string out, err;
  double seconds = 0;
  std::vector<std::string> survivors;  // processes that it started and that outlived it
};

Ending run(const Place& place, const std::vector<std::string>& words, const Fault& fault = {});

// What is wrong after a run: empty, or one sentence per finding. Every file must also exist after an
// undisturbed run, and no file may be incomplete.
std::string leftovers(const Place& place, const std::map<std::string, std::string>& before,
                      const std::map<std::string, std::string>& undisturbed);

// Runs `count` pieces of work, several at a time.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

// Whether to try this row of a table of faults: all rows if $CUDALAB_FAULTS is "all", rows FIRST-LAST, 1/N of
// the rows; without it, a few, evenly spread.
bool is_wanted(std::size_t row);

}  // namespace cudalab::faults
