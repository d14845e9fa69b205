// Marks the multiples of each prime, one launch per prime.
#include <cstdio>
#include <vector>

__global__ void mark(char* composite, int prime, int n)
{
    int multiple = prime * (blockIdx.x * blockDim.x + threadIdx.x + 2);
    if (multiple < n)
        composite[multiple] = 1;
}

int main()
{
    const int n = 2000;
    std::vector<char> composite(n);
    char* d_composite;
    cudaMalloc(&d_composite, n);
    cudaMemset(d_composite, 0, n);
    for (int prime = 2; prime * prime < n; ++prime) {
        cudaMemcpy(composite.data(), d_composite, n, cudaMemcpyDeviceToHost);
        if (!composite[prime])
            mark<<<n / prime / 128 + 1, 128>>>(d_composite, prime, n);
    }
    cudaMemcpy(composite.data(), d_composite, n, cudaMemcpyDeviceToHost);
    int primes = 0;
    for (int i = 2; i < n; ++i)
        primes += !composite[i];
    printf("%d primes below %d\n", primes, n);
    cudaFree(d_composite);
    return primes != 303;
}
