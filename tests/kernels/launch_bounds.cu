// Launch bounds, which a kernel declares about its launches.
extern "C" __global__ void __launch_bounds__(256, 2) bounded(int* out) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void __maxnreg__(32) few_registers(int* out) { out[threadIdx.x] = blockDim.x; }
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[blockIdx.x] = threadIdx.x; }
#endif

// A loop that must not be unrolled.
extern "C" __global__ void rolled(int* out) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) sum += sum * 3 + i;
  out[threadIdx.x] = sum;
}

__managed__ int shared_with_host = 5;
extern "C" __global__ void managed(int* out) { out[threadIdx.x] = shared_with_host; }

// The clock, the SM, and the number of blocks.
extern "C" __global__ void where_am_i(long long* out) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  out[0] = clock64();
  out[1] = sm;
  out[2] = static_cast<long long>(gridDim.x) * gridDim.y * gridDim.z;
}

// run: --kernel bounded --grid 1 --block 256 --arg buf:i32:256
// run: --kernel few_registers --grid 1 --block 64 --arg buf:i32:64
// run: --kernel rolled --grid 1 --block 32 --arg buf:i32:32
// run: --kernel managed --grid 1 --block 32 --arg buf:i32:32
// run: --kernel where_am_i --grid 1 --block 1 --arg buf:i64:3
