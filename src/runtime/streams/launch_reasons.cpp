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
      memory.find(*hazard.address) || memory.freed_at(*hazard.address))
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

// The block of cudaMalloc or cudaMallocManaged that a hazard is about; null for other memory.
const MemoryBlock* block_of(const Hazard& hazard) {
  for (const auto& [address, block] : the_runtime().memory.blocks())
    if ((block.kind == MemoryKind::kDevice || block.kind == MemoryKind::kManaged) &&
        block.name == hazard.buffer)
      return &block;
  return nullptr;
}

// A race in memory to which two arguments point: what one thread writes through one of them, others read
// through the other.
void explain_shared_buffer(Hazard& hazard, const std::vector<PointerArgument>& pointers) {
  if (hazard.pair == RacePair::kNone || hazard.pair == RacePair::kWriters) return;
  const MemoryBlock* block = block_of(hazard);
  if (!block) return;
  const auto leads_here = [block](const PointerArgument& one) {
    return one.value >= block->address && one.value < block->end();
  };
  const auto first = std::ranges::find_if(pointers, leads_here);
  const auto second = std::find_if(first, pointers.end(), [&](const PointerArgument& one) {
    return one.argument != first->argument && one.value == first->value;
  });
  if (second != pointers.end())
    hazard.fix = msg::advice_separate_buffers(first->argument, second->argument, Code{block->name});
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

// The width in bytes of the elements that an access out of bounds takes the buffer to have; 0 if unknown.
std::uint64_t bytes_of_access(const Hazard& hazard) {
  const Argument* bytes = hazard.what.argument("bytes");
  if (!bytes) return 0;
  if (const auto* value = bytes->as<std::int64_t>()) return static_cast<std::uint64_t>(*value);
  const auto* value = bytes->as<std::uint64_t>();
  return value ? *value : 0;
}

// If the buffer has room for one element per thread of a narrower type than the kernel's, the size in bytes
// of that type: 1 where `* sizeof(T)` is missing. The last block may have more threads than there are
// elements. 0 if the buffer is too small for another reason.
std::uint64_t narrower_element(const MemoryBlock& block, const LaunchSpec& spec, std::uint64_t needed) {
  const std::uint64_t threads = spec.grid.volume() * spec.block.volume();
  for (const std::uint64_t bytes : std::array{1, 2, 4, 8}) {
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

std::uint64_t unwritten_bytes(const MemoryBlock& block) {
  std::uint64_t bytes = 0;
  for (const vgpu::ByteRun& gap : the_runtime().gpu.unwritten(block.address, block.bytes)) bytes += gap.bytes;
  return bytes;
}

std::optional<HostMistake> mistake_of_filling(const Hazard& hazard, const MemoryBlock& block) {
  if (block.kind != MemoryKind::kDevice) return std::nullopt;  // the host writes managed memory without calls
  if (block.filled_bytes == 0) {
    // Otherwise kernels have written a part, and no host call is to blame.
    if (unwritten_bytes(block) < block.bytes) return std::nullopt;
    return HostMistake{MistakeKind::kUnwrittenCopied, msg::nothing_written_to(Code{block.name}),
                       msg::advice_copy_input(), block.from};
  }
  if (block.filled_bytes < block.bytes && !is_outside_rows(hazard, block))
    return HostMistake{MistakeKind::kUnwrittenCopied,
                       msg::copy_of_a_part(block.filled_bytes, block.bytes, Code{block.name}),
                       msg::advice_multiply_by_size(), block.filled_from};
  return std::nullopt;
}

// A read of memory that only kernels fill, and of which they have written a part. A race explains more.
void explain_partly_written(Hazard& hazard) {
  if (hazard.kind != HazardKind::kUninitialisedRead || hazard.fix.id() != "advice_set_before_launch") return;
  const MemoryBlock* block = block_of(hazard);
  if (!block || block->kind != MemoryKind::kDevice || block->filled_bytes > 0) return;
  const std::uint64_t unwritten = unwritten_bytes(*block);
  if (unwritten < block->bytes)
    hazard.fix = msg::advice_cover_elements(Code{block->name}, block->bytes - unwritten, block->bytes);
}

// Reports the host call that caused a kernel's hazard, at the line of that call: an allocation that is too
// small, a copy of only a part, or a missing copy.
void report_host_calls(const LaunchResult& result, const LaunchSpec& spec) {
  std::set<std::string> said;  // buffers that have been reported
  for (const Hazard& hazard : result.hazards) {
    const MemoryBlock* block = block_of(hazard);
    if (!block || !said.insert(block->name).second) continue;
    std::optional<HostMistake> mistake;
    if (hazard.kind == HazardKind::kOutOfBounds) mistake = mistake_of_allocation(hazard, *block, spec);
    if (hazard.kind == HazardKind::kUninitialisedRead) mistake = mistake_of_filling(hazard, *block);
    if (mistake) the_runtime().records.send(*mistake);
  }
}

}  // namespace

void explain_by_program(LaunchResult& result, const vgpu::KernelInfo& kernel,
                        const vgpu::LaunchRequest& request) {
  const std::vector<PointerArgument> pointers = possible_pointers(kernel, request);
  for (Hazard& hazard : result.hazards) {
    explain_freed_memory(hazard);
    explain_host_pointer(hazard, pointers);
    explain_shared_buffer(hazard, pointers);
    explain_partly_written(hazard);
    explain_rows(hazard);
  }
  report_host_calls(result, request.spec);
}

}  // namespace cudalab::runtime
