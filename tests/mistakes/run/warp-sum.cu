// Sums of 32 elements, each by one warp with shuffles.
#include <cstdio>
#include <vector>

__global__ void warp_sums(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int sum = in[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[i / 32] = sum;
}

int main()
{
    const int warps = 48, n = warps * 32;
    std::vector<int> in(n), out(warps);
    for (int i = 0; i < n; ++i)
        in[i] = i * i % 50;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, warps * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    warp_sums<<<n / 128, 128>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, warps * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int warp = 0; warp < warps; ++warp) {
        int sum = 0;
        for (int lane = 0; lane < 32; ++lane)
            sum += in[warp * 32 + lane];
        wrong += out[warp] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}
