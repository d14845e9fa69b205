#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CUDA_SAFE_CALL(x) { cudaError_t err = x; if (err != cudaSuccess) { \
    printf("CUDA error in line %d: %s\n", __LINE__, cudaGetErrorString(err)); exit(1); } }

#define IDX(i, j, k) ((k) * nx * ny + (j) * nx + (i))

__global__ void laplace3d(const float *a, float *b, int nx, int ny, int nz)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    int k = threadIdx.z + blockIdx.z * blockDim.z;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1)
        b[IDX(i, j, k)] = a[IDX(i - 1, j, k)] + a[IDX(i + 1, j, k)]
                        + a[IDX(i, j - 1, k)] + a[IDX(i, j + 1, k)]
                        + a[IDX(i, j, k - 1)] + a[IDX(i, j, k + 1)] - 6.0f * a[IDX(i, j, k)];
}

int main(int argc, char *argv[])
{
    int nx = 35, ny = 22, nz = 18;
    int n = nx * ny * nz;
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = sinf(i * 0.01f);

    float *d_a, *d_b;
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_a, n * sizeof(float)));
    CUDA_SAFE_CALL(cudaMalloc((void **)&d_b, n * sizeof(float)));
    CUDA_SAFE_CALL(cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_SAFE_CALL(cudaMemset(d_b, 0, n * sizeof(float)));

    dim3 block(8, 8, 4);
    dim3 grid((nx + 7) / 8, (ny + 7) / 8, (nz + 3) / 4);
    laplace3d<<<grid, block>>>(d_a, d_b, nx, ny, nz);
    CUDA_SAFE_CALL(cudaGetLastError());
    CUDA_SAFE_CALL(cudaMemcpy(b, d_b, n * sizeof(float), cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                float r = 0;
                if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1)
                    r = a[IDX(i - 1, j, k)] + a[IDX(i + 1, j, k)] + a[IDX(i, j - 1, k)] + a[IDX(i, j + 1, k)]
                      + a[IDX(i, j, k - 1)] + a[IDX(i, j, k + 1)] - 6.0f * a[IDX(i, j, k)];
                if (fabsf(r - b[IDX(i, j, k)]) > 1e-4f) wrong++;
            }
    printf("%d points are wrong: %s\n", wrong, wrong ? "FAIL" : "PASS");
    CUDA_SAFE_CALL(cudaFree(d_a));
    CUDA_SAFE_CALL(cudaFree(d_b));
    free(a);
    free(b);
    return wrong ? 1 : 0;
}
