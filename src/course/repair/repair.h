// Searches for a small edit that makes a learner's kernel pass. A first hint shows the line; the edit is
// shown only later.
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
#include "course/repair/edits.h"

namespace cudalab::course {

struct RepairSettings {
  std::chrono::duration<double> limit{10};  // for the whole search; no search if it is not positive
  unsigned threads = 1;
  std::function<void(std::size_t tried, std::size_t count)> progress{};
};

struct Repair {
  SourceLine where;
  EditKind kind{};
  std::vector<int> other_lines{};  // lines where a different edit also makes the kernel pass
  std::size_t tried = 0;
  Edit edit{};
};

// `check` is the failed check (a wrong result or a hazard), made with these settings. Returns an empty value
// if no edit helps or none is found within the limit. Not for whole programs.
std::optional<Repair> find_repair(const Exercise& exercise, const lab::Lab& lab,
                                  const std::filesystem::path& file, const ExerciseCheck& check,
                                  const CheckSettings& settings, const RepairSettings& search);

// Points to the line: "line 14 is where to look: a comparison, or the bound it compares with".
Message describe(const Repair& repair);
// Shows the edit: "line 14: write `i < n` instead of `i <= n`". `source` is the text before the edit.
Message describe_edit(const Repair& repair, std::string_view source);

}  // namespace cudalab::course
