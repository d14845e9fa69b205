// The total is zero before the launch, and additions are atomic.
extern "C" __global__ void kernel(const int* in, int* out, int n) {
  if (threadIdx.x == 0) atomicAdd(out, in[blockIdx.x]);
}
