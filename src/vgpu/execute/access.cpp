#include "vgpu/execute/access.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "vgpu/block.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/banks.h"
#include "vgpu/counters/coalescing.h"

namespace cudalab::vgpu {
namespace {

// ---- cost of a pattern -------------------------------------------------------------------------------
void count_global(Pattern& entry, const WarpAccess& access) {
  const SectorCount count = count_sectors(access);
  entry.transactions = count.sectors;
  entry.distinct_bytes = count.distinct_bytes;
  entry.fewest = (count.distinct_bytes + kSectorBytes - 1) / kSectorBytes;
}

void count_shared(Pattern& entry, const WarpAccess& access, SiteKind kind) {
  const WavefrontCount count =
      kind == SiteKind::kSharedAtomic
          ? count_atomic_wavefronts(access)
          : count_wavefronts(access,
                             kind == SiteKind::kSharedLoad ? SharedAccess::kLoad : SharedAccess::kStore);
  entry.transactions = count.wavefronts;
  entry.fewest = count.groups;
  entry.distinct_bytes = count_sectors(access).distinct_bytes;
}

// The card interleaves local memory so that the same word of 32 threads is 128 bytes in a row.
void count_local(Pattern& entry, const WarpAccess& access) {
  std::array<std::uint64_t, kWarpSize> interleaved;
  const std::uint64_t bytes = std::max(access.bytes_per_lane, 4);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = access.addresses[lane] - kLocalWindow;
    interleaved[lane] = address / bytes * bytes * kWarpSize + lane * bytes + address % bytes;
  }
  count_global(entry, {interleaved, access.active, access.bytes_per_lane});
}

// A constant load is served once for each distinct address.
void count_constant(Pattern& entry, const WarpAccess& access) {
  std::array<std::uint64_t, kWarpSize> distinct;
  int count = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (access.active >> lane & 1) distinct[count++] = access.addresses[lane];
  std::sort(distinct.begin(), distinct.begin() + count);
  const auto end = std::unique(distinct.begin(), distinct.begin() + count);
  entry.transactions = static_cast<std::uint32_t>(end - distinct.begin());
  entry.distinct_bytes = entry.transactions * access.bytes_per_lane;
  entry.fewest = 1;
}

void count_cost(Pattern& entry, const WarpAccess& access, SiteKind kind) {
  entry.transactions = entry.fewest = entry.distinct_bytes = 0;
  if (access.bytes_per_lane == 0) return;  // counted with the load it is merged into
  switch (kind) {
    case SiteKind::kSharedLoad:
    case SiteKind::kSharedStore:
    case SiteKind::kAsyncStore:
    case SiteKind::kSharedAtomic: return count_shared(entry, access, kind);
    case SiteKind::kLocalLoad:
    case SiteKind::kLocalStore: return count_local(entry, access);
    case SiteKind::kConstantLoad: return count_constant(entry, access);
    default: return count_global(entry, access);
  }
}

// ---- shape of a pattern ------------------------------------------------------------------------------
void find_extent(Pattern& entry, int bytes) {
  entry.low = entry.high = 0;
  for (std::uint32_t left = entry.active; left; left &= left - 1) {
    const std::int64_t offset = entry.offset[std::countr_zero(left)];
    entry.low = std::min(entry.low, offset);
    entry.high = std::max(entry.high, offset);
  }
  constexpr std::int64_t kFar = 1ll << 40;  // no buffer is that large; keeps sums of offsets in range
  if (entry.low < -kFar || entry.high > kFar) entry.regular = false;
  entry.high += bytes;
}

// The step that more than half of the neighbours share: a block narrower than a warp has others between its
// rows.
void find_stride(Pattern& entry) {
  const std::uint32_t neighbours = entry.active & (entry.active << 1);  // lanes after an active one
  const auto step = [&entry](int lane) { return entry.offset[lane] - entry.offset[lane - 1]; };
  int votes = 0, agreeing = 0;
  for (std::uint32_t left = neighbours; left; left &= left - 1) {
    const std::int64_t voted = step(std::countr_zero(left));
    if (votes == 0) entry.stride = voted;
    votes += voted == entry.stride ? 1 : -1;
  }
  for (std::uint32_t left = neighbours; left; left &= left - 1)
    agreeing += step(std::countr_zero(left)) == entry.stride;
  entry.has_stride = 2 * agreeing > std::popcount(entry.active) - 1;
}

bool has_rows(const Pattern& entry, int lanes, std::int64_t step) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lane % lanes != 0 && entry.offset[lane] - entry.offset[lane - 1] != step) return false;
  return true;
}

