#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/text.h"
#include "vgpu/block.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu {
namespace {

// ---- messages ----------------------------------------------------------------------------------------
// An access as messages describe it.
struct Described {
  std::string_view verb;
  int bytes, element_bytes;
  std::string text() const { return fmt::format("{} {}", verb, counted(bytes, "byte")); }
};

std::string element_text(const std::string& name, const std::string& index) {
  return name.find(' ') == std::string::npos ? fmt::format("`{}[{}]`", name, index)
                                             : fmt::format("element {} of {}", index, name);
}

// "`in[100]` (0x7f0000000190): one past its last element; it has 100 of 4 bytes". `from`, `end`: of the
// variable.
std::string outside_text(const Described& access, const std::string& name, std::uint64_t from,
                         std::uint64_t end, std::uint64_t address, const std::string& address_text) {
  const auto element = static_cast<std::uint64_t>(access.element_bytes);
  const std::uint64_t at = address < from ? address : std::max(address, end);
  const bool is_element = (at < from ? from - at : at - from) % element == 0 && (end - from) % element == 0;
  if (!is_element)
    return at < from ? fmt::format("{} {} bytes before the start of `{}` ({})", access.text(), from - at,
                                   name, address_text)
                     : fmt::format("{} {} bytes past the end of `{}` ({}), which has {} bytes", access.text(),
                                   at - end, name, address_text, end - from);
  const std::uint64_t count = (end - from) / element;
  const auto far = [](std::uint64_t elements) {
    return elements == 1 ? std::string("one") : fmt::format("{}", elements);
  };
  if (at < from)
    return fmt::format("{} {} ({}): {} before its first element", access.verb,
                       element_text(name, fmt::format("-{}", (from - at) / element)), address_text,
                       far((from - at) / element));
  const std::uint64_t index = (at - from) / element;
  return fmt::format("{} {} ({}): {} past its last element; it has {} of {} {}", access.verb,
                     element_text(name, std::to_string(index)), address_text, far(index - count + 1), count,
                     element, element == 1 ? "byte" : "bytes");
}

const SharedVariable* shared_variable_before(const Launch& launch, std::uint64_t offset) {
  const SharedVariable* best = nullptr;
  for (const SharedVariable& variable : launch.program->shared_variables) {
    if (!is_of_kernel(variable, launch)) continue;
    if (variable.offset <= offset && (!best || variable.offset > best->offset)) best = &variable;
  }
  return best;
}

// Where the kernel has dynamic shared memory it lies last; a kernel with no other memory must have it.
bool lies_in_dynamic_shared(const Launch& launch, const SharedVariable* variable) {
  return launch.request->dynamic_shared_bytes > 0 || !variable || variable->bytes == 0;
}

[[noreturn]] void refuse_shared(Hazard hazard, const Warp& warp, const Described& access,
                                std::uint64_t offset) {
  const Launch& launch = *warp.launch;
  const SharedVariable* variable = shared_variable_before(launch, offset);
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  if (lies_in_dynamic_shared(launch, variable)) {
    hazard.buffer = "the dynamic shared memory";
    const std::uint64_t index =
        (offset - launch.dynamic_shared_base) / static_cast<unsigned>(access.element_bytes);
    hazard.what = fmt::format(
        "{} element {} of the dynamic shared memory (byte {} of shared memory); the launch gave it {} bytes",
        access.verb, index, offset, launch.request->dynamic_shared_bytes);
    hazard.fix =
        "give the launch as many bytes as the kernel uses: kernel<<<grid, block, bytes>>>, or --shared BYTES";
    throw KernelFault{std::move(hazard)};
  }
  hazard.buffer = place_of(launch, kSharedWindow + variable->offset).name;
  hazard.what = outside_text(access, hazard.buffer, variable->offset, variable->offset + variable->bytes,
                             offset, fmt::format("byte {} of shared memory", offset));
  hazard.fix = "check the index against the size of the shared array";
  throw KernelFault{std::move(hazard)};
}

// The kernel goes on, as it would on a card: the access lands in another variable.
void report_overrun(Hazard hazard, Warp& warp, const Described& access, const SiteInfo& info,
                    std::uint64_t offset) {
  const Launch& launch = *warp.launch;
  hazard.buffer = place_of(launch, kSharedWindow + static_cast<std::uint64_t>(info.shared_begin)).name;
  const Place landed = place_of(launch, kSharedWindow + offset);
  hazard.what = outside_text(
      access, hazard.buffer, static_cast<std::uint64_t>(info.shared_begin),
      static_cast<std::uint64_t>(info.shared_end), offset,
      fmt::format("byte {} of shared memory, which is {}", offset, landed.text(access.element_bytes)));
  hazard.fix = "check the index against the size of the shared array";
  report_hazard(*warp.block, std::move(hazard));
}

[[noreturn]] void refuse_rank(Hazard hazard, const Warp& warp, const Described& access, std::uint64_t rank) {
  hazard.buffer = "shared memory";
  hazard.what = fmt::format("{} in the shared memory of block {} of its cluster, which has {}", access.text(),
                            rank, warp.block->cluster->blocks.size());
  hazard.fix = "launch larger clusters (--cluster X,Y,Z or __cluster_dims__), or check the rank";
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// A window's memory: of the block, or of the thread.
struct OwnMemory {
  std::uint64_t window, bytes;
  std::string_view name, whose, fix;
};
OwnMemory shared_memory_of(const Warp& warp) {
  return {kSharedWindow, warp.shared_bytes, "shared memory", "shared memory",
          "check the index against the size of the shared array"};
}
OwnMemory local_memory_of(const Warp& warp) {
  return {kLocalWindow, warp.local_bytes, "local memory", "the thread's local memory",
          "check the index into the local array"};
}

// `offset`: from the window's start on, negative in front of it.
[[noreturn]] void refuse_own(Hazard hazard, const Described& access, const OwnMemory& memory,
                             std::int64_t offset) {
  hazard.buffer = memory.name;
  hazard.what = offset < 0
                    ? fmt::format("{}, {} bytes before the start of {}", access.text(), -offset, memory.whose)
                    : fmt::format("{} at byte {} of {}, which has {} bytes", access.text(), offset,
                                  memory.whose, memory.bytes);
  hazard.fix = memory.fix;
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// Far from the block's shared memory, in a kernel without clusters. Addresses of 32 bits wrap around.
[[noreturn]] void refuse_far_shared(Hazard hazard, const Warp& warp, const Described& access,
                                    std::uint64_t address) {
  const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(address - kSharedWindow));
  refuse_own(std::move(hazard), access, shared_memory_of(warp), offset);
}

// The kernel goes on: on a card the memory may be another block's by then, or still what it was.
void report_ended_block(Hazard hazard, Warp& warp, const Described& access, const Block& owner) {
  hazard.kind = HazardKind::kSharedRace;
  hazard.buffer = "shared memory";
  hazard.what = fmt::format("{} in the shared memory of {}, whose threads have all ended", access.text(),
                            block_text(owner.index));
  hazard.fix =
      "put cluster.sync() before the end of the kernel, so that no block ends while others use its memory";
  report_hazard(*warp.block, std::move(hazard));
}

// Where an index without a sign, below 0, would lead with one: i - 1 of an unsigned i that is 0 is
// 4294967295.
std::uint64_t with_signed_index(const Described& access, std::uint64_t address) {
  return address - (static_cast<std::uint64_t>(access.element_bytes) << 32);
}

constexpr std::uint64_t kJustBefore = 1ull << 24;  // so far apart are allocations, at least
bool lies_just_before(std::uint64_t address, std::uint64_t start) {
  return start - address - 1 < kJustBefore;
}

[[noreturn]] void refuse_wrapped_index(Hazard hazard, const Described& access, std::uint64_t bytes_before) {
  const std::uint64_t below = bytes_before / static_cast<unsigned>(access.element_bytes);
  hazard.what = fmt::format("{} {} ({:#x}): the index is {}, which became {} in an unsigned number",
                            access.verb, element_text(hazard.buffer, std::to_string((1ull << 32) - below)),
                            *hazard.address, -static_cast<std::int64_t>(below), (1ull << 32) - below);
  hazard.fix =
      "compare before you subtract (`i > 0`), or compute with int: threadIdx.x and its kin are unsigned";
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// Addresses before the windows of shared and local memory, and what a wrapped index leads to.
void refuse_what_went_below_zero(const Hazard& hazard, const Warp& warp, const Described& access,
                                 std::uint64_t address) {
  const std::uint64_t meant = with_signed_index(access, address);
  for (const OwnMemory& memory : {shared_memory_of(warp), local_memory_of(warp)})
    for (const std::uint64_t at : {address, meant})
      if (lies_just_before(at, memory.window))
        refuse_own(hazard, access, memory, static_cast<std::int64_t>(at - memory.window));
  for (const auto& allocation : warp.launch->memory->allocations()) {
    if (!lies_just_before(meant, allocation->base)) continue;
    Hazard named = hazard;
    named.buffer = place_of(*warp.launch, allocation->base).name;
    refuse_wrapped_index(std::move(named), access, allocation->base - meant);
  }
}

std::uint64_t distance(const Allocation& allocation, std::uint64_t address) {
  if (address < allocation.base) return allocation.base - address;
  return address < allocation.end() ? 0 : address - allocation.end();
}

[[noreturn]] void refuse_global(Hazard hazard, const Warp& warp, const Described& access,
                                std::uint64_t address) {
  const Allocation* nearest = warp.launch->memory->nearest(address);
  constexpr std::uint64_t kNearby = 1ull << 32;
  const std::uint64_t far = nearest ? distance(*nearest, address) : kNearby;
  const bool is_near = far < kNearby;
  if (far >= kJustBefore) refuse_what_went_below_zero(hazard, warp, access, address);
  if (address < kWindowBytes) {
    hazard.what = fmt::format("{} at address {:#x}: a null pointer", access.text(), address);
    hazard.fix = "check that the pointer was passed to the kernel, and is a device pointer";
  } else if (is_near) {
    hazard.buffer = place_of(*warp.launch, nearest->base).name;
    hazard.what = outside_text(access, hazard.buffer, nearest->base, nearest->end(), address,
                               fmt::format("{:#x}", address));
    hazard.fix = "guard the access with a comparison against the size, or check the index arithmetic";
  } else {
    hazard.what = fmt::format("{} at address {:#x}, where no buffer is", access.text(), address);
    hazard.fix = "check the pointer arithmetic, and that a host pointer was not passed to the kernel";
  }
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

[[noreturn]] void refuse_misaligned(Hazard hazard, const Launch& launch, const Described& access,
                                    std::uint64_t address) {
  hazard.kind = HazardKind::kMisaligned;
  const Place place = place_of(launch, address);
  hazard.buffer = place.name;
  hazard.what = place.name.empty()
                    ? fmt::format("{} at address {:#x}, which is not a multiple of {}", access.text(),
                                  address, access.bytes)
                    : fmt::format("{} from {} on, at address {:#x}, which is not a multiple of {}",
                                  access.text(), place.text(0), address, access.bytes);
  hazard.fix = "wide accesses (float2, float4, double) need addresses that are multiples of their size";
  hazard.cuda_error = "CUDA_ERROR_MISALIGNED_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// ---- changes -----------------------------------------------------------------------------------------
// Without memory checks nobody keeps track of what is written.
void note_change(const Launch& launch, Allocation& allocation) {
  if (!launch.request->options.checks_memory())
    allocation.changed_unseen.store(true, std::memory_order_relaxed);
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
  const Described access{verb_of(mode), bytes, bytes / std::max<int>(site.info->vector, 1)};
  if (address % static_cast<unsigned>(bytes) != 0)
    refuse_misaligned(std::move(hazard), *warp.launch, access, address);
  if (address - kSharedWindow < kWindowBytes) {
    const SharedPlace place = shared_place_of(warp, address);
    if (!place.block && warp.block->cluster->blocks.size() == 1)
      refuse_far_shared(std::move(hazard), warp, access, address);
    if (!place.block) refuse_rank(std::move(hazard), warp, access, place.rank);
    if (place.offset + bytes > warp.shared_bytes)
      refuse_shared(std::move(hazard), warp, access, place.offset);
    const SiteInfo& info = *site.info;
    const auto first = static_cast<std::int64_t>(place.offset);
    const bool overruns = first < info.shared_begin || first + bytes > info.shared_end;
    if (overruns && place.block == warp.block && warp.launch->request->options.checks_memory())
      report_overrun(hazard, warp, access, info, place.offset);
    if (place.block->live_threads == 0) report_ended_block(std::move(hazard), warp, access, *place.block);
    return place.block->shared.get() + place.offset;
  }
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint64_t offset = address - kLocalWindow;
    if (offset + bytes <= warp.local_bytes) return warp.local + lane * warp.local_bytes + offset;
    refuse_own(std::move(hazard), access, local_memory_of(warp), static_cast<std::int64_t>(offset));
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
    hazard.what = fmt::format("{} in `{}`, which is constant memory", access.text(), allocation->name);
    hazard.fix = "kernels can only read __constant__ variables; set them from the host";
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  }
  if (mode != AccessMode::kRead) note_change(*warp.launch, *allocation);
  return allocation->host.get() + (address - allocation->base);
}

}  // namespace cudalab::vgpu
