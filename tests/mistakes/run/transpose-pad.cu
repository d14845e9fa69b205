#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TILE_DIM   32
#define BLOCK_ROWS 8

// The extra column avoids shared memory bank conflicts.
__global__ void transposePadded(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;   // block offset transposed
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// returns the number of wrong elements
int check(const float *in, const float *out, int width, int height)
{
    int wrong = 0;
    for (int r = 0; r < height; r++) {
        for (int c = 0; c < width; c++) {
            if (out[c * height + r] != in[r * width + c]) {
                if (wrong == 0)
                    printf("mismatch at row %d column %d: %f vs %f\n",
                           c, r, out[c * height + r], in[r * width + c]);
                wrong++;
            }
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int width = 100, height = 67;
    size_t size = width * height * sizeof(float);

    float *h_in = (float *)malloc(size);
    float *h_out = (float *)malloc(size);
    for (int i = 0; i < width * height; i++) {
        h_in[i] = 1.0f + (float)i;
        h_out[i] = -1.0f;
    }

    float *d_in, *d_out;
    cudaMalloc((void **)&d_in, size);
    cudaMalloc((void **)&d_out, size);
    cudaMemcpy(d_in, h_in, size, cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_DIM, BLOCK_ROWS);
    dim3 dimGrid((width + TILE_DIM - 1) / TILE_DIM,
                 (height + TILE_DIM - 1) / TILE_DIM);
    transposePadded<<<dimGrid, dimBlock>>>(d_out, d_in, width, height);

    cudaMemcpy(h_out, d_out, size, cudaMemcpyDeviceToHost);

    int wrong = check(h_in, h_out, width, height);
    if (wrong)
        printf("%d errors\n", wrong);
    else
        printf("transpose ok\n");

    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    return wrong != 0;
}
