// More constant memory than a GPU has.
__constant__ float table[20000];
__global__ void read(float* x) { x[threadIdx.x] = table[threadIdx.x * 100]; }
int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  read<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
