// c = a + b on the GPU: hello, thread i.
//
//   block         |       0       |       1       |       2     …        blockIdx.x
//   thread        | 0   1  …  255 | 0   1  …  255 | 0   1  …           threadIdx.x
//   i               0   1  …  255  256 257 … 511  512 …
//
//   allocate -> copy in -> launch -> copy out -> free
//
// Reads n, the n elements of a and those of b from standard input, and writes the n elements of c.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n)
{
    // TODO: which index i does this thread have among all threads of all blocks? Let it add one pair: c[i] = a[i] + b[i].
    // The last block has threads with i >= n. They have nothing to add.
}

bool read(float* numbers, int n)
{
    for (int i = 0; i < n; ++i)
        if (std::scanf("%f", &numbers[i]) != 1)
            return false;
    return true;
}

int main(int argc, char** argv)
{
    int block = argc > 1 ? std::atoi(argv[1]) : 256, n = 0;
    if (std::scanf("%d", &n) != 1)
        return 2;
    std::vector<float> a(n), b(n), c(n);
    if (!read(a.data(), n) || !read(b.data(), n))
        return 2;

    size_t bytes = n * sizeof(float);
    float *device_a, *device_b, *device_c;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMalloc(&device_c, bytes);
    cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);

    add<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n);

    cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_c);

    for (float x : c)
        std::printf("%g\n", x);
}
