#include <cstdio>
#include <cmath>
#include <curand_kernel.h>

__global__ void setup(curandState *state, unsigned long seed, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) curand_init(seed, id, 0, &state[id]);
}

__global__ void monteCarlo(curandState *state, unsigned long long *hits, int trials, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    curandState local = state[id];
    unsigned long long inside = 0;
    for (int i = 0; i < trials; i++) {
        float x = curand_uniform(&local);
        float y = curand_uniform(&local);
        if (x * x + y * y <= 1.0f) inside++;
    }
    state[id] = local;
    atomicAdd(hits, inside);
}

int main()
{
    const int n = 1000, trials = 200;
    curandState *d_state;
    unsigned long long *d_hits, hits = 0;
    cudaMalloc(&d_state, n * sizeof(curandState));
    cudaMalloc(&d_hits, sizeof(unsigned long long));
    cudaMemset(d_hits, 0, sizeof(unsigned long long));

    setup<<<8, 128>>>(d_state, 1234UL, n);
    monteCarlo<<<8, 128>>>(d_state, d_hits, trials, n);
    cudaMemcpy(&hits, d_hits, sizeof(hits), cudaMemcpyDeviceToHost);

    double pi = 4.0 * hits / ((double)n * trials);
    printf("pi = %f %s\n", pi, fabs(pi - M_PI) < 0.02 ? "PASS" : "FAIL");
    cudaFree(d_state);
    cudaFree(d_hits);
    return fabs(pi - M_PI) < 0.02 ? 0 : 1;
}
