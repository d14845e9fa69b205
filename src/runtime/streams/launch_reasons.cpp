#include "runtime/streams/launch_reasons.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/runtime.h"
#include "runtime/copies.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

// ---- the arguments of the launch ---------------------------------------------------------------------

// A pointer in an argument, or in a member of a struct argument.
struct PointerArgument {
  std::size_t argument = 0;  // counted from 1
  std::uint64_t value = 0;
  bool is_member = false;
};

// All aligned groups of eight bytes in the arguments: some may be other values than pointers.
std::vector<PointerArgument> possible_pointers(const vgpu::KernelInfo& kernel,
                                               const vgpu::LaunchRequest& request) {
  std::vector<PointerArgument> found;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const vgpu::KernelParameter& parameter = kernel.parameters[i];
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameter.bytes; at += sizeof(std::uint64_t)) {
      PointerArgument pointer{i + 1, 0, parameter.bytes != sizeof(std::uint64_t)};
      std::memcpy(&pointer.value, request.parameters.data() + parameter.offset + at, sizeof pointer.value);
      found.push_back(pointer);
    }
  }
  return found;
}

// The block of cudaMalloc, cudaMallocManaged or cudaMallocHost that a hazard is about; null for other memory.
const MemoryBlock* block_of(const Hazard& hazard) {
  for (const auto& [address, block] : the_runtime().memory.blocks())
    if (block.kind != MemoryKind::kVariable && block.kind != MemoryKind::kRegistered &&
        block.name == hazard.buffer)
      return &block;
  return nullptr;
}

bool is_near(std::uint64_t value, std::uint64_t address) {
  constexpr std::uint64_t kNear = 1ull << 30;
  return value >= kDeviceStart && !is_device_address(value) && !the_runtime().memory.find(value) &&
         address - value + kNear <= 2 * kNear;
}

bool is_mapped_here(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  unsigned char is_resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &is_resident) == 0;
}

// For an access to the host's own memory, adds which argument passed the host pointer.
void explain_host_pointer(Hazard& hazard, const std::vector<PointerArgument>& pointers) {
  const Memory& memory = the_runtime().memory;
  if (hazard.kind != HazardKind::kOutOfBounds || !hazard.address || is_device_address(*hazard.address) ||
      memory.find(*hazard.address) || memory.freed_at(*hazard.address) || block_of(hazard))
    return;
  const auto found = std::ranges::find_if(
      pointers, [&](const PointerArgument& one) { return is_near(one.value, *hazard.address); });
  if (found != pointers.end())
    hazard.what = (found->is_member ? msg::access_to_host_member : msg::access_to_host_argument)(
        hazard.what, found->argument, Address{found->value});
  else if (is_mapped_here(*hazard.address))
    hazard.what = msg::access_to_host_memory(hazard.what);
  else
    return;
  hazard.fix = msg::advice_pass_device_pointer();
}

// An access through a null pointer: the argument that is one, or else memory in which the kernel found it.
void explain_null_pointer(Hazard& hazard, const std::vector<PointerArgument>& pointers) {
  if (hazard.what.id() != "access_null_pointer") return;
  const auto null = std::ranges::find(pointers, std::uint64_t{0}, &PointerArgument::value);
  hazard.fix =
      null == pointers.end() ? msg::advice_null_in_memory() : msg::advice_null_argument(null->argument);
}

// A race in memory to which two arguments point: what one thread writes through one of them, others read
// through the other. Reads of memory that only the race leaves unwritten have the same cause.
void explain_shared_buffers(std::vector<Hazard>& hazards, const std::vector<PointerArgument>& pointers) {
  for (Hazard& race : hazards) {
    const bool is_read_and_written = race.pair != RacePair::kNone && race.pair != RacePair::kWriters;
    const MemoryBlock* block = is_read_and_written ? block_of(race) : nullptr;
    if (!block) continue;
    const auto leads_here = [block](const PointerArgument& one) {
      return one.value >= block->address && one.value < block->end();
    };
    const auto first = std::ranges::find_if(pointers, leads_here);
    const auto second = std::find_if(first, pointers.end(), [&](const PointerArgument& one) {
      return one.argument != first->argument && one.value == first->value;
    });
    if (second == pointers.end()) continue;
    const Message before = race.fix;
    race.fix = msg::advice_separate_buffers(first->argument, second->argument, Code{block->name});
    for (Hazard& read : hazards)
      if (read.kind == HazardKind::kUninitialisedRead && read.fix == before) read.fix = race.fix;
  }
}

