// Runs the built cudalab, or any command, in a temporary folder, and returns its output and how it ended.
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
  int code = -1;  // exit code, or 128 + the number of the signal that ended it
  std::string out, err;
};

struct Settings {
  std::vector<std::pair<std::string, std::string>> environment;  // set in addition to this process's own
  std::filesystem::path folder;                                  // the working folder; empty: the current one
  int interrupt_with = 0;                                        // a signal to send…
  std::string interrupt_when;                                    // …once this path exists
  std::string out_file;  // file for standard output; empty: it is captured
};

Outcome run_command(const std::vector<std::string>& words, const Settings& settings = {});
Outcome cudalab(const std::vector<std::string>& arguments, const Settings& settings = {});
// Runs with message ids and arguments instead of sentences, for the matcher Says
// (core/diagnostics/message_testing.h).
Outcome by_ids(const std::vector<std::string>& arguments, const Settings& settings = {});

// Runs shell commands in a mount namespace of their own, where they may mount and unmount.
// has_own_mounts(): whether this machine permits that.
Outcome in_own_mounts(const std::string& commands, const Settings& settings = {});
bool has_own_mounts();

// The output without line breaks at the terminal's width, whose positions depend on the lengths of paths.
std::string unwrapped(const std::string& text);

std::string read_file(const std::filesystem::path& path);
nlohmann::json json_of(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

std::vector<std::string> words_of(const std::string& line);  // separated by blanks
std::vector<std::string> lab_names();                        // in alphabetical order
// The JSON document of a lab that passes, in its order, and the runs in it.
nlohmann::ordered_json document_of(std::vector<std::string> arguments);
nlohmann::ordered_json runs_of(const std::vector<std::string>& arguments);

}  // namespace cudalab::e2e
