// Wrong: all positions are unchanged.

__device__ unsigned place(unsigned i) { return i; }

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned sums[2 * BLOCK + 2 * BLOCK / 32];

    const size_t first = size_t(blockIdx.x) * 2 * BLOCK, left = threadIdx.x, right = threadIdx.x + BLOCK;
    sums[place(left)] = first + left < n ? in[first + left] : 0;
    sums[place(right)] = first + right < n ? in[first + right] : 0;

    unsigned step = 1;
    for (unsigned pairs = BLOCK; pairs > 0; pairs /= 2, step *= 2) {
        __syncthreads();
        if (threadIdx.x < pairs) {
            const unsigned of_right = step * (2 * threadIdx.x + 2) - 1, of_left = of_right - step;
            sums[place(of_right)] += sums[place(of_left)];
        }
    }

    __syncthreads();
    if (threadIdx.x == 0) {
        of_block[blockIdx.x] = sums[place(2 * BLOCK - 1)];
        sums[place(2 * BLOCK - 1)] = 0;
    }

    for (unsigned pairs = 1; pairs <= BLOCK; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (threadIdx.x < pairs) {
            const unsigned of_right = step * (2 * threadIdx.x + 2) - 1, of_left = of_right - step;
            const unsigned before = sums[place(of_right)];
            sums[place(of_right)] += sums[place(of_left)];
            sums[place(of_left)] = before;
        }
    }

    __syncthreads();
    if (first + left < n)
        out[first + left] = sums[place(left)];
    if (first + right < n)
        out[first + right] = sums[place(right)];
}
