// All-pairs gravitation, bodies staged through shared memory tile by tile
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define N 100
#define TILE 64
#define EPS2 0.01f

__global__ void accelerations(const float4 *body, float3 *acc, int n)
{
    __shared__ float4 sh[TILE];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n)
        me = body[i];
    float3 a = make_float3(0.0f, 0.0f, 0.0f);

    for (int base = 0; base < n; base += TILE) {
        int j = base + threadIdx.x;
        // bodies behind the end get mass zero
        sh[threadIdx.x] = (j < n) ? body[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();

        for (int k = 0; k < TILE; k++) {
            float dx = sh[k].x - me.x;
            float dy = sh[k].y - me.y;
            float dz = sh[k].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + EPS2;
            float inv = 1.0f / sqrtf(d2);
            float f = sh[k].w * inv * inv * inv;
            a.x += f * dx;
            a.y += f * dy;
            a.z += f * dz;
        }
        __syncthreads();
    }

    if (i < n)
        acc[i] = a;
}

static float frand(float lo, float hi)
{
    return lo + (hi - lo) * (float)(rand() % 10000) / 10000.0f;
}

int main()
{
    float4 *body = (float4 *)malloc(N * sizeof(float4));
    float3 *acc = (float3 *)malloc(N * sizeof(float3));
    srand(2);
    for (int i = 0; i < N; i++)
        body[i] = make_float4(frand(-5, 5), frand(-5, 5), frand(-5, 5), frand(0.5f, 2.0f));

    float4 *d_body;
    float3 *d_acc;
    cudaMalloc((void **)&d_body, N * sizeof(float4));
    cudaMalloc((void **)&d_acc, N * sizeof(float3));
    cudaMemcpy(d_body, body, N * sizeof(float4), cudaMemcpyHostToDevice);

    int threads = TILE;
    int blocks = (N + threads - 1) / threads;
    accelerations<<<blocks, threads>>>(d_body, d_acc, N);
    cudaDeviceSynchronize();

    cudaMemcpy(acc, d_acc, N * sizeof(float3), cudaMemcpyDeviceToHost);

    double worst = 0.0;
    int nanCount = 0;
    for (int i = 0; i < N; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            double dx = body[j].x - body[i].x;
            double dy = body[j].y - body[i].y;
            double dz = body[j].z - body[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + 0.01;
            double f = body[j].w / (d2 * sqrt(d2));
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        double err = fabs(ax - acc[i].x) + fabs(ay - acc[i].y) + fabs(az - acc[i].z);
        double rel = err / (1.0 + fabs(ax) + fabs(ay) + fabs(az));
        if (std::isnan(rel))
            nanCount++;
        else if (rel > worst)
            worst = rel;
    }

    printf("worst relative error: %g, NaN results: %d\n", worst, nanCount);
    cudaFree(d_body);
    cudaFree(d_acc);
    free(body);
    free(acc);
    if (worst > 1e-3 || nanCount > 0) {
        printf("N-body FAILED\n");
        exit(EXIT_FAILURE);
    }
    printf("N-body PASSED\n");
    return 0;
}
