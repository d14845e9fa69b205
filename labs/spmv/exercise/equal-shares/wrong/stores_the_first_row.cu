// Wrong: the first row may have begun in the thread before.

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
    const unsigned* ends = first + 1;
    const unsigned begin = min((blockIdx.x * BLOCK + threadIdx.x) * ITEMS, rows + entries);
    const unsigned end = min(begin + ITEMS, rows + entries);

    const unsigned first_row = rows_before(ends, rows, entries, begin);
    unsigned row = first_row, i = begin - row;
    float sum = 0;
    while (row + i < end) {
        if (row < rows && ends[row] <= i) {  // the row ends here
            y[row] = sum;
            sum = 0;
            ++row;
        } else {
            sum += values[i] * x[columns[i]];
            ++i;
        }
    }
    if (row < rows)
        atomicAdd(&y[row], sum);  // it continues in the next thread
}
