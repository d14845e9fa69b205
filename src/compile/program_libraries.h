// The libraries besides the runtime that a program may call, and their headers. The linker keeps those that
// the program uses, so users name none.
#pragma once

#include <filesystem>
#include <vector>

#include "compile/programs.h"

namespace cudalab::compile {

// The files to link with, as needed: cudalab's own, and the toolkit's NVRTC, which needs no GPU.
std::vector<std::filesystem::path> libraries_of(const ProgramBuild& build);

// The folder of cudalab's nvml.h, for compilers whose toolkit at `compiler` has none; empty if it has one.
std::filesystem::path nvml_headers_for(const std::filesystem::path& compiler);

}  // namespace cudalab::compile