void find_movement(Pattern& entry, int bytes) {
  entry.movement = Movement::kScattered;
  if (entry.active != kAllLanes) return;
  for (const int lanes : {32, 16, 8}) {
    const bool contiguous = has_rows(entry, lanes, bytes);
    if (!contiguous && !has_rows(entry, lanes, 0)) continue;
    entry.movement = contiguous ? Movement::kContiguousRows : Movement::kUniformRows;
    entry.row_lanes = static_cast<std::uint8_t>(lanes);
    return;
  }
}

// ---- messages ----------------------------------------------------------------------------------------
constexpr std::string_view verb_of(AccessMode mode) {
  return mode == AccessMode::kRead ? "reads" : mode == AccessMode::kWrite ? "writes" : "updates";
}

std::string distance_text(const Allocation& allocation, std::uint64_t address) {
  if (address >= allocation.end())
    return fmt::format("{} bytes past the end of `{}` ({} bytes long)", address - allocation.end(),
                       allocation.name, allocation.bytes);
  return fmt::format("{} bytes before the start of `{}`", allocation.base - address, allocation.name);
}

const SharedVariable* shared_variable_before(const Launch& launch, std::uint64_t offset) {
  const SharedVariable* best = nullptr;
  for (const SharedVariable& variable : launch.program->shared_variables) {
    if (variable.function != -1 && variable.function != launch.code->function) continue;
    if (variable.offset <= offset && (!best || variable.offset > best->offset)) best = &variable;
  }
  return best;
}

[[noreturn]] void refuse_shared(Hazard hazard, const Warp& warp, std::string_view access,
                                std::uint64_t offset) {
  const SharedVariable* variable = shared_variable_before(*warp.launch, offset);
  hazard.buffer = variable ? place_of(*warp.launch, kSharedWindow + variable->offset).name : "shared memory";
  hazard.what = fmt::format("{} at byte {} of shared memory, but the block has {} bytes", access, offset,
                            warp.shared_bytes);
  hazard.fix = "check the index against the size of the shared array";
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

[[noreturn]] void refuse_global(Hazard hazard, const Warp& warp, std::string_view access,
                                std::uint64_t address) {
  const Allocation* nearest = warp.launch->memory->nearest(address);
  constexpr std::uint64_t kNearby = 1ull << 32;
  const bool is_near =
      nearest && (address >= nearest->end() ? address - nearest->end() : nearest->base - address) < kNearby;
  if (address < kWindowBytes) {
    hazard.what = fmt::format("{} at address {:#x}: a null pointer", access, address);
    hazard.fix = "check that the pointer was passed to the kernel, and is a device pointer";
  } else if (is_near) {
    hazard.buffer = nearest->name;
    hazard.what = fmt::format("{} {}", access, distance_text(*nearest, address));
    hazard.fix = "guard the access with a comparison against the size, or check the index arithmetic";
  } else {
    hazard.what = fmt::format("{} at address {:#x}, where no buffer is", access, address);
    hazard.fix = "check the pointer arithmetic, and that a host pointer was not passed to the kernel";
  }
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

[[noreturn]] void refuse_misaligned(Hazard hazard, const Launch& launch, std::string_view access,
                                    std::uint64_t address, int bytes) {
  hazard.kind = HazardKind::kMisaligned;
  const Place place = place_of(launch, address);
  hazard.buffer = place.name;
  hazard.what =
      place.name.empty()
          ? fmt::format("{} at address {:#x}, which is not a multiple of {}", access, address, bytes)
          : fmt::format("{} from {} on, at address {:#x}, which is not a multiple of {}", access,
                        place.text(), address, bytes);
  hazard.fix = "wide accesses (float2, float4, double) need addresses that are multiples of their size";
  hazard.cuda_error = "CUDA_ERROR_MISALIGNED_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

}  // namespace

Pattern& learn_pattern(SiteState& site, Pattern& entry, std::span<const std::uint64_t, kWarpSize> addresses,
                       std::uint32_t active, std::uint64_t residue) {
  settle(site, entry);
  const int bytes = site.info->bytes_per_lane;
  const std::uint64_t base = addresses[std::countr_zero(active)];
  entry.active = active;
  entry.residue = static_cast<std::uint32_t>(residue);
  entry.regular = true;
  entry.has_footprint = false;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const bool is_active = active >> lane & 1;
    entry.offset[lane] = is_active ? static_cast<std::int64_t>(addresses[lane] - base) : 0;
    entry.narrow[lane] = static_cast<std::int32_t>(entry.offset[lane]);
    // The cost of a misaligned access is not counted: it never takes place.
    if (is_active &&
        addresses[lane] % static_cast<std::uint64_t>(std::bit_floor(static_cast<unsigned>(bytes))))
      entry.regular = false;
  }
  find_extent(entry, bytes);
  find_stride(entry);
  find_movement(entry, bytes);
  count_cost(entry, {addresses, active, site.info->counted_bytes()}, site.info->kind);
  entry.hits = 1;
  return entry;
}

void settle(SiteState& site, Pattern& entry) {
  if (entry.active == 0 || entry.hits == 0) return;
  const std::uint64_t hits = std::exchange(entry.hits, 0);
  site.totals.executions += hits;
  if (site.info->counted_bytes() == 0) return;
  site.totals.requests += hits;
  site.totals.transactions += hits * entry.transactions;
  site.totals.fewest += hits * entry.fewest;
  site.totals.distinct_bytes += hits * entry.distinct_bytes;
  site.totals.lanes += hits * static_cast<std::uint64_t>(std::popcount(entry.active));
  if (entry.has_stride) site.strides[entry.stride] += hits;
}

void settle(SiteState& site) {
  for (Pattern& entry : site.patterns) settle(site, entry);
}

namespace {

// Without memory checks nobody keeps track of what is written.
void note_change(const Launch& launch, Allocation& allocation) {
  if (!launch.request->check_memory) allocation.changed_unseen.store(true, std::memory_order_relaxed);
}

}  // namespace

Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last) {
  Allocation* allocation = warp.launch->memory->find(first);
  if (!allocation || last > allocation->end()) return nullptr;
  const SiteKind kind = site.info->kind;
  const bool writes =
      kind == SiteKind::kGlobalStore || kind == SiteKind::kGlobalAtomic || kind == SiteKind::kGlobalReduction;
  if (allocation->read_only && writes) return nullptr;
  if (writes) note_change(*warp.launch, *allocation);
  site.allocation = allocation;
  return allocation;
}

