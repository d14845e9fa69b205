// Stream compaction: keep the positive elements. Each of them takes the next free place with an atomic addition.
//
//     in       3  -1   7   0  -4   1   6  -3
//     out      3   7   1   6                     *count: 4. The order depends on which thread adds first
//
// The source makes one addition per kept element, all to one address. ptxas can prove that all lanes of a warp add to
// the same address, so in machine code one lane adds the number of active lanes, and each lane computes its place from
// its rank among them.

extern "C" __global__ void compact(const int* in, int* out, unsigned* count, size_t n)
{
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const int own = i < n ? in[i] : 0;

    if (own > 0)
        out[atomicAdd(count, 1u)] = own;
}
