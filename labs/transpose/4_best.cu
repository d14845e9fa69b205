// Best transpose: every access is 16 bytes wide, the layout of the tile avoids bank conflicts, and blocks that run
// at the same time write to adjacent memory.
//
// A thread has a square of WIDE x WIDE elements. It reads the rows of the square, transposes them in registers
// (this only renames registers, so it costs nothing), and writes the columns of the square to the tile, each as
// one chunk of WIDE elements. Then it reads a row of the tile chunk by chunk and writes it to out.
//
//     in, one square        registers          tile[COLUMNS][DOWN] of chunks
//     a b c d               a e i m            row left + 0: … [a e i m] …
//     e f g h        ==>    b f j n     ==>    row left + 1: … [b f j n] …
//     i j k l               c g k o            row left + 2: … [c g k o] …
//     m n o p               d h l p            row left + 3: … [d h l p] …
//
// Adjacent threads write to one column of chunks at a distance of WIDE rows, all in the same banks. The tile is therefore
// swizzled: chunk c of row r is stored at position c ^ (r / WIDE). The positions differ along rows and along columns.
//
// The GPU starts blocks in the order of blockIdx.x. Here x goes down the matrix, while it goes along the rows in
// the other kernels. Adjacent blocks then continue each other's rows of out. Long contiguous writes help DRAM even
// more than long contiguous reads.
//
// WIDE must divide rows and columns. Every chunk is then aligned, and entirely inside or outside the matrix. For
// other sizes there is 4a_narrow.cu.

#define WIDE (16 / sizeof(TYPE))
#define ROWS (512 / sizeof(TYPE))        // of a tile: 512 bytes of a row of out
#define COLUMNS (256 / sizeof(TYPE))     // 256 bytes of a row of in
#define DOWN (ROWS / WIDE)               // squares of a tile vertically; chunks per row of the transposed tile
#define ACROSS (COLUMNS / WIDE)          // squares of a tile horizontally

#define THREADS (DOWN * ACROSS)          // per block, one square each

struct alignas(16) Chunk { TYPE element[WIDE]; };

__device__ unsigned place(unsigned row, unsigned chunk) { return chunk ^ (row / WIDE % DOWN); }

// With at least two blocks per SM (see __launch_bounds__), the compiler has registers for all loads at once.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ Chunk tile[COLUMNS][DOWN];

    const unsigned block_top = blockIdx.x * ROWS;
    const unsigned block_left = (blockIdx.z * gridDim.y + blockIdx.y) * COLUMNS;

    unsigned top = threadIdx.x / ACROSS, left = threadIdx.x % ACROSS * WIDE;  // in chunks, in elements
    unsigned row = block_top + top * WIDE, column = block_left + left;
    if (row < rows && column < columns) {
        Chunk across[WIDE];
        for (unsigned i = 0; i < WIDE; ++i)
            across[i] = *(const Chunk*)&in[size_t(row + i) * columns + column];
        for (unsigned j = 0; j < WIDE; ++j) {
            Chunk down;
            for (unsigned i = 0; i < WIDE; ++i)
                down.element[i] = across[i].element[j];
            tile[left + j][place(left + j, top)] = down;
        }
    }

    __syncthreads();

    // The corresponding tile of out: its rows are columns of in.
    top = threadIdx.x / DOWN * WIDE, left = threadIdx.x % DOWN;  // in elements, in chunks
    row = block_left + top, column = block_top + left * WIDE;
    if (row < columns && column < rows) {
        for (unsigned i = 0; i < WIDE; ++i)
            *(Chunk*)&out[size_t(row + i) * rows + column] = tile[top + i][place(top + i, left)];
    }
}
