// The mean of each pixel and its four neighbours, read by a pointer: edges and bytes are the kernel's own work.
//
//     . n .        beyond an edge, the picture goes on as it ends
//     w c e        (n + w + c + e + s) / 5
//     . s .

__device__ float grey(const unsigned char* picture, int x, int y, int width, int height)
{
    x = min(max(x, 0), width - 1);
    y = min(max(y, 0), height - 1);
    return picture[size_t(y) * width + x] / 255.0f;
}

extern "C" __global__ void blur(const unsigned char* picture, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    const float sum = grey(picture, x, y, width, height)
                    + grey(picture, x - 1, y, width, height) + grey(picture, x + 1, y, width, height)
                    + grey(picture, x, y - 1, width, height) + grey(picture, x, y + 1, width, height);
    out[size_t(y) * width + x] = sum / 5;
}
