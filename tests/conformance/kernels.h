// A kernel in PTX for a row of the opcode table: it reads the operands from memory, executes the opcode once
// a thread, and writes the results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/opcodes/recorded_rows_testing.h"
#include "vgpu/opcodes/table.h"

namespace cudalab::conformance {

// What one kernel does. Columns of operands and results lie one behind the other, 8 bytes a value.
struct Probe {
  const vgpu::Row* row = nullptr;
  std::vector<std::string> operands;  // types; "carry" first where the carry goes in
  std::vector<std::string> results;   // types; "carry" last where it comes out
  std::optional<unsigned> table;      // lop3: its last operand, which PTX wants as a constant
  std::size_t count = 0;
};

// The probes of every row that PTX can name.
std::vector<Probe> all_probes(const vgpu::OpcodeTable& table);

// `.entry NAME(.param .u64 inputs, .param .u64 results)`, for blocks of 128 threads.
std::string kernel_text(const Probe& probe, const std::string& name);
std::string module_header();

}  // namespace cudalab::conformance
