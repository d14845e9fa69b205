// Copies between host and devices: which ones are allowed, the transfer, and reports of bytes that were never
// written.
#include "runtime/copies.h"

#include <stdio_ext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/programs/program_record.h"
#include "messages/runtime.h"
#include "runtime/arrays.h"
#include "runtime/host_memory.h"
#include "runtime/runtime.h"
#include "runtime/streams/launching.h"

namespace cudalab::runtime {

// A gap is padding if it is shorter than the alignment A of the member after it, ends at a multiple of A, and
// is followed by at least A written bytes. The last gap of an element fills the element up to a multiple of
// the alignment of one of its members.

namespace {

constexpr std::size_t kLargestAlignment = 16;
// In bytes. Only the gaps of an array of structs repeat. Up to this size, the gaps of a single struct count
// as padding, too.
constexpr std::size_t kLargestSingle = 64;

using Gaps = std::span<const vgpu::ByteRun>;

std::size_t written_behind(Gaps gaps, std::size_t gap, std::size_t bytes) {
  return (gap + 1 < gaps.size() ? gaps[gap + 1].at : bytes) - gaps[gap].end();
}

// Whether one of the written ranges of an element can hold a member of this alignment.
bool has_member(Gaps gaps, std::size_t alignment) {
  std::size_t from = 0;
  for (const vgpu::ByteRun& gap : gaps) {
    if ((from + alignment - 1) / alignment * alignment + alignment <= gap.at) return true;
    from = gap.end();
  }
  return false;
}

// `gaps` are those of one element, counted from its first byte.
bool is_padding(Gaps gaps, std::size_t which, std::size_t bytes) {
  const vgpu::ByteRun& gap = gaps[which];
  const std::size_t alignment = std::bit_ceil(gap.bytes + 1);
  if (gap.at == 0 || alignment > kLargestAlignment || gap.end() % alignment != 0) return false;
  return gap.end() == bytes ? has_member(gaps, alignment) : written_behind(gaps, which, bytes) >= alignment;
}

bool repeats(Gaps gaps, std::size_t each, std::size_t period) {
  for (std::size_t i = each; i < gaps.size(); ++i)
    if (gaps[i].at != gaps[i - each].at + period || gaps[i].bytes != gaps[i - each].bytes) return false;
  return true;
}

// Whether the bytes are elements with the same `each` gaps, and these gaps are padding.
bool are_paddings_of(Gaps gaps, std::size_t each, std::size_t bytes) {
  const std::size_t elements = gaps.size() / each;
  if (gaps.size() % each != 0 || bytes % elements != 0) return false;
  const std::size_t period = bytes / elements;
  if (gaps[each - 1].end() > period || !repeats(gaps, each, period)) return false;
  const Gaps first = gaps.first(each);
  for (std::size_t i = 0; i < each; ++i)
    if (!is_padding(first, i, period)) return false;
  return elements > 1 || bytes <= kLargestSingle;
}

}  // namespace

bool are_paddings(Gaps gaps, std::size_t bytes) {
  constexpr std::size_t kMostOfOne = 8;
  for (std::size_t each = 1; each <= std::min(gaps.size(), kMostOfOne); ++each)
    if (are_paddings_of(gaps, each, bytes)) return true;
  return false;
}

// Finds bytes that are copied to the host although no kernel, copy or memset wrote them, as initcheck of
// Compute Sanitizer does for the source of a copy. Padding between the members of a struct is not reported.

namespace {

struct Unwritten {
  std::size_t bytes = 0, first = 0;
};

// Long rows are searched in parts, which limits the number of gaps in memory. The size of a part is a
// multiple of most struct sizes, so parts hold whole structs.
constexpr std::size_t kPiece = std::size_t{4096} * 9 * 5 * 7 * 11;

void look_at_piece(std::uint64_t begin, std::size_t bytes, std::uint64_t base, Unwritten& found) {
  const std::vector<vgpu::ByteRun> gaps = the_runtime().gpu.unwritten(begin, bytes);
  if (gaps.empty() || are_paddings(gaps, bytes)) return;
  if (found.bytes == 0) found.first = begin + gaps.front().at - base;
  for (const vgpu::ByteRun& gap : gaps) found.bytes += gap.bytes;
}

void look_at_row(std::uint64_t row, std::size_t width, std::uint64_t base, Unwritten& found) {
  for (std::size_t done = 0; done < width; done += kPiece)
    look_at_piece(row + done, std::min(kPiece, width - done), base, found);
}

Unwritten unwritten_in(const Box& box, std::uint64_t base) {
  Unwritten found;
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      look_at_row(box.from.address + z * box.from.slice + y * box.from.pitch, box.width, base, found);
  return found;
}

// Reports unwritten bytes of the source before the copy runs.
void look_for_unwritten(const char* call, const Box& box, const CallSite& from) {
  Runtime& state = the_runtime();
  // If an earlier call failed, its report already names the cause of the unwritten bytes.
  if (!state.settings.launch.checks_memory() || state.has_refused_work || box.from.is_array) return;
  const MemoryBlock* block = state.memory.find(box.from.address);
  if (!block || block->kind != MemoryKind::kDevice) return;
  const Unwritten found = unwritten_in(box, block->address);
  if (found.bytes == 0) return;
  state.records.send(
      HostMistake{MistakeKind::kUnwrittenCopied,
                  msg::copy_of_unwritten_bytes(call, found.bytes, Code{block->name}, found.first),
                  msg::advice_write_before_copy(), from, 1});
}

// Words in the target that are NaN as operations yield it, on a GPU or on this processor, in the first
// megabyte. Other NaN are also common integers, such as -1.
std::uint64_t nans_on_host(const Box& box) {
  constexpr std::size_t kMostBytes = 1 << 20;
  constexpr std::array<std::uint32_t, 5> kNans{0x7fffffff, 0x7fc00000, 0xffc00000,  // float
                                               0x7ff80000, 0xfff80000};  // the upper half of a double
  constexpr std::uint32_t kExponent = 0x7f800000;
  if (box.to.is_array) return 0;
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < box.height && row * box.width < kMostBytes; ++row) {
    const auto* from = reinterpret_cast<const std::byte*>(box.to.address + row * box.to.pitch);
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= std::min(box.width, kMostBytes);
         at += sizeof(std::uint32_t)) {
      std::uint32_t word = 0;
      std::memcpy(&word, from + at, sizeof word);
      if ((word & kExponent) != kExponent) continue;  // most words
      count += std::ranges::find(kNans, word) != kNans.end() ? 1 : 0;
    }
  }
  return count;
}

