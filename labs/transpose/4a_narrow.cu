// Best transpose of a matrix whose rows do not begin at multiples of 16 bytes: one element an access, so as many of them
// on their way as can be.
//
//     in: a warp reads 32 elements in a row      tile[ROWS][COLUMNS + 1]      out: two warps write 64 in a row
//
// A thread takes EACH elements, asks for all of them, and only then writes the first to the tile. That takes registers, so
// that __launch_bounds__ asks for no more than BLOCKS blocks at a time: with fewer registers, the compiler would wait for
// some elements before it asks for others. A row's 32 elements begin
// somewhere within a sector, and end within one: four sectors and a part of a fifth, the rest of which is the neighbouring
// tile's. So rows of out are twice as long as those of in: what is written in part costs more than what is read in part.
//
// As in 4_best.cu, neighbouring blocks lie below each other: they write what the other left of a sector at almost the
// same time, and the cache puts it together.

#define THREADS 128
#define BLOCKS 6     // of a multiprocessor, at least
#define ROWS 64      // of a tile of in
#define COLUMNS 32
#define EACH (ROWS * COLUMNS / THREADS)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[ROWS][COLUMNS + 1];

    const unsigned block_top = blockIdx.x * ROWS;
    const unsigned block_left = (blockIdx.z * gridDim.y + blockIdx.y) * COLUMNS;

    TYPE element[EACH];
    for (unsigned i = 0; i < EACH; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        const unsigned row = block_top + place / COLUMNS, column = block_left + place % COLUMNS;
        if (row < rows && column < columns)
            element[i] = in[size_t(row) * columns + column];
    }
    for (unsigned i = 0; i < EACH; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        tile[place / COLUMNS][place % COLUMNS] = element[i];
    }

    __syncthreads();

    // The same tile of out: its rows are columns of in.
    for (unsigned i = 0; i < EACH; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        const unsigned row = block_left + place / ROWS, column = block_top + place % ROWS;
        if (row < columns && column < rows)
            out[size_t(row) * rows + column] = tile[place % ROWS][place / ROWS];
    }
}
