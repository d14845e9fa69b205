// Dot product of a and b, with a in a CUDA array and b in linear memory, both read through textures.
//
//     a   | a0 | a1 | a2 | … |        an array: read at the centre of a texel, in ROWS rows of WIDTH
//     b   [ b0 | b1 | b2 | … ]        linear memory: read by index

extern "C" __global__ void dot(cudaTextureObject_t a, cudaTextureObject_t b, float* sum_of_block, unsigned count)
{
    // TODO: element i of a comes from a CUDA array (one row, or ROWS rows of WIDTH), element i of b from linear memory.

    // TODO: multiply, add the products of the block in a tree, and store the sum in sum_of_block[blockIdx.x].
}
