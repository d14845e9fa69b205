// Little's law for arithmetic: each step needs the result of the step before it, x <- x * x + ADDEND.
//
//     one chain     fma ---- fma ---- fma ---- fma ---- …        the unit could start an instruction in every cycle,
//     two chains    fma ---- fma ---- fma ---- fma ---- …        but a chain starts one per latency
//                    fma ---- fma ---- fma ---- fma ---- …
//
// CHAINS values per thread are CHAINS independent chains. More warps have the same effect: an SM needs enough independent
// instructions, from whichever warp they come.

extern "C" __global__ void iterate(const float* in, float* out, size_t n, int steps)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += CHAINS * stride) {
        float x[CHAINS];
#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            x[c] = i + c * stride < n ? in[i + c * stride] : 0;

        for (int step = 0; step < steps; ++step)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                x[c] = fmaf(x[c], x[c], ADDEND);

#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            if (i + c * stride < n)
                out[i + c * stride] = x[c];
    }
}
