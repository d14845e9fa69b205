// Decodes a parsed PTX module to executable code: operands become slots, opcodes become handlers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ptx/module.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Allocates the module's variables in `memory` and decodes every function. Throws Error(kUsage) that names
// every unsupported opcode, each with its file and line.
std::unique_ptr<Program> decode(const ptx::Module& module, std::string_view source_name, GlobalMemory& memory,
                                const Card& card);

}  // namespace cudalab::vgpu
