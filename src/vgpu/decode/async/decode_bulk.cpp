// cp.async.bulk and cp.reduce.async.bulk, their groups, and the stores that an mbarrier counts: st.async,
// red.async.
#include <algorithm>

#include "vgpu/decode/async/async_operands.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/bulk_copy.h"
#include "vgpu/opcodes/atomic.h"

namespace cudalab::vgpu {
namespace {

constexpr std::string_view kByMbarrier = "mbarrier::complete_tx::bytes";

bool names_memory(std::string_view part) { return part == "global" || part.starts_with("shared"); }

// The parts that are no order, scope or cache hint, behind the first `skipped`.
std::vector<std::string> meaningful_parts(const ptx::Instruction& instruction, std::size_t skipped) {
  std::vector<std::string> parts(instruction.parts.begin() + static_cast<std::ptrdiff_t>(skipped),
                                 instruction.parts.end());
  std::erase_if(parts, [](const std::string& part) {
    return is_cache_hint(part) || is_scope(part) || is_one_of(part, {"weak", "relaxed", "noftz"});
  });
  return parts;
}

std::uint64_t keep_op(FunctionScope& scope, const BulkOp& op) {
  scope.program.bulk_ops.push_back(op);
  return scope.program.bulk_ops.size() - 1;
}

SiteKind kind_of(bool in_global, bool is_written) {
  if (in_global) return is_written ? SiteKind::kGlobalStore : SiteKind::kGlobalLoad;
  return is_written ? SiteKind::kSharedStore : SiteKind::kSharedLoad;
}

// The reduction behind the completion mechanism: OP.TYPE.
Reduction reduction_of(const ptx::Instruction& instruction, const std::vector<std::string>& parts,
                       std::size_t first) {
  const std::string name = parts.size() == first + 2 ? parts[first] + "." + parts[first + 1] : "";
  const Reduction reduction = reduction_named(name);
  if (!reduction) unsupported(instruction);
  return reduction;
}

}  // namespace

// cp.async.bulk.TO.FROM.mbarrier::complete_tx::bytes{.multicast::cluster}{hint} [to], [from], bytes,
// [mbarrier]
//     {, ranks}{, policy}
// cp.async.bulk.global.shared::cta.bulk_group{hint} [to], [from], bytes{, policy}
// cp.reduce.async.bulk.TO.FROM.COMPLETION{hint}.OP{.noftz}.TYPE …
void decode_bulk_copy(FunctionScope& scope, const ptx::Instruction& instruction) {
  const bool reduces = part_of(instruction, 1) == "reduce";
  const auto parts = meaningful_parts(instruction, reduces ? 4 : 3);
  const bool known = parts.size() >= 3 && names_memory(parts[0]) && names_memory(parts[1]) &&
                     (parts[2] == "bulk_group" || parts[2] == kByMbarrier);
  if (!known) unsupported(instruction);
  BulkOp op;
  op.to_global = parts[0] == "global", op.from_global = parts[1] == "global";
  op.in_groups = parts[2] == "bulk_group";
  op.has_ranks = !reduces && parts.size() == 4 && parts[3] == "multicast::cluster";
  if (reduces) op.reduce = reduction_of(instruction, parts, 3);
  if (op.to_global != op.in_groups || (!reduces && parts.size() != (op.has_ranks ? 4u : 3u)))
    unsupported(instruction);
  const std::size_t operands = 3u + !op.in_groups + op.has_ranks;
  if (instruction.operands.size() != operands + has_cache_policy(instruction)) wrong_operands(instruction);
  Inst made;
  made.a = address_operand(scope, instruction, 0, parts[0]);
  made.b = address_operand(scope, instruction, 1, parts[1]);
  made.c = scope.operands.source(instruction.operands[2], ptx::Type::kU32);
  std::vector<Slot> slots;
  if (!op.in_groups) slots.push_back(address_operand(scope, instruction, 3, "shared"));
  if (op.has_ranks) slots.push_back(scope.operands.source(instruction.operands[4], ptx::Type::kU32));
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_uncounted_site(scope, kind_of(op.to_global, true), bulk::kUnitBytes);
  add_uncounted_site(scope, kind_of(op.from_global, false), bulk::kUnitBytes);
  if (reduces && op.to_global) {
    scope.program.sites[made.site].is_atomic = true;
    scope.traits.communicates = true;
  }
  made.imm = keep_op(scope, op);
  scope.code.add(made, bulk::copy);
}

void decode_tensor_copy(FunctionScope&, const ptx::Instruction& instruction) {
  throw Unsupported{"opcode `" + instruction.opcode +
                    "` copies by a tensor map, which the virtual GPU does not have: copy row by row with "
                    "cp.async.bulk or cuda::memcpy_async"};
}

void decode_bulk_commit(FunctionScope& scope, const ptx::Instruction&) {
  scope.code.emit(bulk::commit_group);
}

// cp.async.bulk.wait_group{.read} N
void decode_bulk_wait(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto latest = number_in(instruction.operands.at(0));
  const bool only_reads = part_of(instruction, 4) == "read";
  if (!latest || *latest >= bulk::kOnlyReads) wrong_operands(instruction);
  scope.code.emit(bulk::wait_group).imm = *latest | (only_reads ? bulk::kOnlyReads : 0);
}

// {st,red}.async{.weak,.relaxed.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes{.OP}{.vector}.TYPE
//     [to], value, [mbarrier]
void decode_async_store(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<std::string> parts = meaningful_parts(instruction, 2);
  std::erase_if(parts, names_memory);
  const auto type = ptx::type_named(parts.back());
  const bool reduces = instruction.parts[0] == "red";
  const std::string_view vector = !reduces && parts.size() == 3 ? std::string_view(parts[1]) : "";
  const bool known = !parts.empty() && parts[0] == kByMbarrier && type && ptx::info(*type).bytes >= 4 &&
                     (reduces || parts.size() == 2 || vector == "v2" || vector == "v4");
  if (!known) unsupported(instruction);
  BulkOp op;
  op.element_bytes = static_cast<std::uint32_t>(ptx::info(*type).bytes);
  op.elements = vector.empty() ? 1u : static_cast<std::uint32_t>(vector[1] - '0');
  if (reduces) op.reduce = reduction_of(instruction, parts, 1);
  const ptx::Operand& value = instruction.operands.at(1);
  const auto* values = std::get_if<ptx::Vector>(&value.value);
  if ((values ? values->elements.size() : 1) != op.elements) wrong_operands(instruction);
  Inst made;
  made.a = address_operand(scope, instruction, 0, "shared");
  std::vector<Slot> slots{address_operand(scope, instruction, 2, "shared")};
  for (std::uint32_t i = 0; i < op.elements; ++i)
    slots.push_back(scope.operands.source(values ? values->elements[i] : value, *type));
  made.slots = scope.module.keep(std::move(slots));
  made.site = add_uncounted_site(scope, SiteKind::kSharedStore, static_cast<int>(op.element_bytes));
  add_uncounted_site(scope, SiteKind::kSharedLoad, static_cast<int>(op.element_bytes));
  made.imm = keep_op(scope, op);
  scope.code.add(made, bulk::store);
}

}  // namespace cudalab::vgpu
