// 2D convolution with a 5 x 5 mask in constant memory. Pixels outside the image count as 0.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define RADIUS 2
#define SIZE (2 * RADIUS + 1)
#define W 70
#define H 45

__constant__ float mask[SIZE * SIZE];

__global__ void convolve(const float *in, float *out, int w, int h)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (col >= w || row >= h)
        return;

    float sum = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int r = row + dy;
            int c = col + dx;
            if (r >= 0 && r < h && c >= 0 && c < w)
                sum += in[r * w + c] * mask[(dy + RADIUS) * SIZE + dx + RADIUS];
        }
    out[row * w + col] = sum;
}

int main()
{
    static float image[H * W], result[H * W];
    float host_mask[SIZE * SIZE];
    for (int i = 0; i < H * W; i++)
        image[i] = (i * 7) % 32;
    for (int i = 0; i < SIZE * SIZE; i++)
        host_mask[i] = 0.125f * (i % 6 + 1);

    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(image));
    cudaMalloc(&d_out, sizeof(result));
    cudaMemcpy(d_in, image, sizeof(image), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(mask, host_mask, sizeof(host_mask));

    dim3 threads(16, 16);
    dim3 blocks((W + 15) / 16, (H + 15) / 16);
    convolve<<<blocks, threads>>>(d_in, d_out, W, H);
    cudaMemcpy(result, d_out, sizeof(result), cudaMemcpyDeviceToHost);

    int mistakes = 0;
    for (int row = 0; row < H; row++)
        for (int col = 0; col < W; col++) {
            float sum = 0;
            for (int y = 0; y < SIZE; y++)
                for (int x = 0; x < SIZE; x++) {
                    int r = row + y - RADIUS, c = col + x - RADIUS;
                    if (r >= 0 && r < H && c >= 0 && c < W)
                        sum += image[r * W + c] * host_mask[y * SIZE + x];
                }
            if (fabs(sum - result[row * W + col]) > 0.01)
                mistakes++;
        }
    printf("%d wrong pixels\n", mistakes);
    cudaFree(d_in);
    cudaFree(d_out);
    return mistakes == 0 ? 0 : 1;
}
