#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int tileSum(cg::thread_block_tile<32> g, int v)
{
    for (int i = g.size() / 2; i > 0; i /= 2)
        v += g.shfl_down(v, i);
    return v;
}

// two phases in one kernel, with a barrier of the whole grid
__global__ void normalize(int *data, int *total, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += data[i];
    sum = tileSum(tile, sum);
    if (tile.thread_rank() == 0) atomicAdd(total, sum);
    grid.sync();
    int mean = *total / n;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        data[i] -= mean;
}

int main()
{
    int n = 5000;
    std::vector<int> h(n), r(n);
    long s = 0;
    for (int i = 0; i < n; i++) { h[i] = 50 + i % 100; s += h[i]; }
    int *data, *total;
    cudaMalloc(&data, n * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    cudaMemcpy(data, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    void *args[] = {&data, &total, &n};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)normalize, dim3(8), dim3(128), args, 0, 0);
    if (e != cudaSuccess) { printf("launch: %s\n", cudaGetErrorString(e)); return 1; }
    cudaMemcpy(r.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && r[i] == h[i] - s / n;
    printf("%s\n", ok ? "PASS" : "FAIL");
    cudaFree(data);
    cudaFree(total);
    return ok ? 0 : 1;
}
