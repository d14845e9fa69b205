// The order in which the modifiers of an opcode stand: ptxas takes them in any.
#pragma once

#include <string>
#include <vector>

namespace cudalab::ptx {

// Puts the parts of an opcode into the order of the PTX ISA, as far as the rest of the program reads them by
// their place: `ldmatrix.sync.aligned.x4.m8n8.shared.b16`, as many libraries write it, has `m8n8` before
// `x4`. Types keep their order, and so do the layouts of two matrices. Returns whether anything changed.
bool put_modifiers_in_order(std::vector<std::string>& parts);

}  // namespace cudalab::ptx
