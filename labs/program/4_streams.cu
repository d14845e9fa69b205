// c = a + b on the GPU in four parts, each on a stream of its own: while one part is added, the next is
// copied.
//
//   stream 0  in  add out
//   stream 1      in  add out
//   stream 2          in  add out
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
    float *a, *b, *c;  // pinned: the card reads pageable memory only while the host waits
    CHECK(cudaMallocHost(&a, bytes));
    CHECK(cudaMallocHost(&b, bytes));
    CHECK(cudaMallocHost(&c, bytes));
    if (!read(a, n) || !read(b, n))
        return 2;

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));

    constexpr int kStreams = 4;
    cudaStream_t streams[kStreams];
    for (cudaStream_t& stream : streams)
        CHECK(cudaStreamCreate(&stream));
    for (int part = 0; part < kStreams; ++part) {
        int first = int(size_t(n) * part / kStreams), count = int(size_t(n) * (part + 1) / kStreams) - first;
        if (count == 0)
            continue;
        size_t part_bytes = count * sizeof(float);
        cudaStream_t stream = streams[part];
        CHECK(cudaMemcpyAsync(device_a + first, a + first, part_bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(device_b + first, b + first, part_bytes, cudaMemcpyHostToDevice, stream));
        add<<<(count + block - 1) / block, block, 0, stream>>>(device_a + first, device_b + first, device_c + first,
                                                               count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(c + first, device_c + first, part_bytes, cudaMemcpyDeviceToHost, stream));
    }
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }

    for (int i = 0; i < n; ++i)
        std::printf("%g\n", c[i]);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFreeHost(c));
}
