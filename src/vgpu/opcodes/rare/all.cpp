// Rows that are rarely executed, or whose lanes are computed one by one anyway. They are compiled once, for
// the base instruction set of x86-64 (or aarch64), with little optimization; compiled at every level they
// would take two thirds of the build time.
#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

void add_carry_rows(OpcodeTable& table);
void add_float_rounding_rows(OpcodeTable& table);
void add_half_modified_rows(OpcodeTable& table);
void add_half_compare_rows(OpcodeTable& table);
void add_convert_rounded_rows(OpcodeTable& table);
void add_convert_to_narrow_rows(OpcodeTable& table);
void add_convert_float_modified_rows(OpcodeTable& table);
void add_convert_fp8_rows(OpcodeTable& table);
void add_wide_rows(OpcodeTable& table);

void add_all_rows(OpcodeTable& table);
void add_all_rows(OpcodeTable& table) {
  add_carry_rows(table);
  add_float_rounding_rows(table);
  add_half_modified_rows(table);
  add_half_compare_rows(table);
  add_convert_rounded_rows(table);
  add_convert_to_narrow_rows(table);
  add_convert_float_modified_rows(table);
  add_convert_fp8_rows(table);
  add_wide_rows(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
