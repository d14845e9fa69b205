// The mean of each pixel and its four neighbours, read through a texture: the texture unit handles edges and bytes.
//
//     cudaAddressModeClamp           outside the picture, the edge pixels are repeated
//     cudaReadModeNormalizedFloat    a byte is read as a number from 0 to 1
//
// Coordinates are in texels here; the centre of pixel (x, y) is at (x + 0.5, y + 0.5).

__device__ float grey(cudaTextureObject_t picture, int x, int y)
{
    return tex2D<float>(picture, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void blur(cudaTextureObject_t picture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    out[size_t(y) * width + x] = grey(picture, x, y);  // TODO: the mean of this pixel and its four neighbours
}
