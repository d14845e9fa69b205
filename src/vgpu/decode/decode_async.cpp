// Decodes asynchronous instructions: cp.async, bulk copies, mbarrier objects and clusters.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "messages/vgpu.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/reading/forms.h"
#include "vgpu/execute/async_copy.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/mbarrier.h"
#include "vgpu/opcodes/atomic.h"

namespace cudalab::vgpu {

// Operands common to asynchronous instructions.

namespace {

std::optional<std::uint64_t> number_in(const ptx::Operand& operand) {
  const auto* literal = std::get_if<ptx::Immediate>(&operand.value);
  if (!literal || literal->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return literal->bits;
}

// Throws Unsupported if the operand is no address. `space`: as in the opcode's name; shared memory has
// windows.
Slot address_operand(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
                     Word space) {
  const auto* address = std::get_if<ptx::Address>(&instruction.operands.at(operand).value);
  if (!address || !address->coordinates.empty()) wrong_operands(instruction);
  return scope.operands.generic_address(*address, is_shared(space));
}

// A site by which the checks identify memory; its accesses are not counted.
std::uint32_t add_uncounted_site(FunctionScope& scope, SiteKind kind, int bytes) {
  SiteInfo site;
  site.kind = kind;
  site.bytes_per_lane = bytes;
  site.merged_bytes = 0;
  return scope.add_site(site);
}

// cp.async, its groups, and isspacep.

// Adds a site for the global load, and one for the shared store.
std::uint32_t add_async_sites(FunctionScope& scope, int bytes, const ptx::Address& to) {
  const auto index = static_cast<std::uint32_t>(scope.program.sites.size());
  for (const SiteKind kind : {SiteKind::kAsyncLoad, SiteKind::kAsyncStore}) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = bytes;
    site.residue_mask = static_cast<std::uint32_t>(
                            kind == SiteKind::kAsyncLoad ? kSectorBytes : std::max(bytes, kBankBytes)) -
                        1;
    site.index_shift = static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(bytes)));
    if (kind == SiteKind::kAsyncStore) scope.attribute(site, to);
    scope.add_site(site);
  }
  return index;
}

}  // namespace

void decode_async_commit(FunctionScope& scope, const ptx::Instruction&) {
  scope.code.emit(async_copy::commit);
}

// cp.async.wait_group N;   cp.async.wait_all
void decode_async_wait(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto groups = operands.empty() ? async_copy::kEverything : number_in(operands[0]);
  if (!groups) unsupported(instruction);
  scope.code.emit(async_copy::wait).imm = *groups;
}

// cp.async.{ca,cg}.shared.global{hints} [to], [from], BYTES{, bytes read | predicate: read nothing}{, cache
// policy}
void decode_async_copy(FunctionScope& scope, const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::vector<Word> parts = instruction.parts;
  std::erase_if(parts, is_cache_hint);
  const bool known = parts.size() == 5 && (parts.at(2) == "ca" || parts.at(2) == "cg") &&
                     (parts.at(3) == "shared" || parts.at(3) == "shared::cta") && parts.at(4) == "global";
  const auto* to = std::get_if<ptx::Address>(&operands.at(0).value);
  const auto* from = std::get_if<ptx::Address>(&operands.at(1).value);
  const auto bytes = number_in(operands.at(2));
  if (!known || !to || !from || !bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
    unsupported(instruction);
  Inst made;
  made.a = scope.operands.generic_address(*to, true);
  made.b = scope.operands.generic_address(*from, false);
  if (operands.size() - has_cache_policy(instruction) > 3) {
    const auto* name = std::get_if<ptx::Register>(&operands.at(3).value);
    const auto found = name ? scope.declarations.find_register(name->name) : std::nullopt;
    if (found && found->bytes == 0)
      made.e = found->slot;
    else
      made.c = scope.operands.source(operands.at(3), ptx::Type::kU32);
  }
  made.imm = *bytes;
  made.site = add_async_sites(scope, static_cast<int>(*bytes), *to);
  scope.code.add(made, async_copy::issue);
}

// isspacep.SPACE p, a
void decode_is_space(FunctionScope& scope, const ptx::Instruction& instruction) {
  static constexpr Meaning<std::uint64_t> kWindows[] = {{"shared", control::kInOwnShared},
                                                        {"shared::cta", control::kInOwnShared},
                                                        {"shared::cluster", kSharedWindow},
                                                        {"local", kLocalWindow},
                                                        {"param", kParamWindow},
                                                        {"param::entry", kParamWindow},
                                                        {"global", control::kInGlobal},
                                                        {"const", control::kInConstant}};
  const auto window = std::ranges::find(kWindows, part_of(instruction, 1), &Meaning<std::uint64_t>::word);
  if (window == std::end(kWindows)) unsupported(instruction);
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kPred);
  made.imm = window->value;
  scope.code.add(made, control::is_space);
}

