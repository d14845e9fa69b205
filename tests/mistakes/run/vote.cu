// Counts the elements above a threshold with a vote per warp.
#include <cstdio>
#include <cstdlib>

#define N 4096

__global__ void count_above(const float* values, float threshold, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, values[i] > threshold);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, __popc(votes));
}

int main()
{
    static float values[N];
    int expected = 0, found = 0;
    for (int i = 0; i < N; ++i) {
        values[i] = i * 37 % 1000 * 0.001f;
        expected += values[i] > 0.6f;
    }
    float* dev_values;
    int* dev_count;
    cudaMalloc(&dev_values, sizeof(values));
    cudaMalloc(&dev_count, sizeof(int));
    cudaMemcpy(dev_values, values, sizeof(values), cudaMemcpyHostToDevice);
    cudaMemset(dev_count, 0, sizeof(int));
    count_above<<<N / 256, 256>>>(dev_values, 0.6f, dev_count);
    cudaMemcpy(&found, dev_count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d above, expected %d\n", found, expected);
    cudaFree(dev_values);
    cudaFree(dev_count);
    return found != expected;
}
