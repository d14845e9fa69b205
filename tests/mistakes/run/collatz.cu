// The number below n with the longest Collatz sequence, found with one 64-bit atomic maximum.
#include <cstdio>

__host__ __device__ unsigned length_of(unsigned long long value)
{
    unsigned length = 1;
    for (; value != 1; ++length)
        value = value % 2 ? 3 * value + 1 : value / 2;
    return length;
}

__global__ void longest(unsigned n, unsigned long long* best)
{
    unsigned start = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (start < n)
        atomicMax(best, (unsigned long long)length_of(start) << 32 | start);
}

int main()
{
    const unsigned n = 2000;
    unsigned long long found = 0, expected = 0, *d_best;
    for (unsigned start = 1; start < n; ++start) {
        unsigned long long one = (unsigned long long)length_of(start) << 32 | start;
        expected = one > expected ? one : expected;
    }
    cudaMalloc(&d_best, sizeof(found));
    cudaMemset(d_best, 0, sizeof(found));
    longest<<<(n + 255) / 256, 256>>>(n, d_best);
    cudaMemcpy(&found, d_best, sizeof(found), cudaMemcpyDeviceToHost);
    printf("%u has %u steps\n", unsigned(found), unsigned(found >> 32));
    cudaFree(d_best);
    return found != expected;
}
