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

// What all steps of a build share.
struct ClangSteps {
  std::filesystem::path clang;
  BuildFolder folder;  // of the files between two steps
  BuildStep run;
  std::vector<std::string> for_sources{};  // clang's further options for all sources
};

// The PTX of a CUDA source. `stem` begins the names of files in the folder.
std::string device_code(const ClangSteps& steps, const CompileRequest& request, const std::string& stem,
                        bool is_relocatable);

// The name of a function or variable to which the PTX refers, and which another file of the program has to
// define; empty if there is none.
std::string name_of_others(const std::string& ptx);

// Compiles the host code of a CUDA source to an object that contains the fat binary in that file.
void compile_cuda_host_code(const ClangSteps& steps, const CompileRequest& request,
                            const std::string& fat_binary, const std::string& object);

// Preprocesses the host code of a CUDA source, as the options `for_sources` say.
void preprocess_cuda(const ClangSteps& steps, const CompileRequest& request, const std::string& text);

// Compiles a file without device code, which may include our headers of the runtime API.
void compile_host_file(const ClangSteps& steps, const CompileRequest& request, const std::string& object);

struct LinkedLibraries {
  std::filesystem::path runtime;
  std::vector<std::filesystem::path> as_needed;
};

// `objects` may contain further options of the linker.
void link_objects(const ClangSteps& steps, const std::vector<std::string>& objects,
                  const LinkedLibraries& libraries, const std::string& program);

// Builds `program` in the folder from these files, whose paths are as the compiler sees them.
void build_with_clang(const ProgramBuild& build, const std::vector<std::filesystem::path>& files,
                      const BuildFolder& folder, const BuildStep& run);

// A fat binary with one entry: the PTX for an architecture such as 90. `is_linked` sets kFatBinaryLinkedFlag.
std::string fat_binary_of(const std::string& ptx, int architecture, bool is_linked);

}  // namespace cudalab::compile
