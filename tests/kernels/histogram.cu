// Counts bytes in shared memory, then adds the block's counts to the result.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned counts[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (counts[b] != 0) atomicAdd(&bins[b], counts[b]);
}

// run: --kernel histogram --grid 4 --block 128 --arg buf:u8:5000:random --arg buf:u32:256:zero --arg i32:5000
