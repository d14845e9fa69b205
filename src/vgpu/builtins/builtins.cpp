#include "vgpu/builtins/builtins.h"

#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "vgpu/builtins/builtin.h"
#include "vgpu/builtins/device_heap.h"
#include "vgpu/builtins/printf_format.h"
#include "vgpu/checks/observer.h"

namespace cudalab::vgpu {

std::byte* memory_at(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes) {
  const auto inside = [&](std::uint64_t window, std::size_t size) {
    return address >= window && address - window <= size && bytes <= size - (address - window);
  };
  if (inside(kSharedWindow, warp.shared_bytes)) return warp.shared + (address - kSharedWindow);
  if (inside(kLocalWindow, warp.local_bytes))
    return warp.local + lane * warp.local_bytes + (address - kLocalWindow);
  const Allocation* allocation = warp.launch->memory->find(address);
  if (!allocation || bytes > allocation->end() - address) return nullptr;
  return allocation->host.get() + (address - allocation->base);
}

namespace {

// A C string, cut at a length that no message needs.
std::string text_at(const Warp& warp, int lane, std::uint64_t address) {
  constexpr std::size_t kMost = 4096;
  if (address == 0) return "(null)";
  std::string text;
  while (text.size() < kMost) {
    const std::byte* next = memory_at(warp, lane, address + text.size(), 1);
    if (!next) return text.empty() ? "?" : text;
    if (*next == std::byte{0}) break;
    text += static_cast<char>(*next);
  }
  return text;
}

// Functions take as long as so many warp instructions.
constexpr std::uint64_t kStepsOfALetter = 2, kStepsOfALane = 64;

std::uint64_t active_lanes(const Warp& warp) { return static_cast<std::uint64_t>(std::popcount(warp.exec)); }

void add_effort(const Warp& warp, std::uint64_t steps) {
  if (warp.observed) warp.block->observer->add_effort(steps);
}

// ---- the builtins ------------------------------------------------------------------------------------
// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t
// char_size)
[[noreturn]] void assertion_failed(const Inst* inst, Warp& warp, const CallInfo& info) {
  const int lane = std::countr_zero(warp.exec);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kAssertion);
  hazard.what = fmt::format("assertion `{}` failed in {}",
                            text_at(warp, lane, argument<std::uint64_t>(warp, info, 0, lane)),
                            text_at(warp, lane, argument<std::uint64_t>(warp, info, 3, lane)));
  hazard.fix = "the condition does not hold for this thread: print the values it compares";
  hazard.cuda_error = "CUDA_ERROR_ASSERT";
  throw KernelFault{std::move(hazard)};
}

// int vprintf(const char* format, va_list arguments)
void print(const Inst*, Warp& warp, const CallInfo& info) {
  std::string text;
  for_each_lane(warp, [&](int lane) {
    const std::uint64_t at = argument<std::uint64_t>(warp, info, 1, lane);
    const PrintfArguments arguments{[&](std::size_t offset, std::size_t bytes) {
                                      std::uint64_t value = 0;
                                      if (const std::byte* from = memory_at(warp, lane, at + offset, bytes))
                                        std::memcpy(&value, from, bytes);
                                      return value;
                                    },
                                    [&](std::uint64_t address) { return text_at(warp, lane, address); }};
    int conversions = 0;
    text += format_printf(text_at(warp, lane, argument<std::uint64_t>(warp, info, 0, lane)), arguments,
                          conversions);
    set_result<std::int32_t>(warp, info, lane, conversions);
  });
  add_effort(warp, kStepsOfALetter * text.size() + kStepsOfALane * active_lanes(warp));
  warp.launch->printed.add(warp.block->number, text);
}

// void* malloc(size_t bytes)
void take_memory(const Inst*, Warp& warp, const CallInfo& info) {
  add_effort(warp, kStepsOfALane * active_lanes(warp));
  for_each_lane(warp, [&](int lane) {
    set_result(warp, info, lane, warp.launch->heap->take(argument<std::uint64_t>(warp, info, 0, lane)));
  });
}

// void free(void* memory)
void give_memory_back(const Inst* inst, Warp& warp, const CallInfo& info) {
  add_effort(warp, kStepsOfALane * active_lanes(warp));
  for_each_lane(warp, [&](int lane) {
    const auto address = argument<std::uint64_t>(warp, info, 0, lane);
    if (address == 0 || warp.launch->heap->give_back(address)) return;
    Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kOutOfBounds);
    hazard.address = address;
    hazard.what = fmt::format(
        "frees the address {:#x}, which is not memory from malloc(), or was freed before", address);
    hazard.fix = "free each pointer once, exactly as malloc() returned it in a kernel";
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  });
}

constexpr std::array<Builtin, 4> kOfEveryKernel{{
    {"__assertfail", assertion_failed, false},
    {"vprintf", print, false},
    {"malloc", take_memory, true},
    {"free", give_memory_back, true},
}};

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> all = [] {
    std::vector<Builtin> rows(kOfEveryKernel.begin(), kOfEveryKernel.end());
    std::ranges::copy(device_runtime_builtins(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

}  // namespace

int find_builtin(std::string_view name) {
  constexpr std::string_view kOfAThreadsStream = "_ptsz";  // of --default-stream per-thread
  if (name.ends_with(kOfAThreadsStream)) name.remove_suffix(kOfAThreadsStream.size());
  for (std::size_t i = 0; i < builtins().size(); ++i)
    if (builtins()[i].name == name) return static_cast<int>(i);
  return -1;
}

bool needs_block_order(int builtin) {
  return builtins().at(static_cast<std::size_t>(builtin)).needs_block_order;
}

bool launches_kernels(int builtin) {
  const std::string_view name = builtins().at(static_cast<std::size_t>(builtin)).name;
  return name.find("LaunchDevice") != std::string_view::npos;
}

void run_builtin(const Inst* inst, Warp& warp, const CallInfo& info) {
  builtins()[static_cast<std::size_t>(info.builtin)].run(inst, warp, info);
}

}  // namespace cudalab::vgpu
