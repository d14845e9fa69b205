#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__device__ double f(double x) { return exp(-x * x) * cos(x); }

__global__ void simpson(double a, double h, int n, double *sum)
{
    __shared__ double part[128];
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double x = a + i * h;
        s += h / 6 * (f(x) + 4 * f(x + h / 2) + f(x + h));
    }
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = 64; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

int main()
{
    const double a = -3, b = 3;
    const int n = 20000;
    double *d_sum, sum;
    CHECK(cudaMalloc(&d_sum, sizeof(double)));
    CHECK(cudaMemset(d_sum, 0, sizeof(double)));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    simpson<<<30, 128>>>(a, (b - a) / n, n, d_sum);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(&sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost));

    double ref = 0, h = (b - a) / n;
    for (int i = 0; i < n; i++) {
        double x = a + (i + 0.5) * h;
        ref += h * exp(-x * x) * cos(x);
    }
    printf("integral %.9f reference %.9f in %.3f ms: %s\n", sum, ref, ms, fabs(sum - ref) < 1e-6 ? "PASS" : "FAIL");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_sum));
    return fabs(sum - ref) < 1e-6 ? 0 : 1;
}
