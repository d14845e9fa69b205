// Instructions on textures and surfaces: rows "tex", "tld4", "suld", "sust", "txq". Inst::a: handles; imm:
// index of the TextureOp. For a query, d is the result and imm the queried property.
#pragma once

#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu {

void add_texture_rows(OpcodeTable& table);

}  // namespace cudalab::vgpu
