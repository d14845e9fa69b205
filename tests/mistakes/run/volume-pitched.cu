#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) { printf("%d: %s\n", __LINE__, cudaGetErrorName(r_)); exit(1); } } while (0)

__global__ void addOne(cudaPitchedPtr p, cudaExtent e)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    int z = blockIdx.z;
    int w = e.width / sizeof(int);
    if (x < w && y < e.height && z < e.depth) {
        char *slice = (char *)p.ptr + z * p.pitch * e.height;
        int *row = (int *)(slice + y * p.pitch);
        row[x] += 1;
    }
}

int main()
{
    const int w = 21, h = 13, d = 6;
    int *host = (int *)malloc(w * h * d * sizeof(int));
    int *back = (int *)malloc(w * h * d * sizeof(int));
    for (int i = 0; i < w * h * d; i++) host[i] = i;

    cudaExtent extent = make_cudaExtent(w * sizeof(int), h, d);
    cudaPitchedPtr dev;
    CHECK(cudaMalloc3D(&dev, extent));

    cudaMemcpy3DParms p = {0};
    p.srcPtr = make_cudaPitchedPtr(host, w * sizeof(int), w, h);
    p.dstPtr = dev;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));

    addOne<<<dim3(2, 2, d), dim3(16, 8)>>>(dev, extent);
    CHECK(cudaGetLastError());

    cudaMemcpy3DParms q = {0};
    q.srcPtr = dev;
    q.dstPtr = make_cudaPitchedPtr(back, w * sizeof(int), w, h);
    q.extent = extent;
    q.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&q));

    int bad = 0;
    for (int i = 0; i < w * h * d; i++) bad += back[i] != host[i] + 1;
    printf("%s (%d)\n", bad ? "FAIL" : "PASS", bad);
    CHECK(cudaFree(dev.ptr));
    free(host);
    free(back);
    return bad ? 1 : 0;
}
