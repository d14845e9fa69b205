// Elements divided among the threads so that adjacent threads read adjacent elements at each step.
//
//     a block's elements    | t0 t1 t2 … | t0 t1 t2 … | t0 t1 t2 … | …      RANGE rows of blockDim.x

extern "C" __global__ void read_ranges(const TYPE* A, const TYPE* B, TYPE* C, size_t n)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x * RANGE + threadIdx.x;

    for (unsigned j = 0; j < RANGE; ++j) {
        const size_t i = first + size_t(j) * blockDim.x;
        if (i < n)
            C[i] = A[i] + B[i];
    }
}
