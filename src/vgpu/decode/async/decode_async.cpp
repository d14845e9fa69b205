// cp.async, its groups, and how a program asks where an address points.
#include <algorithm>
#include <bit>

#include "vgpu/decode/async/async_operands.h"
#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/async_copy.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

// One of the global load, one of the shared store.
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
  std::vector<std::string> parts = instruction.parts;
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
  static constexpr std::pair<std::string_view, std::uint64_t> kWindows[] = {
      {"shared", control::kInOwnShared},
      {"shared::cta", control::kInOwnShared},
      {"shared::cluster", kSharedWindow},
      {"local", kLocalWindow},
      {"param", kParamWindow},
      {"param::entry", kParamWindow},
      {"global", control::kInGlobal},
      {"const", control::kInConstant}};
  const auto window = std::find_if(std::begin(kWindows), std::end(kWindows),
                                   [&](auto& row) { return row.first == part_of(instruction, 1); });
  if (window == std::end(kWindows)) unsupported(instruction);
  Inst made;
  made.a = scope.operands.source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = scope.operands.result(instruction.operands.at(0), ptx::Type::kPred);
  made.imm = window->second;
  scope.code.add(made, control::is_space);
}

// createpolicy… d, …: caches are not modelled, so any value will do.
void decode_cache_policy(FunctionScope& scope, const ptx::Instruction& instruction) {
  const Slot to = scope.operands.result(instruction.operands.at(0), ptx::Type::kB64);
  Inst& inst = scope.code.emit(internal_row("mov.b64"));
  inst.a = scope.operands.constant(0, 8);
  inst.d = to;
}

}  // namespace cudalab::vgpu
