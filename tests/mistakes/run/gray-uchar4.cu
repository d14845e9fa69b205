// RGBA picture -> grey picture -> brighter grey picture.
// The RGBA picture lies in pitched memory (rows padded by the driver).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TRY(x)                                                        \
    if ((x) != cudaSuccess) {                                              \
        printf("line %d: %s failed\n", __LINE__, #x);                      \
        return 1;                                                          \
    }

__global__ void toGrey(const uchar4 *rgba, size_t pitch, unsigned char *grey,
                       int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const uchar4 *row = (const uchar4 *)((const char *)rgba + y * pitch);
        uchar4 p = row[x];
        int sum = 77 * p.x + 150 * p.y + 29 * p.z;
        grey[y * width + x] = sum / 256;
    }
}

__global__ void brighten(unsigned char *grey, int count, int amount)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int v = grey[i] + amount;
        grey[i] = v > 255 ? 255 : v;
    }
}

int main()
{
    const int width = 75, height = 33, amount = 60;
    const int count = width * height;

    std::vector<uchar4> picture(count);
    std::vector<unsigned char> grey(count, 0);
    unsigned int s = 4711;
    for (int i = 0; i < count; i++) {
        s = s * 1664525u + 1013904223u;
        picture[i].x = (s >> 24) & 255;
        picture[i].y = (s >> 16) & 255;
        picture[i].z = (s >> 8) & 255;
        picture[i].w = 255;
    }

    uchar4 *d_rgba;
    unsigned char *d_grey;
    size_t pitch;
    CUDA_TRY(cudaMallocPitch((void **)&d_rgba, &pitch, width * sizeof(uchar4), height));
    CUDA_TRY(cudaMalloc((void **)&d_grey, count));
    CUDA_TRY(cudaMemcpy2D(d_rgba, pitch, picture.data(), width * sizeof(uchar4),
                          width * sizeof(uchar4), height, cudaMemcpyHostToDevice));

    dim3 block(16, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    toGrey<<<grid, block>>>(d_rgba, pitch, d_grey, width, height);
    brighten<<<(count + 127) / 128, 128>>>(d_grey, count, amount);
    CUDA_TRY(cudaDeviceSynchronize());

    CUDA_TRY(cudaMemcpy(grey.data(), d_grey, count, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < count; i++) {
        uchar4 p = picture[i];
        int want = (p.x * 77 + p.y * 150 + p.z * 29) / 256 + 60;
        if (want > 255)
            want = 255;
        if (abs(want - (int)grey[i]) > 0) {
            wrong++;
            if (wrong <= 3)
                printf("pixel x=%d y=%d is %d, expected %d\n",
                       i % width, i / width, grey[i], want);
        }
    }

    cudaFree(d_rgba);
    cudaFree(d_grey);
    if (wrong != 0) {
        printf("%d pixels wrong\n", wrong);
        return 1;
    }
    printf("picture ok\n");
    return 0;
}
