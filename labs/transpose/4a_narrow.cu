// Best transpose of a matrix whose rows do not begin at multiples of 16 bytes: one element an access, as many of them on
// their way as can be, and rows of out that are cut where sectors begin.
//
//     in: a warp reads 32 elements in a row      tile[READ][COLUMNS + 1]      out: four warps write 128 in a row
//
// A row of out begins anywhere in a sector of 32 bytes, and so does the part of it that belongs to a block. Two blocks would
// write that sector, each in part, which costs more than reading it twice. So each row is cut up to 7 elements earlier, at
// the sector's beginning, and the next block's part begins where this one ends:
//
//     rows of out        sectors     |       |       |       |          a block reads 8 rows of in more than it writes
//       a                          =====][=============][===
//       b                            ==][=============][=====           ][  where the part of one block ends
//       c                        ===][=============][======                 and the next one's begins
//
// A thread asks for all of its EACH elements, and only then writes the first to the tile. That takes registers, so that
// __launch_bounds__ asks for no more than BLOCKS blocks at a time: with fewer registers, the compiler would wait for some
// elements before it asks for others. As in 4_best.cu, neighbouring blocks lie below each other.

#define THREADS 256
#define BLOCKS 4     // of a multiprocessor, at least
#define ROWS 128     // of a tile of in: what a block writes of a row of out
#define COLUMNS 32
#define SECTOR 8     // elements: 32 bytes of floats, two sectors of doubles
#define READ (ROWS + SECTOR)  // rows of in, from SECTOR above the tile
#define EACH (READ * COLUMNS / THREADS)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ TYPE tile[READ][COLUMNS + 1];

    const unsigned block_top = blockIdx.x * ROWS;
    const unsigned block_left = (blockIdx.z * gridDim.y + blockIdx.y) * COLUMNS;

    TYPE element[EACH];
    for (unsigned i = 0; i < EACH; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        const unsigned row = block_top - SECTOR + place / COLUMNS;  // above the matrix: a huge number
        const unsigned column = block_left + place % COLUMNS;
        if (row < rows && column < columns)
            element[i] = in[size_t(row) * columns + column];
    }
    for (unsigned i = 0; i < EACH; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        tile[place / COLUMNS][place % COLUMNS] = element[i];
    }

    __syncthreads();

    // Rows of out are columns of in.
    for (unsigned i = 0; i < ROWS * COLUMNS / THREADS; ++i) {
        const unsigned place = threadIdx.x + i * THREADS;
        const unsigned row = block_left + place / ROWS;
        const unsigned earlier = (row * rows + block_top) % SECTOR;  // elements since a sector's beginning
        const unsigned column = block_top + place % ROWS - earlier;
        if (row < columns && column < rows)
            out[size_t(row) * rows + column] = tile[SECTOR + place % ROWS - earlier][place / ROWS];
    }
}
