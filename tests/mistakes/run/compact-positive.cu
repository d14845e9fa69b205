// Stream compaction: keep the positive numbers, in order.
// flag -> exclusive scan (Blelloch, one block) -> scatter
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int N = 450;       // elements
const int PADDED = 512;  // next power of two

__global__ void markPositive(const int *in, int *flag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        flag[i] = in[i] > 0 ? 1 : 0;
    else
        flag[i] = 0;     // padding
}

__global__ void exclusiveScan(const int *in, int *out)
{
    __shared__ int s[PADDED];
    int t = threadIdx.x;
    int offset = 1;

    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];

    for (int d = PADDED >> 1; d > 0; d >>= 1) {     // up-sweep
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            s[bi] += s[ai];
        }
        offset *= 2;
    }
    if (t == 0)
        s[PADDED - 1] = 0;
    for (int d = 1; d < PADDED; d *= 2) {           // down-sweep
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1;
            int right = offset * (2 * t + 2) - 1;
            int tmp = s[left];
            s[left] = s[right];
            s[right] += tmp;
        }
    }
    __syncthreads();

    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}

__global__ void scatter(const int *in, const int *flag, const int *pos, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag[i])
        out[pos[i]] = in[i];
}

int main()
{
    std::vector<int> h(N), want;
    srand(31);
    for (int i = 0; i < N; i++)
        h[i] = rand() % 41 - 20;
    h[10] = 0;
    h[N - 1] = 77;
    for (int v : h)
        if (v > 0)
            want.push_back(v);

    int *d_in, *d_flag, *d_pos, *d_out;
    cudaMalloc(&d_in, N * sizeof(int));
    cudaMalloc(&d_flag, PADDED * sizeof(int));
    cudaMalloc(&d_pos, PADDED * sizeof(int));
    cudaMalloc(&d_out, N * sizeof(int));
    cudaMemcpy(d_in, h.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, N * sizeof(int));

    markPositive<<<PADDED / 128, 128>>>(d_in, d_flag, N);
    exclusiveScan<<<1, PADDED / 2>>>(d_flag, d_pos);
    scatter<<<PADDED / 128, 128>>>(d_in, d_flag, d_pos, d_out, N);

    int lastPos = 0, lastFlag = 0;
    cudaMemcpy(&lastPos, d_pos + N - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&lastFlag, d_flag + N - 1, sizeof(int), cudaMemcpyDeviceToHost);
    int count = lastPos + lastFlag;
    if (count != (int)want.size()) {
        printf("FAILED: kept %d numbers, expected %d\n", count, (int)want.size());
        return 1;
    }

    std::vector<int> got(count);
    cudaMemcpy(got.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost);
    if (got != want) {
        printf("FAILED: right count but wrong numbers\n");
        return 1;
    }
    printf("PASSED: %d of %d numbers kept\n", count, N);

    cudaFree(d_in);
    cudaFree(d_flag);
    cudaFree(d_pos);
    cudaFree(d_out);
    return 0;
}