constexpr cudaError_t kInvalid = cudaErrorInvalidValue;

// The memory that one side of a copy refers to.
struct Place {
  const MemoryBlock* block = nullptr;  // null: the host's own pageable memory, or a CUDA array
  bool is_array = false;
  bool device_reaches() const { return block || is_array; }
  bool host_reaches() const { return !is_array && (!block || block->is_on_host()); }
  bool is_pageable() const { return !block && !is_array; }
};

std::uint64_t extent_of(const Side& side, const Box& box) {
  return side.slice * (box.depth - 1) + side.pitch * (box.height - 1) + box.width;
}

Place place_of(const Side& side, const Box& box) {
  if (side.is_array) return {nullptr, true};
  const Memory& memory = the_runtime().memory;
  const MemoryBlock* block = memory.find(side.address);
  if (!block) {
    if (!is_device_address(side.address)) return {};
    if (const MemoryBlock* before = memory.freed_at(side.address)) {
      report_mistake(MistakeKind::kUseAfterFree, msg::copy_after_free(Code{before->name}),
                     msg::advice_free_behind_last_use());
      throw Failure{kInvalid, msg::memory_freed_before(Code{before->name})};
    }
    throw Failure{kInvalid, msg::address_leads_nowhere(Address{side.address})};
  }
  const std::uint64_t end = side.address + extent_of(side, box);
  if (end > block->end()) {
    const Message what = msg::copy_beyond_end(box.bytes(), side.address - block->address, Code{block->name},
                                              block->bytes, end - block->end());
    report_mistake(MistakeKind::kBeyondTheEnd, what, msg::advice_copy_what_fits());
    // Either the copy or the allocation may have the wrong size, so both places are reported.
    the_runtime().records.send(
        HostMistake{MistakeKind::kBeyondTheEnd,
                    msg::allocation_smaller_than_copy(Code{block->name}, block->bytes, end - block->address),
                    msg::advice_allocate_what_is_copied(), block->from, 1});
    throw Failure{kInvalid, what};
  }
  return {block, false};
}

