// Adds two vectors; a macro checks every call.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status));   \
            exit(2);                                                                  \
        }                                                                             \
    } while (0)

__global__ void add(const double* a, const double* b, double* c, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 3000, block = 192;
    double *a = new double[n], *b = new double[n], *c = new double[n];
    for (int i = 0; i < n; ++i) {
        a[i] = 0.5 * i;
        b[i] = 3 - i;
    }
    double *dev_a, *dev_b, *dev_c;
    CHECK(cudaMalloc(&dev_a, n * sizeof(double)));
    CHECK(cudaMalloc(&dev_b, n * sizeof(double)));
    CHECK(cudaMalloc(&dev_c, n * sizeof(double)));
    CHECK(cudaMemcpy(dev_a, a, n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dev_b, b, n * sizeof(double), cudaMemcpyHostToDevice));
    add<<<(n + block - 1) / block, block>>>(dev_a, dev_b, dev_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dev_c, n * sizeof(double), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += c[i] != a[i] + b[i];
    printf("%d wrong\n", wrong);
    CHECK(cudaFree(dev_a));
    CHECK(cudaFree(dev_b));
    CHECK(cudaFree(dev_c));
    delete[] a;
    delete[] b;
    delete[] c;
    return wrong > 0;
}
