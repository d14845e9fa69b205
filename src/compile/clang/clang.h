// CUDA C++ to PTX through clang and our own headers (include/cudalab/cuda/): no file of NVIDIA's is needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

struct FoundClang {
  std::filesystem::path path;
  int version = 0;  // 19
};

// The least version that makes what the virtual GPU executes (PTX ISA 8.0).
inline constexpr int kLeastClang = 17;

// $CUDALAB_CLANG, else the newest clang++-NUMBER on the PATH, else clang++; nothing where none of them is
// version 17 or later.
std::optional<FoundClang> find_clang();

// Our own headers: installed beside the program, else where it was built from.
std::filesystem::path cuda_headers();

// Options of NVRTC or nvcc as clang's. Throws Error(kUsage) for one that clang has no counterpart of.
std::vector<std::string> clang_options(const std::vector<std::string>& options);

// compile() of compile/compiler.h by clang: the same cache and errors. The source may hold host code.
CompiledSource compile_with_clang(const CompileRequest& request, const FoundClang& clang);

}  // namespace cudalab::compile
