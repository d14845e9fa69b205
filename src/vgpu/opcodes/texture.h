// Instructions on textures and surfaces: rows "tex", "tld4", "suld", "sust", "txq". Inst::a holds the
// handles, imm the number of the TextureOp; for a query d is the result and imm what is asked.
#pragma once

#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu {

void add_texture_rows(OpcodeTable& table);

}  // namespace cudalab::vgpu
