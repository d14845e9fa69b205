// One thread per element, and a guard for the last block.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// The grid strides over the elements, so a grid of any size works.
extern "C" __global__ void saxpy_grid_stride(float alpha, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = alpha * x[i] + y[i];
}

// run: --kernel vector_add --grid 4 --block 256 --arg buf:f32:1000:random --arg buf:f32:1000:random --arg buf:f32:1000 --arg i32:1000
// run: --kernel saxpy_grid_stride --grid 2 --block 128 --arg f32:2 --arg buf:f32:1000:random --arg buf:f32:1000:random --arg i32:1000
