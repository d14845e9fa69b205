// The acceleration of bodies in a plane by all others, from global memory.
#include <cmath>
#include <cstdio>
#include <vector>

struct Body {
    double x, y, mass;
};

__host__ __device__ double2 pull(Body on, Body from)
{
    double dx = from.x - on.x, dy = from.y - on.y;
    double square = dx * dx + dy * dy + 0.01;
    double strength = from.mass / (square * sqrt(square));
    return make_double2(dx * strength, dy * strength);
}

__global__ void accelerate(const Body* bodies, double2* result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double2 sum = make_double2(0, 0);
    for (int j = 0; j < n; ++j) {
        double2 one = pull(bodies[i], bodies[j]);
        sum.x += one.x;
        sum.y += one.y;
    }
    result[i] = sum;
}

int main()
{
    const int n = 150;
    std::vector<Body> bodies(n);
    std::vector<double2> result(n);
    for (int i = 0; i < n; ++i)
        bodies[i] = {i % 12 * 0.5, i / 12 * 0.7, 1.0 + i % 3};
    Body* d_bodies;
    double2* d_result;
    cudaMalloc(&d_bodies, n * sizeof(Body));
    cudaMalloc(&d_result, n * sizeof(double2));
    cudaMemcpy(d_bodies, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    accelerate<<<(n + 31) / 32, 32>>>(d_bodies, d_result, n);
    cudaMemcpy(result.data(), d_result, n * sizeof(double2), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        double x = 0, y = 0;
        for (const Body& other : bodies) {
            double2 one = pull(bodies[i], other);
            x += one.x;
            y += one.y;
        }
        wrong += !(std::fabs(result[i].x - x) < 1e-9 && std::fabs(result[i].y - y) < 1e-9);
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_bodies);
    cudaFree(d_result);
    return wrong > 0;
}
