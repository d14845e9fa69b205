// The kernels of kernels.cu in OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL(name) __kernel void name(__global const float* a, __global const unsigned* b, __global float* out, int n)
#define X ((int)get_global_id(0))
#define Y ((int)get_global_id(1))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

//! copy
KERNEL(copy) {
  if (X < n) out[X] = a[X];
}
//! saxpy
KERNEL(saxpy) {
  if (X < n) out[X] = fma(2.0f, a[X], out[X]);
}
//! triad_grid_stride
KERNEL(triad_grid_stride) {
  for (int i = X; i < n; i += get_global_size(0)) out[i] = fma(3.0f, a[i + n], a[i]);
}
//! scale_double
KERNEL(scale_double) {
  __global const double* in = (__global const double*)a;
  if (X < n) ((__global double*)out)[X] = fma(in[X], 2.0, 1.0);
}
//! scale_vector
KERNEL(scale_vector) {
  if (X >= n) return;
  const float4 v = ((__global const float4*)a)[X];
  ((__global float4*)out)[X] = (float4)(v.x * 2.0f, v.y * 3.0f, v.z * 4.0f, v.w * 5.0f);
}
//! increment_bytes
KERNEL(increment_bytes) {
  if (X < n) ((__global unsigned char*)out)[X] = ((__global const unsigned char*)b)[X] + 1;
}
//! stencil_3
KERNEL(stencil_3) {
  if (X > 0 && X < n - 1) out[X] = (a[X - 1] + a[X] + a[X + 1]) * 0.25f;
}
//! stencil_5
KERNEL(stencil_5) {
  const int i = Y * n + X;
  if (X > 0 && X < n - 1 && Y > 0 && Y < n - 1)
    out[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}
//! stencil_7
KERNEL(stencil_7) {
  if (X < 1 || X >= n - 1 || Y < 1 || Y >= n - 1) return;
  for (int z = 1; z < n - 1; z++) {
    const int i = (z * n + Y) * n + X;
    out[i] = a[i] * 0.4f + (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]) * 0.1f;
  }
}
//! transpose_naive
KERNEL(transpose_naive) { out[X * n + Y] = a[Y * n + X]; }
//! transpose_tiled
KERNEL(transpose_tiled) {
  __local float tile[32][33];
  const int x = get_local_id(0), y = get_local_id(1), column = get_group_id(0) * 32, row = get_group_id(1) * 32;
  for (int j = y; j < 32; j += 8) tile[j][x] = a[(row + j) * n + column + x];
  BARRIER;
  for (int j = y; j < 32; j += 8) out[(column + j) * n + row + x] = tile[x][j];
}
//! blur_5x5
KERNEL(blur_5x5) {
  __local float tile[20][20];
  for (int j = get_local_id(1); j < 20; j += 16)
    for (int i = get_local_id(0); i < 20; i += 16) {
      const int row = min(max((int)get_group_id(1) * 16 + j - 2, 0), n - 1);
      const int column = min(max((int)get_group_id(0) * 16 + i - 2, 0), n - 1);
      tile[j][i] = a[row * n + column];
    }
  BARRIER;
  float sum = 0;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) sum += tile[get_local_id(1) + j][get_local_id(0) + i];
  out[Y * n + X] = sum * 0.04f;
}
//! gemm_naive
KERNEL(gemm_naive) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum = fma(a[Y * n + k], a[n * n + k * n + X], sum);
  out[Y * n + X] = sum;
}
//! gemm_tiled
KERNEL(gemm_tiled) {
  __local float left[16][16], right[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    left[y][x] = a[Y * n + m + x];
    right[y][x] = a[n * n + (m + y) * n + X];
    BARRIER;
    for (int k = 0; k < 16; k++) sum = fma(left[y][k], right[k][x], sum);
    BARRIER;
  }
  out[Y * n + X] = sum;
}
//! gemm_tiled_double
KERNEL(gemm_tiled_double) {
  __local double left[16][16], right[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  double sum = 0;
  for (int m = 0; m < n; m += 16) {
    left[y][x] = a[Y * n + m + x];
    right[y][x] = a[n * n + (m + y) * n + X];
    BARRIER;
    for (int k = 0; k < 16; k++) sum = fma(left[y][k], right[k][x], sum);
    BARRIER;
  }
  ((__global double*)out)[Y * n + X] = sum;
}
//! matvec_rows
KERNEL(matvec_rows) {
  float sum = 0;
  for (int k = 0; k < 1024; k++) sum = fma(a[k * n + X], a[k], sum);
  out[X] = sum;
}
//! reduction_strided
KERNEL(reduction_strided) {
  __local float part[256];
  const int t = get_local_id(0);
  part[t] = a[X];
  BARRIER;
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    BARRIER;
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
//! reduction_sequential
KERNEL(reduction_sequential) {
  __local float part[256];
  const int t = get_local_id(0);
  part[t] = a[X];
  BARRIER;
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    BARRIER;
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
//! scan_blocks
KERNEL(scan_blocks) {
  __local float part[2][256];
  const int t = get_local_id(0);
  int from = 0;
  part[0][t] = a[X];
  BARRIER;
  for (int s = 1; s < 256; s *= 2) {
    part[1 - from][t] = part[from][t] + (t >= s ? part[from][t - s] : 0.0f);
    from = 1 - from;
    BARRIER;
  }
  out[X] = part[from][t];
}
//! sort_blocks
KERNEL(sort_blocks) {
  __local unsigned keys[256];
  const unsigned t = get_local_id(0);
  keys[t] = b[X];
  BARRIER;
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned other = t ^ j;
      if (other > t) {
        const unsigned mine = keys[t], theirs = keys[other];
        if ((mine > theirs) == ((t & k) == 0)) keys[t] = theirs, keys[other] = mine;
      }
      BARRIER;
    }
  ((__global unsigned*)out)[X] = keys[t];
}
//! histogram_shared
KERNEL(histogram_shared) {
  __local unsigned bins[256];
  bins[get_local_id(0)] = 0;
  BARRIER;
  for (int i = X; i < n; i += get_global_size(0)) atomic_add(&bins[b[i] & 255], 1u);
  BARRIER;
  atomic_add((__global unsigned*)out + get_local_id(0), bins[get_local_id(0)]);
}
//! histogram_global
KERNEL(histogram_global) { atomic_add((__global unsigned*)out + (b[X] & 4095), 1u); }
//! gather
KERNEL(gather) { out[X] = a[b[X] & n]; }
//! convolution
KERNEL(convolution) {
  float sum = 0;
  for (int k = 0; k < 16; k++) sum = fma(a[k], a[X + k], sum);
  out[X] = sum;
}
//! polynomial
KERNEL(polynomial) {
  const float x = a[X];
  float y = 0.5f;
  for (int k = 0; k < 128; k++) y = fma(y, x, 0.25f);
  out[X] = y;
}
//! hash
KERNEL(hash) {
  unsigned h = b[X];
  for (int k = 0; k < 16; k++) {
    h ^= h >> 16, h *= 0x7feb352du;
    h ^= h >> 15, h *= 0x846ca68bu;
  }
  ((__global unsigned*)out)[X] = h;
}
//! nbody
KERNEL(nbody) {
  __local float4 bodies[256];
  __global const float4* all = (__global const float4*)a;
  const float4 me = all[X];
  float x = 0, y = 0, z = 0;
  for (int m = 0; m < n; m += 256) {
    bodies[get_local_id(0)] = all[m + get_local_id(0)];
    BARRIER;
    for (int k = 0; k < 256; k++) {
      const float4 other = bodies[k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float r = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f))));
      const float f = other.w * r * r * r;
      x = fma(dx, f, x), y = fma(dy, f, y), z = fma(dz, f, z);
    }
    BARRIER;
  }
  ((__global float4*)out)[X] = (float4)(x, y, z, 0);
}
//! mandelbrot
KERNEL(mandelbrot) {
  const float cx = -2.0f + 3.0f * X / n, cy = -1.5f + 3.0f * Y / n;
  float x = 0, y = 0;
  int k = 0;
  for (; k < 200 && fma(x, x, y * y) < 4.0f; k++) {
    const float next = fma(x, x, fma(-y, y, cx));
    y = fma(x + x, y, cy);
    x = next;
  }
  ((__global int*)out)[Y * n + X] = k;
}
//! black_scholes
KERNEL(black_scholes) {
  const float s = 100.0f * a[X], k = 100.0f * a[X + n], t = a[X + 2 * n];
  const float v = 0.3f * sqrt(t), r = 0.02f;
  const float d1 = (log(s / k) + (r + 0.045f) * t) / v, d2 = d1 - v;
  const float p1 = 0.5f * erfc(-0.70710678f * d1), p2 = 0.5f * erfc(-0.70710678f * d2);
  out[X] = s * p1 - k * exp(-r * t) * p2;
}
//! collatz
KERNEL(collatz) {
  unsigned v = X + 1;
  int k = 0;
  for (; v != 1 && k < 1000; k++) v = v & 1 ? 3 * v + 1 : v >> 1;
  ((__global int*)out)[X] = k;
}
