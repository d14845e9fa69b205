// Decodes one function of a module.
#pragma once

#include "vgpu/decode/module_context.h"

namespace cudalab::vgpu {

// What cannot be decoded is named in FunctionTraits::unsupported, and the function has no code.
FunctionTraits decode_function(ModuleContext& module, const ptx::Function& source, FunctionCode& code);

}  // namespace cudalab::vgpu
