// Mirrors an image from a two-dimensional texture.
#include <cstdio>
#include <vector>

__global__ void mirror(cudaTextureObject_t image, int* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<int>(image, width - 1 - x, y);
}

int main()
{
    const int width = 50, height = 24;
    std::vector<int> image(width * height), result(width * height);
    for (int i = 0; i < width * height; ++i)
        image[i] = i * i % 1000;
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &channel, width, height);
    size_t row = width * sizeof(int);
    cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    int* d_out;
    cudaMalloc(&d_out, width * height * sizeof(int));
    dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    mirror<<<grid, block>>>(texture, d_out, width, height);
    cudaMemcpy(result.data(), d_out, width * height * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            wrong += result[y * width + x] != image[y * width + width - 1 - x];
    printf("%d wrong\n", wrong);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(d_out);
    return wrong > 0;
}
