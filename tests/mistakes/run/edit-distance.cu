// Edit distance (Levenshtein) of two DNA strings.
// One block walks over the anti-diagonals of the table.
#include <cuda_runtime.h>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

__global__ void editTable(const char *a, int m, const char *b, int n, int *D)
{
    int width = n + 1;

    // first column and first row
    for (int i = threadIdx.x; i <= m; i += blockDim.x)
        D[i * width] = i;
    for (int j = threadIdx.x; j <= n; j += blockDim.x)
        D[j] = j;
    __syncthreads();

    for (int d = 2; d <= m + n; d++) {
        int lo = max(1, d - n);
        int hi = min(m, d - 1);
        for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) {
            int j = d - i;
            int change = (a[i - 1] == b[j - 1]) ? 0 : 1;
            int best = D[(i - 1) * width + j - 1] + change;   // replace
            best = min(best, D[(i - 1) * width + j] + 1);     // delete
            best = min(best, D[i * width + j - 1] + 1);       // insert
            D[i * width + j] = best;
        }
        __syncthreads();   // the next diagonal needs this one
    }
}

static std::string dna(int length, unsigned seed)
{
    std::string s;
    for (int i = 0; i < length; i++) {
        seed = seed * 1664525u + 1013904223u;
        s += "ACGT"[seed >> 30];
    }
    return s;
}

int main()
{
    const std::string a = dna(70, 3);
    const std::string b = dna(20, 8) + a.substr(5, 40) + dna(30, 11);
    const int m = (int)a.size(), n = (int)b.size();
    const int cells = (m + 1) * (n + 1);

    // reference, row by row
    std::vector<std::vector<int>> ref(m + 1, std::vector<int>(n + 1));
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0)
                ref[i][j] = i + j;
            else
                ref[i][j] = std::min({ref[i - 1][j] + 1, ref[i][j - 1] + 1,
                                      ref[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        }

    char *d_a, *d_b;
    int *d_D;
    cudaMalloc(&d_a, m);
    cudaMalloc(&d_b, n);
    cudaMalloc(&d_D, cells * sizeof(int));
    cudaMemcpy(d_a, a.data(), m, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n, cudaMemcpyHostToDevice);

    editTable<<<1, 64>>>(d_a, m, d_b, n, d_D);

    std::vector<int> D(cells, 0);
    cudaMemcpy(D.data(), d_D, cells * sizeof(int), cudaMemcpyDeviceToHost);

    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++)
            if (D[i * (n + 1) + j] != ref[i][j]) {
                std::cout << "table differs at (" << i << ", " << j << "): "
                          << D[i * (n + 1) + j] << " should be " << ref[i][j] << std::endl;
                std::cout << "distance WRONG" << std::endl;
                return 1;
            }
    std::cout << "distance " << D[cells - 1] << " verified" << std::endl;

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_D);
    return 0;
}
