#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>

// explicit finite differences for u_t = alpha (u_xx + u_yy)
__global__ void step(const double *u, double *v, int nx, int ny, double r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    int p = j * nx + i;
    if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1)
        v[p] = u[p];
    else
        v[p] = u[p] + r * (u[p - 1] + u[p + 1] + u[p - nx] + u[p + nx] - 4.0 * u[p]);
}

void stepHost(const std::vector<double> &u, std::vector<double> &v, int nx, int ny, double r)
{
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int p = j * nx + i;
            if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) v[p] = u[p];
            else v[p] = u[p] + r * (u[p - 1] + u[p + 1] + u[p - nx] + u[p + nx] - 4.0 * u[p]);
        }
}

int main()
{
    const int nx = 61, ny = 45, steps = 50;
    const double alpha = 1.0, dx = 0.1, dt = 0.0024;
    const double r = alpha * dt / (dx * dx);
    std::vector<double> u(nx * ny, 0.0), v(nx * ny, 0.0), result(nx * ny);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            u[j * nx + i] = std::exp(-0.01 * ((i - 30) * (i - 30) + (j - 20) * (j - 20)));

    size_t bytes = nx * ny * sizeof(double);
    double *d_u, *d_v;
    cudaMalloc(&d_u, bytes);
    cudaMalloc(&d_v, bytes);
    cudaMemcpy(d_u, u.data(), bytes, cudaMemcpyHostToDevice);

    dim3 threads(16, 16);
    dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
    for (int s = 0; s < steps; s++) {
        step<<<blocks, threads>>>(d_u, d_v, nx, ny, r);
        std::swap(d_u, d_v);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(result.data(), d_u, bytes, cudaMemcpyDeviceToHost);

    for (int s = 0; s < steps; s++) {
        stepHost(u, v, nx, ny, r);
        u.swap(v);
    }
    double diff = 0;
    for (int p = 0; p < nx * ny; p++) diff = std::max(diff, std::fabs(u[p] - result[p]));
    printf("largest difference %g: %s\n", diff, diff < 1e-12 ? "PASS" : "FAIL");
    cudaFree(d_u);
    cudaFree(d_v);
    return diff < 1e-12 ? 0 : 1;
}
