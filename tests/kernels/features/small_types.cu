// Half precision, bfloat16, and warp matrix functions of half, bfloat16, TF32, bytes and doubles.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel hf --grid 1 --block 64 --arg buf:f32:64:random --arg buf:f32:64:zero
// run: --kernel bf --grid 1 --block 32 --arg buf:f32:64:random --arg buf:f32:64:zero
// run: --kernel mm --grid 1 --block 32 --arg buf:f32:64:random --arg buf:f32:256:zero
// run: --kernel mmbf --grid 1 --block 32 --arg buf:f32:64:random --arg buf:f32:256:zero
// run: --kernel mmtf --grid 1 --block 32 --arg buf:f32:64:random --arg buf:f32:256:zero
// run: --kernel mmi8 --grid 1 --block 32 --arg buf:i8:64:random --arg buf:i32:256:zero
// run: --kernel mmd --grid 1 --block 32 --arg buf:f64:64:random --arg buf:f64:64:zero
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void hf(const float* in, float* out) {
  int i = threadIdx.x;
  __half a = __float2half(in[i]), b = __float2half_rn(in[(i + 1) % blockDim.x]);
  __half2 p = __halves2half2(a, b), q = __half2half2(b);
  float r = __half2float(__hadd(a, b)) + __half2float(a * b) + __half2float(__hfma(a, b, a)) +
            __half2float(hexp(a)) + __half2float(hsqrt(__habs(b))) + __low2float(__hfma2(p, q, p)) +
            __high2float(p + q) + __hgt(a, b) + __half2float(__hmax(a, b)) + __half2float(a / b) +
            (float)__half2int_rn(a) + __half2float(hsin(a)) + __half2float(htrunc(a)) +
            __low2float(h2exp(p)) + __hbgt2(p, q);
  out[i] = r;
}
extern "C" __global__ void bf(const float* in, float* out) {
  int i = threadIdx.x;
  __nv_bfloat16 a = __float2bfloat16(in[i]), b = __float2bfloat16_rn(in[(i + 1) % blockDim.x]);
  __nv_bfloat162 p = __halves2bfloat162(a, b), q = __bfloat162bfloat162(b);
  float r = __bfloat162float(__hadd(a, b)) + __bfloat162float(a * b) + __bfloat162float(__hfma(a, b, a)) +
            __bfloat162float(a - b) + __bfloat162float(hsqrt(__habs(b))) + __low2float(__hfma2(p, q, p)) +
            __high2float(p + q) + __hgt(a, b) + __bfloat162float(__hmax(a, b)) + __bfloat162float(a / b) +
            (float)__bfloat162int_rn(a) + __bfloat162float(htrunc(a)) + __hbgt2(p, q) +
            __bfloat162float(__float2bfloat16_rz(in[i])) + __bfloat162float(__float2bfloat16_ru(in[i])) +
            __bfloat162float(__double2bfloat16((double)in[i] * 1.0000001)) +
            __bfloat162float(__int2bfloat16_rn(i * 1234567)) + __low2float(__floats2bfloat162_rn(in[i], r));
  out[i] = r;
}
extern "C" __global__ void mm(const float* in, float* out) {
  __shared__ __half A[256], B[256];
  __shared__ float C[256];
  for (int j = threadIdx.x; j < 256; j += 32) {
    A[j] = __float2half(in[j & 63]);
    B[j] = __float2half(in[(j * 7) & 63]);
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.5f);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncwarp();
  for (int j = threadIdx.x; j < 256; j += 32) out[j] = C[j];
}
extern "C" __global__ void mmbf(const float* in, float* out) {
  __shared__ __nv_bfloat16 A[256], B[256];
  __shared__ float C[256];
  for (int j = threadIdx.x; j < 256; j += 32) {
    A[j] = __float2bfloat16(in[j & 63]);
    B[j] = __float2bfloat16(in[(j * 7) & 63]);
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.5f);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncwarp();
  for (int j = threadIdx.x; j < 256; j += 32) out[j] = C[j];
}
extern "C" __global__ void mmtf(const float* in, float* out) {
  __shared__ float A[128], B[128], C[256];
  for (int j = threadIdx.x; j < 128; j += 32) {
    A[j] = wmma::__float_to_tf32(in[j & 63]);
    B[j] = wmma::__float_to_tf32(in[(j * 7) & 63]);
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0.5f);
  wmma::load_matrix_sync(a, A, 8);
  wmma::load_matrix_sync(b, B, 8);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncwarp();
  for (int j = threadIdx.x; j < 256; j += 32) out[j] = C[j];
}
extern "C" __global__ void mmi8(const signed char* in, int* out) {
  __shared__ signed char A[256], B[256];
  __shared__ int C[256];
  for (int j = threadIdx.x; j < 256; j += 32) {
    A[j] = in[j & 63];
    B[j] = in[(j * 7) & 63];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 3);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncwarp();
  for (int j = threadIdx.x; j < 256; j += 32) out[j] = C[j];
}
extern "C" __global__ void mmd(const double* in, double* out) {
  __shared__ double A[32], B[32], C[64];
  A[threadIdx.x] = in[threadIdx.x];
  B[threadIdx.x] = in[threadIdx.x ^ 5];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
  wmma::fill_fragment(c, 0.5);
  wmma::load_matrix_sync(a, A, 4);
  wmma::load_matrix_sync(b, B, 4);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 8, wmma::mem_row_major);
  __syncwarp();
  out[threadIdx.x] = C[threadIdx.x];
  out[threadIdx.x + 32] = C[threadIdx.x + 32];
}
