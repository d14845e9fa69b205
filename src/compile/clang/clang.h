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

// The architecture that clang compiles a request for: the highest that it knows and the request allows, such
// as 90.
int clang_architecture(const CompileRequest& request);

// Options for the steps of clang: CUDA C++ to LLVM's text for the device, that text to PTX, and CUDA C++ to
// an object for the host.
std::vector<std::string> clang_device_words(const CompileRequest& request);
std::vector<std::string> clang_ptx_words(const CompileRequest& request);
std::vector<std::string> clang_host_words(const CompileRequest& request);

// PTX of clang, with the lines that nvcc would name: `.loc FILE 0`, for an instruction without a line, is
// removed, so it belongs to the line before.
std::string without_line_zero(const std::string& ptx);

// Throws the first error of clang's log; names a feature of CUDA that clang or our headers lack, if that is
// the reason.
[[noreturn]] void throw_clang_error(const std::string& log, const std::string& source,
                                    const std::string& file_name);

// Changes with our headers.
std::string cuda_headers_stamp();

// compile() of compile/compiler.h by clang: the same cache and errors. The source may hold host code.
CompiledSource compile_with_clang(const CompileRequest& request, const FoundClang& clang);

// LLVM's NVPTX back end moves a structure of 16 aligned bytes, as float4 is one, in two pieces of 8; nvcc
// moves it in one, which is what the lesson on wide accesses is about. Replaces each call of llvm.memcpy in
// LLVM's text whose sides are aligned to 16 bytes, and whose length is a multiple of that up to 128 bytes, by
// loads and stores of <4 x i32>. To be done before optimisation, so the vectors reach all that depends on
// them.
std::string with_vector_copies(const std::string& llvm_text);

}  // namespace cudalab::compile
