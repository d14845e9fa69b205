// Device memory, printf, assert, virtual functions, tables of functions, lambdas, dynamic shared memory.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel heap --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero
// run: --kernel virt --grid 1 --block 64 --shared 256 --arg buf:i32:64:random --arg buf:i32:64:zero
#include <assert.h>
#include <stdio.h>
extern "C" __global__ void heap(const int* in, int* out) {
  int* p = (int*)malloc(16);
  p[0] = in[threadIdx.x];
  p[1] = 3;
  out[threadIdx.x] = p[0] + p[1];
  assert(p[1] == 3);
  free(p);
  if (threadIdx.x == 0) printf("hello %d %f %s\n", in[0], 2.5, "x");
  long long c = clock64();
  __nanosleep(100);
  out[threadIdx.x] += clock64() >= c;
  int* q = new int[3];
  q[0] = 1;
  out[threadIdx.x] += q[0];
  delete[] q;
}
struct V {
  __device__ virtual int f(int x) { return x; }
};
struct W : V {
  int k;
  __device__ W(int k) : k(k) {}
  __device__ int f(int x) override { return x * k; }
};
typedef int (*F)(int);
__device__ int f1(int x) { return x + 1; }
__device__ int f2(int x) { return x * 2; }
__device__ F table[] = {f1, f2};
__constant__ float cst[4] = {1, 2, 3, 4};
__device__ int counter = 5;
extern "C" __global__ void __launch_bounds__(64, 2) virt(const int* in, int* out) {
  W w(3);
  V* v = &w;
  int r = v->f(in[threadIdx.x]) + table[threadIdx.x & 1](7) + (int)cst[threadIdx.x & 3] + counter;
  auto l = [=](int a) { return a + r; };
  out[threadIdx.x] = l(5);
  extern __shared__ int dyn[];
  dyn[threadIdx.x] = r;
  __syncthreads();
  out[threadIdx.x] += dyn[threadIdx.x ^ 1];
#pragma unroll 4
  for (int i = 0; i < 8; ++i) out[threadIdx.x] += i;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  if (__builtin_expect(in[0] == 12345, 0)) __trap();
  out[threadIdx.x] += __isGlobal(out) + __isShared(dyn) * 2 + (int)(__cvta_generic_to_shared(dyn) == 0);
}
