// Sorts N random keys with NVIDIA's library CUB and prints the time: the peer of ../8_radix_best.cu.
//
//     cub_sort [N]
//
// The first call of an algorithm of CUB only says how much memory it needs, the second one runs it. CUB's headers belong to the
// CUDA Toolkit.
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                     \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                               \
        }                                                                               \
    } while (false)

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
    std::mt19937 random;
    std::vector<unsigned> keys(n), sorted(n);
    for (unsigned& key : keys)
        key = random();

    const size_t bytes = n * sizeof(unsigned);
    unsigned *device_keys, *device_sorted;
    CHECK(cudaMalloc(&device_keys, bytes));
    CHECK(cudaMalloc(&device_sorted, bytes));
    CHECK(cudaMemcpy(device_keys, keys.data(), bytes, cudaMemcpyHostToDevice));

    size_t needed = 0;
    void* scratch;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, needed, device_keys, device_sorted, n));
    CHECK(cudaMalloc(&scratch, needed));
    CHECK(cub::DeviceRadixSort::SortKeys(scratch, needed, device_keys, device_sorted, n));  // also loads the kernels

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    CHECK(cub::DeviceRadixSort::SortKeys(scratch, needed, device_keys, device_sorted, n));
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::fprintf(stderr, "%.4f ms\n", ms);

    CHECK(cudaMemcpy(sorted.data(), device_sorted, bytes, cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end());
    std::printf("%d keys: %s\n", n, sorted == keys ? "right" : "wrong");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(device_keys));
    CHECK(cudaFree(device_sorted));
    CHECK(cudaFree(scratch));
}