struct Direction {
  cudaMemcpyKind kind;
  bool to_device, from_device;
  const char* words;
};
constexpr Direction kDirections[] = {
    {cudaMemcpyHostToHost, false, false, "cudaMemcpyHostToHost"},
    {cudaMemcpyHostToDevice, true, false, "cudaMemcpyHostToDevice"},
    {cudaMemcpyDeviceToHost, false, true, "cudaMemcpyDeviceToHost"},
    {cudaMemcpyDeviceToDevice, true, true, "cudaMemcpyDeviceToDevice"},
};

bool fits(const Place& place, bool is_device) {
  return is_device ? place.device_reaches() : place.host_reaches();
}

bool is_missed(const Place& place, bool is_device) { return is_device && !place.device_reaches(); }

void require_direction(cudaMemcpyKind kind, const Place& to, const Place& from) {
  if (kind == cudaMemcpyDefault) return;
  for (const Direction& row : kDirections) {
    if (row.kind != kind) continue;
    if (fits(to, row.to_device) && fits(from, row.from_device)) return;
    const bool is_to = !fits(to, row.to_device);
    const Message place = (is_to ? to : from).device_reaches() ? msg::place_device() : msg::place_host();
    const Message what =
        (is_to ? msg::copy_to_wrong_place : msg::copy_from_wrong_place)(called(row.words), place);
    report_mistake(MistakeKind::kWrongDirection, what, msg::advice_name_copy_direction());
    // CUDA accepts any address for a side that is declared as host memory, and determines where it is.
    if (is_missed(to, row.to_device) || is_missed(from, row.from_device)) throw Failure{kInvalid, what};
    return;
  }
  throw Failure{cudaErrorInvalidMemcpyDirection, msg::copy_direction_unknown(static_cast<int>(kind))};
}

// A program that passes an array handle as a pointer gets an error: texels have no address that a program
// knows.
void require_no_handle(const Box& box) {
  for (const Side* side : {&box.to, &box.from}) {
    if (side->is_array || !is_array(side->address)) continue;
    report_mistake(MistakeKind::kWrongDirection, msg::copy_of_array_handle(), msg::advice_copy_arrays());
    throw Failure{kInvalid, msg::copy_of_array_handle()};
  }
}

// Checks the range first: a copy past the end of the program's own memory would crash inside this library,
// without a message.
void require_mapped(const char* call, const Place& place, const Side& side, const Box& box, bool is_read) {
  if (!place.is_pageable()) return;
  const std::size_t extent = extent_of(side, box), mapped = mapped_bytes(side.address, extent);
  if (mapped == extent) return;
  const Message what = is_read ? msg::copy_from_unmapped_host_memory(call, extent, mapped)
                               : msg::copy_to_unmapped_host_memory(call, extent, mapped);
  report_mistake(MistakeKind::kBeyondTheEnd, what, msg::advice_check_host_pointer());
  throw Failure{kInvalid, what};
}

// Reports a source whose pages the host has never written: it holds no values for a kernel to use.
void look_for_untouched(const char* call, const Place& from, const Box& box) {
  if (!the_runtime().settings.launch.checks_memory() || !from.is_pageable()) return;
  const std::size_t untouched = untouched_bytes(box.from.address, extent_of(box.from, box));
  if (untouched > 0)
    report_mistake(MistakeKind::kUnwrittenCopied,
                   msg::copy_of_untouched_host_memory(call, untouched, box.bytes()),
                   msg::advice_fill_host_array());
}

