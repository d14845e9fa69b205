// A grid-stride loop: any number of blocks computes any number of elements.
//
//     elements   | 0 1 2 … |         |         |         |        four rounds of a grid, the last one incomplete
//                  t0 t1 t2  t0 t1 t2  t0 t1 t2  t0 t1 t2
//
// The launch has a few blocks per SM and does not depend on n. Each thread computes an element in each round.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i <= n; i += stride)
        out[i] = factor * in[i];
}
