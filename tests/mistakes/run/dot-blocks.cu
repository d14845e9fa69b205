#include <stdio.h>
#include <cuda_runtime.h>

#define imin(a, b) ((a) < (b) ? (a) : (b))

const int N = 5000;
const int threadsPerBlock = 128;
const int blocksPerGrid = imin(8, (N + threadsPerBlock - 1) / threadsPerBlock);

__global__ void dot(const float *a, const float *b, float *c)
{
    __shared__ float cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    float temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }

    // set the cache values
    cache[cacheIndex] = temp;

    // synchronize threads in this block
    __syncthreads();

    // for reductions, threadsPerBlock must be a power of 2
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) {
            cache[cacheIndex] += cache[cacheIndex + i];
        }
        __syncthreads();
        i /= 2;
    }

    if (cacheIndex == 0)
        atomicAdd(c, cache[0]);
}

float dotOnGpu(const float *dev_a, const float *dev_b, float *dev_c)
{
    float c = -1.0f;
    cudaMemset(dev_c, 0, sizeof(float));
    dot<<<blocksPerGrid, threadsPerBlock>>>(dev_a, dev_b, dev_c);
    cudaMemcpy(&c, dev_c, sizeof(float), cudaMemcpyDeviceToHost);
    return c;
}

int main(void)
{
    float *a = new float[N];
    float *b = new float[N];
    float *dev_a, *dev_b, *dev_c;

    // fill in the host memory with data (all products are exact in float)
    double ab = 0, aa = 0;
    for (int i = 0; i < N; i++) {
        a[i] = 0.5f * (i % 7) + 0.5f;
        b[i] = 0.25f * (i % 9) - 0.5f;
        ab += (double)a[i] * b[i];
        aa += (double)a[i] * a[i];
    }

    // allocate the memory on the GPU
    cudaMalloc((void **)&dev_a, N * sizeof(float));
    cudaMalloc((void **)&dev_b, N * sizeof(float));
    cudaMalloc((void **)&dev_c, sizeof(float));

    // copy the arrays 'a' and 'b' to the GPU
    cudaMemcpy(dev_a, a, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, N * sizeof(float), cudaMemcpyHostToDevice);

    float gpu_ab = dotOnGpu(dev_a, dev_b, dev_c);
    float gpu_aa = dotOnGpu(dev_a, dev_a, dev_c);

    printf("Does GPU value %.6g = %.6g?\n", gpu_ab, ab);
    printf("Does GPU value %.6g = %.6g?\n", gpu_aa, aa);
    int yes = (gpu_ab == (float)ab) && (gpu_aa == (float)aa);
    printf(yes ? "Yes, both.\n" : "NO!\n");

    cudaFree(dev_a);
    cudaFree(dev_b);
    cudaFree(dev_c);
    delete[] a;
    delete[] b;
    return yes ? 0 : 1;
}
