// The mean of each pixel and its four neighbours, read through a texture: edges and bytes are the texture unit's work.
//
//     cudaAddressModeClamp           beyond an edge, the picture goes on as it ends
//     cudaReadModeNormalizedFloat    a byte comes as a number from 0 to 1
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

    const float sum = grey(picture, x, y)
                    + grey(picture, x - 1, y) + grey(picture, x + 1, y)
                    + grey(picture, x, y - 1) + grey(picture, x, y + 1);
    out[size_t(y) * width + x] = sum / 5;
}