// The width in bytes of the elements that an access out of bounds takes the buffer to have; 0 if unknown.
std::uint64_t bytes_of_access(const Hazard& hazard) {
  const Argument* bytes = hazard.what.argument("bytes");
  if (!bytes) return 0;
  if (const auto* value = bytes->as<std::int64_t>()) return static_cast<std::uint64_t>(*value);
  const auto* value = bytes->as<std::uint64_t>();
  return value ? *value : 0;
}

// The value of an integer argument; nullopt for other types, and for a negative value.
std::optional<std::uint64_t> natural_argument(const vgpu::KernelParameter& parameter,
                                              const vgpu::LaunchRequest& request) {
  constexpr std::array kIntegers{ptx::Type::kB32, ptx::Type::kU32, ptx::Type::kS32,
                                 ptx::Type::kB64, ptx::Type::kU64, ptx::Type::kS64};
  if (parameter.is_pointer || std::ranges::find(kIntegers, parameter.type) == kIntegers.end())
    return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, request.parameters.data() + parameter.offset, parameter.bytes);
  // nvcc does not mark pointers as such.
  const std::uint64_t most = (std::uint64_t{1} << (8 * parameter.bytes - 1)) - 1;
  return value <= most && value < kDeviceStart ? std::optional(value) : std::nullopt;
}

// For an access past the end that no more specific reason explains: an integer argument above the number of
// the buffer's elements, if the accessed element is below it. After a call that failed, the buffer may well
// be what is too small.
void explain_size_argument(Hazard& hazard, const vgpu::KernelInfo& kernel,
                           const vgpu::LaunchRequest& request) {
  const MemoryBlock* block = hazard.kind == HazardKind::kOutOfBounds ? block_of(hazard) : nullptr;
  const std::uint64_t element = bytes_of_access(hazard);
  if (!block || the_runtime().has_refused_work || element == 0 || block->bytes < element ||
      hazard.fix.id() != "advice_guard_access" || !hazard.address || *hazard.address < block->end())
    return;
  const std::uint64_t elements = block->bytes / element, index = (*hazard.address - block->address) / element;
  std::optional<std::size_t> own;  // an argument that is the number of the buffer's elements
  for (std::size_t i = 0; i < kernel.parameters.size() && !own; ++i)
    if (natural_argument(kernel.parameters[i], request) == elements) own = i + 1;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto value = natural_argument(kernel.parameters[i], request);
    if (!value || *value <= elements || *value <= index) continue;
    const bool is_in_bytes = element > 1 && *value == block->bytes;
    if (is_in_bytes)
      hazard.fix = msg::advice_count_elements(i + 1, *value, Code{block->name}, elements);
    else if (own)
      hazard.fix = msg::advice_other_index(Code{block->name}, elements, *own, i + 1, *value);
    else
      hazard.fix = msg::advice_size_argument(i + 1, *value, Code{block->name}, elements);
    return;
  }
}

// An access past the end by the block of that number: an element per block, and more blocks than elements.
void explain_element_per_block(Hazard& hazard, const LaunchSpec& spec) {
  const MemoryBlock* block = hazard.kind == HazardKind::kOutOfBounds ? block_of(hazard) : nullptr;
  const std::uint64_t element = bytes_of_access(hazard);
  if (!block || element == 0 || !hazard.address || *hazard.address < block->end()) return;
  const std::uint64_t index = (*hazard.address - block->address) / element, blocks = spec.grid.volume();
  const std::uint64_t own =
      (hazard.block.z * std::uint64_t{spec.grid.y} + hazard.block.y) * spec.grid.x + hazard.block.x;
  if (blocks > 1 && index == own && block->bytes / element < blocks)
    hazard.fix = msg::advice_element_per_block(Code{block->name}, block->bytes / element, blocks);
}

// An access past the end by a thread that uses several elements: the first thread without elements of its
// own, if the launch has at least a block of threads too many.
void explain_elements_per_thread(Hazard& hazard, const LaunchSpec& spec) {
  const MemoryBlock* block = hazard.kind == HazardKind::kOutOfBounds ? block_of(hazard) : nullptr;
  const std::uint64_t element = bytes_of_access(hazard);
  const bool is_line = spec.grid.y * spec.grid.z * spec.block.y * spec.block.z == 1;
  if (!block || element == 0 || !is_line || !hazard.address || *hazard.address < block->end() ||
      hazard.fix.id() != "advice_guard_access")
    return;
  const std::uint64_t elements = block->bytes / element, index = (*hazard.address - block->address) / element,
                      thread = std::uint64_t{hazard.block.x} * spec.block.x + hazard.thread.x,
                      threads = std::uint64_t{spec.grid.x} * spec.block.x;
  const std::uint64_t each = thread > 0 ? index / thread : 0;
  if (each < 2 || index % thread >= each || elements % each != 0 || elements / each != thread ||
      threads - thread < spec.block.x / 2)
    return;
  hazard.fix = msg::advice_elements_per_thread(each, elements, Code{block->name}, thread, threads);
}

