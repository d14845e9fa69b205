#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/hazard_log.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/execute/cluster.h"
#include "vgpu/execute/lane_access.h"

namespace cudalab::vgpu {
namespace {

// ---- messages ----------------------------------------------------------------------------------------
// Describes an access for messages.
struct Described {
  Message verb;
  int bytes, element_bytes;
};

// Bytes [from, end) of a buffer or variable, for messages.
struct NamedSpan {
  std::string name;
  std::uint64_t from, end;
};

// `at`: where the access leaves the span. `shown`: the address that the message shows.
Message outside_by_bytes(const Described& access, const NamedSpan& span, std::uint64_t at,
                         const Argument& shown) {
  return at < span.from ? msg::access_before_start_bytes(access.verb, access.bytes, span.from - at,
                                                         Code{span.name}, shown)
                        : msg::access_past_end_bytes(access.verb, access.bytes, shown, at - span.end + 1,
                                                     Code{span.name}, span.end - span.from);
}

// "`in[100]` (0x7f0000000190): one past its last element; it has 100 of 4 bytes". `shown`: the address.
Message outside(const Described& access, const NamedSpan& span, std::uint64_t address,
                const Argument& shown) {
  const auto element = static_cast<std::uint64_t>(access.element_bytes);
  const std::uint64_t at = address < span.from ? address : std::max(address, span.end);
  const std::uint64_t far = at < span.from ? span.from - at : at - span.from;
  if (far % element != 0 || (span.end - span.from) % element != 0)
    return outside_by_bytes(access, span, at, shown);
  const auto elements = static_cast<std::int64_t>(far / element);
  if (at < span.from) {
    const cudalab::Element before{span.name, {-elements}};
    return elements == 1 ? msg::access_one_before_start(access.verb, before, shown)
                         : msg::access_before_start(access.verb, before, shown, elements);
  }
  const cudalab::Element behind{span.name, {elements}};
  const auto count = static_cast<std::int64_t>((span.end - span.from) / element);
  const std::int64_t distance = elements - count + 1;
  return distance == 1 ? msg::access_one_past_end(access.verb, behind, shown, count, element)
                       : msg::access_past_end(access.verb, behind, shown, distance, count, element);
}

// Advice on an index that is too large: an array with one element per warp, or per thread, in a block with
// more of them, or another kind of index.
Message advice_on_shared_index(const Launch& launch, const Dim3& thread, std::uint64_t bytes,
                               std::uint64_t at, int element_bytes) {
  const auto element = static_cast<std::uint64_t>(element_bytes);
  const Dim3& block = launch.request->spec.block;
  const std::uint64_t threads = block.volume(), elements = bytes / element, index = at / element,
                      warps = (threads + kWarpSize - 1) / kWarpSize, own = linear_index(block, thread);
  if (elements < warps && index == own / kWarpSize && index != own)
    return msg::advice_element_per_warp(elements, warps);
  if (elements == warps && index == own % kWarpSize) return msg::advice_array_per_warp(elements);
  return elements < threads && index < threads ? msg::advice_element_per_thread(elements, threads)
                                               : msg::advice_check_shared_index();
}

const SharedVariable* shared_variable_before(const Launch& launch, std::uint64_t offset) {
  const SharedVariable* best = nullptr;
  for (const SharedVariable& variable : launch.program->shared_variables) {
    if (!is_of_kernel(variable, launch)) continue;
    if (variable.offset <= offset && (!best || variable.offset > best->offset)) best = &variable;
  }
  return best;
}

// Dynamic shared memory lies after all variables. In a kernel without variables, shared memory can only be
// dynamic.
bool lies_in_dynamic_shared(const Launch& launch, const SharedVariable* variable) {
  return launch.request->spec.dynamic_shared_bytes > 0 || !variable || variable->bytes == 0;
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
    hazard.what = msg::access_past_dynamic_shared(access.verb, index, offset,
                                                  launch.request->spec.dynamic_shared_bytes);
    hazard.fix = msg::advice_dynamic_shared_bytes();
    throw KernelFault{std::move(hazard)};
  }
  hazard.buffer = place_of(launch, kSharedWindow + variable->offset).name;
  hazard.what = outside(access, {hazard.buffer, variable->offset, variable->offset + variable->bytes}, offset,
                        msg::byte_of_shared(offset));
  hazard.fix = advice_on_shared_index(launch, hazard.thread, variable->bytes, offset - variable->offset,
                                      access.element_bytes);
  throw KernelFault{std::move(hazard)};
}

// The kernel continues as on a GPU: the access hits another variable.
void report_overrun(Hazard hazard, Warp& warp, const Described& access, const SiteInfo& info,
                    std::uint64_t offset) {
  const Launch& launch = *warp.launch;
  hazard.buffer = place_of(launch, kSharedWindow + static_cast<std::uint64_t>(info.shared_begin)).name;
  const Place landed = place_of(launch, kSharedWindow + offset);
  hazard.what = outside(access,
                        {hazard.buffer, static_cast<std::uint64_t>(info.shared_begin),
                         static_cast<std::uint64_t>(info.shared_end)},
                        offset, msg::byte_of_shared_taken(offset, landed.element(access.element_bytes)));
  const auto begin = static_cast<std::uint64_t>(info.shared_begin);
  hazard.fix = offset < begin ? msg::advice_check_shared_index()
                              : advice_on_shared_index(launch, hazard.thread,
                                                       static_cast<std::uint64_t>(info.shared_end) - begin,
                                                       offset - begin, access.element_bytes);
  report_hazard(*warp.block, std::move(hazard));
}

[[noreturn]] void refuse_rank(Hazard hazard, const Warp& warp, const Described& access, std::uint64_t rank) {
  hazard.buffer = "shared memory";
  hazard.what = msg::access_rank_outside(access.verb, access.bytes, rank, warp.block->cluster->blocks.size());
  hazard.fix = msg::advice_larger_cluster();
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// The memory of a window: shared memory of the block, or local memory of the thread.
struct OwnMemory {
  std::uint64_t window, bytes;
  std::string_view name;
  Message called, fix;
};
OwnMemory shared_memory_of(const Warp& warp) {
  return {kSharedWindow, warp.shared_bytes, "shared memory", msg::place_shared(),
          msg::advice_check_shared_index()};
}
OwnMemory local_memory_of(const Warp& warp) {
  return {kLocalWindow, warp.local_bytes, "local memory", msg::place_thread_local(),
          msg::advice_check_local_index()};
}

// `offset`: in bytes from the window's start; negative before it.
[[noreturn]] void refuse_own(Hazard hazard, const Described& access, const OwnMemory& memory,
                             std::int64_t offset) {
  hazard.buffer = memory.name;
  hazard.what = offset < 0
                    ? msg::access_before_window(access.verb, access.bytes, -offset, memory.called)
                    : msg::access_past_window(access.verb, access.bytes, offset, memory.called, memory.bytes);
  hazard.fix = memory.fix;
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// Far outside the block's shared memory, in a kernel without clusters. 32-bit addresses wrap around.
[[noreturn]] void refuse_far_shared(Hazard hazard, const Warp& warp, const Described& access,
                                    std::uint64_t address) {
  const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(address - kSharedWindow));
  refuse_own(std::move(hazard), access, shared_memory_of(warp), offset);
}

// The kernel continues: on a GPU the memory may belong to another block by then, or still be unchanged.
void report_ended_block(Hazard hazard, Warp& warp, const Described& access, const Block& owner) {
  hazard.kind = HazardKind::kSharedRace;
  hazard.buffer = "shared memory";
  hazard.what = msg::access_block_ended(access.verb, access.bytes, BlockIndex{owner.index});
  hazard.fix = msg::advice_cluster_sync_at_end();
  report_hazard(*warp.block, std::move(hazard));
}

// The address that was meant if an unsigned 32-bit index wrapped below 0: for unsigned i = 0, i - 1 is
// 4294967295.
std::uint64_t with_signed_index(const Described& access, std::uint64_t address) {
  return address - (static_cast<std::uint64_t>(access.element_bytes) << 32);
}

constexpr std::uint64_t kJustBefore = 1ull << 24;  // minimum distance between allocations
bool lies_just_before(std::uint64_t address, std::uint64_t start) {
  return start - address - 1 < kJustBefore;
}

[[noreturn]] void refuse_wrapped_index(Hazard hazard, const Described& access, std::uint64_t bytes_before) {
  const std::uint64_t below = bytes_before / static_cast<unsigned>(access.element_bytes);
  const auto wrapped = static_cast<std::int64_t>((1ull << 32) - below);
  hazard.what =
      msg::access_index_wrapped(access.verb, cudalab::Element{hazard.buffer, {wrapped}},
                                Address{*hazard.address}, -static_cast<std::int64_t>(below), wrapped);
  hazard.fix = msg::advice_compare_before_subtract();
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// Reports accesses just before the windows of shared and local memory, and accesses with a wrapped index.
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

// ---- arrays of structures ----------------------------------------------------------------------------

// The types of a kernel's parameters as its C++ name gives them: "S*" and "int" for k(S*, int).
std::vector<std::string> parameter_types(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  const std::string_view name = status == 0 && demangled ? demangled.get() : "";
  if (!name.ends_with(')')) return {};
  std::vector<std::string> types(1);  // the last one first, each from its end
  int depth = 0;
  for (std::size_t i = name.size() - 1; i-- > 0;) {
    const char letter = name[i];
    if (depth == 0 && letter == '(') break;
    depth += letter == ')' || letter == '>' ? 1 : letter == '(' || letter == '<' ? -1 : 0;
    if (depth == 0 && letter == ',')
      types.emplace_back();
    else
      types.back().push_back(letter);
  }
  for (std::string& type : types) std::ranges::reverse(type);
  std::ranges::reverse(types);
  return types;
}

// Whether the type is a pointer to a class. Numbers of half precision, whose names begin with "__", are none.
bool points_to_structures(std::string_view type) {
  constexpr std::string_view kOthers[] = {
      "char",   "signed char",   "unsigned char", "short",  "unsigned short", "int",
      "long",   "unsigned long", "unsigned int",  "float",  "long long",      "unsigned long long",
      "double", "bool",          "void",          "wchar_t"};
  for (const std::string_view ending : {"__restrict__", " __restrict", "*", " volatile", " const"})
    if (type.ends_with(ending)) type.remove_suffix(ending.size());
  while (type.starts_with(' ')) type.remove_prefix(1);
  return !type.empty() && !type.ends_with('*') && !type.starts_with("__") &&
         std::ranges::find(kOthers, type) == std::end(kOthers);
}

// Whether the kernel has the memory as an array of structures.
bool holds_structures(const Launch& launch, const Allocation& allocation) {
  const std::vector<KernelParameter>& parameters = launch.kernel->parameters;
  const std::vector<std::string> types = parameter_types(launch.kernel->symbol);
  for (std::size_t i = 0; types.size() == parameters.size() && i < types.size(); ++i) {
    std::uint64_t pointer = 0;
    if (parameters[i].bytes != sizeof pointer || types[i].find('*') == std::string::npos) continue;
    std::memcpy(&pointer, launch.request->parameters.data() + parameters[i].offset, sizeof pointer);
    if (pointer == allocation.base) return points_to_structures(types[i]);
  }
  return false;
}

// The size of the structures: the lanes' distance, if the memory consists of whole elements of this size. 0
// if it cannot be told.
std::uint64_t structure_bytes(const Inst& inst, const Warp& warp, int lane, std::uint64_t address,
                              const Allocation& allocation) {
  constexpr std::uint64_t kLargest = 1 << 16;
  const std::uint64_t* bases = lanes_at<std::uint64_t>(warp, inst.a);
  if (address - bases[lane] >= kLargest) return 0;
  std::uint64_t nearest = kLargest;
  for (std::uint32_t left = warp.exec & ~(1u << lane); left; left &= left - 1) {
    const std::uint64_t other = bases[std::countr_zero(left)];
    const std::uint64_t apart = std::max(other, bases[lane]) - std::min(other, bases[lane]);
    if (apart > 0) nearest = std::min(nearest, apart);
  }
  return nearest < kLargest && allocation.bytes % nearest == 0 ? nearest : 0;
}

// An access behind an array of structures, whose members lie further apart than their size says.
Message outside_structures(const Described& access, const NamedSpan& span, std::uint64_t structure,
                           std::uint64_t address) {
  if (structure == 0) return outside_by_bytes(access, span, address, Address{address});
  Described whole = access;
  whole.element_bytes = static_cast<int>(structure);
  return outside(whole, span, address - (address - span.from) % structure, Address{address});
}

[[noreturn]] void refuse_global(Hazard hazard, const Inst& inst, const Warp& warp, int lane,
                                const Described& access, std::uint64_t address) {
  const Allocation* nearest = warp.launch->memory->nearest(address);
  constexpr std::uint64_t kNearby = 1ull << 32;
  const std::uint64_t far = nearest ? distance(*nearest, address) : kNearby;
  const bool is_near = far < kNearby;
  if (far >= kJustBefore) refuse_what_went_below_zero(hazard, warp, access, address);
  if (address < kWindowBytes) {
    hazard.what = msg::access_null_pointer(access.verb, access.bytes, Address{address});
    hazard.fix = msg::advice_check_pointer_passed();
  } else if (is_near) {
    hazard.buffer = place_of(*warp.launch, nearest->base).name;
    const NamedSpan span{hazard.buffer, nearest->base, nearest->end()};
    const bool has_structures = address >= span.end && holds_structures(*warp.launch, *nearest);
    hazard.what =
        has_structures
            ? outside_structures(access, span, structure_bytes(inst, warp, lane, address, *nearest), address)
            : outside(access, span, address, Address{address});
    hazard.fix = msg::advice_guard_access();
  } else {
    hazard.what = msg::access_no_buffer(access.verb, access.bytes, Address{address});
    hazard.fix = msg::advice_check_pointer_arithmetic();
  }
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

[[noreturn]] void refuse_misaligned(Hazard hazard, const Launch& launch, const Described& access,
                                    std::uint64_t address) {
  hazard.kind = HazardKind::kMisaligned;
  const Place place = place_of(launch, address);
  hazard.buffer = place.name;
  hazard.what = place.name.empty() ? msg::access_misaligned(access.verb, access.bytes, Address{address})
                                   : msg::access_misaligned_in(access.verb, access.bytes, place.element(0),
                                                               Address{address});
  hazard.fix = msg::advice_align_wide_access();
  hazard.cuda_error = "CUDA_ERROR_MISALIGNED_ADDRESS";
  throw KernelFault{std::move(hazard)};
}

// ---- changes of memory -------------------------------------------------------------------------------
// Without memory checks, writes are not tracked; this flag records that there were some.
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
  if (!allocation->read_only && site.info->kind == SiteKind::kConstantLoad) return nullptr;
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
      return const_cast<std::byte*>(warp.parameters) + offset;  // not written through
  }
  Allocation* allocation = warp.launch->memory->find(address);
  if (!allocation || address + bytes > allocation->end())
    refuse_global(std::move(hazard), *inst, warp, lane, access, address);
  if (allocation->read_only && mode != AccessMode::kRead) {
    hazard.buffer = allocation->name;
    hazard.what = msg::access_constant_written(access.verb, access.bytes, Code{allocation->name});
    hazard.fix = msg::advice_constant_from_host();
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  }
  if (!allocation->read_only && site.info->kind == SiteKind::kConstantLoad) {
    hazard.buffer = allocation->name;
    hazard.what = msg::access_not_constant(access.verb, access.bytes, Code{allocation->name});
    hazard.fix = msg::advice_load_by_its_space();
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  }
  if (mode != AccessMode::kRead) note_change(*warp.launch, *allocation);
  return allocation->host.get() + (address - allocation->base);
}

}  // namespace cudalab::vgpu
