// A PTX kernel for a row of the opcode table: each thread reads the operands from memory, executes the opcode
// once, and writes the results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/opcodes/recorded_rows_testing.h"
#include "vgpu/opcodes/table.h"

namespace cudalab::conformance {

// The opcode of one kernel, with its operands and results. Their columns follow one another in memory, 8
// bytes per value.
struct Probe {
  const vgpu::Row* row = nullptr;
  std::vector<std::string> operands;  // types; a carry that goes in comes first, as "carry"
  std::vector<std::string> results;   // types; a carry that comes out is last, as "carry"
  std::optional<unsigned> table;      // lop3: its last operand, which must be a constant in PTX
  std::size_t count = 0;
};

// The probes of all rows that can be written in PTX.
std::vector<Probe> all_probes(const vgpu::OpcodeTable& table);

// `.entry NAME(.param .u64 inputs, .param .u64 results)`, for blocks of 128 threads.
std::string kernel_text(const Probe& probe, const std::string& name);
std::string module_header();

}  // namespace cudalab::conformance
