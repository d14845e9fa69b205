// Multiplies a sparse matrix by a vector with NVIDIA's library cuSPARSE and prints the time: the peer of ../6_merge_best.cu.
//
//     cusparse_spmv [ROWS [USUAL [LONG]]]
//
// A row has USUAL entries, about one in 1024 has LONG. Link with -lcusparse. cuSPARSE belongs to the CUDA Toolkit.
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                 \
    do {                                                            \
        const int status = static_cast<int>(call);                  \
        if (status != 0) {                                          \
            std::fprintf(stderr, "line %d: %d\n", __LINE__, status); \
            std::exit(1);                                           \
        }                                                           \
    } while (false)

template <typename T>
T* on_device(const std::vector<T>& values)
{
    T* device;
    CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// Compressed sparse rows: the entries of row r are those from first[r] to first[r + 1].
struct Csr {
    std::vector<int> first, columns;
    std::vector<float> values;
};

std::vector<float> random_values(size_t count, std::mt19937& random)
{
    std::vector<float> values(count);
    for (float& value : values)
        value = random() % 2000 / 1000.0f - 1;
    return values;
}

Csr random_matrix(int rows, int usual, int longest, std::mt19937& random)
{
    Csr matrix{std::vector<int>(rows + 1), {}, {}};
    std::vector<int>& first = matrix.first;
    for (int row = 0; row < rows; ++row)
        first[row + 1] = first[row] + (random() % 1024 == 0 ? longest : usual);
    for (int row = 0; row < rows; ++row)
        for (int i = first[row], length = first[row + 1] - i; i < first[row + 1]; ++i)
            matrix.columns.push_back(((i - first[row]) * 1LL * rows + random() % rows) / length);  // ascending
    matrix.values = random_values(first[rows], random);
    return matrix;
}

bool is_right(const Csr& matrix, const std::vector<float>& x, const std::vector<float>& y)
{
    for (size_t row = 0; row < y.size(); ++row) {
        double sum = 0, size = 0;
        for (int i = matrix.first[row]; i < matrix.first[row + 1]; ++i) {
            const double product = double(matrix.values[i]) * x[matrix.columns[i]];
            sum += product;
            size += std::abs(product);
        }
        if (std::abs(y[row] - sum) > 1e-5 * size)
            return false;
    }
    return true;
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 10000;
    const int usual = argc > 2 ? std::atoi(argv[2]) : 8, longest = argc > 3 ? std::atoi(argv[3]) : 1000;
    std::mt19937 random;
    const Csr host = random_matrix(rows, usual, longest, random);
    const int entries = host.first[rows];
    const std::vector<float> x = random_values(rows, random);
    std::vector<float> y(rows);

    int *device_first = on_device(host.first), *device_columns = on_device(host.columns);
    float *device_values = on_device(host.values), *device_x = on_device(x), *device_y = on_device(y);
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t in, out;
    CHECK(cusparseCreate(&handle));
    CHECK(cusparseCreateCsr(&matrix, rows, rows, entries, device_first, device_columns, device_values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&in, rows, device_x, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&out, rows, device_y, CUDA_R_32F));

    const float one = 1, zero = 0;
    size_t needed = 0;
    void* scratch;
    CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                                  CUSPARSE_SPMV_CSR_ALG1, &needed));
    CHECK(cudaMalloc(&scratch, std::max<size_t>(needed, 1)));
    const auto multiply = [&] {
        CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_32F,
                           CUSPARSE_SPMV_CSR_ALG1, scratch));
    };
    multiply();  // also loads the kernels
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    multiply();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::fprintf(stderr, "%.4f ms\n", ms);

    CHECK(cudaMemcpy(y.data(), device_y, rows * sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("%d rows, %d entries: %s\n", rows, entries, is_right(host, x, y) ? "right" : "wrong");
    CHECK(cusparseDestroySpMat(matrix));
    CHECK(cusparseDestroyDnVec(in));
    CHECK(cusparseDestroyDnVec(out));
    CHECK(cusparseDestroy(handle));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    for (void* memory : {static_cast<void*>(device_first), static_cast<void*>(device_columns),
                         static_cast<void*>(device_values), static_cast<void*>(device_x), static_cast<void*>(device_y), scratch})
        CHECK(cudaFree(memory));
}