// Reports a copy whose pitch differs from that of the pitched memory. A copy of whole rows in one piece,
// padding included, is not reported.
void look_for_other_pitch(const char* call, const Side& side, const Box& box) {
  const MemoryBlock* block = side.is_array ? nullptr : the_runtime().memory.find(side.address);
  if (!block || block->pitch == block->row_bytes) return;
  const bool is_one_piece = box.height == 1 && box.depth == 1;
  if (is_one_piece && box.width > block->row_bytes && box.width % block->pitch != 0)
    report_mistake(MistakeKind::kOtherPitch,
                   msg::copy_across_rows(call, box.width, Code{block->name}, block->row_bytes, block->pitch),
                   msg::advice_copy_rows());
  if (!is_one_piece && side.pitch % block->pitch != 0)
    report_mistake(MistakeKind::kOtherPitch,
                   msg::copy_of_other_pitch(call, Code{block->name}, side.pitch, block->pitch),
                   msg::advice_copy_rows());
}

CopyDirection direction_of(const Place& to, const Place& from, cudaMemcpyKind kind) {
  const bool to_device =
      to.is_array || (to.block && (!to.block->is_on_host() || kind == cudaMemcpyHostToDevice ||
                                   kind == cudaMemcpyDeviceToDevice));
  const bool from_device =
      from.is_array || (from.block && (!from.block->is_on_host() || kind == cudaMemcpyDeviceToHost ||
                                       kind == cudaMemcpyDeviceToDevice));
  if (to_device && from_device) return CopyDirection::kOnDevice;
  if (to_device) return CopyDirection::kToDevice;
  return from_device ? CopyDirection::kFromDevice : CopyDirection::kOnHost;
}

Engine engine_of(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kToDevice: return Engine::kToDevice;
    case CopyDirection::kFromDevice: return Engine::kFromDevice;
    case CopyDirection::kOnHost: return Engine::kNone;
    default: return Engine::kCompute;
  }
}

// ---- moving --------------------------------------------------------------------------------------------

void move_row(std::uint64_t to, bool to_gpu, std::uint64_t from, bool from_gpu, std::size_t bytes) {
  vgpu::VirtualGpu& gpu = the_runtime().gpu;
  auto* host_to = reinterpret_cast<std::byte*>(to);
  const auto* host_from = reinterpret_cast<const std::byte*>(from);
  if (to_gpu && from_gpu) {
    gpu.copy(to, from, bytes);
  } else if (to_gpu) {
    gpu.write(to, {host_from, bytes});
  } else if (from_gpu) {
    gpu.read(from, {host_to, bytes});
  } else {
    std::memmove(host_to, host_from, bytes);
  }
}

bool is_gpu_side(const Side& side) { return side.is_array || is_device_address(side.address); }

void move(const Box& box) {
  const bool to_gpu = is_gpu_side(box.to), from_gpu = is_gpu_side(box.from);
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      move_row(box.to.address + z * box.to.slice + y * box.to.pitch, to_gpu,
               box.from.address + z * box.from.slice + y * box.from.pitch, from_gpu, box.width);
}

// The source of the copy, packed without gaps between rows.
std::shared_ptr<std::vector<std::byte>> staged(const Box& box) {
  auto bytes = std::make_shared<std::vector<std::byte>>(box.bytes());
  Box into = box;
  into.to = {reinterpret_cast<std::uint64_t>(bytes->data()), box.width, box.width * box.height, false};
  move(into);
  return bytes;
}

// Adds one side of a copy to `uses` if both host and GPU reach its memory.
void add_use(const Side& side, const Box& box, MemoryUse::Access access, std::vector<MemoryUse>& uses) {
  const MemoryBlock* block = side.is_array ? nullptr : the_runtime().memory.find(side.address);
  if (block && block->is_reached_by_host())
    uses.push_back({side.address, side.address + extent_of(side, box), access});
}

// The bytes that a copy reads and writes. Empty as long as all work is in one order, because nothing can race
// then.
std::vector<vgpu::TouchedSpan> touched_by(const Box& box) {
  std::vector<vgpu::TouchedSpan> spans;
  if (!the_runtime().queue.may_run_side_by_side() || box.depth != 1) return spans;
  if (!box.from.is_array)
    add_rows(box.from.address, box.width, box.from.pitch, box.height, vgpu::TouchedSpan::kRead, spans);
  if (!box.to.is_array)
    add_rows(box.to.address, box.width, box.to.pitch, box.height, vgpu::TouchedSpan::kWrite, spans);
  return spans;
}

