// The loops over the two 16-bit numbers in each of a warp's 32-bit registers. Included only where
// lanes.h is.
#pragma once

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

// A warp's registers of 32 pairs are 64 numbers in a row, the low half of lane 0 first.
inline constexpr int kPairedLanes = 2 * kWarpSize;

template <class F, class T, class... S>
void compute_pairs(std::uint32_t* pairs, const S*... sources) {
  alignas(64) T out[kPairedLanes];
#pragma omp simd
  for (int i = 0; i < kPairedLanes; ++i) out[i] = F{}(sources[i]...);
  std::memcpy(pairs, out, sizeof out);
}

// d = f(a, b, c) in both halves.
template <class F, class T, int Sources>
const Inst* on_pairs(const Inst* inst, Warp& warp) {
  alignas(64) std::uint32_t out[kWarpSize];
  const T *a = at<const T>(warp, inst->a), *b = at<const T>(warp, inst->b), *c = at<const T>(warp, inst->c);
  if constexpr (Sources == 1) compute_pairs<F, T>(out, a);
  if constexpr (Sources == 2) compute_pairs<F, T>(out, a, b);
  if constexpr (Sources == 3) compute_pairs<F, T>(out, a, b, c);
  blend(at<std::uint32_t>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

template <class T, int Sources, class F>
void pair_row(OpcodeTable& table, std::string_view opcode, Type result, Type source, F) {
  table.add(opcode, Shape::kLanewise, result, Sources, {source, source, source}, &on_pairs<F, T, Sources>);
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL
