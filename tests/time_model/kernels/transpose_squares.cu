// Best transpose: every access is up to 16 bytes wide, and the layout of the tile prevents bank conflicts.
//
// A thread takes a square of WIDE x WIDE elements. It reads the square's rows, turns it around in registers (which
// costs nothing: it only renames them), and writes the square's columns to the tile, each as one chunk of WIDE
// elements. Then it reads a row of the tile chunk by chunk and writes it to out.
//
//     in, one square        registers          tile[SIDE][ACROSS] of chunks
//     a b c d               a e i m            row left + 0: … [a e i m] …
//     e f g h        ==>    b f j n     ==>    row left + 1: … [b f j n] …
//     i j k l               c g k o            row left + 2: … [c g k o] …
//     m n o p               d h l p            row left + 3: … [d h l p] …
//
// Neighbouring threads write to one column of chunks, WIDE rows apart: all in the same banks. So the tile is
// swizzled: chunk c of row r is at position c ^ (r / WIDE). The positions then differ along rows and along columns.
//
// WIDE must divide rows and columns: every chunk is then aligned, and completely inside or outside the matrix.

#define THREADS 256                  // of a block, in one row
#define SIDE (256 / sizeof(TYPE))    // of a tile, in elements: 256 bytes
#define ACROSS (SIDE / WIDE)         // squares, or chunks, side by side in a tile

struct alignas(WIDE * sizeof(TYPE)) Chunk { TYPE element[WIDE]; };

__device__ unsigned place(unsigned row, unsigned chunk) { return chunk ^ (row / WIDE % ACROSS); }

extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    __shared__ Chunk tile[SIDE][ACROSS];

    const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;

    for (unsigned square = threadIdx.x; square < ACROSS * ACROSS; square += THREADS) {
        const unsigned top = square / ACROSS * WIDE, left = square % ACROSS * WIDE;
        const unsigned row = block_row * SIDE + top;
        const unsigned column = blockIdx.x * SIDE + left;
        if (row < rows && column < columns) {
            Chunk across[WIDE];
            for (unsigned i = 0; i < WIDE; ++i)
                across[i] = *(const Chunk*)&in[size_t(row + i) * columns + column];
            for (unsigned j = 0; j < WIDE; ++j) {
                Chunk down;
                for (unsigned i = 0; i < WIDE; ++i)
                    down.element[i] = across[i].element[j];
                tile[left + j][place(left + j, top / WIDE)] = down;
            }
        }
    }

    __syncthreads();

    // The same tile of out: its rows are columns of in.
    for (unsigned square = threadIdx.x; square < ACROSS * ACROSS; square += THREADS) {
        const unsigned top = square / ACROSS * WIDE, left = square % ACROSS * WIDE;
        const unsigned row = blockIdx.x * SIDE + top;
        const unsigned column = block_row * SIDE + left;
        if (row < columns && column < rows) {
            for (unsigned i = 0; i < WIDE; ++i)
                *(Chunk*)&out[size_t(row + i) * rows + column] = tile[top + i][place(top + i, left / WIDE)];
        }
    }
}