// The parameters of a graph node for this copy. Both sides must be addresses, not arrays.
cudaGraphNodeParams node_of_copy(const Box& box, cudaMemcpyKind kind) {
  const auto side = [&](const Side& one) {
    return cudaPitchedPtr{reinterpret_cast<void*>(one.address), one.pitch, box.width,
                          one.pitch > 0 ? one.slice / one.pitch : 1};
  };
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = side(box.from);
  params.memcpy.copyParams.dstPtr = side(box.to);
  params.memcpy.copyParams.extent = {box.width, box.height, box.depth};
  params.memcpy.copyParams.kind = kind;
  return params;
}

cudaGraphNodeParams node_of_fill(const Box& box, const FillValue& value) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemset;
  params.memset = {reinterpret_cast<void*>(box.to.address),
                   box.to.pitch,
                   value.value,
                   static_cast<unsigned>(value.bytes),
                   box.width / value.bytes,
                   box.height};
  return params;
}

// The allocation in device memory that the copy reads, or else the one that it writes; null for arrays.
const MemoryBlock* device_memory_of(const Box& box) {
  for (const Side* side : {&box.from, &box.to}) {
    const MemoryBlock* block = side->is_array ? nullptr : the_runtime().memory.find(side->address);
    if (block && !block->is_on_host()) return block;
  }
  return nullptr;
}

// For a copy between two GPUs: whether one has access to the other's memory.
std::optional<bool> access_between_devices(const Box& box) {
  if (box.from.is_array || box.to.is_array) return std::nullopt;
  Runtime& state = the_runtime();
  const MemoryBlock *from = state.memory.find(box.from.address), *to = state.memory.find(box.to.address);
  if (!from || !to || from->is_on_host() || to->is_on_host() || from->device == to->device)
    return std::nullopt;
  return state.peers.contains({from->device, to->device}) || state.peers.contains({to->device, from->device});
}

Job copy_job(const char* call, const Box& box, CopyDirection direction, bool is_pageable,
             const Stream& stream) {
  Job job;
  job.name = call;
  job.engine = engine_of(direction);
  add_use(box.from, box, MemoryUse::kReads, job.uses);
  add_use(box.to, box, MemoryUse::kWrites, job.uses);
  const bool is_checked = direction == CopyDirection::kFromDevice && is_device_address(box.from.address);
  const bool is_detailed = the_runtime().settings.launch.record_uses;
  if (is_detailed || is_checked || the_runtime().queue.may_run_side_by_side()) job.from = call_site();
  ProgramCopy about{call, direction, box.bytes(), stream.device};
  if (is_detailed) {
    if (const MemoryBlock* block = device_memory_of(box)) {
      about.memory = block->name;
      if (block->kind == MemoryKind::kVariable) about.variable_bytes = block->bytes;
    }
    about.is_pageable = is_pageable;
    about.source = box.from.address;
    about.target = box.to.address;
    about.printed = ::__fpending(stdout);
    about.from = job.from;
  }
  const std::optional<bool> has_access = access_between_devices(box);
  job.run = [=, from = job.from] {
    if (is_checked) look_for_unwritten(call, box, from);
    move(box);
    const std::uint64_t nans = direction == CopyDirection::kFromDevice ? nans_on_host(box) : 0;
    const auto tell = [=](const Ran& ran) {
      ProgramCopy record = about;
      record.nans = nans;
      record.stream = ran.stream;
      record.span = ran.span;
      the_runtime().records.send(record);
    };
    const vgpu::Card& card = the_runtime().card();
    const double ms = has_access ? peer_copy_ms(box.bytes(), *has_access, card)
                                 : copy_ms(direction, box.bytes(), is_pageable, card);
    return Outcome{ms, {}, tell, touched_by(box)};
  };
  return job;
}

