// Writes a parsed module, or a part of it, as PTX for messages and tests.
#pragma once

#include <string>

#include "ptx/module.h"

namespace cudalab::ptx {

std::string to_text(const Operand& operand);          // `[%rd1+4]`
std::string to_text(const Instruction& instruction);  // `@%p1 bra $L__BB0_2;`
std::string to_text(const Variable& variable);        // `.global .align 4 .u32 counter = 7`
std::string to_text(const Function& function);
// Parses to an equal module, except for line numbers: `.loc` and `.file` are not written.
std::string to_text(const Module& module);

}  // namespace cudalab::ptx
