// A host that follows a device pointer faults, as on a card: this says which pointer that was before it ends.
#include <ucontext.h>

#include <csignal>
#include <cstdint>

#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

struct sigaction before;

// What the C library keeps in front of memory of its own is no larger.
constexpr std::uint64_t kBeforeMemory = 16;

std::string name_of_memory(std::uint64_t address) {
  const Memory& memory = the_runtime().memory;
  if (const MemoryBlock* block = memory.find(address))
    return fmt::format("byte {} of `{}`", address - block->address, block->name);
  if (const MemoryBlock* freed = memory.freed_at(address))
    return fmt::format("`{}`, which was freed", freed->name);
  if (const MemoryBlock* next = memory.find(address + kBeforeMemory))
    return fmt::format("the {} bytes before `{}`, where free() and delete look", next->address - address,
                       next->name);
  return "no memory that the program holds";
}

// Where it is just outside of memory that the host may use: what was done there, and what to do instead.
void tell_of_memory_beside(std::uint64_t address) {
  constexpr std::uint64_t kBehindMemory = 4096;
  const std::map<std::uint64_t, MemoryBlock>& blocks = the_runtime().memory.blocks();
  const auto next = blocks.upper_bound(address);
  if (next != blocks.end() && next->second.is_on_host() && next->first - address <= kBeforeMemory)
    return report_mistake(
        MistakeKind::kBeyondTheEnd,
        fmt::format("the host reaches the {} bytes before `{}`, where free() and delete look",
                    next->first - address, next->second.name),
        "free pinned memory with cudaFreeHost, and managed memory with cudaFree");
  if (next == blocks.begin()) return;
  const MemoryBlock& block = std::prev(next)->second;
  if (block.is_on_host() && address >= block.end() && address - block.end() < kBehindMemory)
    report_mistake(MistakeKind::kBeyondTheEnd,
                   fmt::format("the host reaches byte {} of `{}`, which has {} bytes",
                               address - block.address, block.name, block.bytes),
                   "check the index against the size, or allocate more");
}

// What the access was that faulted; where the processor does not say, the graver of the two.
bool is_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return true;
#endif
}

// Nothing better can be done in a handler of a fault than to say so and let the fault end the program.
void on_fault(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (the_runtime().guard.take_fault(address, is_write(context), this_thread().calls > 0)) return;
  if (is_device_address(address) || is_device_address(address + kBeforeMemory))
    report_mistake(
        MistakeKind::kHostReadOfDeviceMemory,
        fmt::format("the host follows the device pointer {:#x}, which leads to {}", address,
                    name_of_memory(address)),
        "copy the memory to the host with cudaMemcpy, allocate it with cudaMallocManaged, and free "
        "it with cudaFree");
  else
    tell_of_memory_beside(address);
  ::sigaction(SIGSEGV, &before, nullptr);  // the instruction runs again, and faults for good
  if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) before.sa_sigaction(number, info, context);
}

}  // namespace

void watch_for_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, &before);
}

}  // namespace cudalab::runtime
