// Runs the built cudalab, or any command, in a folder of its own, and returns what it wrote and how it ended.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder_testing.h"

namespace cudalab::e2e {

using Folder = TemporaryFolder;

inline const std::filesystem::path kSource = CUDALAB_SOURCE_DIR;
inline const std::filesystem::path kLabs = kSource / "labs";
inline const std::filesystem::path kTile = kLabs / "transpose" / "exercise" / "padded-tile";

struct Outcome {
  int code = -1;  // exit code; 128 + the signal's number where one ended it
  std::string out, err;
};

struct Settings {
  std::vector<std::pair<std::string, std::string>> environment;  // set in addition to this process's own
  std::filesystem::path folder;                                  // where it runs; empty: here
  int interrupt_with = 0;                                        // a signal to send…
  std::string interrupt_when;                                    // …once this path exists
  std::string out_file;                                          // where standard output goes instead
};

Outcome run_command(const std::vector<std::string>& words, const Settings& settings = {});
Outcome cudalab(const std::vector<std::string>& arguments, const Settings& settings = {});
// With ids and arguments in the place of sentences: for the matcher Says
// (core/diagnostics/message_testing.h).
Outcome by_ids(const std::vector<std::string>& arguments, const Settings& settings = {});

// A shell's commands where they may mount and unmount, for nobody else; and whether this machine lets us.
Outcome in_own_mounts(const std::string& commands, const Settings& settings = {});
bool has_own_mounts();

// What was printed, without the line breaks at the terminal's width: they fall elsewhere where a path is
// longer.
std::string unwrapped(const std::string& text);

std::string read_file(const std::filesystem::path& path);
nlohmann::json json_of(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

std::vector<std::string> words_of(const std::string& line);  // which blanks part
std::vector<std::string> lab_names();                        // in alphabetical order
// What a lab that passes says in JSON, in its order, and the runs therein.
nlohmann::ordered_json document_of(std::vector<std::string> arguments);
nlohmann::ordered_json runs_of(const std::vector<std::string>& arguments);

}  // namespace cudalab::e2e
