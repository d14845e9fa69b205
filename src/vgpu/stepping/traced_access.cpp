#include "vgpu/stepping/traced_access.h"

#include <bit>

#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/banks.h"
#include "vgpu/counters/coalescing.h"

namespace cudalab::vgpu {
namespace {

std::optional<std::uint64_t> address_of_symbol(const TracedCode& code, const Launch& launch,
                                               const std::string& name) {
  for (const SharedVariable& variable : launch.program->shared_variables)
    if (variable.name == name && is_of_kernel(variable, launch)) return variable.offset;
  for (const VariableInfo& variable : launch.program->variables)
    if (variable.symbol == name) return variable.address;
  const ptx::Variable* dynamic = code.text().find_variable(name);
  if (dynamic && dynamic->space == ptx::Space::kShared) return launch.dynamic_shared_base;
  return std::nullopt;
}

std::optional<LaneBits> base_of(const TracedCode& code, const ptx::Address& address, const Warp& warp) {
  const Frame& frame = warp.frames[warp.frame];
  LaneBits lanes{};
  if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
    const auto at = address_of_symbol(code, *warp.launch, symbol->name);
    if (!at) return std::nullopt;
    lanes.fill(*at);
  } else if (const auto* name = std::get_if<ptx::Register>(&address.base)) {
    const auto place = place_of_register(*frame.function, name->name);
    if (!place) return std::nullopt;
    lanes = read_lanes(frame.registers.get(), *place);
    const bool is_narrow = place->lane_bytes <= 4;
    for (std::uint64_t& lane : lanes) {
      lane += static_cast<std::uint64_t>(address.offset);
      if (is_narrow) lane = static_cast<std::uint32_t>(lane);
    }
    return lanes;
  }
  for (std::uint64_t& lane : lanes) lane += static_cast<std::uint64_t>(address.offset);
  return lanes;
}

struct Window {
  MemorySpace space;
  std::uint64_t begin;  // of generic addresses
};

// `address`: that the first lane gives.
Window window_of(ptx::Space space, std::uint64_t address) {
  const bool is_generic = space == ptx::Space::kNone;
  if (space == ptx::Space::kShared || (is_generic && address - kSharedWindow < kWindowBytes))
    return {MemorySpace::kShared, kSharedWindow};
  if (space == ptx::Space::kLocal || (is_generic && address - kLocalWindow < kWindowBytes))
    return {MemorySpace::kLocal, kLocalWindow};
  return {space == ptx::Space::kConst ? MemorySpace::kConstant : MemorySpace::kGlobal, 0};
}

void count(TracedAccess& access) {
  const WarpAccess asked{access.address, access.lanes, static_cast<int>(access.bytes)};
  if (access.kind == AccessKind::kAtomic || access.kind == AccessKind::kReduction) return;
  if (access.space == MemorySpace::kShared) {
    const WavefrontCount cost = count_wavefronts(
        asked, access.kind == AccessKind::kLoad ? SharedAccess::kLoad : SharedAccess::kStore);
    access.transactions = cost.wavefronts;
    access.fewest = cost.groups;
  } else if (access.space == MemorySpace::kGlobal) {
    const SectorCount cost = count_sectors(asked);
    access.transactions = cost.sectors;
    access.fewest = (cost.distinct_bytes + kSectorBytes - 1) / kSectorBytes;
  }
}

bool is_aligned(const TracedAccess& access) {
  for (std::uint32_t left = access.lanes; left; left &= left - 1)
    if (access.address[std::countr_zero(left)] % access.bytes != 0) return false;
  return std::has_single_bit(access.bytes);
}

}  // namespace

std::optional<TracedAccess> trace_access(const TracedCode& code, const TracedCode::Entry& entry,
                                         const AddressUse& use, const Warp& warp, std::uint32_t executing) {
  TracedAccess access;
  access.lanes = executing & use.lanes;
  const auto& address = std::get<ptx::Address>(entry.instruction->operands[use.operand].value);
  const auto lanes = access.lanes ? base_of(code, address, warp) : std::nullopt;
  if (!lanes) return std::nullopt;
  const std::uint64_t first = (*lanes)[std::countr_zero(access.lanes)];
  const Window window = window_of(use.space, first);
  const bool is_offset = use.space != ptx::Space::kNone;  // from the window's beginning, already
  access.space = window.space;
  access.kind = use.kind;
  access.bytes = use.bytes;
  access.elements = use.elements;
  for (std::size_t lane = 0; lane < lanes->size(); ++lane)
    access.address[lane] = (*lanes)[lane] - (is_offset ? 0 : window.begin);
  const Place place = place_of(*warp.launch, access.address[std::countr_zero(access.lanes)] + window.begin);
  access.buffer = place.name;
  access.begin = access.address[std::countr_zero(access.lanes)] - place.offset;
  if (is_aligned(access)) count(access);
  return access;
}

}  // namespace cudalab::vgpu
