// C[i] = A[i + offset] + B[i + offset], timed and compared with the host's result.
//
//   read_offset [OFFSET [THREADS_PER_BLOCK]]        defaults: 11 and 512
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t error = (call);                                                             \
        if (error != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (false)

__global__ void read_offset(const float* a, const float* b, float* c, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

int main(int argc, char** argv)
{
    const int n = 1 << 18;
    const int offset = argc > 1 ? std::atoi(argv[1]) : 11;
    const int block = argc > 2 ? std::atoi(argv[2]) : 512;
    if (offset < 0 || offset >= n) {
        std::fprintf(stderr, "the offset must lie between 0 and %d\n", n - 1);
        return 2;
    }
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = float(i % 1000);
        b[i] = float(i % 7);
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_c, 0, bytes));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    read_offset<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n, offset);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += c[i] != (i + offset < n ? a[i + offset] + b[i + offset] : 0);
    std::printf("offset %d: %d of %d elements are wrong\n", offset, wrong, n);
    std::fprintf(stderr, "kernel: %.6f ms\n", ms);

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return wrong > 0;
}
