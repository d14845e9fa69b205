// Exclusive prefix sums of one block by an up-sweep and a down-sweep.
#include <cstdio>

#define SIZE 256

__global__ void exclusive_scan(int* data)
{
    __shared__ int tree[SIZE];
    int t = threadIdx.x;
    tree[2 * t] = data[2 * t];
    tree[2 * t + 1] = data[2 * t + 1];
    int offset = 1;
    for (int active = SIZE / 2; active > 0; active /= 2) {
        __syncthreads();
        if (t < active)
            tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        tree[SIZE - 1] = 0;
    for (int active = 1; active < SIZE; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < active) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    data[2 * t] = tree[2 * t];
    data[2 * t + 1] = tree[2 * t + 1];
}

int main()
{
    int host[SIZE], result[SIZE];
    for (int i = 0; i < SIZE; ++i)
        host[i] = i % 6 + 1;
    int* device;
    cudaMalloc(&device, SIZE * sizeof(int));
    cudaMemcpy(device, host, SIZE * sizeof(int), cudaMemcpyHostToDevice);
    exclusive_scan<<<1, SIZE / 2>>>(device);
    cudaMemcpy(result, device, SIZE * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0, sum = 0;
    for (int i = 0; i < SIZE; ++i) {
        wrong += result[i] != sum;
        sum += host[i];
    }
    printf("%d wrong\n", wrong);
    cudaFree(device);
    return wrong > 0;
}
