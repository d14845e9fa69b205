// The kernels of the comparison with OpenCL on CPUs. Each has a twin of the same name in kernels.cl.
// A line `//! name grid block n` begins a kernel, with its launch. The text before the first such line is part of every
// module. `a`, `b` and `out` have 64 MiB each: `a` has floats in [0.5, 1), `b` a permutation of 0 … 2^24 - 1.
#define KERNEL(name) extern "C" __global__ void name(const float* a, const unsigned* b, float* out, int n)
#define X int(blockIdx.x * blockDim.x + threadIdx.x)
#define Y int(blockIdx.y * blockDim.y + threadIdx.y)

//! copy 16384 256 4194304
KERNEL(copy) {
  if (X < n) out[X] = a[X];
}
//! saxpy 65536 256 16777216
KERNEL(saxpy) {
  if (X < n) out[X] = fmaf(2.0f, a[X], out[X]);
}
//! triad_grid_stride 256 256 8388608
KERNEL(triad_grid_stride) {
  for (int i = X; i < n; i += gridDim.x * blockDim.x) out[i] = fmaf(3.0f, a[i + n], a[i]);
}
//! scale_double 16384 256 4194304
KERNEL(scale_double) {
  const double* in = (const double*)a;
  if (X < n) ((double*)out)[X] = fma(in[X], 2.0, 1.0);
}
//! scale_vector 8192 256 2097152
KERNEL(scale_vector) {
  if (X >= n) return;
  const float4 v = ((const float4*)a)[X];
  ((float4*)out)[X] = make_float4(v.x * 2.0f, v.y * 3.0f, v.z * 4.0f, v.w * 5.0f);
}
//! increment_bytes 16384 256 4194304
KERNEL(increment_bytes) {
  if (X < n) ((unsigned char*)out)[X] = ((const unsigned char*)b)[X] + 1;
}
//! stencil_3 32768 256 8388608
KERNEL(stencil_3) {
  if (X > 0 && X < n - 1) out[X] = (a[X - 1] + a[X] + a[X + 1]) * 0.25f;
}
//! stencil_5 64,256 32,8 2048
KERNEL(stencil_5) {
  const int i = Y * n + X;
  if (X > 0 && X < n - 1 && Y > 0 && Y < n - 1)
    out[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}
//! stencil_7 4,32 32,4 128
KERNEL(stencil_7) {
  if (X < 1 || X >= n - 1 || Y < 1 || Y >= n - 1) return;
  for (int z = 1; z < n - 1; z++) {
    const int i = (z * n + Y) * n + X;
    out[i] = a[i] * 0.4f + (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]) * 0.1f;
  }
}
//! transpose_naive 64,256 32,8 2048
KERNEL(transpose_naive) { out[X * n + Y] = a[Y * n + X]; }
//! transpose_tiled 64,64 32,8 2048
KERNEL(transpose_tiled) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (int j = y; j < 32; j += 8) tile[j][x] = a[(row + j) * n + column + x];
  __syncthreads();
  for (int j = y; j < 32; j += 8) out[(column + j) * n + row + x] = tile[x][j];
}
//! blur_5x5 64,64 16,16 1024
KERNEL(blur_5x5) {
  __shared__ float tile[20][20];
  for (int j = threadIdx.y; j < 20; j += 16)
    for (int i = threadIdx.x; i < 20; i += 16) {
      const int row = min(max(int(blockIdx.y * 16) + j - 2, 0), n - 1);
      const int column = min(max(int(blockIdx.x * 16) + i - 2, 0), n - 1);
      tile[j][i] = a[row * n + column];
    }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) sum += tile[threadIdx.y + j][threadIdx.x + i];
  out[Y * n + X] = sum * 0.04f;
}
//! gemm_naive 16,64 32,8 512
KERNEL(gemm_naive) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum = fmaf(a[Y * n + k], a[n * n + k * n + X], sum);
  out[Y * n + X] = sum;
}
//! gemm_tiled 32,32 16,16 512
KERNEL(gemm_tiled) {
  __shared__ float left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    left[y][x] = a[Y * n + m + x];
    right[y][x] = a[n * n + (m + y) * n + X];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum = fmaf(left[y][k], right[k][x], sum);
    __syncthreads();
  }
  out[Y * n + X] = sum;
}
//! gemm_tiled_double 24,24 16,16 384
KERNEL(gemm_tiled_double) {
  __shared__ double left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  double sum = 0;
  for (int m = 0; m < n; m += 16) {
    left[y][x] = a[Y * n + m + x];
    right[y][x] = a[n * n + (m + y) * n + X];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum = fma(left[y][k], right[k][x], sum);
    __syncthreads();
  }
  ((double*)out)[Y * n + X] = sum;
}
//! matvec_rows 16 256 4096
KERNEL(matvec_rows) {
  float sum = 0;
  for (int k = 0; k < 1024; k++) sum = fmaf(a[k * n + X], a[k], sum);
  out[X] = sum;
}
//! reduction_strided 8192 256 2097152
KERNEL(reduction_strided) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = a[X];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
//! reduction_sequential 8192 256 2097152
KERNEL(reduction_sequential) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = a[X];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
//! scan_blocks 4096 256 1048576
KERNEL(scan_blocks) {
  __shared__ float part[2][256];
  const int t = threadIdx.x;
  int from = 0;
  part[0][t] = a[X];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    part[1 - from][t] = part[from][t] + (t >= s ? part[from][t - s] : 0.0f);
    from = 1 - from;
    __syncthreads();
  }
  out[X] = part[from][t];
}
//! sort_blocks 1024 256 262144
KERNEL(sort_blocks) {
  __shared__ unsigned keys[256];
  const unsigned t = threadIdx.x;
  keys[t] = b[X];
  __syncthreads();
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned mine = keys[t], theirs = keys[other];
        if ((mine > theirs) == ((t & k) == 0)) keys[t] = theirs, keys[other] = mine;
      }
      __syncthreads();
    }
  ((unsigned*)out)[X] = keys[t];
}
//! histogram_shared 512 256 4194304
KERNEL(histogram_shared) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[b[i] & 255], 1u);
  __syncthreads();
  atomicAdd((unsigned*)out + threadIdx.x, bins[threadIdx.x]);
}
//! histogram_global 4096 256 1048576
KERNEL(histogram_global) { atomicAdd((unsigned*)out + (b[X] & 4095), 1u); }
//! gather 4096 256 1048575
KERNEL(gather) { out[X] = a[b[X] & n]; }
//! convolution 8192 256 2097152
KERNEL(convolution) {
  float sum = 0;
  for (int k = 0; k < 16; k++) sum = fmaf(a[k], a[X + k], sum);
  out[X] = sum;
}
//! polynomial 4096 256 1048576
KERNEL(polynomial) {
  const float x = a[X];
  float y = 0.5f;
  for (int k = 0; k < 128; k++) y = fmaf(y, x, 0.25f);
  out[X] = y;
}
//! hash 4096 256 1048576
KERNEL(hash) {
  unsigned h = b[X];
  for (int k = 0; k < 16; k++) {
    h ^= h >> 16, h *= 0x7feb352du;
    h ^= h >> 15, h *= 0x846ca68bu;
  }
  ((unsigned*)out)[X] = h;
}
//! nbody 16 256 4096
KERNEL(nbody) {
  __shared__ float4 bodies[256];
  const float4* all = (const float4*)a;
  const float4 me = all[X];
  float x = 0, y = 0, z = 0;
  for (int m = 0; m < n; m += 256) {
    bodies[threadIdx.x] = all[m + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      const float4 other = bodies[k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float r = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
      const float f = other.w * r * r * r;
      x = fmaf(dx, f, x), y = fmaf(dy, f, y), z = fmaf(dz, f, z);
    }
    __syncthreads();
  }
  ((float4*)out)[X] = make_float4(x, y, z, 0);
}
//! mandelbrot 32,128 32,8 1024
KERNEL(mandelbrot) {
  const float cx = -2.0f + 3.0f * X / n, cy = -1.5f + 3.0f * Y / n;
  float x = 0, y = 0;
  int k = 0;
  for (; k < 200 && fmaf(x, x, y * y) < 4.0f; k++) {
    const float next = fmaf(x, x, fmaf(-y, y, cx));
    y = fmaf(x + x, y, cy);
    x = next;
  }
  ((int*)out)[Y * n + X] = k;
}
//! black_scholes 4096 256 1048576
KERNEL(black_scholes) {
  const float s = 100.0f * a[X], k = 100.0f * a[X + n], t = a[X + 2 * n];
  const float v = 0.3f * sqrtf(t), r = 0.02f;
  const float d1 = (logf(s / k) + (r + 0.045f) * t) / v, d2 = d1 - v;
  const float p1 = 0.5f * erfcf(-0.70710678f * d1), p2 = 0.5f * erfcf(-0.70710678f * d2);
  out[X] = s * p1 - k * expf(-r * t) * p2;
}
//! collatz 1024 256 262144
KERNEL(collatz) {
  unsigned v = X + 1;
  int k = 0;
  for (; v != 1 && k < 1000; k++) v = v & 1 ? 3 * v + 1 : v >> 1;
  ((int*)out)[X] = k;
}
