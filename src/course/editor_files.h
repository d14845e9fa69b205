// What an editor needs to know of a learner's folder: how its kernels are compiled, and how they are checked.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/exercise.h"

namespace cudalab::course {

// The first line of a file that cudalab may write anew says so. It is not the user's.
inline constexpr std::string_view kWrittenByCudalab =
    "written by `cudalab start --editor`; a change is lost with the next one";

using Defines = std::vector<std::pair<std::string, std::string>>;

// The macros that the lab compiles a learner's file with, in the exercise's first case; none for a whole
// program.
Defines defines_of(const Exercise& exercise, const lab::Lab& lab);

struct EditedFile {
  std::string path;  // in the workspace: "transpose/padded-tile.cu"
  Defines defines;
};

// `.clangd`: CUDA C++, with each file's macros. `toolkit`: the folder of the CUDA Toolkit.
std::string clangd_text(std::span<const EditedFile> files,
                        const std::optional<std::filesystem::path>& toolkit);

// `.vscode/tasks.json`: check and step through the file that is open, its findings among the problems.
std::string vscode_tasks_text();

}  // namespace cudalab::course
