// What ptxas makes of kernels, from what it says about them: registers, shared memory, stack, spills.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/compiler.h"
#include "core/prediction.h"

namespace cudalab::compile {

// The option that has ptxas say it, and NVRTC's for it.
inline constexpr const char* kPtxasVerbose = "-v";
inline constexpr const char* kNvrtcVerbose = "--ptxas-options=-v";

// From a log of `ptxas -v` (CUDA 12 and 13), alone or among others' lines. A kernel of which the log does not
// say everything is left out. Never throws, whatever the text.
ResourcesBySymbol resources_in(std::string_view log);

// The log without ptxas's lines: what the front end has to say.
std::string without_ptxas(std::string_view log);

// Of a compilation that failed: whether the PTX alone can be had, because only what NVRTC does with it
// failed.
bool concerns_machine_code(std::string_view log);

// Of the kernels of a PTX text, for the compute capability that the request names, by the ptxas of nvcc's
// toolkit. Empty where there is none or it refuses, and where device functions are only linked later (-rdc),
// which may take more registers.
ResourcesBySymbol resources_by_ptxas(const CompileRequest& request, const std::string& ptx,
                                     const std::filesystem::path& nvcc);

}  // namespace cudalab::compile