// createpolicy… d, …: caches are not modelled, so any value is valid.
void decode_cache_policy(FunctionScope& scope, const ptx::Instruction& instruction) {
  const Slot to = scope.operands.result(instruction.operands.at(0), ptx::Type::kB64);
  Inst& inst = scope.code.emit(internal_row("mov.b64"));
  inst.a = scope.operands.constant(0, 8);
  inst.d = to;
}

// cp.async.bulk and cp.reduce.async.bulk, their groups, and stores counted by an mbarrier: st.async,
// red.async.

namespace {

constexpr Word kByMbarrier = "mbarrier::complete_tx::bytes";

bool names_memory(Word part) { return part == "global" || is_shared(part); }

// The parts after the first `skipped`, without memory order, scope and cache hints.
std::vector<Word> meaningful_parts(const ptx::Instruction& instruction, std::size_t skipped) {
  std::vector<Word> parts(instruction.parts.begin() + static_cast<std::ptrdiff_t>(skipped),
                          instruction.parts.end());
  std::erase_if(parts, [](Word part) {
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

// The reduction after the completion mechanism: OP.TYPE.
Reduction reduction_of(const ptx::Instruction& instruction, const std::vector<Word>& parts,
                       std::size_t first) {
  const std::string name =
      parts.size() == first + 2 ? fmt::format("{}.{}", parts[first].text(), parts[first + 1].text()) : "";
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
  throw Unsupported{msg::opcode_tensor_copy_unsupported(Code{instruction.opcode})};
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
  std::vector<Word> parts = meaningful_parts(instruction, 2);
  std::erase_if(parts, names_memory);
  const auto type = ptx::type_named(parts.back());
  const bool reduces = instruction.parts[0] == "red";
  const Word vector = !reduces && parts.size() == 3 ? parts[1] : Word();
  const bool known = !parts.empty() && parts[0] == kByMbarrier && type && ptx::info(*type).bytes >= 4 &&
                     (reduces || parts.size() == 2 || vector == "v2" || vector == "v4");
  if (!known) unsupported(instruction);
  BulkOp op;
  op.element_bytes = static_cast<std::uint32_t>(ptx::info(*type).bytes);
  op.elements = static_cast<std::uint32_t>(vector_elements(vector));
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

// mbarrier objects, and cp.async that arrives at one.

namespace {

constexpr std::uint64_t if_set(bool is_set, std::uint64_t flag) { return is_set ? flag : 0; }

// The parts of the name after `mbarrier.OPERATION`.
struct MbarrierName {
  Word operation, space;
  bool is_relaxed = false, expects_bytes = false, has_parity = false;
};

MbarrierName parse_mbarrier(const ptx::Instruction& instruction) {
  MbarrierName name;
  name.operation = part_of(instruction, 1);
  if (instruction.parts.back() != "b64") unsupported(instruction);
  for (std::size_t i = 2; i + 1 < instruction.parts.size(); ++i) {
    const Word part = instruction.parts[i];
    name.is_relaxed = name.is_relaxed || part == "relaxed";
    name.expects_bytes = name.expects_bytes || part == "expect_tx";
    name.has_parity = name.has_parity || part == "parity";
    if (is_shared(part)) name.space = part;
    const bool known =
        is_scope(part) || is_one_of(part, {"relaxed", "expect_tx", "parity", "release", "acquire",
                                           "noComplete", "shared", "shared::cta", "shared::cluster"});
    if (!known) unsupported(instruction);
  }
  return name;
}

constexpr int kObjectBytes = 8;

Inst on_object(FunctionScope& scope, const ptx::Instruction& instruction, std::size_t operand,
               const MbarrierName& name) {
  Inst made;
  made.a = address_operand(scope, instruction, operand, name.space);
  made.site = add_uncounted_site(scope, SiteKind::kSharedAtomic, kObjectBytes);
  return made;
}

// mbarrier.{init,expect_tx,complete_tx} [a], count;   mbarrier.inval [a]
void decode_on_object(FunctionScope& scope, const ptx::Instruction& instruction, const MbarrierName& name,
                      Handler run, std::size_t operands) {
  if (instruction.operands.size() != operands) wrong_operands(instruction);
  Inst made = on_object(scope, instruction, 0, name);
  if (operands == 2) made.b = scope.operands.source(instruction.operands[1], ptx::Type::kU32);
  scope.code.add(made, run);
}

// mbarrier.{arrive,arrive_drop}{.expect_tx} {state,_}, [a]{, count}
void decode_mbarrier_arrive(FunctionScope& scope, const ptx::Instruction& instruction,
                            const MbarrierName& name, std::uint64_t flags) {
  const auto& operands = instruction.operands;
  const bool has_state = operands.size() > 1 && !std::holds_alternative<ptx::Address>(operands[0].value);
  const std::size_t at = has_state ? 1 : 0;
  if (operands.size() > at + 2 || (name.expects_bytes && operands.size() != at + 2))
    wrong_operands(instruction);
  Inst made = on_object(scope, instruction, at, name);
  made.imm = flags | if_set(name.expects_bytes, mbarrier::kExpectsBytes) |
             if_set(name.is_relaxed, mbarrier::kRelaxed);
  if (operands.size() > at + 1) made.b = scope.operands.source(operands[at + 1], ptx::Type::kU32);
  const bool is_wanted = has_state && !std::holds_alternative<ptx::Underscore>(operands[0].value);
  if (is_wanted) made.d = scope.operands.result(operands[0], ptx::Type::kB64);
  scope.code.add(made, mbarrier::arrive);
}

// mbarrier.{test_wait,try_wait} p, [a], state{, time};   ….parity p, [a], parity{, time}
void decode_mbarrier_wait(FunctionScope& scope, const ptx::Instruction& instruction,
                          const MbarrierName& name) {
  const auto& operands = instruction.operands;
  const std::size_t most = name.operation == "try_wait" ? 4 : 3;
  if (operands.size() < 3 || operands.size() > most) wrong_operands(instruction);
  Inst made = on_object(scope, instruction, 1, name);
  made.imm = if_set(name.has_parity, mbarrier::kParity) | if_set(name.is_relaxed, mbarrier::kIsRelaxed);
  made.b = scope.operands.source(operands[2], name.has_parity ? ptx::Type::kU32 : ptx::Type::kB64);
  made.d = scope.operands.result(operands[0], ptx::Type::kPred);
  scope.code.add(made, mbarrier::wait);
}

// mbarrier.pending_count.b64 count, state
void decode_pending_count(FunctionScope& scope, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) wrong_operands(instruction);
  Inst made;
  made.a = scope.operands.source(instruction.operands[1], ptx::Type::kB64);
  made.d = scope.operands.result(instruction.operands[0], ptx::Type::kU32);
  scope.code.add(made, mbarrier::pending_count);
}

}  // namespace

void decode_mbarrier(FunctionScope& scope, const ptx::Instruction& instruction) {
  const MbarrierName name = parse_mbarrier(instruction);
  if (name.operation == "init") return decode_on_object(scope, instruction, name, mbarrier::init, 2);
  if (name.operation == "inval") return decode_on_object(scope, instruction, name, mbarrier::invalidate, 1);
  if (name.operation == "expect_tx")
    return decode_on_object(scope, instruction, name, mbarrier::expect_bytes, 2);
  if (name.operation == "complete_tx")
    return decode_on_object(scope, instruction, name, mbarrier::complete_bytes, 2);
  if (name.operation == "arrive") return decode_mbarrier_arrive(scope, instruction, name, 0);
  if (name.operation == "arrive_drop")
    return decode_mbarrier_arrive(scope, instruction, name, mbarrier::kDrops);
  if (name.operation == "test_wait" || name.operation == "try_wait")
    return decode_mbarrier_wait(scope, instruction, name);
  if (name.operation == "pending_count") return decode_pending_count(scope, instruction);
  unsupported(instruction);
}

// cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [a]
void decode_async_arrive(FunctionScope& scope, const ptx::Instruction& instruction) {
  std::vector<Word> parts = instruction.parts;
  const bool counted_already = std::erase(parts, Word("noinc")) > 0;
  const bool in_shared = std::erase_if(parts, [](Word part) {
                           return is_one_of(part, {"shared", "shared::cta"});
                         }) > 0;
  if (parts != std::vector<Word>{"cp", "async", "mbarrier", "arrive", "b64"}) unsupported(instruction);
  Inst made =
      on_object(scope, instruction, 0, {.operation = {}, .space = in_shared ? Word("shared") : Word()});
  made.imm = if_set(!counted_already, mbarrier::kCountsItself);
  scope.code.add(made, mbarrier::arrive_after_copies);
}

// Clusters: the cluster barrier, and addresses in the shared memory of other blocks.

namespace {

// The parts after barrier.cluster.{arrive,wait}.
bool knows_all_modifiers(const ptx::Instruction& instruction) {
  return std::all_of(instruction.parts.begin() + 3, instruction.parts.end(), [](Word part) {
    return is_one_of(part, {"release", "relaxed", "acquire", "aligned"});
  });
}

// The start of the address window of {mapa,getctarank}{.shared::cluster}.TYPE.
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

// mapa{.shared::cluster}.{u32,u64} d, a, rank. The handler computes 64 bits; a 32-bit result is truncated.
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
