// A grid-stride loop: any number of blocks computes any number of elements. One load in flight per thread.
//
//     elements   | 0 1 2 … |         |         |         |        stride = threads of the whole grid
//                  t0 t1 t2  t0 t1 t2  t0 t1 t2  t0 t1 t2
//                  round 0   round 1   round 2   round 3
//
// In each round, adjacent threads access adjacent elements, so the accesses are coalesced. The launch decides how many
// blocks share the work: as many as the GPU holds at once, or fewer.
//
// The compiler must not move the load of a round above the store of the round before it, because `in` and `out` may
// overlap. So a thread waits for its load in every round, and the memory is busy only if other warps have loads in flight.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = factor * in[i];
}
