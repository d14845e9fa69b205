// Best transpose: every access is 16 bytes wide, the tile is laid out so that no bank is hit twice, and blocks that
// run at a time write to neighbouring places.
//
// A thread takes a square of WIDE x WIDE elements. It reads the square's rows, turns it around in registers (which
// costs nothing: it only renames them), and writes the square's columns to the tile, each as one chunk of WIDE
// elements. Then it reads a row of the tile chunk by chunk and writes it to out.
//
//     in, one square        registers          tile[COLUMNS][DOWN] of chunks
//     a b c d               a e i m            row left + 0: … [a e i m] …
//     e f g h        ==>    b f j n     ==>    row left + 1: … [b f j n] …
//     i j k l               c g k o            row left + 2: … [c g k o] …
//     m n o p               d h l p            row left + 3: … [d h l p] …
//
// Neighbouring threads write to one column of chunks, WIDE rows apart: all in the same banks. So the tile is
// swizzled: chunk c of row r stands at place c ^ (r / WIDE). Along a row and along a column, the places then differ.
//
// The card starts blocks in the order of blockIdx.x. Here x goes down the matrix, where the other kernels go along its
// rows: neighbouring blocks then continue each other's rows of out, and memory likes long stretches to write still more
// than long ones to read.
//
// WIDE must divide rows and columns: then every chunk is aligned, and lies in the matrix whole or not at all. Where it
// does not, there is 4a_narrow.cu.

#define WIDE (16 / sizeof(TYPE))
#define ROWS (512 / sizeof(TYPE))        // of a tile: 512 bytes of a row of out
#define COLUMNS (256 / sizeof(TYPE))     // 256 bytes of a row of in
#define DOWN (ROWS / WIDE)               // squares of a tile below each other, chunks of its rows turned around
#define ACROSS (COLUMNS / WIDE)          // and side by side

#define THREADS (DOWN * ACROSS)          // of a block: a square each

struct alignas(16) Chunk { TYPE element[WIDE]; };

__device__ unsigned place(unsigned row, unsigned chunk) { return chunk ^ (row / WIDE % DOWN); }

// With two blocks or more a multiprocessor (see __launch_bounds__), the compiler has registers for all loads at once.
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

    // The same tile of out: its rows are columns of in.
    top = threadIdx.x / DOWN * WIDE, left = threadIdx.x % DOWN;  // in elements, in chunks
    row = block_left + top, column = block_top + left * WIDE;
    if (row < columns && column < rows) {
        for (unsigned i = 0; i < WIDE; ++i)
            *(Chunk*)&out[size_t(row + i) * rows + column] = tile[top + i][place(top + i, left)];
    }
}
