// Brightens an image whose rows are padded (cudaMallocPitch).
#include <cstdio>
#include <vector>

__global__ void brighten(unsigned char* image, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        image[y * pitch + x] += 10;
}

int main()
{
    int width = 100, height = 37;
    std::vector<unsigned char> image(width * height), result(width * height);
    for (int i = 0; i < width * height; ++i)
        image[i] = i % 200;
    unsigned char* d_image;
    size_t pitch;
    cudaMallocPitch(&d_image, &pitch, width, height);
    cudaMemcpy2D(d_image, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    brighten<<<grid, block>>>(d_image, pitch, width, height);
    cudaMemcpy2D(result.data(), width, d_image, pitch, width, height, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < width * height; ++i)
        wrong += result[i] != image[i] + 10;
    printf("%d wrong\n", wrong);
    cudaFree(d_image);
    return wrong > 0;
}
