// The steps by which clang builds a whole program: the device code of each file to PTX, the PTX into a fat
// binary, the host code to an object that contains the fat binary, and all objects linked with the virtual
// GPU's runtime.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compile/programs.h"

namespace cudalab::compile {

// Runs one step; throws CompileError if it fails.
using BuildStep = std::function<void(const std::vector<std::string>& words)>;

// Builds `program` in the folder from these files, whose paths are as the compiler sees them.
void build_with_clang(const ProgramBuild& build, const std::vector<std::filesystem::path>& files,
                      const BuildFolder& folder, const BuildStep& run);

// A fat binary with one entry: the PTX for an architecture such as 90. `is_linked` sets kFatBinaryLinkedFlag.
std::string fat_binary_of(const std::string& ptx, int architecture, bool is_linked);

}  // namespace cudalab::compile
