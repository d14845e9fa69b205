/*
 * Assignment 3: 3x3 box blur of a grey image.
 * The block keeps its tile plus a border ("halo") in shared memory.
 * Pixels outside the image repeat the nearest border pixel.
 */
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define W 70
#define H 45
#define TILE 16
#define R 1

__global__ void blur3x3(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ int tile[TILE + 2 * R][TILE + 2 * R];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;

    // load the tile and its halo together
    for (int j = ty; j < TILE + 2 * R; j += TILE) {
        for (int i = tx; i < TILE + 2 * R; i += TILE) {
            int gx = (int)(blockIdx.x * TILE) + i - R;
            int gy = (int)(blockIdx.y * TILE) + j - R;
            if (gx < 0) gx = 0;
            if (gx >= w) gx = w - 1;
            if (gy < 0) gy = 0;
            if (gy >= h) gy = h - 1;
            tile[j][i] = in[gy * w + gx];
        }
    }
    __syncthreads();

    if (x >= w || y >= h)
        return;

    int sum = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            sum += tile[ty + R + dy][tx + R + dx];
    out[y * w + x] = sum / 9;
}

static int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

int main()
{
    std::vector<unsigned char> img(W * H), gpu(W * H, 0), ref(W * H);
    unsigned int s = 99;
    for (size_t i = 0; i < img.size(); i++) {
        s = s * 1103515245u + 12345u;
        img[i] = (s >> 16) & 0xff;
    }

    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int total = 0;
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++)
                    total += img[clampi(y + b, 0, H - 1) * W + clampi(x + a, 0, W - 1)];
            ref[y * W + x] = (unsigned char)(total / 9);
        }

    unsigned char *d_in, *d_out;
    cudaMalloc(&d_in, W * H);
    cudaMalloc(&d_out, W * H);
    cudaMemcpy(d_in, img.data(), W * H, cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((W + TILE - 1) / TILE, (H + TILE - 1) / TILE);
    blur3x3<<<grid, block>>>(d_in, d_out, W, H);

    cudaMemcpy(gpu.data(), d_out, W * H, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < W * H; i++)
        if (gpu[i] != ref[i]) {
            if (bad < 3)
                std::cout << "pixel (" << i % W << "," << i / W << "): "
                          << int(gpu[i]) << " instead of " << int(ref[i]) << "\n";
            bad++;
        }
    if (bad == 0)
        std::cout << "PASSED\n";
    else
        std::cout << "FAILED (" << bad << " pixels differ)\n";

    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
