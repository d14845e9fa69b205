// c = a + b on the GPU, with the time that the kernel took, on standard error.
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

// A launch returns nothing: cudaGetLastError() says whether it began, and the next call that waits whether it
// ended well.
#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                     \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                               \
        }                                                                               \
    } while (false)

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
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    add<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));  // the card has come to stop: before that there is no time to ask for
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::fprintf(stderr, "kernel: %.6f ms\n", ms);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));

    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    for (float x : c)
        std::printf("%g\n", x);
}
