// Texture references as in CUDA 11: over arrays of one and two dimensions, over linear memory, and with normalized reads.
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 4
#define ROWS 3
#define COUNT (COLUMNS * ROWS)

texture<float, 1> line;
static texture<float, 2, cudaReadModeElementType> picture;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;
texture<float> memory;

__global__ void read_all(float* out) {
  int i = threadIdx.x;
  if (i < COUNT)
    out[i] = tex1D(line, i + 0.5f) + 100 * tex2D(picture, i % COLUMNS + 0.5f, i / COLUMNS + 0.5f) +
             10000 * tex1Dfetch(memory, i) + tex1Dfetch(bytes, i);
}

int main() {
  float values[COUNT], results[COUNT];
  unsigned char marks[COUNT];
  for (int i = 0; i < COUNT; i++) values[i] = i, marks[i] = i % 2 ? 255 : 0;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray *row, *rows;
  cudaMallocArray(&row, &format, COUNT, 1);
  cudaMallocArray(&rows, &format, COLUMNS, ROWS);
  cudaMemcpyToArray(row, 0, 0, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemcpyToArray(rows, 0, 0, values, sizeof(values), cudaMemcpyHostToDevice);
  line.addressMode[0] = cudaAddressModeClamp;
  line.filterMode = cudaFilterModePoint;
  line.normalized = false;
  cudaBindTextureToArray(line, row, format);
  cudaBindTextureToArray(picture, rows);
  float *device_values, *out;
  unsigned char* device_marks;
  cudaMalloc((void**)&device_values, sizeof(values));
  cudaMalloc((void**)&device_marks, sizeof(marks));
  cudaMalloc((void**)&out, sizeof(results));
  cudaMemcpy(device_values, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemcpy(device_marks, marks, sizeof(marks), cudaMemcpyHostToDevice);
  cudaBindTexture(0, memory, device_values, sizeof(values));
  cudaBindTexture(NULL, bytes, device_marks, sizeof(marks));
  read_all<<<1, 32>>>(out);
  cudaThreadSynchronize();
  cudaMemcpy(results, out, sizeof(results), cudaMemcpyDeviceToHost);
  for (int i = 0; i < COUNT; i++) printf("%g ", results[i]);
  cudaMemcpyFromArray(results, rows, 0, 0, sizeof(results), cudaMemcpyDeviceToHost);
  printf("%g\n", results[COUNT - 1]);
  cudaUnbindTexture(line);
  cudaUnbindTexture(picture);
  cudaUnbindTexture(memory);
  cudaUnbindTexture(bytes);
  cudaFreeArray(row);
  cudaFreeArray(rows);
  cudaFree(device_values);
  cudaFree(device_marks);
  cudaFree(out);
  return 0;
}
