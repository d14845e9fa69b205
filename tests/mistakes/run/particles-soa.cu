// Bouncing particles, stored as a structure of arrays in one device slab
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

const int N = 500;
const int STEPS = 20;
const float BOX = 10.0f;      // walls at x = 0 and x = BOX, floor at y = 0
const float GRAVITY = 9.81f;
const float DAMP = 0.75f;

struct Particles {
    float *x, *y, *vx, *vy;
};

__global__ void advance(Particles p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    float vx = p.vx[i];
    float vy = p.vy[i] - GRAVITY * dt;
    float x = p.x[i] + vx * dt;
    float y = p.y[i] + vy * dt;

    if (y < 0.0f) {
        y = -y;
        vy = -vy * DAMP;
    }
    if (x < 0.0f) {
        x = -x;
        vx = -vx;
    } else if (x > BOX) {
        x = 2.0f * BOX - x;
        vx = -vx;
    }

    p.x[i] = x;
    p.y[i] = y;
    p.vx[i] = vx;
    p.vy[i] = vy;
}

int main()
{
    const float dt = 0.02f;
    std::vector<float> x(N), y(N), vx(N), vy(N), gx(N), gy(N);
    for (int i = 0; i < N; i++) {
        x[i] = 0.1f + (i * 29 % 98) * 0.1f;
        y[i] = 0.05f + (i * 13 % 40) * 0.05f;
        vx[i] = (i % 2 ? 1.0f : -1.0f) * (3.0f + (i % 23) * 0.37f);
        vy[i] = -2.0f + (i % 11) * 0.31f;
    }

    float *slab;
    cudaMalloc(&slab, 4 * N * sizeof(float));
    Particles p;
    p.x = slab;
    p.y = slab + N;
    p.vx = slab + 2 * N;
    p.vy = slab + 3 * N;
    cudaMemcpy(p.x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.vx, vx.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.vy, vy.data(), N * sizeof(float), cudaMemcpyHostToDevice);

    const int block = 64;
    for (int step = 0; step < STEPS; step++)
        advance<<<(N + block - 1) / block, block>>>(p, N, dt);

    cudaMemcpy(gx.data(), p.x, N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(gy.data(), p.y, N * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < N; i++) {
        for (int s = 0; s < 20; s++) {
            vy[i] -= 9.81f * dt;
            x[i] += vx[i] * dt;
            y[i] += vy[i] * dt;
            if (y[i] < 0) { y[i] = -y[i]; vy[i] *= -0.75f; }
            if (x[i] < 0) { x[i] = -x[i]; vx[i] = -vx[i]; }
            else if (x[i] > 10.0f) { x[i] = 20.0f - x[i]; vx[i] = -vx[i]; }
        }
        bool same = std::fabs(x[i] - gx[i]) < 1e-3f && std::fabs(y[i] - gy[i]) < 1e-3f;
        if (!same && ++wrong == 1)
            printf("particle %d: (%.3f, %.3f) instead of (%.3f, %.3f)\n",
                   i, gx[i], gy[i], x[i], y[i]);
    }
    printf("%d of %d particles wrong -> %s\n", wrong, N, wrong ? "BAD" : "GOOD");

    cudaFree(slab);
    return wrong ? 1 : 0;
}
