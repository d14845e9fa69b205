// The parts of the opcode table that are compiled for every level, in the order of the PTX ISA's chapters;
// the others are in rare/all.cpp.
#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {

void add_integer_rows(OpcodeTable& table);
void add_bits_rows(OpcodeTable& table);
void add_logic_rows(OpcodeTable& table);
void add_compare_rows(OpcodeTable& table);
void add_float_rows(OpcodeTable& table);
void add_float_approximate_rows(OpcodeTable& table);
void add_half_rows(OpcodeTable& table);
void add_move_rows(OpcodeTable& table);
void add_convert_rows(OpcodeTable& table);
void add_convert_to_integer_rows(OpcodeTable& table);
void add_convert_float_rows(OpcodeTable& table);
void add_memory_rows(OpcodeTable& table);
void add_warp_rows(OpcodeTable& table);

void add_all_rows(OpcodeTable& table);
void add_all_rows(OpcodeTable& table) {
  add_integer_rows(table);
  add_bits_rows(table);
  add_logic_rows(table);
  add_compare_rows(table);
  add_float_rows(table);
  add_float_approximate_rows(table);
  add_half_rows(table);
  add_move_rows(table);
  add_convert_rows(table);
  add_convert_to_integer_rows(table);
  add_convert_float_rows(table);
  add_memory_rows(table);
  add_warp_rows(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
