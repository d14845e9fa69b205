// Random walks with one generator per thread.
#include <cstdio>
#include <cstdlib>
#include <curand_kernel.h>
#include <vector>

__global__ void walk(int* ends, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    curandState state;
    curand_init(7, i, 0, &state);
    int position = 0;
    for (int step = 0; step < steps; ++step)
        position += curand_uniform(&state) < 0.5f ? -1 : 1;
    ends[i] = position;
}

int main()
{
    const int n = 600, steps = 64;
    std::vector<int> ends(n);
    int* d_ends;
    cudaMalloc(&d_ends, n * sizeof(int));
    walk<<<(n + 127) / 128, 128>>>(d_ends, steps, n);
    cudaMemcpy(ends.data(), d_ends, n * sizeof(int), cudaMemcpyDeviceToHost);
    double squares = 0;
    for (int end : ends)
        squares += end * end;
    double mean = squares / n / steps;
    printf("mean square %g\n", mean);
    cudaFree(d_ends);
    return mean < 0.7 || mean > 1.3;
}
