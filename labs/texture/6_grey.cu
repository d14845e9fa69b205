// Reads a picture of bytes as numbers from 0 to 1, a pixel a thread.
//
//     texel    0 … 255        the texture unit divides by 255 on the way: cudaReadModeNormalizedFloat
//     place    0 … 1          over the picture, whatever its size: normalizedCoords = 1
//
// The centre of pixel (x, y) is at (x + 0.5) / width, (y + 0.5) / height.

extern "C" __global__ void read_grey(cudaTextureObject_t picture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[size_t(y) * width + x] = tex2D<float>(picture, (x + 0.5f) / width, (y + 0.5f) / height);
}
