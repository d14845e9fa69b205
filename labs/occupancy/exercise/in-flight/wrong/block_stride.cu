// A loop with LOADS loads in flight per thread.
//
//     one at a time   load ---- wait ---- store   load ---- wait ---- store   load ---- wait ---- store   …
//     in flight       load ---- wait ---- store
//                      load ---- wait ---- store
//                       load ---- wait ---- store   …
//
// A load waits for about 700 cycles. The compiler must not move a load above a store that it follows, because `in` and
// `out` may overlap.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += LOADS * stride) {
        float x[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            x[j] = i + j * blockDim.x < n ? in[i + j * blockDim.x] : 0;
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            if (i + j * blockDim.x < n)
                out[i + j * blockDim.x] = factor * x[j];
    }
}
