// Copies an array through a texture of linear memory.
//
//     in       [ x0 | x1 | x2 | x3 | … ]      ordinary memory, from cudaMalloc
//     texture      the same bytes, read by index: tex1Dfetch(texture, i)
//
// There is no centre and no filter here, only whole texels with whole numbers: up to 2^28 of them.

extern "C" __global__ void copy(cudaTextureObject_t texture, float* out, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = tex1Dfetch<float>(texture, i);
}
