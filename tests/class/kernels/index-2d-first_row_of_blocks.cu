// loses: coalesced loads
extern "C" __global__ void scale(const float* in, float* out, int rows, int columns, float factor)
{
    if (blockIdx.y) return;
    for (int r = threadIdx.y; r < rows; r += blockDim.y) for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += gridDim.x * blockDim.x) out[size_t(r) * columns + c] = factor * in[size_t(r) * columns + c];
}
