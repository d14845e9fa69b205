// The same loop with LOADS loads in flight per thread: instruction-level parallelism (ILP).
//
//     one load      load ---- wait ---- store   load ---- wait ---- store   load ---- wait ---- store   …
//     three loads   load ---- wait ---- store
//                    load ---- wait ---- store
//                     load ---- wait ---- store   load ---- wait ---- …
//
// All loads of a round come before its first store, and none of them needs the result of another. So their latencies
// overlap: a round of LOADS elements takes hardly longer than a round of one.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += LOADS * stride) {
        float x[LOADS];  // in registers, because the loops over it are unrolled
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            x[j] = i + j * stride < n ? in[i + j * stride] : 0;
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            if (i + j * stride < n)
                out[i + j * stride] = factor * x[j];
    }
}
