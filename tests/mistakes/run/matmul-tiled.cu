#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// C (M x N) = A (M x K) * B (K x N), all row-major
template <int BS>
__global__ void matMulTiled(float *C, const float *A, const float *B,
                            int M, int N, int K)
{
    __shared__ float As[BS][BS];
    __shared__ float Bs[BS][BS];

    int row = blockIdx.y * BS + threadIdx.y;
    int col = blockIdx.x * BS + threadIdx.x;

    float acc = 0.0f;
    int tiles = (K + BS - 1) / BS;

    for (int t = 0; t < tiles; ++t) {
        int ak = t * BS + threadIdx.x;
        int bk = t * BS + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ak < K) ? A[row * K + ak] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (bk < K && col < N) ? B[bk * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < BS; ++k)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

static void fill(std::vector<float> &v, unsigned seed)
{
    for (float &f : v) {
        seed = seed * 1664525u + 1013904223u;
        f = (float)(int)((seed >> 24) % 19) - 9.0f;
    }
}

int main()
{
    const int M = 37, N = 45, K = 29;
    const int BS = 8;

    std::vector<float> A(M * K), B(K * N), C(M * N, -1.0f), ref(M * N);
    fill(A, 1);
    fill(B, 2);

    for (int r = 0; r < M; ++r)
        for (int c = 0; c < N; ++c) {
            double s = 0;
            for (int k = 0; k < K; ++k)
                s += (double)A[r * K + k] * B[k * N + c];
            ref[r * N + c] = (float)s;
        }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A.data(), M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(BS, BS);
    dim3 grid((N + BS - 1) / BS, (M + BS - 1) / BS);
    matMulTiled<BS><<<grid, threads>>>(dC, dA, dB, M, N, K);

    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("kernel failed: %s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(C.data(), dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    bool correct = true;
    double worst = 0.0;
    for (int i = 0; i < M * N; ++i) {
        double d = std::fabs((double)C[i] - ref[i]);
        if (!(d <= 1e-3))
            correct = false;
        if (d > worst)
            worst = d;
    }
    printf("Checking computed result for correctness (worst difference %g): ", worst);
    printf("%s\n", correct ? "Result = PASS" : "Result = FAIL");

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return correct ? EXIT_SUCCESS : EXIT_FAILURE;
}
