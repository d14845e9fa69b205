// Arithmetic on half-precision numbers, one and two per instruction.
#include <cuda_fp16.h>

extern "C" __global__ void half_pairs(const __half2* a, const __half2* b, __half2* out) {
  out[threadIdx.x] = __hfma2(a[threadIdx.x], b[threadIdx.x], __float2half2_rn(0.5f));
}

extern "C" __global__ void half_single(const __half* in, float* out) {
  const __half value = in[threadIdx.x];
  out[threadIdx.x] = __half2float(__hgt(value, __float2half(0.0f)) ? hsqrt(value) : __hneg(value));
}

// run: --kernel half_pairs --grid 1 --block 32 --arg buf:f16:64:random --arg buf:f16:64:random --arg buf:f16:64
// run: --kernel half_single --grid 1 --block 32 --arg buf:f16:32:random --arg buf:f32:32
