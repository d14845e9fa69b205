#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Particles {
    float *x, *y, *vx, *vy;
    int n;
};

__device__ void bounce(float &p, float &v, float lo, float hi)
{
    if (p < lo) { p = 2 * lo - p; v = -v; }
    if (p > hi) { p = 2 * hi - p; v = -v; }
}

__global__ void move(Particles p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    float x = p.x[i] + p.vx[i] * dt;
    float y = p.y[i] + p.vy[i] * dt;
    bounce(x, p.vx[i], 0.0f, 1.0f);
    bounce(y, p.vy[i], 0.0f, 1.0f);
    p.x[i] = x;
    p.y[i] = y;
}

static float *upload(const float *h, int n)
{
    float *d = nullptr;
    if (cudaMalloc(&d, n * sizeof(float)) != cudaSuccess) { puts("no memory"); exit(1); }
    if (cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) { puts("copy"); exit(1); }
    return d;
}

int main()
{
    const int n = 777, steps = 10;
    const float dt = 0.05f;
    float *x = new float[n], *y = new float[n], *vx = new float[n], *vy = new float[n];
    for (int i = 0; i < n; i++) {
        x[i] = (i % 100) / 100.0f; y[i] = (i % 37) / 37.0f;
        vx[i] = (i % 13 - 6) * 0.3f; vy[i] = (i % 7 - 3) * 0.2f;
    }
    Particles d;
    d.n = n;
    d.x = upload(x, n); d.y = upload(y, n);
    d.vx = upload(vx, n); d.vy = upload(vy, n);

    for (int s = 0; s < steps; s++)
        move<<<(n + 127) / 128, 128>>>(d, dt);
    float *rx = new float[n];
    cudaMemcpy(rx, d.x, n * sizeof(float), cudaMemcpyDeviceToHost);

    float worst = 0;
    for (int i = 0; i < n; i++) {
        float p = x[i], v = vx[i];
        for (int s = 0; s < steps; s++) {
            p += v * dt;
            if (p < 0) { p = -p; v = -v; }
            if (p > 1) { p = 2 - p; v = -v; }
        }
        worst = fmaxf(worst, fabsf(p - rx[i]));
    }
    printf("%s %g\n", worst < 1e-4f ? "PASS" : "FAIL", worst);
    cudaFree(d.x); cudaFree(d.y); cudaFree(d.vx); cudaFree(d.vy);
    delete[] x; delete[] y; delete[] vx; delete[] vy; delete[] rx;
    return worst < 1e-4f ? 0 : 1;
}
