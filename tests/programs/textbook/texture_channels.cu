// Takes the format of an array from the texture reference, as older books do.
#include <cuda_runtime.h>
#include <stdio.h>

texture<float2, 1, cudaReadModeElementType> table;

__global__ void read(float2* out) { out[threadIdx.x] = tex1D(table, threadIdx.x + 0.5f); }

int main() {
  float2 values[8], results[8], *out;
  for (int i = 0; i < 8; i++) values[i] = make_float2(i, -i);
  cudaArray* array;
  cudaMallocArray(&array, &table.channelDesc, 8, 1);
  cudaMemcpyToArray(array, 0, 0, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaBindTextureToArray(table, array);
  cudaMalloc((void**)&out, sizeof(results));
  read<<<1, 8>>>(out);
  cudaMemcpy(results, out, sizeof(results), cudaMemcpyDeviceToHost);
  printf("%g %g\n", results[7].x, results[7].y);
  cudaUnbindTexture(table);
  cudaFreeArray(array);
  cudaFree(out);
  return 0;
}
