// c = a + b on the GPU, with memory that both sides use under one address.
//
//   allocate -> launch -> wait -> free
//
// It reads n, the n elements of a and those of b from its standard input, and writes the n elements of c.
#include <cstdio>
#include <cstdlib>

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
    size_t bytes = n * sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMallocManaged(&a, bytes));
    CHECK(cudaMallocManaged(&b, bytes));
    CHECK(cudaMallocManaged(&c, bytes));
    if (!read(a, n) || !read(b, n))
        return 2;

    add<<<(n + block - 1) / block, block>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());  // the launch returned long ago: without this the host reads too early

    for (int i = 0; i < n; ++i)
        std::printf("%g\n", c[i]);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
