// Which programs cannot run on the virtual GPU, found in their files before anything runs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cudalab::device {

// How to build a program so that it can: the words of nvcc that every remedy names.
inline constexpr const char* kBuildFlags =
    "--cudart shared -g -lineinfo -gencode arch=compute_90,code=compute_90";

// Why not, and what to do; empty where nothing speaks against it.
std::string objection_to(const std::string& program, std::span<const std::byte> file);

// Throws Error(kUsage) with the objection, or where there is no such program.
void require_runnable(const std::string& program);

}  // namespace cudalab::device
