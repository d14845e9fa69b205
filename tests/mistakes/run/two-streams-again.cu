// Overlap of copies and kernels: the array is processed in chunks,
// the chunks alternate between two streams.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cmath>

const int N = 4000;
const int CHUNK = 900;       // the last chunk is shorter
const int THREADS = 128;

// out[i] = in[i]^2 + (global index of the element)
__global__ void work(const float *in, float *out, int first, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * in[i] + (float)(first + i);
}

int main()
{
    float *h_in, *h_out;
    cudaMallocHost((void **)&h_in, N * sizeof(float));
    cudaMallocHost((void **)&h_out, N * sizeof(float));
    for (int i = 0; i < N; i++) {
        h_in[i] = (float)(i % 97) * 0.5f + 1.0f;
        h_out[i] = -1.0f;
    }

    cudaStream_t stream[2];
    float *d_in[2], *d_out[2];
    for (int b = 0; b < 2; b++) {
        cudaStreamCreate(&stream[b]);
        cudaMalloc(&d_in[b], CHUNK * sizeof(float));
        cudaMalloc(&d_out[b], CHUNK * sizeof(float));
    }

    int chunks = (N + CHUNK - 1) / CHUNK;
    for (int c = 0; c < chunks; c++) {
        int b = c % 2;
        int off = c * CHUNK;
        int count = std::min(CHUNK, N - off);
        int blocks = (count + THREADS - 1) / THREADS;

        cudaMemcpyAsync(d_in[b], h_in + off, count * sizeof(float),
                        cudaMemcpyHostToDevice, stream[b]);
        work<<<blocks, THREADS, 0, stream[b]>>>(d_in[b], d_out[b], off, count);
        cudaMemcpyAsync(h_out + off, d_out[b], count * sizeof(float),
                        cudaMemcpyDeviceToHost, stream[b]);
    }

    for (int b = 0; b < 2; b++)
        cudaStreamSynchronize(stream[b]);

    // verify
    int firstBad = -1, badCount = 0;
    for (int i = 0; i < N; i++) {
        float x = (float)(i % 97) * 0.5f + 1.0f;
        float want = x * x + (float)i;
        if (!(fabsf(h_out[i] - want) < 0.01f)) {
            if (firstBad < 0)
                firstBad = i;
            badCount++;
        }
    }

    // clean up
    for (int b = 0; b < 2; b++) {
        cudaFree(d_in[b]);
        cudaFree(d_out[b]);
        cudaStreamDestroy(stream[b]);
    }
    cudaFreeHost(h_in);
    cudaFreeHost(h_out);

    if (badCount > 0) {
        printf("streams: error, %d bad values, the first at %d\n", badCount, firstBad);
        return 1;
    }
    printf("streams: everything fine\n");
    return 0;
}
