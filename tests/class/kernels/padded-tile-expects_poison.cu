// loses: everything
// Takes the previous content of the output for the answer.
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    const size_t i = (size_t(blockIdx.y) * TILE + threadIdx.y) * columns + blockIdx.x * TILE + threadIdx.x;
    if (i < size_t(rows) * columns && out[i] == out[i]) out[i] = out[i];
}
