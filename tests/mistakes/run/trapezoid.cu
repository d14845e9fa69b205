// Integrates 4 / (1 + x^2) from 0 to 1 with the trapezoid rule; the result is pi.
#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

__device__ double f(double x) { return 4.0 / (1.0 + x * x); }

__global__ void trapezoids(double a, double h, double* areas, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = a + i * h;
        double right = left + h;
        areas[i] = 0.5 * (f(left) + f(right)) * h;
    }
}

int main()
{
    const int n = 20000;
    const double a = 0, b = 1;
    double h = (b - a) / n;
    std::vector<double> areas(n);

    double* d_areas = nullptr;
    cudaMalloc(&d_areas, n * sizeof(double));
    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    trapezoids<<<blocks, threads>>>(a, h, d_areas, n);
    cudaMemcpy(areas.data(), d_areas, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_areas);

    double pi = std::accumulate(areas.begin(), areas.end(), 0.0);
    std::cout.precision(12);
    std::cout << "pi = " << pi << std::endl;
    if (std::abs(pi - 3.14159265358979) > 2e-9) {
        std::cout << "This is not pi." << std::endl;
        return 2;
    }
    return 0;
}
