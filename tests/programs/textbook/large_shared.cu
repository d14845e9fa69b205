// More shared memory than a kernel gets by default.
__global__ void reverse(float* x) {
  __shared__ float all[20000];
  all[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = all[31 - threadIdx.x];
}
int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  reverse<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
