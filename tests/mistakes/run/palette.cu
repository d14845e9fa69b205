// Colours an image of indices with a palette in constant memory.
#include <cstdio>
#include <cstring>
#include <vector>

__constant__ uchar4 palette[16];

__global__ void colour(const unsigned char* indices, uchar4* pixels, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        pixels[i] = palette[indices[i]];
}

int main()
{
    const int n = 1000;
    uchar4 colours[16];
    for (int i = 0; i < 16; ++i)
        colours[i] = make_uchar4(16 * i, 255 - i, i, 255);
    std::vector<unsigned char> indices(n);
    std::vector<uchar4> pixels(n);
    for (int i = 0; i < n; ++i)
        indices[i] = i * 5 % 16;
    unsigned char* d_indices;
    uchar4* d_pixels;
    cudaMalloc(&d_indices, n);
    cudaMalloc(&d_pixels, n * sizeof(uchar4));
    cudaMemcpy(d_indices, indices.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(palette, colours, sizeof(colours));
    colour<<<(n + 255) / 256, 256>>>(d_indices, d_pixels, n);
    cudaMemcpy(pixels.data(), d_pixels, n * sizeof(uchar4), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += memcmp(&pixels[i], &colours[indices[i]], sizeof(uchar4)) != 0;
    printf("%d wrong\n", wrong);
    cudaFree(d_indices);
    cudaFree(d_pixels);
    return wrong > 0;
}
