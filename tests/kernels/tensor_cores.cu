// One warp multiplies two 16 x 16 matrices of half precision and accumulates in single precision.
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void multiply_tile(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_tile;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b_tile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a_tile, a, 16);
  wmma::load_matrix_sync(b_tile, b, 16);
  wmma::mma_sync(sum, a_tile, b_tile, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

// run: --kernel multiply_tile --grid 1 --block 32 --arg buf:f16:256:random --arg buf:f16:256:random --arg buf:f32:256