std::byte* locate_lane(const Inst* inst, Warp& warp, const SiteState& site, int lane, std::uint64_t address,
                       AccessMode mode) {
  const int bytes = site.info->bytes_per_lane;
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kOutOfBounds);
  hazard.address = address;
  const std::string access = fmt::format("{} {} bytes", verb_of(mode), bytes);
  if (address % static_cast<unsigned>(bytes) != 0)
    refuse_misaligned(std::move(hazard), *warp.launch, access, address, bytes);
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t offset = address - kSharedWindow;
    if (offset + bytes > warp.shared_bytes) refuse_shared(std::move(hazard), warp, access, offset);
    return warp.shared + offset;
  }
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint64_t offset = address - kLocalWindow;
    if (offset + bytes <= warp.local_bytes) return warp.local + lane * warp.local_bytes + offset;
    hazard.what = fmt::format("{} at byte {} of the thread's local memory, which has {} bytes", access,
                              offset, warp.local_bytes);
    hazard.buffer = "local memory";
    hazard.fix = "check the index into the local array";
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  }
  if (address - kParamWindow < kWindowBytes && mode == AccessMode::kRead) {
    const std::uint64_t offset = address - kParamWindow;
    if (offset + bytes <= warp.launch->request->parameters.size())
      return const_cast<std::byte*>(warp.parameters) + offset;  // only read
  }
  Allocation* allocation = warp.launch->memory->find(address);
  if (!allocation || address + bytes > allocation->end())
    refuse_global(std::move(hazard), warp, access, address);
  if (allocation->read_only && mode != AccessMode::kRead) {
    hazard.buffer = allocation->name;
    hazard.what = fmt::format("{} in `{}`, which is constant memory", access, allocation->name);
    hazard.fix = "kernels can only read __constant__ variables; set them from the host";
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  }
  if (mode != AccessMode::kRead) note_change(*warp.launch, *allocation);
  return allocation->host.get() + (address - allocation->base);
}

}  // namespace cudalab::vgpu
