// Typical kernels of CUDA programs, each with its launch. A line `//! name grid block n` begins a kernel, which is
// compiled as its own module. The text before the first such line is part of every module. `in` and `out` have 16 MiB;
// `in` has floats in [0.5, 1), `index` a permutation of 0 … 2^20 - 1, and `texture` shows `in` as texels.
#define KERNEL(name)                                                                                         \
  extern "C" __global__ void name(const float* in, float* out, const unsigned* index, int n,                 \
                                  unsigned long long texture)
#define I int(blockIdx.x * blockDim.x + threadIdx.x)

//! stream_copy 4096 256 1048576
KERNEL(stream_copy) { out[I] = in[I]; }
//! stream_triad 4096 256 1048576
KERNEL(stream_triad) {
  if (I < n) out[I] = in[I] + 3.0f * in[I + n];
}
//! stream_f64 4096 256 1048576
KERNEL(stream_f64) {
  const double* a = (const double*)in;
  if (I < n) ((double*)out)[I] = a[I] * 2.0 + 1.0;
}
//! stream_float4 2048 256 524288
KERNEL(stream_float4) {
  if (I < n) ((float4*)out)[I] = ((const float4*)in)[I];
}
//! stream_bytes 8192 256 2097152
KERNEL(stream_bytes) {
  if (I < n) ((unsigned char*)out)[I] = ((const unsigned char*)in)[I] + 1;
}
//! stream_shorts 4096 256 1048576
KERNEL(stream_shorts) {
  if (I < n) ((unsigned short*)out)[I] = ((const unsigned short*)in)[I] * 3;
}
//! grid_stride 256 256 1048576
KERNEL(grid_stride) {
  for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2.0f + 1.0f;
}
//! grid_stride_one_block 1 256 1048576
KERNEL(grid_stride_one_block) {
  for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2.0f + 1.0f;
}
//! in_place 4096 256 1048576
KERNEL(in_place) {
  if (I < n) out[I] = out[I] * 0.5f + 1.0f;
}
//! read_offset 4096 256 1048576
KERNEL(read_offset) {
  if (I < n) out[I] = in[I + 7];
}
//! read_stride_2 4096 256 1048576
KERNEL(read_stride_2) {
  if (I < n) out[I] = in[2 * I];
}
//! read_stride_33 4096 256 1048576
KERNEL(read_stride_33) {
  if (I < n) out[I] = in[(33 * I) & (n - 1)];
}
//! write_stride_32 4096 256 1048576
KERNEL(write_stride_32) {
  if (I < n) out[(I % 32768) * 32 + I / 32768] = in[I];
}
//! write_stride_odd 4096 256 1048576
KERNEL(write_stride_odd) {
  if (I < n) out[(33 * I) & (n - 1)] = in[I];
}
//! gather_random 4096 256 1048576
KERNEL(gather_random) {
  if (I < n) out[I] = in[index[I]];
}
//! scatter_random 4096 256 1048576
KERNEL(scatter_random) {
  if (I < n) out[index[I]] = in[I];
}
//! gather_near 4096 256 1048576
KERNEL(gather_near) {
  if (I < n) out[I] = in[(I & ~127) + (index[I] & 127)];
}
//! hash_reads 1024 256 262144
KERNEL(hash_reads) {
  unsigned at = I * 2654435761u;
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    at = at * 1664525u + 1013904223u;
    sum += in[at >> 12];
  }
  out[I] = sum;
}
//! pointer_chase 256 128 1048576
KERNEL(pointer_chase) {
  unsigned at = I;
  for (int k = 0; k < 32; ++k) at = index[at];
  ((unsigned*)out)[I] = at;
}
//! column_sums 64 64 4096
KERNEL(column_sums) {
  float sum = 0;
  for (int row = 0; row < 512; ++row) sum += in[row * n + I];
  out[I] = sum;
}
//! row_sums 16 64 1024
KERNEL(row_sums) {
  float sum = 0;
  for (int col = 0; col < n; ++col) sum += in[I * n + col];
  out[I] = sum;
}
//! atomic_one_counter 2048 256 524288
KERNEL(atomic_one_counter) {
  if (in[I] > 0.75f) atomicAdd((unsigned*)out, 1u);
}
//! atomic_spread 4096 256 1048576
KERNEL(atomic_spread) { atomicAdd((unsigned*)out + (index[I] & 65535), 1u); }
//! atomic_max_cas 2048 256 524288
KERNEL(atomic_max_cas) {
  atomicMax((int*)out + (I & 1023), I);
  atomicCAS((unsigned*)out + 4096 + (I & 8191), 0u, 1u);
}
//! atomic_float 1024 256 262144
KERNEL(atomic_float) { atomicAdd(out + (I & 4095), in[I]); }
//! atomic_float_gather 1024 256 262144
KERNEL(atomic_float_gather) { atomicAdd(out + (index[I] & 16383), in[I]); }
//! histogram_global 2048 256 524288
KERNEL(histogram_global) { atomicAdd((unsigned*)out + ((const unsigned char*)index)[I], 1u); }
//! histogram_shared 256 256 1048576
KERNEL(histogram_shared) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[index[i] & 255], 1u);
  __syncthreads();
  atomicAdd((unsigned*)out + threadIdx.x, bins[threadIdx.x]);
}
//! histogram_private 64 128 1048576
KERNEL(histogram_private) {
  __shared__ unsigned bins[32 * 128];
  for (int b = 0; b < 32; ++b) bins[b * 128 + threadIdx.x] = 0;
  for (int i = I; i < n; i += gridDim.x * blockDim.x) bins[(index[i] & 31) * 128 + threadIdx.x] += 1;
  __syncthreads();
  unsigned sum = 0;
  if (threadIdx.x < 32)
    for (int t = 0; t < 128; ++t) sum += bins[threadIdx.x * 128 + (t + threadIdx.x) % 128];
  if (threadIdx.x < 32) atomicAdd((unsigned*)out + threadIdx.x, sum);
}
//! stencil_1d 4096 256 1048576
KERNEL(stencil_1d) {
  if (I >= 3 && I < n - 3)
    out[I] = in[I - 3] + in[I - 2] + in[I - 1] + in[I] + in[I + 1] + in[I + 2] + in[I + 3];
}
//! stencil_1d_shared 4096 256 1048576
KERNEL(stencil_1d_shared) {
  __shared__ float tile[256 + 6];
  tile[threadIdx.x + 3] = in[I];
  if (threadIdx.x < 3) tile[threadIdx.x] = I >= 3 ? in[I - 3] : 0.0f;
  if (threadIdx.x >= 253) tile[threadIdx.x + 6] = in[I + 3];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 7; ++k) sum += tile[threadIdx.x + k];
  out[I] = sum;
}
//! stencil_2d 4096 256 1024
KERNEL(stencil_2d) {
  int x = I % n, y = I / n;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[I] = 0.2f * (in[I] + in[I - 1] + in[I + 1] + in[I - n] + in[I + n]);
}
//! stencil_3d 4096 256 1048576
KERNEL(stencil_3d) {
  int x = I & 127, y = I >> 7 & 127, z = I >> 14;
  if (x > 0 && x < 127 && y > 0 && y < 127 && z > 0 && z < 63)
    out[I] = in[I] + in[I - 1] + in[I + 1] + in[I - 128] + in[I + 128] + in[I - 16384] + in[I + 16384];
}
//! reduce_tree 2048 256 524288
KERNEL(reduce_tree) {
  __shared__ float part[256];
  part[threadIdx.x] = in[I];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
//! reduce_interleaved 2048 256 524288
KERNEL(reduce_interleaved) {
  __shared__ float part[256];
  part[threadIdx.x] = in[I];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * step) == 0) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
