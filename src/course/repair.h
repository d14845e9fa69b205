// Searches for a small edit of a learner's kernel that makes it pass: its line is where to look. The edit
// itself is not shown.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/check.h"
#include "course/repair_edits.h"

namespace cudalab::course {

struct RepairSettings {
  std::chrono::duration<double> limit{10};  // of the whole search
  unsigned threads = 1;
  std::function<void(std::size_t tried, std::size_t count)> progress{};
};

struct Repair {
  SourceLine where;
  EditKind kind{};
  std::vector<int> other_lines{};  // where a different edit makes the kernel pass, too
  std::size_t tried = 0;
  Edit edit{};
};

// For a kernel that failed `check`, made with these settings, with a wrong result or a hazard; empty if no
// edit helps, or none was found within the limit. Not for whole programs.
std::optional<Repair> find_repair(const Exercise& exercise, const lab::Lab& lab,
                                  const std::filesystem::path& file, const ExerciseCheck& check,
                                  const CheckSettings& settings, const RepairSettings& search);

// "line 14 is where to look: a comparison, or the bound it compares with".
Message describe(const Repair& repair);
// The edit itself: "line 14: write `i < n` instead of `i <= n`". `source`: the text that was repaired.
Message describe_edit(const Repair& repair, std::string_view source);

}  // namespace cudalab::course
