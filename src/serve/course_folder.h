// The learner's files: sources within the course folder, read and written without following a link.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"

namespace cudalab::serve {

inline constexpr std::size_t kMostSource = 512u << 10;

struct SourceText {
  std::string text;
  Message problem;  // empty: the text is complete
};

// Paths are relative to the folder: "transpose/padded-tile.cu".
class CourseFolder {
 public:
  explicit CourseFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }

  // Whether a path may name a source of the folder: .cu, .cuh or .h, without hidden folders and upward steps.
  static bool is_source_name(std::string_view path);

  SourceText read(const std::string& path) const;
  // Replaces the file atomically. Returns the reason if that fails, and an empty message otherwise.
  Message write(const std::string& path, std::string_view text) const;
  // The sources in the folder and in its direct subfolders, sorted by name.
  std::vector<std::string> sources() const;
  // A text that changes whenever a source or the progress file changes.
  std::string state() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace cudalab::serve
