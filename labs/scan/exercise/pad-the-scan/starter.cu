// Scan by Blelloch: sums upwards in a tree, then the sums of all elements before downwards. A block has 2 BLOCK elements.
//
//     in      3   1   7   0   4   1   6   3
//     up      3   4   7   7   4   5   6   9        every second element: the sum of a pair …
//             3   4   7  11   4   5   6  14        … of four …
//             3   4   7  11   4   5   6   0        … the last would be the total: it becomes 0
//     down    3   4   7   0   4   5   6  11        the left one gets the old right one, the right one the sum
//             3   0   7   4   4  11   6  16
//             0   3   4  11  11  15  16  22        the sum of all elements before each element
//
// This takes fewer additions than Hillis and Steele, 2 (2 BLOCK - 1), but twice the steps. Like every tree over
// strided elements, it has bank conflicts: the sums of a step are 2, 4, 8, … words apart.

__device__ unsigned place(unsigned i) { return i; }  // TODO: positions in different banks

extern "C" __global__ void scan(const unsigned* in, unsigned* out, unsigned* of_block, size_t n)
{
    __shared__ unsigned sums[2 * BLOCK];

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
