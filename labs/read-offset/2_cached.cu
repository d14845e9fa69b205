// Read with an offset, past the cache or through it: C[i] = A[i + offset] + B[i + offset].
//
//     LOAD = __ldca    ld.global.ca: keep the sector in the caches of all levels. What a plain A[k] does.
//     LOAD = __ldcg    ld.global.cg: keep it in L2 alone, the cache that all multiprocessors share.
//
// A warp that begins within a sector needs the first part of a sector whose rest its neighbour needs. With ca, the
// second of the two finds it in L1; with cg, it asks L2 once more. Requests and sectors asked for are the same.

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = i + offset;

    if (k < n)
        C[i] = LOAD(&A[k]) + LOAD(&B[k]);
}
