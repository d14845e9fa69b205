// Compiles CUDA C++ to PTX through clang and our own headers (include/cudalab/cuda/): needs no file from
// NVIDIA.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

struct FoundClang {
  std::filesystem::path path;
  int version = 0;  // 19
};

// The lowest version whose PTX the virtual GPU executes (PTX ISA 8.0).
inline constexpr int kLeastClang = 17;

// $CUDALAB_CLANG, else the newest clang++-NUMBER on the PATH, else clang++; empty if none of them is version
// 17 or later.
std::optional<FoundClang> find_clang();

// Our own headers: installed beside the program, else in the sources it was built from.
std::filesystem::path cuda_headers();

// Translates options of NVRTC or nvcc to clang's. Throws Error(kUsage) for an option without a counterpart.
std::vector<std::string> clang_options(const std::vector<std::string>& options);

// The architecture for which clang compiles a request: the highest that it knows and the request allows, such
// as 90.
int clang_architecture(const CompileRequest& request);

// The options of clang's steps: CUDA C++ to LLVM IR text for the device, LLVM IR to PTX, and CUDA C++ to an
// object file for the host.
std::vector<std::string> clang_device_words(const CompileRequest& request);
std::vector<std::string> clang_ptx_words(const CompileRequest& request);
std::vector<std::string> clang_host_words(const CompileRequest& request);

// Removes `.loc FILE 0`, which clang writes for an instruction without a line, so the instruction belongs to
// the line before, as with nvcc.
std::string without_line_zero(const std::string& ptx);

// Throws the first error in clang's log. If the reason is a CUDA feature that clang or our headers lack,
// names it.
[[noreturn]] void throw_clang_error(const std::string& log, const std::string& source,
                                    const std::string& file_name);

// A text that changes with our headers.
std::string cuda_headers_stamp();

// Does what compile() of compile/compiler.h does, by clang: same cache and errors. The source may contain
// host code.
CompiledSource compile_with_clang(const CompileRequest& request, const FoundClang& clang);

// LLVM's NVPTX back end copies a 16-byte aligned structure, such as float4, as two 8-byte accesses; nvcc uses
// one 16-byte access, which the lesson on wide accesses needs. Replaces each llvm.memcpy in LLVM IR whose
// operands are aligned to 16 bytes, and whose length is a multiple of 16 of at most 128 bytes, by loads and
// stores of <4 x i32>. Must run before optimisation, so the vectors reach all code that depends on them.
std::string with_vector_copies(const std::string& llvm_text);

// Adds the cluster dimensions that the source's __cluster_dims__ states for each kernel to the PTX that was
// made from this LLVM IR.
std::string with_cluster_dimensions(std::string ptx, std::string_view llvm_text);

}  // namespace cudalab::compile
