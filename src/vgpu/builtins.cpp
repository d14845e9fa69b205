#include "vgpu/builtins.h"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "vgpu/block.h"

namespace cudalab::vgpu {
namespace {

using Run = void (*)(const Inst*, Warp&, const CallInfo&);

struct Builtin {
  std::string_view name;
  Run run;
};

// The bytes of one lane's argument.
template <class T> T argument(const Warp& warp, const CallInfo& info, std::size_t index, int lane) {
  T value{};
  if (index >= info.arguments.size()) return value;  // PTX that no compiler wrote
  const CallSlot& slot = info.arguments[index];
  const std::byte* blob = warp.bank[slot.slot.bits & 3] + (slot.slot.bits >> 2);
  std::memcpy(&value, blob + lane * slot.bytes, std::min<std::size_t>(sizeof(T), slot.bytes));
  return value;
}

// A C string in global memory, cut at a length that no message needs.
std::string text_at(const Warp& warp, std::uint64_t address) {
  constexpr std::size_t kMost = 1024;
  const Allocation* allocation = warp.launch->memory->find(address);
  if (!allocation) return "?";
  const auto* text = reinterpret_cast<const char*>(allocation->host.get() + (address - allocation->base));
  return std::string(text, strnlen(text, std::min<std::size_t>(kMost, allocation->end() - address)));
}

// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t char_size)
[[noreturn]] void assertion_failed(const Inst* inst, Warp& warp, const CallInfo& info) {
  const int lane = std::countr_zero(warp.exec);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kAssertion);
  hazard.what = fmt::format("assertion `{}` failed in {}",
                            text_at(warp, argument<std::uint64_t>(warp, info, 0, lane)),
                            text_at(warp, argument<std::uint64_t>(warp, info, 3, lane)));
  hazard.fix = "the condition does not hold for this thread: print the values it compares";
  hazard.cuda_error = "CUDA_ERROR_ASSERT";
  throw KernelFault{std::move(hazard)};
}

constexpr std::array<Builtin, 1> kBuiltins{{{"__assertfail", assertion_failed}}};

}  // namespace

int find_builtin(std::string_view name) {
  for (std::size_t i = 0; i < kBuiltins.size(); ++i)
    if (kBuiltins[i].name == name) return static_cast<int>(i);
  return -1;
}

void run_builtin(const Inst* inst, Warp& warp, const CallInfo& info) {
  kBuiltins[static_cast<std::size_t>(info.builtin)].run(inst, warp, info);
}

}  // namespace cudalab::vgpu
