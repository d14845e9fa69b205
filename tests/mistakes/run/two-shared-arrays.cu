// The covariance of two vectors, with two arrays in one piece of dynamic shared memory.
#include <cstdio>
#include <vector>

__global__ void sums(const double* x, const double* y, double* result, int n)
{
    extern __shared__ double shared[];
    double *products = shared, *both = shared + blockDim.x;
    double product = 0, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        product += x[i] * y[i];
        sum += x[i] + y[i];
    }
    products[threadIdx.x] = product;
    both[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            products[threadIdx.x] += products[threadIdx.x + half];
            both[threadIdx.x] += both[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        result[0] = products[0];
        result[1] = both[0];
    }
}

int main()
{
    const int n = 1000, threads = 64;
    std::vector<double> x(n), y(n);
    double product = 0, sum = 0, result[2];
    for (int i = 0; i < n; ++i) {
        x[i] = i % 9;
        y[i] = i % 4;
        product += x[i] * y[i];
        sum += x[i] + y[i];
    }
    double *d_x, *d_y, *d_result;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_result, sizeof(result));
    cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    sums<<<1, threads, 2 * threads * sizeof(double)>>>(d_x, d_y, d_result, n);
    cudaMemcpy(result, d_result, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%g %g, expected %g %g\n", result[0], result[1], product, sum);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_result);
    return result[0] != product || result[1] != sum;
}
