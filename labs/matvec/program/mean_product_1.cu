// For each matrix of a batch: the means of its rows, and the product of a factor matrix with these means. Version
// 1: one block processes the matrices one after the other, so only one SM (streaming multiprocessor) works.
//
//   means[r] = (sum of row r of the matrix) / LENGTH          thread r of the block
//   result   = factor * means                                 a tree of LENGTH numbers per element
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t error = (call);                                                             \
        if (error != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (false)

constexpr int LENGTH = 128;  // rows and columns of each matrix, and threads of the block

__global__ void mean_product(const double* matrices, const double* factor, double* results, int batch)
{
    __shared__ double part[LENGTH];
    for (int number = 0; number < batch; ++number) {
        const double* matrix = matrices + size_t(number) * LENGTH * LENGTH;
        double mean = 0;
        for (int column = 0; column < LENGTH; ++column)
            mean += matrix[threadIdx.x * LENGTH + column];
        mean /= LENGTH;
        for (int row = 0; row < LENGTH; ++row) {
            part[threadIdx.x] = factor[row * LENGTH + threadIdx.x] * mean;
            __syncthreads();
            for (int half = LENGTH / 2; half > 0; half /= 2) {
                if (threadIdx.x < half)
                    part[threadIdx.x] += part[threadIdx.x + half];
                __syncthreads();
            }
            if (threadIdx.x == 0)
                results[number * LENGTH + row] = part[0];
            __syncthreads();
        }
    }
}

void on_the_host(const double* matrix, const double* factor, double* result)
{
    std::vector<double> means(LENGTH);
    for (int row = 0; row < LENGTH; ++row) {
        for (int column = 0; column < LENGTH; ++column)
            means[row] += matrix[row * LENGTH + column];
        means[row] /= LENGTH;
    }
    for (int row = 0; row < LENGTH; ++row) {
        result[row] = 0;
        for (int column = 0; column < LENGTH; ++column)
            result[row] += factor[row * LENGTH + column] * means[column];
    }
}

int main(int argc, char** argv)
{
    const int batch = argc > 1 ? std::atoi(argv[1]) : 2;
    const size_t of_matrix = size_t(LENGTH) * LENGTH;
    std::vector<double> matrices(batch * of_matrix), factor(of_matrix), results(batch * LENGTH), expected(LENGTH);
    for (size_t i = 0; i < matrices.size(); ++i)
        matrices[i] = double(i % 17) / 16;
    for (size_t i = 0; i < of_matrix; ++i)
        factor[i] = double(i % 5) - 2;

    double *device_matrices, *device_factor, *device_results;
    CHECK(cudaMalloc(&device_matrices, matrices.size() * sizeof(double)));
    CHECK(cudaMalloc(&device_factor, factor.size() * sizeof(double)));
    CHECK(cudaMalloc(&device_results, results.size() * sizeof(double)));
    CHECK(cudaMemcpy(device_matrices, matrices.data(), matrices.size() * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_factor, factor.data(), factor.size() * sizeof(double), cudaMemcpyHostToDevice));

    mean_product<<<1, LENGTH>>>(device_matrices, device_factor, device_results, batch);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(results.data(), device_results, results.size() * sizeof(double), cudaMemcpyDeviceToHost));

    double largest_error = 0;
    for (int number = 0; number < batch; ++number) {
        on_the_host(matrices.data() + number * of_matrix, factor.data(), expected.data());
        for (int row = 0; row < LENGTH; ++row)
            largest_error = std::fmax(largest_error, std::fabs(results[number * LENGTH + row] - expected[row]));
    }
    std::printf("%d matrices: %s\n", batch, largest_error < 1e-9 ? "right" : "wrong");

    CHECK(cudaFree(device_matrices));
    CHECK(cudaFree(device_factor));
    CHECK(cudaFree(device_results));
    return largest_error < 1e-9 ? 0 : 1;
}
