// Finds and reads submissions, whose contents may be anything: each problem becomes one sentence, never an
// exception.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "grading/identity.h"

namespace cudalab::grading {

// Accessors for untrusted documents: a missing value, or one of the wrong type, counts as empty.

// The value of a key; null if there is none.
const nlohmann::json& at(const nlohmann::json& object, const std::string& key);

// The value as text; empty if it is not a string.
std::string text_at(const nlohmann::json& object, const std::string& key);

// The run of that name in a document `cudalab.result/1`; nullptr if there is none.
const nlohmann::json* run_called(const nlohmann::json& document, const std::string& name);

// Reads submitted files.

inline constexpr std::size_t kLargestDocument = 16u << 20;  // bytes; a lab writes about 20 KB
inline constexpr std::size_t kLargestKernel = 1u << 20;

// One file to grade, and its student as far as its path says.
struct Submission {
  std::filesystem::path file;
  std::string
      student;  // first folder below the one that the user named, or the file's name without extension
  std::string problem;         // why the file is not opened; empty: none
  bool is_certain = false;     // from a folder or a platform, not guessed from the file's name
  std::string expected = {};   // student that a document must name, from the roster; empty: any
  std::string submitted = {};  // submission time from a platform or a roster
  std::string original = {};   // name before a platform changed it; empty: unchanged
  std::string flag = {};       // for the instructor; may be empty
  std::map<std::string, std::string> submitted_of = {};  // times by lab or exercise, from the roster
  std::string due = {};  // the platform's deadline for this student; empty: none
  bool is_late = false;  // according to the platform, which may not say by how much
};

// The file's path with its original name, before a platform changed it.
std::filesystem::path name_of(const Submission& submission);

// A file is one submission. A folder stands for all files below it whose names do not begin with a dot,
// sorted by name; symbolic links inside it are not followed. A folder that cannot be opened becomes a
// submission with that problem, so no student is missed. Names that Moodle and Canvas give to files and
// folders, and Gradescope's submission_metadata.json, identify the student (grading/identity.h). Throws
// Error(kUsage) for a path that does not exist.
std::vector<Submission> find_submissions(const std::vector<std::string>& paths);

// Removes the files that are neither documents (.json) nor kernels (.cu), such as README.md or a.out, and
// returns them. A student who handed in nothing else keeps them, so no student is missed.
std::vector<std::filesystem::path> set_foreign_files_aside(std::vector<Submission>& submissions);

// Assigns all submissions to this student, whatever folders and platforms say.
void expect_student(const std::string& student, std::vector<Submission>& submissions);

// Assigns each submission to the student of the roster with the ID or name in its folder, platform name or
// file name. Grades then use the platform's ID. Submissions of students outside the roster are flagged.
void expect_roster(const std::vector<RosterEntry>& roster, std::vector<Submission>& submissions);

struct FileText {
  std::string text;
  std::string problem;  // empty if the text was read
};

// Opens regular files only, and never blocks, unlike opening a pipe. Reads at most `most_bytes`.
FileText read_submission(const std::filesystem::path& file, std::size_t most_bytes);

struct Document {
  nlohmann::json json;
  std::string lab;
  std::string problem;  // empty if it is a document `cudalab.result/1` with a lab and runs
};

Document document_from(std::string_view text);

// Reads a document from a file that the user named. Throws Error(kUsage) if it is not a result document.
Document document_in(const std::string& file);

}  // namespace cudalab::grading
