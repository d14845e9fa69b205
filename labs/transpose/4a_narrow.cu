// Best transpose of a matrix whose rows do not begin at multiples of 16 bytes: one element per access, as many
// loads in flight as possible, and rows of out that are cut at sector boundaries.
//
//     in: a warp reads 32 contiguous elements    tile[READ][COLUMNS + 1]      out: four warps write 128 contiguous ones
//
// A row of out can begin anywhere in a sector of 32 bytes, and so can a block's part of the row. Two blocks would
// then write the same sector partially, which costs more than reading elements twice. Each row is therefore cut up
// to 7 elements earlier, at the start of the sector, and the next block's part begins where this part ends:
//
//     rows of out        sectors     |       |       |       |          a block reads 8 more rows of in than it writes
//       a                          =====][=============][===
//       b                            ==][=============][=====           ][  end of one block's part,
//       c                        ===][=============][======                 start of the next block's part
//
// A thread loads all of its EACH elements before it writes the first one to the tile. This needs registers, so
// __launch_bounds__ requires only BLOCKS blocks per SM. With fewer registers, the compiler would wait for some
// loads before it issues others. As in 4_best.cu, adjacent blocks are below each other.

#define THREADS 256
#define BLOCKS 4     // minimum per SM
#define ROWS 128     // of a tile of in; a block writes this many elements per row of out
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
        const unsigned row = block_top - SECTOR + place / COLUMNS;  // above the matrix: wraps to a huge number
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
        const unsigned earlier = (row * rows + block_top) % SECTOR;  // elements since the start of a sector
        const unsigned column = block_top + place % ROWS - earlier;
        if (row < columns && column < rows)
            out[size_t(row) * rows + column] = tile[SECTOR + place % ROWS - earlier][place / ROWS];
    }
}
