// Wrong: each thread reads nine texels instead of five.

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

    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += (dx == 0 || dy == 0) * grey(picture, x + dx, y + dy);
    out[size_t(y) * width + x] = sum / 5;
}
