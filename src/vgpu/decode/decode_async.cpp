// cp.async, its groups, and how a program asks where an address points.
#include <algorithm>
#include <bit>

#include "vgpu/decode/function_decoder.h"
#include "vgpu/execute/async_copy.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

bool is_hint(std::string_view part) {
  return part.starts_with("L1::") || part.starts_with("L2::") || part.starts_with("level::");
}

std::optional<std::uint64_t> number_in(const ptx::Operand& operand) {
  const auto* literal = std::get_if<ptx::Immediate>(&operand.value);
  if (!literal || literal->kind != ptx::Immediate::Kind::kInteger) return std::nullopt;
  return literal->bits;
}

}  // namespace

// One of the global load, one of the shared store.
std::uint32_t FunctionDecoder::add_async_sites(int bytes) {
  const auto index = static_cast<std::uint32_t>(context_.program->sites.size());
  for (const SiteKind kind : {SiteKind::kAsyncLoad, SiteKind::kAsyncStore}) {
    SiteInfo site;
    site.kind = kind;
    site.bytes_per_lane = bytes;
    site.source = line_;
    site.residue_mask = static_cast<std::uint32_t>(
                            kind == SiteKind::kAsyncLoad ? kSectorBytes : std::max(bytes, kBankBytes)) -
                        1;
    site.index_shift = static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(bytes)));
    context_.program->sites.push_back(site);
  }
  return index;
}

// The whole 64-bit address of an operand in brackets; in shared memory the generic one.
Slot FunctionDecoder::generic_address(const ptx::Address& address, bool in_shared) {
  const std::uint64_t displacement =
      static_cast<std::uint64_t>(address.offset) + (in_shared ? kSharedWindow : 0);
  const Slot base = wide_address(address);
  if (displacement == 0) return base;
  Inst& inst = emit(internal_row("add.u64"));
  inst.a = base;
  inst.b = context_.constants.slot(displacement, 8);
  inst.d = allocate(8 * kWarpSize);
  return inst.d;
}

// cp.async.{ca,cg}.shared.global{hints} [to], [from], BYTES{, bytes read | predicate: read nothing}{, cache
// policy} cp.async.commit_group;  cp.async.wait_group N;  cp.async.wait_all
void FunctionDecoder::decode_async_copy(const ptx::Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::vector<std::string> parts = instruction.parts;
  const bool has_policy = std::find(parts.begin(), parts.end(), "L2::cache_hint") != parts.end();
  std::erase_if(parts, is_hint);
  if (parts.size() < 3 || parts.at(1) != "async") unsupported(instruction);
  if (parts.at(2) == "commit_group") {
    emit(async_copy::commit);
    return;
  }
  if (parts.at(2) == "wait_all" || parts.at(2) == "wait_group") {
    const auto groups = parts.at(2) == "wait_all" ? async_copy::kEverything : number_in(operands.at(0));
    if (!groups) unsupported(instruction);
    emit(async_copy::wait).imm = *groups;
    return;
  }
  const bool known = parts.size() == 5 && (parts.at(2) == "ca" || parts.at(2) == "cg") &&
                     (parts.at(3) == "shared" || parts.at(3) == "shared::cta") && parts.at(4) == "global";
  const auto* to = std::get_if<ptx::Address>(&operands.at(0).value);
  const auto* from = std::get_if<ptx::Address>(&operands.at(1).value);
  const auto bytes = number_in(operands.at(2));
  if (!known || !to || !from || !bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
    unsupported(instruction);
  Inst made;
  made.a = generic_address(*to, true);
  made.b = generic_address(*from, false);
  const std::size_t last = operands.size() - (has_policy ? 1 : 0);
  if (last > 3) {
    const auto* name = std::get_if<ptx::Register>(&operands.at(3).value);
    const auto found = name ? find_register(name->name) : std::nullopt;
    if (found && found->bytes == 0)
      made.e = found->slot;
    else
      made.c = source(operands.at(3), ptx::Type::kU32);
  }
  made.imm = *bytes;
  made.site = add_async_sites(static_cast<int>(*bytes));
  made.run = async_copy::issue;
  made.source = line_;
  pending_.push_back(made);
}

// isspacep.SPACE p, a
void FunctionDecoder::decode_is_space(const ptx::Instruction& instruction) {
  static constexpr std::pair<std::string_view, std::uint64_t> kWindows[] = {
      {"shared", kSharedWindow},      {"shared::cta", kSharedWindow}, {"shared::cluster", kSharedWindow},
      {"local", kLocalWindow},        {"param", kParamWindow},        {"param::entry", kParamWindow},
      {"global", control::kInGlobal}, {"const", control::kInConstant}};
  const auto window = std::find_if(std::begin(kWindows), std::end(kWindows),
                                   [&](auto& row) { return row.first == instruction.parts.at(1); });
  if (window == std::end(kWindows)) unsupported(instruction);
  Inst made;
  made.a = source(instruction.operands.at(1), ptx::Type::kU64);
  made.d = result(instruction.operands.at(0), ptx::Type::kPred);
  made.imm = window->second;
  made.run = control::is_space;
  made.source = line_;
  pending_.push_back(made);
}

// createpolicy… d, …: caches are not modelled, so any value will do.
void FunctionDecoder::decode_cache_policy(const ptx::Instruction& instruction) {
  const Slot to = result(instruction.operands.at(0), ptx::Type::kB64);
  Inst& inst = emit(internal_row("mov.b64"));
  inst.a = context_.constants.slot(0, 8);
  inst.d = to;
}

}  // namespace cudalab::vgpu