void set_row(std::uint64_t to, std::size_t bytes, const FillValue& value) {
  vgpu::VirtualGpu& gpu = the_runtime().gpu;
  if (value.bytes == 1) return gpu.fill(to, bytes, static_cast<std::uint8_t>(value.value), false);
  std::vector<std::byte> row(bytes);
  for (std::size_t at = 0; at + value.bytes <= bytes; at += value.bytes)
    std::memcpy(row.data() + at, &value.value, value.bytes);
  gpu.write(to, row);
}

}  // namespace

std::size_t unwritten_bytes(std::uint64_t address, std::size_t bytes) {
  Unwritten found;
  look_at_row(address, bytes, address, found);
  return found.bytes;
}

void copy(const char* runtime_call, const Box& box, cudaMemcpyKind kind, Stream& stream, bool waits) {
  const char* call = called(runtime_call);
  if (box.bytes() == 0) return;
  require(box.to.address && box.from.address, kInvalid, msg::pointer_of_copy_null());
  require_no_handle(box);
  look_for_other_pitch(call, box.to, box);
  look_for_other_pitch(call, box.from, box);
  const Place to = place_of(box.to, box), from = place_of(box.from, box);
  require_direction(kind, to, from);
  require_mapped(call, from, box.from, box, true);
  require_mapped(call, to, box.to, box, false);
  if (to.block) the_runtime().memory.note_fill(box.to.address, box.bytes());
  const CopyDirection direction = direction_of(to, from, kind);
  if (direction == CopyDirection::kToDevice) look_for_untouched(call, from, box);
  const bool is_pageable = to.is_pageable() || from.is_pageable();
  Box queued = box;
  std::shared_ptr<std::vector<std::byte>> kept;
  if (!waits && from.is_pageable() && !stream.capture) {
    kept = staged(box);
    queued.from = {reinterpret_cast<std::uint64_t>(kept->data()), box.width, box.width * box.height, false};
  }
  Job job = copy_job(call, queued, direction, is_pageable, stream);
  job.as_node = [box, kind] { return node_of_copy(box, kind); };
  if (kept) job.run = [kept, run = std::move(job.run)] { return run(); };
  const WorkRef work = submit(stream, std::move(job));
  // A copy from the device to pageable host memory is complete when the call returns, as in CUDA.
  const bool is_done_at_once = waits || (to.is_pageable() && direction != CopyDirection::kToDevice);
  if (work && is_done_at_once && (waits || to.is_pageable())) the_runtime().queue.wait(work);
}

void fill(const char* runtime_call, const Side& to, std::size_t width, std::size_t height, std::size_t depth,
          FillValue value, Stream& stream, bool waits) {
  const char* call = called(runtime_call);
  const Box box{to, to, width, height, depth};
  if (box.bytes() == 0) return;
  const Place place = place_of(to, box);
  require(place.device_reaches(), kInvalid, msg::fill_not_on_device());
  if (place.block) the_runtime().memory.note_fill(to.address, box.bytes());
  Job job;
  job.name = call;
  job.engine = Engine::kCompute;
  add_use(to, box, MemoryUse::kWrites, job.uses);
  if (the_runtime().queue.may_run_side_by_side()) job.from = call_site();
  job.run = [=, device = stream.device] {
    for (std::size_t z = 0; z < depth; ++z)
      for (std::size_t y = 0; y < height; ++y)
        set_row(to.address + z * to.slice + y * to.pitch, width, value);
    const auto tell = [=](const Ran& ran) {
      the_runtime().records.send(
          ProgramCopy{call, CopyDirection::kFill, box.bytes(), device, ran.stream, ran.span});
    };
    std::vector<vgpu::TouchedSpan> touched = touched_by(box);
    std::erase_if(touched, [](const auto& span) { return span.kind == vgpu::TouchedSpan::kRead; });
    return Outcome{copy_ms(CopyDirection::kFill, box.bytes(), false, the_runtime().card()),
                   {},
                   tell,
                   std::move(touched)};
  };
  job.as_node = [box, value] { return node_of_fill(box, value); };
  const WorkRef work = submit(stream, std::move(job));
  if (work && waits && place.block && place.block->is_on_host()) the_runtime().queue.wait(work);
}

}  // namespace cudalab::runtime
