// Decodes one function of a module.
#pragma once

#include "vgpu/decode/module_context.h"

namespace cudalab::vgpu {

// What cannot be decoded is added to ModuleContext::unsupported.
FunctionTraits decode_function(ModuleContext& module, const ptx::Function& source, FunctionCode& code);

}  // namespace cudalab::vgpu
