// Wrong: each thread computes whole rows, so a long row keeps its warp busy.

// The number of row ends among the first `items` items.
__device__ unsigned rows_before(const unsigned* ends, unsigned rows, unsigned entries, unsigned items)
{
    unsigned low = items > entries ? items - entries : 0, high = min(items, rows);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (ends[middle] <= items - 1 - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

extern "C" __global__ void spmv(const unsigned* first, const unsigned* columns, const float* values, const float* x, float* y,
                                unsigned rows, unsigned entries)
{
    for (unsigned row = blockIdx.x * BLOCK + threadIdx.x; row < rows; row += gridDim.x * BLOCK) {
        float sum = 0;
        for (unsigned i = first[row]; i < first[row + 1]; ++i)
            sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}
