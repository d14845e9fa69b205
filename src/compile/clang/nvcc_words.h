// Reads nvcc's command line as a plan for clang: what is made, of which files, and with which options.
#pragma once

#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

enum class Product {
  kProgram,       // or a shared library
  kObjects,       // one per source
  kPtx,           // one per source
  kFatBinaries,   // one per source
  kPreprocessed,  // on standard output, or in one file
  kDependencies,  // likewise: rules for make
  kDeviceLink,    // an object that the linker expects; device code is linked when the program starts
  kArchive
};

enum class InputKind { kCuda, kHost, kLinked };

struct InputFile {
  std::string path;
  InputKind kind = InputKind::kLinked;
};

struct NvccPlan {
  Product product = Product::kProgram;
  std::string output;  // the file of -o; may be empty
  std::vector<InputFile> inputs;
  // Architecture and options of the CUDA sources; has no source.
  CompileRequest request;
  std::vector<std::string> sources;  // clang's options for every source, CUDA or not
  std::vector<std::string> link;     // clang's options for linking, in their order
  bool is_relocatable = false;       // the program's device code is linked: -rdc=true
  bool shows_commands = false;       // -v

  // Where the product of an input goes: the file of -o, or the input's name with nvcc's extension.
  std::string output_for(const InputFile& input) const;
};

// `words` are those behind `nvcc`. Throws Error(kUsage) for an option that nvcc does not have, or that needs
// machine code, which clang does not make.
NvccPlan nvcc_plan(const std::vector<std::string>& words);

}  // namespace cudalab::compile
