// Dot product: every block reduces its products in shared memory and adds its sum to the result.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t err = (call);                                                \
        if (err != cudaSuccess) {                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

constexpr int kBlock = 256;

__global__ void dotProduct(const int* a, const int* b, int n, int* result) {
    __shared__ int cache[kBlock];
    int tid = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    cache[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(result, cache[0]);
}

int main() {
    const int n = 50000;
    std::vector<int> a(n), b(n);
    int expected = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = i % 11 - 3;
        b[i] = i % 5 + 1;
        expected += a[i] * b[i];
    }
    int *d_a, *d_b, *d_result;
    CHECK(cudaMalloc(&d_a, n * sizeof(int)));
    CHECK(cudaMalloc(&d_b, n * sizeof(int)));
    CHECK(cudaMalloc(&d_result, sizeof(int)));
    CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_result, 0, sizeof(int)));

    dotProduct<<<32, kBlock>>>(d_a, d_b, n, d_result);
    CHECK(cudaGetLastError());

    int result;
    CHECK(cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d, expected %d\n", result, expected);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_result));
    return result == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
