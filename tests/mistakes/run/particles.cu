// Moves particles, an array of structs, for several steps.
#include <chrono>
#include <cstdio>
#include <vector>

struct Particle {
    double x, v;
};

__global__ void move(Particle* particles, int n, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particles[i].v -= particles[i].x * dt;
    particles[i].x += particles[i].v * dt;
}

int main()
{
    const int n = 300, steps = 10;
    const double dt = 0.125;
    std::vector<Particle> particles(n), expected(n);
    for (int i = 0; i < n; ++i)
        particles[i] = expected[i] = {double(i), 1};
    Particle* d_particles = nullptr;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMemcpy(d_particles, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
    for (int step = 0; step < steps; ++step)
        move<<<(n + 127) / 128, 128>>>(d_particles, n, dt);
    cudaMemcpy(particles.data(), d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        for (int step = 0; step < steps; ++step) {
            expected[i].v -= expected[i].x * dt;
            expected[i].x += expected[i].v * dt;
        }
        double error = particles[i].x - expected[i].x;
        wrong += !(error < 1e-9 && error > -1e-9);
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_particles);
    return wrong > 0;
}
