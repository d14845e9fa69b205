// The sum of a vector in two launches: one partial sum per block, then one block adds these.
#include <cstdio>
#include <cstdlib>

__global__ void sum_blocks(const unsigned* in, unsigned* out, unsigned n)
{
    extern __shared__ unsigned sums[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned width = blockDim.x / 2; width > 0; width >>= 1) {
        if (threadIdx.x < width)
            sums[threadIdx.x] += sums[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

int main()
{
    const unsigned n = 30000, threads = 256, blocks = (n + threads - 1) / threads;
    unsigned* in = (unsigned*)malloc(n * sizeof(unsigned));
    unsigned expected = 0, found = 0;
    for (unsigned i = 0; i < n; ++i) {
        in[i] = i % 17;
        expected += in[i];
    }
    unsigned *d_in, *d_partial, *d_sum;
    cudaMalloc((void**)&d_in, n * sizeof(unsigned));
    cudaMalloc((void**)&d_partial, blocks * sizeof(unsigned));
    cudaMalloc((void**)&d_sum, sizeof(unsigned));
    cudaMemcpy(d_in, in, n * sizeof(unsigned), cudaMemcpyHostToDevice);
    sum_blocks<<<blocks, threads, threads * sizeof(unsigned)>>>(d_in, d_partial, n);
    sum_blocks<<<1, threads, threads * sizeof(unsigned)>>>(d_partial, d_sum, blocks);
    cudaMemcpy(&found, d_sum, sizeof(found), cudaMemcpyDeviceToHost);
    printf("%u, expected %u\n", found, expected);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_sum);
    free(in);
    return found != expected;
}
