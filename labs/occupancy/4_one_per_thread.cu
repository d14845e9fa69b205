// One element per thread: as many blocks as the array needs. The hardware starts a block when another one ends.
//
// An SM holds as many blocks as its resources allow: threads, block slots, registers, and shared memory. The stages
// `block-32`, `block-256` and `block-1024` differ in the threads per block, and `shared-limited` asks for shared memory
// at launch. The SM reserves that memory for the block, whether or not the kernel uses it.

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
}
