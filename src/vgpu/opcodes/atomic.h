// Atomic operations on memory (PTX ISA, "atom" and "red"): rows of the opcode table that need no vector
// loops.
#pragma once

#include "vgpu/opcodes/table.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// How an atomic's Inst is filled: a address (64 bits), imm displacement, b operand (cas: what to compare
// with), c second operand of cas, d result if it is wanted, e.bits one of these. Of a vector, `slots` are the
// elements of the operand, then those of the result.
enum AtomicSpace : std::uint32_t {
  kAtomicGeneric = 0,
  kAtomicGlobal = 1,
  kAtomicShared = 2,
  kAtomicCluster = 3  // shared memory of any block of the cluster
};

// What cp.reduce.async.bulk and red.async do to each element: "add.u32"; nullptr for others.
Reduction reduction_named(std::string_view name);

// Rows "atom.OP.TYPE", and "atom.vector.OP.TYPE" for any number of elements.
void add_atomic_rows(OpcodeTable& table);

}  // namespace cudalab::vgpu
