// Adds 1 to a long vector in chunks through two pinned buffers and two streams.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void increment(int* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += 1;
}

int main()
{
    const int chunk = 500, chunks = 6;
    std::vector<int> data(chunk * chunks), result(chunk * chunks);
    for (size_t i = 0; i < data.size(); ++i)
        data[i] = 3 * i;
    int *pinned[2], *device[2];
    cudaStream_t stream[2];
    for (int k = 0; k < 2; ++k) {
        cudaMallocHost(&pinned[k], chunk * sizeof(int));
        cudaMalloc(&device[k], chunk * sizeof(int));
        cudaStreamCreate(&stream[k]);
    }
    for (int c = 0; c < chunks + 2; ++c) {
        int k = c % 2;
        cudaStreamSynchronize(stream[k]);
        if (c >= 2)
            memcpy(&result[(c - 2) * chunk], pinned[k], chunk * sizeof(int));
        if (c >= chunks)
            continue;
        memcpy(pinned[k], &data[c * chunk], chunk * sizeof(int));
        cudaMemcpyAsync(device[k], pinned[k], chunk * sizeof(int), cudaMemcpyHostToDevice, stream[k]);
        increment<<<(chunk + 127) / 128, 128, 0, stream[k]>>>(device[k], chunk);
        cudaMemcpyAsync(pinned[k], device[k], chunk * sizeof(int), cudaMemcpyDeviceToHost, stream[k]);
    }
    int wrong = 0;
    for (size_t i = 0; i < data.size(); ++i)
        wrong += result[i] != data[i] + 1;
    printf("%d wrong\n", wrong);
    for (int k = 0; k < 2; ++k) {
        cudaFreeHost(pinned[k]);
        cudaFree(device[k]);
        cudaStreamDestroy(stream[k]);
    }
    return wrong > 0;
}
