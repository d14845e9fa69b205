/* Letter frequencies of a text, upper and lower case counted together.
   Each block counts into its own (private) histogram in shared memory. */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <string>

#define LETTERS 26

__global__ void letterHist(const char *text, int len, unsigned int *bins)
{
    __shared__ unsigned int local[LETTERS];
    if (threadIdx.x < LETTERS)
        local[threadIdx.x] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (i < len) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        if (c >= 'a' && c <= 'z')
            atomicAdd(&local[c - 'a'], 1u);
        i += stride;
    }
    __syncthreads();

    if (threadIdx.x < LETTERS)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    // make a text with letters, digits, blanks and punctuation
    std::string text;
    unsigned int r = 2024;
    for (int i = 0; i < 6000; i++) {
        r = r * 1664525u + 1013904223u;
        text += (char)(' ' + (r >> 16) % 95);
    }
    int len = (int)text.size();

    unsigned int want[LETTERS];
    memset(want, 0, sizeof(want));
    for (char c : text) {
        if (c >= 'a' && c <= 'z') want[c - 'a']++;
        if (c >= 'A' && c <= 'Z') want[c - 'A']++;
    }

    char *d_text;
    unsigned int *d_bins;
    cudaMalloc((void **)&d_text, len);
    cudaMalloc((void **)&d_bins, LETTERS * sizeof(unsigned int));
    cudaMemcpy(d_text, text.c_str(), len, cudaMemcpyHostToDevice);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float ms = 0.0f;

    // the first round only warms up
    for (int round = 0; round < 2; round++) {
        cudaMemset(d_bins, 0, LETTERS * sizeof(unsigned int));
        cudaEventRecord(start);
        letterHist<<<8, 64>>>(d_text, len, d_bins);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
    }

    unsigned int got[LETTERS] = {0};
    cudaMemcpy(got, d_bins, LETTERS * sizeof(unsigned int), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int b = 0; b < LETTERS; b++) {
        if (got[b] != want[b]) {
            printf("  %c: counted %u, there are %u\n", 'a' + b, got[b], want[b]);
            wrong++;
        }
    }
    printf("histogram %s (%d wrong bins)\n", wrong ? "WRONG" : "correct", wrong);

    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(d_text);
    cudaFree(d_bins);
    return wrong ? 1 : 0;
}
