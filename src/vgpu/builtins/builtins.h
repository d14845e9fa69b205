// Functions that the CUDA device runtime provides to kernels: vprintf, malloc, free, __assertfail and others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "vgpu/block.h"
#include "vgpu/warp.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {

// Building blocks of device runtime functions: arguments and results of a call's lanes, and the memory at a
// lane's generic address.

struct Builtin {
  std::string_view name;
  void (*run)(const Inst*, Warp&, const CallInfo&);
  bool needs_block_order;  // the result depends on which block calls it first
};

// Functions for launches from kernels (device_runtime.h).
std::span<const Builtin> device_runtime_builtins();

inline std::byte* blob_of(const Warp& warp, const CallSlot& slot, int lane) {
  return lanes_at<std::byte>(warp, slot.slot) + lane * slot.bytes;
}

template <class T>
T argument(const Warp& warp, const CallInfo& info, std::size_t index, int lane) {
  T value{};
  if (index >= info.arguments.size()) return value;  // malformed PTX, not from a compiler
  const CallSlot& slot = info.arguments[index];
  std::memcpy(&value, blob_of(warp, slot, lane), std::min<std::size_t>(sizeof(T), slot.bytes));
  return value;
}

template <class T>
void set_result(const Warp& warp, const CallInfo& info, int lane, T value) {
  if (info.results.empty()) return;
  const CallSlot& slot = info.results[0];
  std::memcpy(blob_of(warp, slot, lane), &value, std::min<std::size_t>(sizeof(T), slot.bytes));
}

template <class F>
void for_each_lane(const Warp& warp, F f) {
  for_each_lane(warp.exec, f);
}

// A lane's memory at its generic address; nullptr if not all bytes exist.
std::byte* memory_at(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes);

// CUDA's printf: formats a format string and arguments as laid out by a kernel.

// The arguments: consecutive 4-byte and 8-byte values, each aligned to its size.
struct PrintfArguments {
  std::function<std::uint64_t(std::size_t offset, std::size_t bytes)> value;
  std::function<std::string(std::uint64_t address)> text;  // a C string of the device
};

// `conversions` returns the number of arguments used, which is the result of CUDA's printf.
std::string format_printf(std::string_view format, const PrintfArguments& arguments, int& conversions);

// Device runtime functions: vprintf, malloc, free, __assertfail, and those for launches from kernels.

// The index of a builtin for CallInfo::builtin, or -1.
int find_builtin(std::string_view name);

// Whether a builtin's result depends on which block calls it first.
bool needs_block_order(int builtin);
bool launches_kernels(int builtin);

// Runs it for the active lanes; arguments and results are those of an ordinary call.
void run_builtin(const Inst* inst, Warp& warp, const CallInfo& info);

}  // namespace cudalab::vgpu
