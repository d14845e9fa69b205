// Polynomial and its derivative at many points (Horner), unified memory
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>

struct Poly {
    int degree;
    float c[8];        // c[k] belongs to x^k
};

__global__ void evaluate(const Poly *p, const float *x, float *y, float *dy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float t = x[i];
        float value = p->c[p->degree];
        float slope = 0.0f;
        for (int k = p->degree - 1; k >= 0; --k) {
            slope = slope * t + value;
            value = value * t + p->c[k];
        }
        y[i] = value;
        dy[i] = slope;
    }
}

int main()
{
    const int n = 2000;
    const int threads = 128;
    const float coeff[6] = {1.5f, -2.0f, 0.75f, 3.0f, -1.0f, 0.5f};

    Poly *p;
    float *x, *y, *dy;
    cudaMallocManaged(&p, sizeof(Poly));
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&dy, n * sizeof(float));

    p->degree = 5;
    for (int k = 0; k < 6; ++k)
        p->c[k] = coeff[k];
    for (int i = 0; i < n; ++i) {
        x[i] = -1.5f + 3.0f * i / n;
        y[i] = 0.0f;
        dy[i] = 0.0f;
    }

    int blocks = (n + threads - 1) / threads;
    evaluate<<<blocks, threads>>>(p, x, y, dy, n);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        std::cerr << "launch failed: " << cudaGetErrorString(err) << std::endl;
        return 2;
    }
    cudaDeviceSynchronize();

    double maxY = 0.0, maxDy = 0.0;
    for (int i = 0; i < n; ++i) {
        double t = -1.5f + 3.0f * i / n;
        double v = 0.0, s = 0.0, power = 1.0;
        for (int k = 0; k < 6; ++k) {
            v += coeff[k] * power;
            if (k < 5)
                s += (k + 1) * coeff[k + 1] * power;
            power *= t;
        }
        maxY = std::fmax(maxY, std::fabs(v - y[i]));
        maxDy = std::fmax(maxDy, std::fabs(s - dy[i]));
    }
    std::cout << "Max error of the values:     " << maxY << std::endl;
    std::cout << "Max error of the derivative: " << maxDy << std::endl;
    bool pass = maxY < 1e-3 && maxDy < 1e-3;
    std::cout << (pass ? "Test passed" : "Test failed") << std::endl;

    cudaFree(p);
    cudaFree(x);
    cudaFree(y);
    cudaFree(dy);
    return pass ? 0 : 1;
}
