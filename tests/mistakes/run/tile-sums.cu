// The sums of groups of 16 threads, with cooperative groups.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0 && i < n)
        out[i / 16] = sum;
}

int main()
{
    const int n = 1000, groups = (n + 15) / 16;
    std::vector<int> in(n), out(groups);
    for (int i = 0; i < n; ++i)
        in[i] = i % 21;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, groups * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    tile_sums<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, groups * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int group = 0; group < groups; ++group) {
        int sum = 0;
        for (int i = group * 16; i < group * 16 + 16 && i < n; ++i)
            sum += in[i];
        wrong += out[group] != sum;
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong > 0;
}