// ---- allocations and copies --------------------------------------------------------------------------

// For an access to memory that has been freed, names that memory, not the nearest block.
void explain_freed_memory(Hazard& hazard) {
  const Memory& memory = the_runtime().memory;
  if (hazard.kind != HazardKind::kOutOfBounds || !hazard.address) return;
  const MemoryBlock* freed = memory.freed_at(*hazard.address);
  const Argument* access = hazard.what.argument("access");
  if (!freed || !access || memory.find(*hazard.address)) return;
  hazard.what = msg::access_to_freed_memory(*access, *hazard.address - freed->address, freed->name,
                                            Address{*hazard.address});
  hazard.buffer = freed->name;
  hazard.fix = msg::advice_free_behind_last_use();
}

// Whether an access is outside the rows of pitched memory: in the padding behind a row, or beyond the end.
bool is_outside_rows(const Hazard& hazard, const MemoryBlock& block) {
  if (block.pitch == 0 || !hazard.address) return false;
  if (hazard.kind == HazardKind::kOutOfBounds) return true;
  return hazard.kind == HazardKind::kUninitialisedRead &&
         (*hazard.address - block.address) % block.pitch >= block.row_bytes;
}

void explain_rows(Hazard& hazard) {
  if (const MemoryBlock* block = block_of(hazard); block && is_outside_rows(hazard, *block))
    hazard.fix = msg::advice_row_address(Code{block->name}, block->pitch, block->row_bytes);
}

// If the buffer has room for one element per thread of a narrower type than the kernel's, the size in bytes
// of that type: 1 where `* sizeof(T)` is missing. The last block may have more threads than there are
// elements. 0 if the buffer is too small for another reason. Two bytes are left out: a half for a float is
// rare, and half as many floats as threads are not.
std::uint64_t narrower_element(const MemoryBlock& block, const LaunchSpec& spec, std::uint64_t needed) {
  const std::uint64_t threads = spec.grid.volume() * spec.block.volume();
  for (const std::uint64_t bytes : std::array{1, 4, 8}) {
    const std::uint64_t elements = block.bytes / bytes;
    if (bytes < needed && block.bytes % bytes == 0 && elements <= threads &&
        elements + spec.block.volume() > threads)
      return bytes;
  }
  return 0;
}

// The mistake of the call that allocated a buffer which is too small; nullopt if only the kernel can be
// wrong.
std::optional<HostMistake> mistake_of_allocation(const Hazard& hazard, const MemoryBlock& block,
                                                 const LaunchSpec& spec) {
  const std::uint64_t needed = bytes_of_access(hazard);
  if (const std::uint64_t narrower = narrower_element(block, spec, needed)) {
    const Message what = narrower == 1
                             ? msg::allocation_lacks_size(block.bytes, Code{block.name})
                             : msg::allocation_of_narrower(block.bytes, Code{block.name},
                                                           block.bytes / narrower, narrower, needed);
    return HostMistake{MistakeKind::kBeyondTheEnd, what,
                       narrower == 1 ? msg::advice_multiply_by_size() : msg::advice_size_of_type(),
                       block.from};
  }
  if (block.bytes == sizeof(void*) && hazard.address && *hazard.address >= block.end())
    return HostMistake{MistakeKind::kBeyondTheEnd,
                       msg::allocation_of_pointer_size(block.bytes, Code{block.name}),
                       msg::advice_size_of_type(), block.from};
  return std::nullopt;
}

// Whether the bytes that a call has filled may be a number of elements.
bool lacks_size_of_element(const MemoryBlock& block) {
  constexpr std::array<std::uint64_t, 5> kSizes{2, 4, 8, 12, 16};
  return std::ranges::any_of(kSizes,
                             [&](std::uint64_t size) { return block.filled_bytes * size == block.bytes; });
}

std::optional<HostMistake> mistake_of_filling(const Hazard& hazard, const MemoryBlock& block,
                                              const WrittenBefore& before) {
  if (block.kind != MemoryKind::kDevice) return std::nullopt;  // the host writes managed memory without calls
  if (block.filled_bytes == 0) {
    // Otherwise kernels have written a part, and no host call is to blame.
    if (const auto written = before.find(block.address); written != before.end() && written->second > 0)
      return std::nullopt;
    return HostMistake{MistakeKind::kUnwrittenCopied, msg::nothing_written_to(Code{block.name}),
                       msg::advice_copy_input(), block.from};
  }
  // If more was written, several copies fill the buffer, and the last one need not be the wrong one.
  const auto written = before.find(block.address);
  const bool is_only_copy =
      written != before.end()
          ? written->second <= block.filled_bytes
          : unwritten_bytes(block.address, block.bytes) + block.filled_bytes >= block.bytes;
  if (block.filled_bytes < block.bytes && is_only_copy && !is_outside_rows(hazard, block))
    return HostMistake{
        MistakeKind::kUnwrittenCopied, msg::copy_of_a_part(block.filled_bytes, block.bytes, Code{block.name}),
        lacks_size_of_element(block) ? msg::advice_multiply_by_size() : msg::advice_fill_the_rest(),
        block.filled_from};
  return std::nullopt;
}

