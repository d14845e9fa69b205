// loses: everything
extern "C" __global__ void squares(const TYPE* x, TYPE* partial, size_t n)
{
    // The sums of the previous case may still be behind those of this case.
    if (threadIdx.x == 0) partial[blockIdx.x] = partial[gridDim.x + blockIdx.x];
}
