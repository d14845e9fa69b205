// Heat equation on a small 3D box, explicit 7-point stencil.
// The faces of the box keep their temperature.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#define NX 20
#define NY 15
#define NZ 11
#define STEPS 3

#define BX 8
#define BY 4
#define BZ 2

__device__ int at(int x, int y, int z)
{
    return (z * NY + y) * NX + x;
}

__global__ void heatStep(const float *t, float *tnew, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;

    if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1 || z < 1 || z >= NZ - 1)
        return;

    float middle = t[at(x, y, z)];
    float around = t[at(x - 1, y, z)] + t[at(x + 1, y, z)]
                 + t[at(x, y - 1, z)] + t[at(x, y + 1, z)]
                 + t[at(x, y, z - 1)] + t[at(x, y, z + 1)];
    tnew[at(x, y, z)] = middle + c * (around - 6.0f * middle);
}

static void hostStep(const std::vector<float> &t, std::vector<float> &u, float c)
{
    const int sy = NX, sz = NX * NY;
    for (int z = 1; z < NZ - 1; z++)
        for (int y = 1; y < NY - 1; y++)
            for (int x = 1; x < NX - 1; x++) {
                int p = x + y * sy + z * sz;
                u[p] = t[p] + c * (t[p - 1] + t[p + 1] + t[p - sy] + t[p + sy]
                                   + t[p - sz] + t[p + sz] - 6.0f * t[p]);
            }
}

int main()
{
    const int cells = NX * NY * NZ;
    const size_t bytes = cells * sizeof(float);
    const float c = 0.125f;

    std::vector<float> start(cells), result(cells);
    for (int i = 0; i < cells; i++)
        start[i] = 20.0f + (float)((i * 37 + i / 7) % 61);

    std::vector<float> refA = start, refB = start;
    for (int s = 0; s < STEPS; s++) {
        hostStep(refA, refB, c);
        std::swap(refA, refB);
    }

    float *d_a, *d_b;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMemcpy(d_a, start.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, start.data(), bytes, cudaMemcpyHostToDevice);

    dim3 block(BX, BY, BZ);
    dim3 grid((NX + BX - 1) / BX, (NY + BY - 1) / BY, (NZ + BZ - 1) / BZ);
    for (int s = 0; s < STEPS; s++) {
        heatStep<<<grid, block>>>(d_a, d_b, c);
        std::swap(d_a, d_b);
    }
    cudaMemcpy(result.data(), d_a, bytes, cudaMemcpyDeviceToHost);

    float maxDiff = 0.0f;
    int where = -1;
    for (int i = 0; i < cells; i++) {
        float d = std::fabs(result[i] - refA[i]);
        if (!(d <= maxDiff)) {
            maxDiff = d;
            where = i;
        }
    }
    printf("largest difference %g at cell %d\n", maxDiff, where);
    bool good = maxDiff < 1e-3f;
    puts(good ? "SUCCESS" : "FAILURE");

    cudaFree(d_a);
    cudaFree(d_b);
    return good ? 0 : 1;
}