// A read of memory that only kernels fill, and of which earlier ones have written a part. A race explains
// more.
void explain_partly_written(Hazard& hazard, const WrittenBefore& before) {
  if (hazard.kind != HazardKind::kUninitialisedRead || hazard.fix.id() != "advice_set_before_launch") return;
  const MemoryBlock* block = block_of(hazard);
  const auto written = block ? before.find(block->address) : before.end();
  if (written != before.end() && block->filled_bytes == 0 && written->second > 0 &&
      written->second < block->bytes)
    hazard.fix = msg::advice_cover_elements(Code{block->name}, written->second, block->bytes);
}

// The race that explains a read of unwritten memory: another block of the same launch writes the word, but
// not before the read. A copy before the launch would only hide that. Null if there is none.
const Hazard* written_too_late(const Hazard& read, const std::vector<Hazard>& all) {
  constexpr std::uint64_t kGranule = 4;
  if (!read.address || unwritten_bytes(*read.address, kGranule) > 0) return nullptr;
  const auto race = std::ranges::find_if(
      all, [&](const Hazard& one) { return one.pair == RacePair::kBlocks && one.buffer == read.buffer; });
  return race == all.end() ? nullptr : &*race;
}

void explain_late_writes(std::vector<Hazard>& hazards) {
  for (Hazard& read : hazards) {
    if (read.kind != HazardKind::kUninitialisedRead || read.fix.id() != "advice_set_before_launch") continue;
    if (const Hazard* race = written_too_late(read, hazards)) read.fix = race->fix;
  }
}

// Reports the host call that caused a kernel's hazard, at the line of that call: an allocation that is too
// small, a copy of only a part, or a missing copy.
void report_host_calls(const LaunchResult& result, const LaunchSpec& spec, const WrittenBefore& before) {
  std::set<std::string> said;  // buffers that have been reported
  for (const Hazard& hazard : result.hazards) {
    const MemoryBlock* block = block_of(hazard);
    if (!block || !said.insert(block->name).second) continue;
    std::optional<HostMistake> mistake;
    if (hazard.kind == HazardKind::kOutOfBounds) mistake = mistake_of_allocation(hazard, *block, spec);
    if (hazard.kind == HazardKind::kUninitialisedRead && !written_too_late(hazard, result.hazards))
      mistake = mistake_of_filling(hazard, *block, before);
    if (mistake) the_runtime().records.send(*mistake);
  }
}

}  // namespace

WrittenBefore written_before(const vgpu::KernelInfo& kernel, const vgpu::LaunchRequest& request) {
  // Looking takes time for all memory of the arguments, so a program with many launches is not watched to its
  // end.
  constexpr std::uint64_t kMostLooked = 4ull << 30;
  static std::uint64_t looked = 0;
  WrittenBefore before;
  if (!request.options.checks_memory() || !the_runtime().records.is_watched()) return before;
  for (const PointerArgument& pointer : possible_pointers(kernel, request)) {
    const MemoryBlock* block = the_runtime().memory.find(pointer.value);
    if (!block || block->kind != MemoryKind::kDevice || block->filled_bytes >= block->bytes ||
        looked + block->bytes > kMostLooked || before.contains(block->address))
      continue;
    looked += block->bytes;
    before[block->address] = block->bytes - unwritten_bytes(block->address, block->bytes);
  }
  return before;
}

void explain_by_program(LaunchResult& result, const vgpu::KernelInfo& kernel,
                        const vgpu::LaunchRequest& request, const WrittenBefore& before) {
  if (result.hazards.empty()) return;  // as for most launches
  const std::vector<PointerArgument> pointers = possible_pointers(kernel, request);
  explain_shared_buffers(result.hazards, pointers);
  explain_late_writes(result.hazards);
  for (Hazard& hazard : result.hazards) {
    explain_freed_memory(hazard);
    explain_host_pointer(hazard, pointers);
    explain_null_pointer(hazard, pointers);
    explain_partly_written(hazard, before);
    explain_rows(hazard);
    explain_element_per_block(hazard, request.spec);
    explain_size_argument(hazard, kernel, request);
    explain_elements_per_thread(hazard, request.spec);
  }
  report_host_calls(result, request.spec, before);
}

}  // namespace cudalab::runtime
