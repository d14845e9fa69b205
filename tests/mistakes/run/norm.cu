// The Euclidean norm of a vector in double precision, reduced with cooperative groups.
#include <cooperative_groups.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int BLOCK_SIZE = 256;

__global__ void sumOfSquares(const double* x, int n, double* result)
{
    __shared__ double partial[BLOCK_SIZE / 32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);

    double s = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += x[i] * x[i];

    for (int offset = warp.size() / 2; offset > 0; offset /= 2)
        s += warp.shfl_down(s, offset);
    if (warp.thread_rank() == 0)
        partial[threadIdx.x / 32] = s;
    block.sync();

    if (block.thread_rank() == 0) {
        double total = 0.0;
        for (int w = 0; w < BLOCK_SIZE / 32; ++w)
            total += partial[w];
        atomicAdd(result, total);
    }
}

int main()
{
    const int n = 30011;
    std::vector<double> x(n);
    double squares = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 0.001 * (i % 977) - 0.25;
        squares += x[i] * x[i];
    }

    double *d_x, *d_result;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_result, sizeof(double));
    cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_result, 0, sizeof(double));

    sumOfSquares<<<16, BLOCK_SIZE>>>(d_x, n, d_result);

    double result = 0.0;
    cudaMemcpy(&result, d_result, sizeof(double), cudaMemcpyDeviceToHost);
    double norm = std::sqrt(result);
    printf("norm %.12f, expected %.12f\n", norm, std::sqrt(squares));
    cudaFree(d_x);
    cudaFree(d_result);
    return std::fabs(norm - std::sqrt(squares)) < 1e-9 ? 0 : 1;
}
