#include "vgpu/execute/stack.h"

#include <algorithm>
#include <bit>

#include "core/alignment.h"
#include "vgpu/block.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

std::uint32_t* stack_tops(const Warp& warp) {
  return lanes_at<std::uint32_t>(warp, warp.frames[warp.frame].function->stack_top);
}

std::uint64_t end_of_variables(const Frame& frame) {
  return std::uint64_t{frame.local_base} + frame.function->local_bytes;
}

}  // namespace

void report_stack_overflow(const Inst* inst, const Warp& warp) {
  Hazard hazard = hazard_at(inst, warp, std::countr_zero(warp.exec), HazardKind::kStackOverflow);
  hazard.what = fmt::format("is {} calls deep and has used up its stack: {} bytes of local memory",
                            warp.frames[warp.frame].depth, warp.local_bytes);
  hazard.fix = "check that the recursion ends, or turn it into a loop";
  hazard.cuda_error = "CUDA_ERROR_HARDWARE_STACK_ERROR";
  throw KernelFault{std::move(hazard)};
}

void clear_stack(Warp&, Frame& frame, std::uint32_t lanes) {
  if (frame.function->stack_top.bits == 0) return;
  auto* tops =
      reinterpret_cast<std::uint32_t*>(frame.registers.get() + (frame.function->stack_top.bits >> 2));
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lanes >> lane & 1) tops[lane] = static_cast<std::uint32_t>(end_of_variables(frame));
}

std::uint32_t place_callee(const Inst* call, const Warp& warp, const FunctionCode& callee) {
  std::uint64_t base = end_of_variables(warp.frames[warp.frame]);
  if (warp.frames[warp.frame].function->stack_top.bits)
    for (std::uint32_t left = warp.active; left; left &= left - 1)
      base = std::max<std::uint64_t>(base, stack_tops(warp)[std::countr_zero(left)]);
  base = round_up(base, 16) + kCallBytes;
  if (base + callee.local_bytes > warp.local_bytes) report_stack_overflow(call, warp);
  return static_cast<std::uint32_t>(base);
}

namespace control {

const Inst* stack_allocate(const Inst* inst, Warp& warp) {
  const auto* sizes = lanes_at<const std::uint64_t>(warp, inst->a);
  auto* addresses = lanes_at<std::uint64_t>(warp, inst->d);
  std::uint32_t* tops = stack_tops(warp);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = round_up(tops[lane], inst->imm);
    if (sizes[lane] > warp.local_bytes || address + sizes[lane] > warp.local_bytes)
      report_stack_overflow(inst, warp);
    tops[lane] = static_cast<std::uint32_t>(address + sizes[lane]);
    addresses[lane] = address;
  }
  return inst + 1;
}

const Inst* stack_save(const Inst* inst, Warp& warp) {
  auto* saved = lanes_at<std::uint64_t>(warp, inst->d);
  for (std::uint32_t left = warp.exec; left; left &= left - 1)
    saved[std::countr_zero(left)] = stack_tops(warp)[std::countr_zero(left)];
  return inst + 1;
}

const Inst* stack_restore(const Inst* inst, Warp& warp) {
  const auto* saved = lanes_at<const std::uint64_t>(warp, inst->a);
  const std::uint64_t lowest = end_of_variables(warp.frames[warp.frame]);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    stack_tops(warp)[lane] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(saved[lane], lowest, warp.local_bytes));
  }
  return inst + 1;
}

}  // namespace control
}  // namespace cudalab::vgpu
