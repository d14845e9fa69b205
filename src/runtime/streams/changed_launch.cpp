#include "runtime/streams/changed_launch.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/memory.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

using Kind = LaunchChange::Kind;

// A change without a kernel concerns all of them.
bool concerns(const LaunchChange& change, Kind kind, const std::string& symbol) {
  return change.kind == kind && (change.kernel.empty() || change.kernel == readable(symbol));
}

}  // namespace

KernelLaunch changed(const LaunchChange& change, const std::string& symbol, KernelLaunch shape) {
  Dim3 &grid = shape.spec.grid, &block = shape.spec.block;
  if (concerns(change, Kind::kMoreBlocks, symbol)) {
    grid.x += change.first >> 0 & 1;
    grid.y += change.first >> 1 & 1;
    grid.z += change.first >> 2 & 1;
  }
  if (concerns(change, Kind::kMoreThreads, symbol)) block.x *= 2;
  if (concerns(change, Kind::kExchangeShape, symbol)) std::swap(grid, block);
  if (concerns(change, Kind::kExchangeAxes, symbol)) std::swap(grid.x, grid.y);
  return shape;
}

void change_arguments(const LaunchChange& change, const std::string& symbol, const vgpu::KernelInfo& info,
                      vgpu::LaunchRequest& request) {
  const std::uint64_t most = std::max(change.first, change.second);
  if (!concerns(change, Kind::kExchangeArguments, symbol) || most >= info.parameters.size()) return;
  const vgpu::KernelParameter &one = info.parameters[change.first], &other = info.parameters[change.second];
  if (one.bytes != other.bytes || one.offset == other.offset) return;
  const auto begin = request.parameters.begin();
  std::swap_ranges(begin + static_cast<std::ptrdiff_t>(one.offset),
                   begin + static_cast<std::ptrdiff_t>(one.offset + one.bytes),
                   begin + static_cast<std::ptrdiff_t>(other.offset));
}

void change_memory(const LaunchChange& change, const std::string& symbol, const vgpu::KernelInfo& info,
                   const vgpu::LaunchRequest& request) {
  if (!concerns(change, Kind::kZeros, symbol) || change.first >= info.parameters.size()) return;
  const vgpu::KernelParameter& parameter = info.parameters[change.first];
  std::uint64_t pointer = 0;
  if (parameter.bytes != sizeof pointer) return;
  std::memcpy(&pointer, request.parameters.data() + parameter.offset, sizeof pointer);
  Runtime& state = the_runtime();
  if (const MemoryBlock* block = state.memory.find(pointer))
    state.gpu.fill(block->address, block->bytes, 0, false);
}

}  // namespace cudalab::runtime