//! reduce_shuffle 4096 256 1048576
KERNEL(reduce_shuffle) {
  float sum = in[I];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) out[I / 32] = sum;
}
//! scan_shared 2048 256 524288
KERNEL(scan_shared) {
  __shared__ float sums[2][256];
  int from = 0;
  sums[0][threadIdx.x] = in[I];
  for (int step = 1; step < 256; step *= 2, from ^= 1) {
    __syncthreads();
    float sum = sums[from][threadIdx.x];
    if (threadIdx.x >= step) sum += sums[from][threadIdx.x - step];
    sums[from ^ 1][threadIdx.x] = sum;
  }
  out[I] = sums[from][threadIdx.x];
}
//! scan_warp 4096 256 1048576
KERNEL(scan_warp) {
  int lane = threadIdx.x % 32;
  float sum = in[I];
  for (int step = 1; step < 32; step *= 2) {
    float other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  out[I] = sum;
}
//! matmul_naive 256 256 256
KERNEL(matmul_naive) {
  int row = I / n, col = I % n;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[row * n + k] * in[n * n + k * n + col];
  out[I] = sum;
}
//! matmul_tiled 256 16x16 256
KERNEL(matmul_tiled) {
  __shared__ float a[16][16], b[16][16];
  int row = blockIdx.x / 16 * 16 + threadIdx.y, col = blockIdx.x % 16 * 16 + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    a[threadIdx.y][threadIdx.x] = in[row * n + m + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = in[n * n + (m + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  out[row * n + col] = sum;
}
//! matmul_registers 64 16x16 512
KERNEL(matmul_registers) {
  __shared__ float a[16][64], b[16][64];
  int t = threadIdx.y * 16 + threadIdx.x, row = blockIdx.x / 8 * 64, col = blockIdx.x % 8 * 64;
  float sum[4][4] = {};
  for (int m = 0; m < n; m += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i % 16][i / 16] = in[(row + i / 16) * n + m + i % 16];
      b[i / 64][i % 64] = in[n * n + (m + i / 64) * n + col + i % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += a[k][threadIdx.y * 4 + i] * b[k][threadIdx.x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out[(row + threadIdx.y * 4 + i) * n + col + threadIdx.x * 4 + j] = sum[i][j];
}
//! transpose_naive 4096 32x8 1024
KERNEL(transpose_naive) {
  int x = blockIdx.x % 32 * 32 + threadIdx.x, y = blockIdx.x / 32 * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
//! transpose_tiled 1024 32x8 1024
KERNEL(transpose_tiled) {
  __shared__ float tile[32][33];
  int x = blockIdx.x % 32 * 32, y = blockIdx.x / 32 * 32;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(y + j) * n + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) out[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];
}
//! sfu_sin_cos 512 256 131072
KERNEL(sfu_sin_cos) {
  float x = in[I], sum = 0;
  for (int k = 0; k < 32; ++k) sum += __sinf(x + k) * __cosf(x - k);
  out[I] = sum;
}
//! sfu_exp_log 512 256 131072
KERNEL(sfu_exp_log) {
  float x = in[I], sum = 0;
  for (int k = 0; k < 32; ++k) sum += __expf(x * k * 0.1f) + __logf(x + k);
  out[I] = sum;
}
//! sfu_roots 512 256 131072
KERNEL(sfu_roots) {
  float x = in[I], sum = 0;
  for (int k = 0; k < 32; ++k) sum += rsqrtf(x + k) + __fdividef(1.0f, x + 2 * k) + sqrtf(x + k);
  out[I] = sum;
}
//! library_sin_exp 256 256 65536
KERNEL(library_sin_exp) {
  float x = in[I], sum = 0;
  for (int k = 0; k < 16; ++k) sum += sinf(x + k) + expf(x - k) + powf(x, 1.5f);
  out[I] = sum;
}
//! black_scholes 1024 256 262144
KERNEL(black_scholes) {
  float s = 100 * in[I], k = 100 * in[I + n], t = in[I + 2 * n], root = sqrtf(t);
  float d1 = (__logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
  out[I] = s * normcdff(d1) - k * __expf(-0.02f * t) * normcdff(d2);
}
//! divergent_branches 1024 256 262144
KERNEL(divergent_branches) {
  float x = in[I];
  for (int k = 0; k < 16; ++k) {
    if ((threadIdx.x + k) % 4 == 0) x = x * 1.5f + 1;
    else if ((threadIdx.x + k) % 4 == 1) x = x / 3 - 1;
    else if (x > 1) x -= 0.5f;
    else x = x * x;
  }
  out[I] = x;
}
//! collatz 256 256 65536
KERNEL(collatz) {
  unsigned long long v = I + 1;
  int steps = 0;
  while (v != 1) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  out[I] = steps;
}
//! mandelbrot 256 256 256
KERNEL(mandelbrot) {
  float cx = (I % n) * 3.0f / n - 2.25f, cy = (I / n) * 3.0f / n - 1.5f, x = 0, y = 0;
  int k = 0;
  for (; k < 200 && x * x + y * y < 4; ++k) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  out[I] = k;
}
//! local_array 512 128 65536
KERNEL(local_array) {
  float mine[16];
  for (int k = 0; k < 16; ++k) mine[k] = in[I + k];
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += mine[(k * 7 + int(sum)) & 15];
  out[I] = sum;
}
//! local_sort 128 128 16384
KERNEL(local_sort) {
  float mine[16];
  for (int k = 0; k < 16; ++k) mine[k] = in[I * 16 + k];
  for (int a = 1; a < 16; ++a) {
    float x = mine[a];
    int b = a - 1;
    for (; b >= 0 && mine[b] > x; --b) mine[b + 1] = mine[b];
    mine[b + 1] = x;
  }
  for (int k = 0; k < 16; ++k) out[I * 16 + k] = mine[k];
}
//! n_body 16 128 2048
KERNEL(n_body) {
  __shared__ float4 tile[128];
  const float4* bodies = (const float4*)in;
  float4 me = bodies[I];
  float ax = 0, ay = 0, az = 0;
  for (int m = 0; m < n; m += 128) {
    tile[threadIdx.x] = bodies[m + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = tile[k].w * r * r * r;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    __syncthreads();
  }
  ((float4*)out)[I] = make_float4(ax, ay, az, 0);
}
//! spmv_scalar 256 256 65536
KERNEL(spmv_scalar) {
  float sum = 0;
  for (int k = I * 16; k < I * 16 + 8 + I % 8; ++k) sum += in[k] * in[index[k] & (n - 1)];
  out[I] = sum;
}
//! spmv_warp 2048 256 16384
KERNEL(spmv_warp) {
  int row = I / 32, lane = I % 32;
  float sum = 0;
  for (int k = row * 64 + lane; k < row * 64 + 40 + row % 24; k += 32) sum += in[k] * in[index[k] & (n - 1)];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) out[row] = sum;
}
//! half2_math 1024 256 262144
#include <cuda_fp16.h>
KERNEL(half2_math) {
  __half2 x = ((const __half2*)in)[I], y = ((const __half2*)index)[I], sum = y;
  for (int k = 0; k < 16; ++k) sum = __hfma2(x, sum, __hmul2(__hadd2(x, sum), x));
  ((__half2*)out)[I] = sum;
}
//! half_axpy 2048 256 524288
#include <cuda_fp16.h>
KERNEL(half_axpy) {
  const __half2* x = (const __half2*)in;
  if (I < n) ((__half2*)out)[I] = __hfma2(x[I], __float2half2_rn(2.0f), x[I + n]);
}
//! constant_uniform 1024 256 262144
__constant__ float weights[64] = {1, 2, 3, 4, 5, 6, 7, 8};
KERNEL(constant_uniform) {
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += weights[k] * in[I + k];
  out[I] = sum;
}
//! constant_lanes 1024 256 262144
__constant__ float weights[64] = {1, 2, 3, 4, 5, 6, 7, 8};
KERNEL(constant_lanes) {
  float sum = 0, x = in[I];
  for (int k = 0; k < 32; ++k) sum += weights[(threadIdx.x * 3 + k * 5) & 63] * x;
  out[I] = sum;
}
//! shared_random_reads 512 256 131072
KERNEL(shared_random_reads) {
  __shared__ float table[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) table[i] = in[i];
  __syncthreads();
  unsigned at = index[I];
  float sum = 0;
  for (int k = 0; k < 32; ++k) {
    at = at * 1664525u + 1013904223u;
    sum += table[at >> 22];
  }
  out[I] = sum;
}
//! shared_conflicts 1024 256 262144
KERNEL(shared_conflicts) {
  __shared__ float tile[32][32];
  for (int k = 0; k < 8; ++k) {
    for (int j = threadIdx.x / 32; j < 32; j += 8) tile[j][threadIdx.x % 32] = in[I + j];
    __syncthreads();
    float sum = 0;
    for (int j = threadIdx.x / 32; j < 32; j += 8) sum += tile[threadIdx.x % 32][j];
    __syncthreads();
    out[I] = sum;
  }
}
//! recursion 128 128 16384
__device__ __noinline__ int fibonacci(int k) { return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2); }
KERNEL(recursion) { out[I] = fibonacci(9 + (I & 3)); }
//! calls 512 128 65536
__device__ __noinline__ float step(float x, float y) { return x * 0.5f + y; }
KERNEL(calls) {
  float x = in[I];
  for (int k = 0; k < 32; ++k) x = step(x, k);
  out[I] = x;
}
//! barriers 512 256 131072
KERNEL(barriers) {
  __shared__ int tick[256];
  tick[threadIdx.x] = threadIdx.x;
  for (int k = 0; k < 64; ++k) {
    __syncthreads();
    int next = tick[(threadIdx.x + 1) % 256];
    __syncthreads();
    tick[threadIdx.x] = next + 1;
  }
  out[I] = tick[threadIdx.x];
}
//! votes 2048 256 524288
KERNEL(votes) {
  unsigned count = 0, x = index[I];
  for (int k = 0; k < 16; ++k) {
    count += __popc(__ballot_sync(~0u, x >> k & 1));
    if (__any_sync(~0u, x == k) || __all_sync(~0u, x > k)) ++count;
  }
  ((unsigned*)out)[I] = count;
}
//! match_and_compact 2048 256 524288
KERNEL(match_and_compact) {
  unsigned x = index[I] & 7, lane = threadIdx.x % 32, same = __match_any_sync(~0u, x);
  bool is_leader = __ffs(same) - 1 == lane;
  unsigned base = 0;
  if (is_leader) base = atomicAdd((unsigned*)out + x, __popc(same));
  base = __shfl_sync(~0u, base, __ffs(same) - 1);
  if (base + x < 1u << 30) ((unsigned*)out)[64 + I] = x;
}
//! texture_linear 2048 256 524288
KERNEL(texture_linear) { out[I] = tex1Dfetch<float>(texture, I) + tex1Dfetch<float>(texture, (I * 17) & (n - 1)); }
//! integer_mix 1024 256 262144
KERNEL(integer_mix) {
  unsigned x = index[I];
  for (int k = 0; k < 32; ++k) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    x = __umulhi(x, 0x9e3779b1u) + __brev(x) + __popc(x);
  }
  ((unsigned*)out)[I] = x;
}
//! divide_modulo 1024 256 262144
KERNEL(divide_modulo) {
  unsigned x = index[I], sum = 0;
  for (int k = 1; k < 17; ++k) sum += x / (k + 2 * n) + x % (k + 3);
  ((unsigned*)out)[I] = sum;
}
//! f64_horner 512 256 131072
KERNEL(f64_horner) {
  double x = in[I], sum = 1;
  for (int k = 0; k < 64; ++k) sum = sum * x + k;
  ((double*)out)[I] = sum;
}
//! aos_fields 1024 256 262144
struct Particle {
  float x, y, z, mass;
  int id, cell, kind, flags;
};
KERNEL(aos_fields) {
  const Particle* p = (const Particle*)in;
  Particle* q = (Particle*)out;
  q[I].x = p[I].x + p[I].y, q[I].mass = p[I].mass * 2, q[I].id = I;
}
//! bitonic_shared 512 256 131072
KERNEL(bitonic_shared) {
  __shared__ float v[256];
  unsigned t = threadIdx.x;
  v[t] = in[index[I] & 1048575];
  for (unsigned size = 2; size <= 256; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      unsigned other = t ^ step;
      if (other > t && (v[t] > v[other]) == ((t & size) == 0)) {
        float x = v[t];
        v[t] = v[other], v[other] = x;
      }
    }
  __syncthreads();
  out[I] = v[t];
}
