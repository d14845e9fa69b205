#include "vgpu/execute/access.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "vgpu/block.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/site_kinds.h"

namespace cudalab::vgpu {
namespace {

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

// ---- changes -----------------------------------------------------------------------------------------
// Without memory checks nobody keeps track of what is written.
void note_change(const Launch& launch, Allocation& allocation) {
  if (!launch.request->check_memory) allocation.changed_unseen.store(true, std::memory_order_relaxed);
}

}  // namespace

Allocation* find_allocation(Warp& warp, SiteState& site, std::uint64_t first, std::uint64_t last) {
  Allocation* allocation = warp.launch->memory->find(first);
  if (!allocation || last > allocation->end()) return nullptr;
  const SiteClass& site_class = class_of(site.info->kind);
  const bool writes = site_class.space == MemorySpace::kGlobal && site_class.access != AccessKind::kLoad;
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
