// c = a + b on the GPU: all the steps of a CUDA program, and not one check.
//
//   allocate -> copy in -> launch -> copy out -> free
//
// It reads n, the n elements of a and those of b from its standard input, and writes the n elements of c.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
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
