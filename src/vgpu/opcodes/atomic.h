// Atomic operations on memory (PTX ISA, "atom" and "red"): rows of the opcode table that need no vector
// loops.
#pragma once

#include "vgpu/opcodes/table.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

// Fields of an atomic's Inst: a: address (64 bits); imm: displacement; b: operand (cas: comparison value); c:
// second operand of cas; d: result, if used; e.bits: one of these. For vectors, `slots` holds the elements of
// the operand, then those of the result.
enum AtomicSpace : std::uint32_t {
  kAtomicGeneric = 0,
  kAtomicGlobal = 1,
  kAtomicShared = 2,
  kAtomicCluster = 3  // shared memory of any block of the cluster
};

// The operation of cp.reduce.async.bulk and red.async on each element, for example "add.u32"; nullptr for an
// unknown name.
Reduction reduction_named(std::string_view name);

// Rows "atom.OP.TYPE", and "atom.vector.OP.TYPE" for any number of elements.
void add_atomic_rows(OpcodeTable& table);

}  // namespace cudalab::vgpu
