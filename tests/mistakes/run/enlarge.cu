#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define CHK(x) if ((x) != cudaSuccess) { printf("error at %d\n", __LINE__); exit(1); }

// scale an image by 2 with linear interpolation
__global__ void enlarge(float *out, cudaTextureObject_t tex, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(tex, x * 0.5f + 0.5f, y * 0.5f + 0.5f);
}

int main()
{
    const int w = 40, h = 30, W = 2 * w - 1, H = 2 * h - 1;
    float *img = (float *)malloc(w * h * sizeof(float));
    for (int i = 0; i < w * h; i++) img[i] = (i * 37 % 101);

    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHK(cudaMallocArray(&array, &desc, w, h));
    CHK(cudaMemcpy2DToArray(array, 0, 0, img, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));

    cudaResourceDesc res;
    memset(&res, 0, sizeof(res));
    res.resType = cudaResourceTypeArray;
    res.res.array.array = array;

    cudaTextureDesc td;
    memset(&td, 0, sizeof(td));
    td.addressMode[0] = cudaAddressModeClamp;
    td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    td.readMode = cudaReadModeElementType;
    td.normalizedCoords = 0;

    cudaTextureObject_t tex = 0;
    CHK(cudaCreateTextureObject(&tex, &res, &td, NULL));

    float *d_out;
    CHK(cudaMalloc(&d_out, W * H * sizeof(float)));
    dim3 block(16, 16), grid((W + 15) / 16, (H + 15) / 16);
    enlarge<<<grid, block>>>(d_out, tex, W, H);
    CHK(cudaGetLastError());

    float *out = (float *)malloc(W * H * sizeof(float));
    CHK(cudaMemcpy(out, d_out, W * H * sizeof(float), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int x0 = x / 2, y0 = y / 2, x1 = (x + 1) / 2, y1 = (y + 1) / 2;
            float e = (img[y0 * w + x0] + img[y0 * w + x1] + img[y1 * w + x0] + img[y1 * w + x1]) / 4;
            if (fabsf(e - out[y * W + x]) > 0.5f) bad++;
        }
    printf("%s\n", bad ? "FAIL" : "PASS");
    CHK(cudaDestroyTextureObject(tex));
    CHK(cudaFreeArray(array));
    CHK(cudaFree(d_out));
    free(img);
    free(out);
    return bad ? 1 : 0;
}
