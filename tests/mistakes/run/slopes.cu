// The slope of a sampled curve; the samples are read through a texture on linear memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 3000

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(status));
        exit(2);
    }
}

__global__ void slopes(cudaTextureObject_t samples, float *out, int n, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float left = tex1Dfetch<float>(samples, i - 1);
        float right = tex1Dfetch<float>(samples, i + 1);
        out[i] = (right - left) / (2 * h);
    } else if (i < n)
        out[i] = 0;
}

int main()
{
    static float curve[N], result[N];
    for (int i = 0; i < N; i++)
        curve[i] = 0.25f * (i % 50) * (i % 50);

    float *d_curve, *d_out;
    check(cudaMalloc(&d_curve, N * sizeof(float)), "malloc");
    check(cudaMalloc(&d_out, N * sizeof(float)), "malloc");
    check(cudaMemcpy(d_curve, curve, N * sizeof(float), cudaMemcpyHostToDevice), "copy");

    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_curve;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = N * sizeof(float);
    cudaTextureDesc description;
    memset(&description, 0, sizeof(description));
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    check(cudaCreateTextureObject(&texture, &resource, &description, NULL), "texture");

    slopes<<<(N + 127) / 128, 128>>>(texture, d_out, N, 0.5f);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(result, d_out, N * sizeof(float), cudaMemcpyDeviceToHost), "copy back");

    int wrong = 0;
    for (int i = 1; i < N - 1; i++)
        wrong += result[i] != curve[i + 1] - curve[i - 1];
    printf("wrong slopes: %d\n", wrong);
    cudaDestroyTextureObject(texture);
    cudaFree(d_curve);
    cudaFree(d_out);
    return wrong ? 1 : 0;
}
