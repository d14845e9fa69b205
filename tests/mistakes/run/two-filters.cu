// Smooths an image first along its rows, then along its columns.
#include <cstdio>
#include <vector>

__global__ void along_rows(const int* in, int* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    int left = x > 0 ? in[y * width + x - 1] : 0, right = x + 1 < width ? in[y * width + x + 1] : 0;
    out[y * width + x] = left + 2 * in[y * width + x] + right;
}

__global__ void along_columns(const int* in, int* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    int above = y > 0 ? in[(y - 1) * width + x] : 0, below = y + 1 < height ? in[(y + 1) * width + x] : 0;
    out[y * width + x] = above + 2 * in[y * width + x] + below;
}

int main()
{
    const int width = 100, height = 30, n = width * height;
    std::vector<int> image(n), result(n), rows(n);
    for (int i = 0; i < n; ++i)
        image[i] = i * 31 % 97;
    int *d_image, *d_rows, *d_result;
    cudaMalloc(&d_image, n * sizeof(int));
    cudaMalloc(&d_rows, n * sizeof(int));
    cudaMalloc(&d_result, n * sizeof(int));
    cudaMemcpy(d_image, image.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    dim3 grid((width + 63) / 64, height);
    along_rows<<<grid, 64>>>(d_image, d_rows, width, height);
    along_columns<<<grid, 64>>>(d_rows, d_result, width, height);
    cudaMemcpy(result.data(), d_result, n * sizeof(int), cudaMemcpyDeviceToHost);
    auto at = [&](const std::vector<int>& from, int x, int y) {
        return x >= 0 && x < width && y >= 0 && y < height ? from[y * width + x] : 0;
    };
    for (int i = 0; i < n; ++i)
        rows[i] = at(image, i % width - 1, i / width) + 2 * image[i] + at(image, i % width + 1, i / width);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != at(rows, i % width, i / width - 1) + 2 * rows[i] + at(rows, i % width, i / width + 1);
    printf("%d wrong\n", wrong);
    cudaFree(d_image);
    cudaFree(d_rows);
    cudaFree(d_result);
    return wrong > 0;
}
