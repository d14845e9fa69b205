"""Kernels that the tests of the debugger run, and how a launch configuration names them."""
import os

REDUCE = """__global__ void reduce(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2)
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
"""
TYPES = """struct Pair { int x; double y; };
template <class T, int N> __device__ T twice(T v) {
  T result = v * N;
  return result;
}
template <class T> __global__ void inspect(T* out) {
  __shared__ T grid[4][8];
  Pair pair{(int)threadIdx.x, 0.5};
  float4 v = make_float4(1, 2, 3, threadIdx.x);
  grid[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  T value = twice<T, 2>(grid[3][threadIdx.x % 8]);
  out[threadIdx.x] = value + pair.x + v.w;
}
template __global__ void inspect<float>(float*);
"""
FAULTS = """__global__ void misaligned(char* p) { *(int*)(p + 1) = 1; }
__global__ void beyond(int* p) { p[threadIdx.x + 8] = 1; }
__global__ void unwritten(int* p) {
  __shared__ int s[32];
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void divergent(int* p) {
  if (threadIdx.x < 40) __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void endless(volatile int* p) {
  while (p[0] == 0)
    p[1] = p[1] + 1;
}
"""
STATES = """__global__ void states(int* a) {
  int i = threadIdx.x;
  if (i < 4) return;
  if (i < 8)
    a[i] = 1;
  else
    a[i] = 2;
  __syncwarp(0xfffffff0);
  a[i] = 3;
}
"""
LEAVING = """__global__ void leaving(int* a) {
  int i = threadIdx.x;
  if (i < 4) asm volatile("exit;");
  if (i < 8) __syncthreads();
  a[i] = 2;
}
"""
SPINNING = """__global__ void spinning(volatile int* p) {
  int rounds = 1;
  while (p[0] == 0) p[1] = rounds;
}
"""
INLINED = """__device__ int inner(int i, int* a) {
  a[i + 32] = i;
  return i + 1;
}
__global__ void outer(int* a) {
  a[threadIdx.x] = inner(threadIdx.x, a);
}
"""
PROGRAM_OF_STREAMS = """#include <cstdio>
__global__ void add(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += n;
}
int main() {
  cudaStream_t s[2];
  for (auto& each : s) cudaStreamCreate(&each);
  int* a;
  cudaMalloc(&a, 1024);
  cudaMemset(a, 0, 1024);
  for (int n = 1; n <= 4; ++n) add<<<2, 128, 0, s[n % 2]>>>(a, n);
  cudaDeviceSynchronize();
  std::printf("done\\n");
}
"""
SHUFFLES = """__constant__ float weights[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ int rounds = 3;
#define DOUBLED(x) ((x) * 2)
__global__ void sum(const float* in, float* out) {
  __shared__ float s[32];
  float own = in[threadIdx.x] * weights[1][threadIdx.x % 4];
  for (int offset = 16; offset > 0; offset /= 2)
    own += __shfl_down_sync(0xffffffff, own, offset);
  s[threadIdx.x] = DOUBLED(own) + rounds;
  out[threadIdx.x] = s[threadIdx.x];
}
"""
LAMBDA = """#include <cstdio>
#include "scaled.h"
template <class F> __global__ void each(F work, float* a) {
  int i = threadIdx.x;
  a[i] = work(i);
}
int main() {
  float* a;
  cudaMalloc(&a, 128);
  float scale = 2.5f;
  each<<<1, 32>>>([=] __device__(int i) {
    float scaled_by = scale * i;
    return scaled(scaled_by);
  }, a);
  cudaDeviceSynchronize();
}
"""
SCALED = """#pragma once
__device__ inline float scaled(float x) {
  float result = x + 1;
  return result;
}
"""
FAILING = """__global__ void fill(int* a) {
  a[threadIdx.x] = 1;
}
int main() {
  int* a;
  cudaMalloc(&a, 4096);
  cudaMemset(nullptr, 1, 16);
  fill<<<1, 2048>>>(a);
  fill<<<1, 32>>>(a);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
COUNTING = """__global__ void count(int* out, int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum += i;
  out[threadIdx.x] = sum;
}
"""
CALLS = """__device__ __noinline__ int added(int x, int y) {
  int both = x + y;
  return both;
}
__global__ void calls(int* out, int n) {
  int base = threadIdx.x + n;
  int sum = added(base, 10);
  out[threadIdx.x] = sum + base;
}
"""
CHANGED = """__global__ void scale(int* out) {
  __shared__ int s[64];
  int i = threadIdx.x;
  int factor = 2;
  s[i] = 10 * i;
  __syncthreads();
  int sum = factor * s[63 - i];
  if (sum > 3000) sum = -1;
  out[i] = sum;
}
"""


def file_in(folder, text, name="k.cu"):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def of_kernel(path, name, grid, block, *arguments):
    words = ["--kernel", name, "--grid", str(grid), "--block", str(block)]
    for each in arguments:
        words += ["--arg", each]
    return {"kernel": path, "arguments": words}


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


def values(variables):
    return {name: each["value"] for name, each in variables.items()}
