// y = alpha * A * x + beta * y for a sparse matrix in CSR format.
// One warp per row ("vector" kernel).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void spmvWarp(int rows, const int *ptr, const int *col, const float *val,
                         const float *x, float *y, float alpha, float beta)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;

    int end = ptr[row + 1];
    float sum = 0.0f;
    for (int k = ptr[row] + lane; k < end; k += 32)
        sum += val[k] * x[col[k]];

    for (int off = 16; off > 0; off >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, off);

    if (lane == 0)
        y[row] = alpha * sum + beta * y[row];
}

template <typename T>
T *toDevice(const std::vector<T> &v)
{
    T *d = nullptr;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

int main()
{
    const int rows = 90, cols = 120;
    const float alpha = 2.0f, beta = -0.5f;

    std::vector<int> ptr(1, 0), col;
    std::vector<float> val, x(cols), y(rows), ref(rows);

    unsigned s = 17;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return s >> 16; };

    for (int r = 0; r < rows; r++) {
        int every = 1 + r % 6;               // rows of different length
        for (int c = (int)(rnd() % 3); c < cols; c += every) {
            if (r % 13 == 5)
                break;                       // a few empty rows
            col.push_back(c);
            val.push_back(0.25f * (float)(rnd() % 16) + 0.25f);
        }
        ptr.push_back((int)col.size());
    }
    for (float &f : x)
        f = 1.0f + (float)(rnd() % 8);
    for (float &f : y)
        f = 3.0f + (float)(rnd() % 5);

    for (int r = 0; r < rows; r++) {
        float sum = 0.0f;
        for (int k = ptr[r]; k < ptr[r + 1]; k++)
            sum += val[k] * x[col[k]];
        ref[r] = alpha * sum + beta * y[r];
    }

    int *d_ptr = toDevice(ptr), *d_col = toDevice(col);
    float *d_val = toDevice(val), *d_x = toDevice(x), *d_y = toDevice(y);

    const int threads = 128;
    const int blocks = (rows * 32 + threads - 1) / threads;
    spmvWarp<<<blocks, threads>>>(rows, d_ptr, d_col, d_val, d_x, d_y, alpha, beta);

    cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int r = 0; r < rows; r++) {
        if (!(std::fabs(y[r] - ref[r]) <= 1e-3f * (1.0f + std::fabs(ref[r])))) {
            if (++bad <= 5)
                printf("y[%d] = %f   (reference %f)\n", r, y[r], ref[r]);
        }
    }
    printf(bad ? "SpMV: %d rows wrong\n" : "SpMV: all rows right (%d wrong)\n", bad);

    cudaFree(d_ptr);
    cudaFree(d_col);
    cudaFree(d_val);
    cudaFree(d_x);
    cudaFree(d_y);
    return bad > 0;
}
