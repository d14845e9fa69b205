// Marks the edges of a grey image by the sum of its horizontal and vertical differences.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char byte;

__host__ __device__ int edge(const byte* image, int x, int y, int width)
{
    int dx = image[y * width + x + 1] - image[y * width + x - 1];
    int dy = image[(y + 1) * width + x] - image[(y - 1) * width + x];
    return abs(dx) + abs(dy) > 60 ? 255 : 0;
}

__global__ void edges(const byte* image, byte* marks, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        marks[y * width + x] = edge(image, x, y, width);
}

int main()
{
    const int width = 90, height = 50, bytes = width * height;
    std::vector<byte> image(bytes), marks(bytes);
    for (int i = 0; i < bytes; ++i)
        image[i] = i * 29 % 256;
    byte *d_image, *d_marks;
    cudaMalloc(&d_image, bytes);
    cudaMalloc(&d_marks, bytes);
    cudaMemcpy(d_image, image.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_marks, 0, bytes);
    dim3 block(16, 8), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    edges<<<grid, block>>>(d_image, d_marks, width, height);
    cudaMemcpy(marks.data(), d_marks, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1;
            wrong += marks[y * width + x] != (inside ? edge(image.data(), x, y, width) : 0);
        }
    printf("%d wrong\n", wrong);
    cudaFree(d_image);
    cudaFree(d_marks);
    return wrong > 0;
}
