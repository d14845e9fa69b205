// Arithmetic on f16 and bf16 without modifiers (PTX ISA, "Half Precision Floating-Point Instructions").
#include "vgpu/opcodes/half.h"

#include "vgpu/memory/host_intrinsics.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

#ifdef __F16C__
// ---- pairs of f16, with the host's conversion instructions -------------------------------------------
// Widens a row of numbers, computes, and narrows the results. The conversions keep a NaN's payload, made
// quiet; the result is the canonical NaN in any case.
#ifdef __AVX512F__
constexpr int kRow = 16;
inline void widen_row(float* wide, const Half* from) {
  _mm512_store_ps(wide, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}
inline void narrow_row(Half* to, const float* wide) {
  const __m256i bits = _mm512_cvtps_ph(_mm512_load_ps(wide), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), bits);
}
#else
constexpr int kRow = 8;
inline void widen_row(float* wide, const Half* from) {
  _mm256_store_ps(wide, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
inline void narrow_row(Half* to, const float* wide) {
  const __m128i bits = _mm256_cvtps_ph(_mm256_load_ps(wide), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_store_si128(reinterpret_cast<__m128i*>(to), bits);
}
#endif

template <class F, class... S>
void compute_rows(Half* to, const S*... sources) {
  for (int first = 0; first < kPairedLanes; first += kRow) {
    alignas(64) float wide[sizeof...(S)][kRow], result[kRow];
    int source = 0;
    (widen_row(wide[source++], sources + first), ...);
#pragma omp simd
    for (int i = 0; i < kRow; ++i) {
      if constexpr (sizeof...(S) == 2)
        result[i] = F{}(Widened{wide[0][i]}, Widened{wide[1][i]});
      else
        result[i] = F{}(Widened{wide[0][i]}, Widened{wide[1][i]}, Widened{wide[2][i]});
    }
    narrow_row(to + first, result);
  }
#pragma omp simd
  for (int i = 0; i < kPairedLanes; ++i) to[i] = one_nan(to[i]);
}

template <class F, int Sources>
const Inst* on_rows(const Inst* inst, Warp& warp) {
  alignas(64) Half out[kPairedLanes];
  const Half *a = at<const Half>(warp, inst->a), *b = at<const Half>(warp, inst->b);
  if constexpr (Sources == 2) compute_rows<F>(out, a, b);
  if constexpr (Sources == 3) compute_rows<F>(out, a, b, at<const Half>(warp, inst->c));
  blend(at<std::uint32_t>(warp, inst->d), reinterpret_cast<const std::uint32_t*>(out), warp.exec);
  return inst + 1;
}
#endif

// ---- rows --------------------------------------------------------------------------------------------
template <int N, class F>
void rows(OpcodeTable& table, const char* name, F) {
  const auto one = [](auto... x) { return nearest<Half>(F{}(x...)); };
#ifdef __F16C__
  op<N>(table, Types<kF16>{}, name, one);
  table.add(with_type(name, kF16x2), Shape::kLanewise, kF16x2, N, {kF16x2, kF16x2, kF16x2}, &on_rows<F, N>);
#else
  both<kF16, N>(table, name, one);
#endif
  both<kBF16, N>(table, name, [](auto... x) { return nearest<Brain>(F{}(x...)); });
}
template <int N, class F>
void exact_rows(OpcodeTable& table, const char* name, F f) {
  both<kF16, N>(table, name, f);
  both<kBF16, N>(table, name, f);
}

}  // namespace

void add_half_rows(OpcodeTable& table) {
  for_each_of_two([&](const char* name, auto f) { rows<2>(table, name, f); });
  rows<3>(table, "fma.rn", Fma{});
  exact_rows<1>(table, "neg", [](auto a) { return negated(a); });
  exact_rows<1>(table, "abs", [](auto a) { return magnitude(a); });
  exact_rows<2>(table, "min", Extreme<true, false>{});
  exact_rows<2>(table, "max", Extreme<false, false>{});
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
