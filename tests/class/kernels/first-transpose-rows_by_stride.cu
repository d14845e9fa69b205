// loses: nothing
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const size_t all = size_t(rows) * columns, threads = size_t(gridDim.x) * gridDim.y * gridDim.z * blockDim.x * blockDim.y;
    size_t i = ((size_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y
             + threadIdx.y * blockDim.x + threadIdx.x;
    for (; i < all; i += threads) out[i % columns * rows + i / columns] = in[i];
}
