// Clusters: their barrier, and addresses in the shared memory of other blocks.
#include <algorithm>

#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/cluster.h"

namespace cudalab::vgpu {
namespace {

// Behind barrier.cluster.{arrive,wait}
bool knows_all_modifiers(const ptx::Instruction& instruction) {
  return std::all_of(instruction.parts.begin() + 3, instruction.parts.end(), [](const std::string& part) {
    return is_one_of(part, {"release", "relaxed", "acquire", "aligned"});
  });
}

// Where {mapa,getctarank}{.shared::cluster}.TYPE has its addresses begin.
std::uint64_t window_of(const ptx::Instruction& instruction) {
  const std::size_t parts = instruction.parts.size();
  const bool in_shared = parts == 3 && instruction.parts[1] == "shared::cluster";
  const bool has_type = is_one_of(instruction.parts.back(), {"u32", "u64"});
  if (!has_type || (parts != 2 && !in_shared)) unsupported(instruction);
  return in_shared ? 0 : kSharedWindow;
}

}  // namespace

// barrier.cluster.arrive{.release,.relaxed}{.aligned}
void decode_cluster_arrive(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (!knows_all_modifiers(instruction)) unsupported(instruction);
  const bool relaxed = part_of(instruction, 3) == "relaxed";
  scope.code.emit(cluster::arrive).imm = relaxed ? cluster::kRelaxed : 0;
}

// barrier.cluster.wait{.acquire}{.aligned}
void decode_cluster_wait(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (!knows_all_modifiers(instruction)) unsupported(instruction);
  scope.ends_with(BasicBlockInfo::End::kBarrier);
  scope.code.emit(cluster::wait);
}

// mapa{.shared::cluster}.{u32,u64} d, a, rank. The handler computes 64 bits; a 32-bit result is cut.
void decode_map_address(FunctionScope& scope, const ptx::Instruction& instruction) {
  Inst made;
  made.imm = window_of(instruction);
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kU64);
  made.b = scope.operands.source(instruction.operands.at(2), ptx::Type::kU32);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kU64);
  scope.code.add(made, cluster::map_address);
}

// getctarank{.shared::cluster}.{u32,u64} rank, a
void decode_rank_of_address(FunctionScope& scope, const ptx::Instruction& instruction) {
  Inst made;
  made.imm = window_of(instruction);
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kU32);
  scope.code.add(made, cluster::rank_of_address);
}

}  // namespace cudalab::vgpu
