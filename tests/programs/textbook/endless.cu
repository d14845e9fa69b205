// A loop whose condition never changes.
__device__ volatile int flag;
__global__ void wait(float* x) {
  while (flag == 0) {
  }
  x[threadIdx.x] = 1;
}
int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  wait<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
