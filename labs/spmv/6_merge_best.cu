// Equal work for all threads, with coalesced loads: a block computes the products of its part in shared memory first.
//
//     block      its part of the items: row ends and entries, found by a binary search in global memory
//                products of all its entries: adjacent threads read adjacent entries
//     thread     its part of the block's items, found by a binary search in shared memory
//                sums of rows, added up in shared memory
//     block      complete rows are stored; the first and the last row may be shared with other blocks, so they are added
//
// In 5_merge.cu each thread reads its own entries from global memory, ITEMS apart from those of the next thread.

#define PART (BLOCK * ITEMS)  // items per block

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
    __shared__ float products[PART], sums[PART + 1];  // sums: of the rows that end here, and of one that continues
    __shared__ unsigned ends[PART];                   // of these rows, counted in the block's entries

    __shared__ unsigned path[2];                      // the row where the block begins, and the row where it ends

    const unsigned begin = blockIdx.x * PART, end = min(begin + PART, rows + entries);
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)  // two warps search at the same time
        path[threadIdx.x / 32] = rows_before(first + 1, rows, entries, threadIdx.x == 0 ? begin : end);

    __syncthreads();

    const unsigned first_row = path[0], last_row = path[1];
    const unsigned first_entry = begin - first_row, own_rows = last_row - first_row, own_entries = end - begin - own_rows;

    for (unsigned i = threadIdx.x; i < own_entries; i += BLOCK)
        products[i] = values[first_entry + i] * x[columns[first_entry + i]];
    for (unsigned row = threadIdx.x; row <= own_rows; row += BLOCK)
        sums[row] = 0;
    for (unsigned row = threadIdx.x; row < own_rows; row += BLOCK)
        ends[row] = first[first_row + row + 1] - first_entry;

    __syncthreads();

    const unsigned from = min(threadIdx.x * ITEMS, end - begin), to = min(from + ITEMS, end - begin);
    const unsigned from_row = rows_before(ends, own_rows, own_entries, from);
    unsigned row = from_row, i = from - row;
    float sum = 0;
    while (row + i < to) {
        if (row < own_rows && ends[row] <= i) {
            if (row == from_row)
                atomicAdd(&sums[row], sum);  // it may have begun in the thread before
            else
                sums[row] = sum;
            sum = 0;
            ++row;
        } else {
            sum += products[i];
            ++i;
        }
    }
    if (sum != 0)
        atomicAdd(&sums[row], sum);

    __syncthreads();

    for (unsigned row = threadIdx.x; row <= own_rows && first_row + row < rows; row += BLOCK)
        if (row == 0 || row == own_rows)
            atomicAdd(&y[first_row + row], sums[row]);
        else
            y[first_row + row] = sums[row];
}
