// Estimate pi by throwing darts. Every thread has its own random sequence
// (a linear congruential generator), the CPU repeats exactly the same darts.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define BLOCKS 4
#define THREADS 64
#define DARTS 64
#define RADIUS 32767u      // darts have integer coordinates 0..RADIUS

__device__ unsigned int nextRandom(unsigned int &state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 17;
}

__global__ void throwDarts(unsigned int seed, int darts, unsigned long long *hits)
{
    __shared__ unsigned int blockHits;
    if (threadIdx.x == 0)
        blockHits = 0;
    __syncthreads();

    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = seed + 7919u * (id + 1);
    unsigned int inside = 0;
    for (int d = 0; d < darts; d++) {
        unsigned int x = nextRandom(state);
        unsigned int y = nextRandom(state);
        if (x * x + y * y <= RADIUS * RADIUS)
            inside++;
    }
    atomicAdd(&blockHits, inside);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(hits, (unsigned long long)blockHits);
}

static unsigned long long cpuDarts(unsigned int seed)
{
    unsigned long long hits = 0;
    for (unsigned int id = 0; id < BLOCKS * THREADS; id++) {
        unsigned int z = seed + 7919u * (id + 1);
        for (int d = 0; d < DARTS; d++) {
            unsigned long long x, y, r = 32767;
            z = z * 1664525u + 1013904223u;
            x = z / 131072;
            z = z * 1664525u + 1013904223u;
            y = z / 131072;
            if (x * x + y * y <= r * r)
                hits++;
        }
    }
    return hits;
}

int main()
{
    unsigned long long *d_hits;
    if (cudaMalloc(&d_hits, sizeof(*d_hits)) != cudaSuccess) {
        printf("no GPU memory\n");
        return 3;
    }

    bool allRight = true;
    const unsigned long long total = (unsigned long long)BLOCKS * THREADS * DARTS;

    for (unsigned int round = 1; round <= 2; round++) {
        unsigned int seed = 1000u * round + 1u;
        unsigned long long hits = 0;

        cudaMemset(d_hits, 0, sizeof(*d_hits));
        throwDarts<<<BLOCKS, THREADS>>>(seed, DARTS, d_hits);
        cudaMemcpy(&hits, d_hits, sizeof(hits), cudaMemcpyDeviceToHost);

        double pi = 4.0 * hits / total;
        unsigned long long expected = cpuDarts(seed);
        printf("round %u: pi is about %.4f (GPU hits %llu, CPU hits %llu)\n",
               round, pi, hits, expected);
        if (hits != expected || fabs(pi - 3.14159) > 0.25)
            allRight = false;
    }

    cudaFree(d_hits);
    if (!allRight) {
        printf("Monte Carlo: GPU and CPU disagree\n");
        return 1;
    }
    printf("Monte Carlo: all rounds agree\n");
    return 0;
}
