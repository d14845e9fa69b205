// Read with an offset, through the L1 cache or past it: C[i] = A[i + offset] + B[i + offset].
//
//     LOAD = __ldca    ld.global.ca: keeps the sector in all cache levels, like a plain A[k].
//     LOAD = __ldcg    ld.global.cg: keeps it only in L2, the cache that all SMs share.
//
// A warp that begins inside a sector shares this sector with the warp before it. With ca, the second of the two
// warps finds it in L1; with cg, it requests it from L2 again. The numbers of requests and sectors are the same.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = i + offset;

    if (k < n)
        C[i] = LOAD(&A[k]) + LOAD(&B[k]);
}
