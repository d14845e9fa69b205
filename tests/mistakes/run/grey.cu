// Turns colour pixels, an array of structs, into grey values.
#include <cstdio>
#include <cstdlib>

struct Pixel {
    unsigned char red, green, blue;
};

__global__ void to_grey(const Pixel* pixels, unsigned char* grey, int width, int height)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= width || y >= height)
        return;
    Pixel p = pixels[y * width + x];
    grey[y * width + x] = (2 * p.red + 5 * p.green + p.blue) / 8;
}

int main()
{
    int width = 61, height = 47, n = width * height;
    Pixel* pixels = (Pixel*)malloc(n * sizeof(Pixel));
    unsigned char* grey = (unsigned char*)malloc(n);
    for (int i = 0; i < n; ++i) {
        pixels[i].red = i % 256;
        pixels[i].green = i * 3 % 256;
        pixels[i].blue = i * 7 % 256;
    }
    Pixel* d_pixels;
    unsigned char* d_grey;
    cudaMalloc(&d_pixels, n * sizeof(Pixel));
    cudaMalloc(&d_grey, n);
    cudaMemcpy(d_pixels, pixels, n * sizeof(Pixel), cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    to_grey<<<grid, block>>>(d_pixels, d_grey, width, height);
    cudaMemcpy(grey, d_grey, n, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += grey[i] != (2 * pixels[i].red + 5 * pixels[i].green + pixels[i].blue) / 8;
    printf("%d wrong\n", wrong);
    cudaFree(d_pixels);
    cudaFree(d_grey);
    free(pixels);
    free(grey);
    return wrong > 0;
}
