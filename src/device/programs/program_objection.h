// Detects programs that cannot run on the virtual GPU, from their files, before they start.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/diagnostics/message.h"

namespace cudalab::device {

// The nvcc options that make a program runnable; every advice includes them.
inline constexpr const char* kBuildFlags =
    "--cudart shared -g -lineinfo -gencode arch=compute_90,code=compute_90";

// Why the program cannot run, and what to do; empty if it can.
Message objection_to(const std::string& program, std::span<const std::byte> file);

// Throws Error(kUsage) with the objection, or if there is no such program.
void require_runnable(const std::string& program);

}  // namespace cudalab::device
