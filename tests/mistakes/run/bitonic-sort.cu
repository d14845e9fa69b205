#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

template <typename T>
__device__ void compareSwap(T &a, T &b, bool up)
{
    if ((a > b) == up) { T t = a; a = b; b = t; }
}

template <typename T>
__global__ void bitonicStep(T *data, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int partner = i ^ j;
    if (partner > i)
        compareSwap(data[i], data[partner], (i & k) == 0);
}

template <typename T>
bool test(int n)
{
    std::vector<T> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = (T)((i * 7919) % 10007) / (T)2;
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            bitonicStep<T><<<n / 128, 128>>>(d, j, k);
    cudaMemcpy(r.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    std::sort(h.begin(), h.end());
    return h == r;
}

int main()
{
    bool ok = test<int>(1024) && test<double>(2048) && test<float>(512);
    printf("%s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
