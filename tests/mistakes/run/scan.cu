// The inclusive prefix sums of one block, between two buffers in shared memory.
#include <cstdio>

const int kBlock = 128;

__global__ void scan(const int* in, int* out)
{
    __shared__ int buffer[2][kBlock];
    int thread = threadIdx.x, from = 0;
    buffer[0][thread] = in[thread];
    __syncthreads();
    for (int distance = 1; distance < kBlock; distance *= 2) {
        int sum = buffer[from][thread];
        if (thread >= distance)
            sum += buffer[from][thread - distance];
        buffer[1 - from][thread] = sum;
        from = 1 - from;
        __syncthreads();
    }
    out[thread] = buffer[from][thread];
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, kBlock * sizeof(int));
    cudaMallocManaged(&out, kBlock * sizeof(int));
    for (int i = 0; i < kBlock; ++i)
        in[i] = i % 9 - 3;
    scan<<<1, kBlock>>>(in, out);
    cudaDeviceSynchronize();
    int wrong = 0, sum = 0;
    for (int i = 0; i < kBlock; ++i) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
    return wrong > 0;
}
