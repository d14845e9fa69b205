// Reads what students hand in, which may be anything: each problem becomes one sentence, never an exception.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

inline constexpr std::size_t kLargestDocument = 16u << 20;  // bytes; a lab writes some 20 KB
inline constexpr std::size_t kLargestKernel = 1u << 20;

// One file to grade, and whose it is as far as its path says.
struct Submission {
  std::filesystem::path file;
  std::string
      student;  // the first folder below the folder that was named, or the file's name without its ending
  std::string problem;  // why it is not even opened; empty when it is
};

// Files stand for themselves. Of folders, everything below them whose name does not begin with a dot, in the
// order of the names; links inside them are not followed. A folder that cannot be opened is a submission with
// that problem, so that nobody is left out. Throws Error(kUsage) for a path that does not exist.
std::vector<Submission> find_submissions(const std::vector<std::string>& paths);

struct FileText {
  std::string text;
  std::string problem;  // empty when the text was read
};

// Opens regular files only, and never waits (a pipe would). Reads at most `most_bytes`.
FileText read_submission(const std::filesystem::path& file, std::size_t most_bytes);

struct Document {
  nlohmann::json json;
  std::string lab;
  std::string problem;  // empty when it is a document `cudalab.result/1` with a lab and runs
};

Document document_from(std::string_view text);

}  // namespace cudalab::grading
