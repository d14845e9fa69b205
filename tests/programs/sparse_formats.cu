// cuSPARSE with matrices of blocks (BSR, blocked ELL) and slices (sliced ELL), with batches of matrices, with products of sparse
// matrices whose places are computed once, and with counts of elements; systems with five diagonals; a product in a graph. Each
// result is compared with loops over dense matrices.
// nvcc: -lcusparse
#include <cusparse.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

#include "check.h"

#define SPARSE(call)                                                         \
  do {                                                                       \
    const cusparseStatus_t status_ = (call);                                 \
    if (status_ != CUSPARSE_STATUS_SUCCESS) {                                \
      std::printf("line %d: %s\n", __LINE__, cusparseGetErrorName(status_)); \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

constexpr int kRows = 8, kColumns = 12, kWidth = 5, kBatch = 3;
constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto k32 = CUSPARSE_INDEX_32I;
constexpr auto kZeroBase = CUSPARSE_INDEX_BASE_ZERO;
const float kTwo = 2, kHalf = 0.5F, kOne = 1, kZero = 0;

// Device memory with the elements of a vector.
template <class T>
struct Memory {
  T* at = nullptr;
  std::size_t count;
  explicit Memory(const std::vector<T>& values) : count(values.size()) {
    CHECK(cudaMalloc(&at, count * sizeof(T)));
    CHECK(cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Memory() { CHECK(cudaFree(at)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::vector<T> read() const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

// A dense matrix by rows.
struct Dense {
  int rows, columns;
  std::vector<float> values;
  Dense(int r, int c) : rows(r), columns(c), values(r * c) {}
  float& operator()(int i, int j) { return values[i * columns + j]; }
  float operator()(int i, int j) const { return values[i * columns + j]; }
};
Dense numbers(int rows, int columns, int seed) {
  Dense made(rows, columns);
  for (int i = 0; i < rows * columns; ++i) made.values[i] = float((i * 37 + seed * 11) % 17) / 4 - 2;
  return made;
}
Dense product(const Dense& a, const Dense& b) {
  Dense c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

void report(const char* name, const std::vector<float>& found, const std::vector<float>& wanted) {
  double error = found.size() == wanted.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < found.size() && i < wanted.size(); ++i) error = std::fmax(error, std::fabs(found[i] - wanted[i]));
  if (error <= 1e-4)
    std::printf("%s: right\n", name);
  else
    std::printf("%s: wrong by %g\n", name, error);
}

struct Csr {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
};
Csr compressed(const Dense& a) {
  Csr made;
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.columns; ++j)
      if (a(i, j) != 0) made.columns.push_back(j), made.values.push_back(a(i, j));
    made.offsets.push_back(int(made.columns.size()));
  }
  return made;
}

// About a third of the elements.
Dense thin(Dense a) {
  for (int i = 0; i < a.rows * a.columns; ++i)
    if (i % 7 % 3 != 0) a.values[i] = 0;
  return a;
}

cusparseDnMatDescr_t dense_matrix(float* values, int rows, int columns, int batch = 1) {
  cusparseDnMatDescr_t made;
  SPARSE(cusparseCreateDnMat(&made, rows, columns, columns, values, CUDA_R_32F, CUSPARSE_ORDER_ROW));
  if (batch > 1) SPARSE(cusparseDnMatSetStridedBatch(made, batch, std::int64_t(rows) * columns));
  return made;
}

// C = 2 A B.
std::vector<float> multiplied(cusparseHandle_t handle, cusparseSpMatDescr_t a, const Dense& b) {
  const Memory<float> from(b.values), to(std::vector<float>(kRows * kWidth));
  cusparseDnMatDescr_t mat_b = dense_matrix(from.at, kColumns, kWidth), mat_c = dense_matrix(to.at, kRows, kWidth);
  std::size_t bytes = 0;
  SPARSE(cusparseSpMM_bufferSize(handle, kPlain, kPlain, &kTwo, a, mat_b, &kZero, mat_c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                                 &bytes));
  SPARSE(cusparseSpMM(handle, kPlain, kPlain, &kTwo, a, mat_b, &kZero, mat_c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
  SPARSE(cusparseDestroyDnMat(mat_b));
  SPARSE(cusparseDestroyDnMat(mat_c));
  return to.read();
}

std::vector<float> doubled(const Dense& a) {
  std::vector<float> values = a.values;
  for (float& value : values) value *= 2;
  return values;
}

// Blocks of 2 x 3 elements, by rows and by columns; also where a product of dense matrices is sampled.
void use_blocks(cusparseHandle_t handle) {
  constexpr int kHeight = 2, kBlockWidth = 3, kBlockRows = kRows / kHeight;
  const std::vector<int> offsets{0, 2, 3, 3, 5}, columns{0, 3, 2, 1, 2};
  const Dense values = numbers(5, kHeight * kBlockWidth, 1), b = numbers(kColumns, kWidth, 2);
  const Dense left = numbers(kRows, kWidth, 3), right = numbers(kWidth, kColumns, 4), whole = product(left, right);
  for (const auto& [order, name, sampled_name] :
       {std::tuple{CUSPARSE_ORDER_ROW, "blocks by rows", "sampled blocks by rows"},
        std::tuple{CUSPARSE_ORDER_COL, "blocks by columns", "sampled blocks by columns"}}) {
    Dense a(kRows, kColumns);
    std::vector<float> sampled(values.values.size());
    for (int block_row = 0; block_row < kBlockRows; ++block_row)
      for (int block = offsets[block_row]; block < offsets[block_row + 1]; ++block)
        for (int i = 0; i < kHeight; ++i)
          for (int j = 0; j < kBlockWidth; ++j) {
            const int place = order == CUSPARSE_ORDER_ROW ? i * kBlockWidth + j : i + j * kHeight;
            const int row = block_row * kHeight + i, column = columns[block] * kBlockWidth + j;
            a(row, column) = values(block, place);
            sampled[block * kHeight * kBlockWidth + place] = 2 * whole(row, column) + 0.5F * values(block, place);
          }
    const Memory<int> device_offsets(offsets), device_columns(columns);
    const Memory<float> device_values(values.values), device_left(left.values), device_right(right.values);
    cusparseSpMatDescr_t matrix;
    SPARSE(cusparseCreateBsr(&matrix, kBlockRows, kColumns / kBlockWidth, 5, kHeight, kBlockWidth, device_offsets.at,
                             device_columns.at, device_values.at, k32, k32, kZeroBase, CUDA_R_32F, order));
    report(name, multiplied(handle, matrix, b), doubled(product(a, b)));
    cusparseDnMatDescr_t mat_a = dense_matrix(device_left.at, kRows, kWidth),
                         mat_b = dense_matrix(device_right.at, kWidth, kColumns);
    SPARSE(cusparseSDDMM(handle, kPlain, kPlain, &kTwo, mat_a, mat_b, &kHalf, matrix, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT,
                         nullptr));
    report(sampled_name, device_values.read(), sampled);
    SPARSE(cusparseDestroyDnMat(mat_a));
    SPARSE(cusparseDestroyDnMat(mat_b));
    SPARSE(cusparseDestroySpMat(matrix));
  }
}

// Each two rows have up to two blocks of 2 x 2 elements.
void use_blocked_ell(cusparseHandle_t handle) {
  constexpr int kSize = 2, kStored = 4, kBlocks = kStored / kSize;
  const std::vector<int> columns{1, -1, 5, 0, 2, 3, -1, -1};
  const Dense given = numbers(kRows, kColumns, 5), b = numbers(kColumns, kWidth, 6);
  Dense a(kRows, kColumns), stored(kRows, kStored);
  for (int row = 0; row < kRows; ++row)
    for (int j = 0; j < kStored; ++j) {
      const int block = columns[row / kSize * kBlocks + j / kSize];
      if (block < 0) continue;
      const int column = block * kSize + j % kSize;
      stored(row, j) = a(row, column) = given(row, column);
    }
  const Memory<int> device_columns(columns);
  const Memory<float> values(std::vector<float>(kRows * kStored)), dense(given.values);
  cusparseSpMatDescr_t matrix;
  SPARSE(cusparseCreateBlockedEll(&matrix, kRows, kColumns, kSize, kStored, device_columns.at, values.at, k32, kZeroBase,
                                  CUDA_R_32F));
  cusparseDnMatDescr_t from = dense_matrix(dense.at, kRows, kColumns);
  SPARSE(cusparseDenseToSparse_analysis(handle, from, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
  SPARSE(cusparseDenseToSparse_convert(handle, from, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
  report("values of blocked ELL", values.read(), stored.values);
  report("blocked ELL", multiplied(handle, matrix, b), doubled(product(a, b)));
  SPARSE(cusparseDestroyDnMat(from));
  SPARSE(cusparseDestroySpMat(matrix));
}

// Slices of three rows; the last slice has two.
void use_sliced_ell(cusparseHandle_t handle) {
  constexpr int kSlice = 3;
  const Dense a = thin(numbers(kRows, kColumns, 7)), b = numbers(kColumns, 1, 8);
  const Csr csr = compressed(a);
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
  for (int first = 0; first < kRows; first += kSlice) {
    int longest = 0;
    for (int row = first; row < first + kSlice && row < kRows; ++row)
      longest = std::max(longest, csr.offsets[row + 1] - csr.offsets[row]);
    for (int k = 0; k < longest; ++k)
      for (int row = first; row < first + kSlice; ++row) {
        const bool is_there = row < kRows && csr.offsets[row] + k < csr.offsets[row + 1];
        columns.push_back(is_there ? csr.columns[csr.offsets[row] + k] : -1);
        values.push_back(is_there ? csr.values[csr.offsets[row] + k] : 0);
      }
    offsets.push_back(int(columns.size()));
  }
  const Memory<int> device_offsets(offsets), device_columns(columns);
  const Memory<float> device_values(values), x(b.values), y(std::vector<float>(kRows, 0));
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  SPARSE(cusparseCreateSlicedEll(&matrix, kRows, kColumns, std::int64_t(csr.values.size()), std::int64_t(values.size()), kSlice,
                                 device_offsets.at, device_columns.at, device_values.at, k32, k32, kZeroBase, CUDA_R_32F));
  SPARSE(cusparseCreateDnVec(&from, kColumns, x.at, CUDA_R_32F));
  SPARSE(cusparseCreateDnVec(&to, kRows, y.at, CUDA_R_32F));
  SPARSE(cusparseSpMV(handle, kPlain, &kTwo, matrix, from, &kZero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  report("sliced ELL", y.read(), doubled(product(a, b)));
  SPARSE(cusparseDestroyDnVec(from));
  SPARSE(cusparseDestroyDnVec(to));
  SPARSE(cusparseDestroySpMat(matrix));
}

// Matrices with the same places and other values.
void use_batches(cusparseHandle_t handle) {
  std::vector<Dense> as;
  std::vector<float> values, bs, wanted, lefts, rights, sampled;
  const Csr places = compressed(thin(numbers(kRows, kColumns, 9)));
  for (int i = 0; i < kBatch; ++i) {
    Dense a = thin(numbers(kRows, kColumns, 9));
    for (float& value : a.values) value *= float(i + 1);
    const Dense b = numbers(kColumns, kWidth, 10 + i), c = product(a, b);
    const Dense left = numbers(kRows, kWidth, 20 + i), right = numbers(kWidth, kColumns, 30 + i), whole = product(left, right);
    const Csr one = compressed(a);
    values.insert(values.end(), one.values.begin(), one.values.end());
    bs.insert(bs.end(), b.values.begin(), b.values.end());
    for (const float value : c.values) wanted.push_back(2 * value);
    lefts.insert(lefts.end(), left.values.begin(), left.values.end());
    rights.insert(rights.end(), right.values.begin(), right.values.end());
    for (int row = 0; row < kRows; ++row)
      for (int k = places.offsets[row]; k < places.offsets[row + 1]; ++k)
        sampled.push_back(2 * whole(row, places.columns[k]) + 0.5F * one.values[k]);
  }
  const int nnz = int(places.columns.size());
  std::vector<int> columns, rows;
  for (int i = 0; i < kBatch; ++i) {
    columns.insert(columns.end(), places.columns.begin(), places.columns.end());
    for (int row = 0; row < kRows; ++row)
      for (int k = places.offsets[row]; k < places.offsets[row + 1]; ++k) rows.push_back(row);
  }
  const Memory<int> device_offsets(places.offsets), device_columns(columns), device_rows(rows);
  const Memory<float> device_values(values), from(bs), to(std::vector<float>(wanted.size())), a(lefts), b(rights);
  cusparseSpMatDescr_t csr, coo;
  SPARSE(cusparseCreateCsr(&csr, kRows, kColumns, nnz, device_offsets.at, device_columns.at, device_values.at, k32, k32,
                           kZeroBase, CUDA_R_32F));
  SPARSE(cusparseCsrSetStridedBatch(csr, kBatch, 0, nnz));
  SPARSE(cusparseCreateCoo(&coo, kRows, kColumns, nnz, device_rows.at, device_columns.at, device_values.at, k32, kZeroBase,
                           CUDA_R_32F));
  SPARSE(cusparseCooSetStridedBatch(coo, kBatch, nnz));
  cusparseDnMatDescr_t mat_b = dense_matrix(from.at, kColumns, kWidth, kBatch), mat_c = dense_matrix(to.at, kRows, kWidth, kBatch),
                       left = dense_matrix(a.at, kRows, kWidth, kBatch), right = dense_matrix(b.at, kWidth, kColumns, kBatch);
  for (const auto& [matrix, name] : {std::pair{csr, "batch of CSR"}, {coo, "batch of COO"}}) {
    CHECK(cudaMemset(to.at, 0, wanted.size() * sizeof(float)));
    SPARSE(cusparseSpMM(handle, kPlain, kPlain, &kTwo, matrix, mat_b, &kZero, mat_c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                        nullptr));
    report(name, to.read(), wanted);
  }
  SPARSE(cusparseSDDMM(handle, kPlain, kPlain, &kTwo, left, right, &kHalf, csr, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
  report("sampled batch", device_values.read(), sampled);
  for (cusparseDnMatDescr_t each : {mat_b, mat_c, left, right}) SPARSE(cusparseDestroyDnMat(each));
  SPARSE(cusparseDestroySpMat(csr));
  SPARSE(cusparseDestroySpMat(coo));
}

// C = 2 A B and C = 2 A B + C / 2, in steps that find the places of C once.
void reuse_product(cusparseHandle_t handle) {
  const Dense a = thin(numbers(kRows, kColumns, 11)), b = thin(numbers(kColumns, kWidth, 12)), c = product(a, b);
  const Csr of_a = compressed(a), of_b = compressed(b);
  const Memory<int> a_offsets(of_a.offsets), a_columns(of_a.columns), b_offsets(of_b.offsets), b_columns(of_b.columns),
      c_offsets(std::vector<int>(kRows + 1));
  const Memory<float> a_values(of_a.values), b_values(of_b.values);
  cusparseSpMatDescr_t mat_a, mat_b, mat_c;
  SPARSE(cusparseCreateCsr(&mat_a, kRows, kColumns, std::int64_t(of_a.values.size()), a_offsets.at, a_columns.at, a_values.at, k32,
                           k32, kZeroBase, CUDA_R_32F));
  SPARSE(cusparseCreateCsr(&mat_b, kColumns, kWidth, std::int64_t(of_b.values.size()), b_offsets.at, b_columns.at, b_values.at,
                           k32, k32, kZeroBase, CUDA_R_32F));
  SPARSE(cusparseCreateCsr(&mat_c, kRows, kWidth, 0, c_offsets.at, nullptr, nullptr, k32, k32, kZeroBase, CUDA_R_32F));
  cusparseSpGEMMDescr_t plan;
  SPARSE(cusparseSpGEMM_createDescr(&plan));
  const auto alg = CUSPARSE_SPGEMM_DEFAULT;
  std::size_t bytes[5] = {};
  SPARSE(cusparseSpGEMMreuse_workEstimation(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[0], nullptr));
  SPARSE(cusparseSpGEMMreuse_nnz(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[1], nullptr, &bytes[2], nullptr,
                                 &bytes[3], nullptr));
  const Memory<char> buffer(std::vector<char>(bytes[0] + bytes[1] + bytes[2] + bytes[3]));
  SPARSE(cusparseSpGEMMreuse_workEstimation(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[0], buffer.at));
  SPARSE(cusparseSpGEMMreuse_nnz(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[1], buffer.at + bytes[0],
                                 &bytes[2], buffer.at + bytes[0] + bytes[1], &bytes[3],
                                 buffer.at + bytes[0] + bytes[1] + bytes[2]));
  std::int64_t rows, columns, nnz;
  SPARSE(cusparseSpMatGetSize(mat_c, &rows, &columns, &nnz));
  const Memory<int> c_columns(std::vector<int>(nnz, 0));
  const Memory<float> c_values(std::vector<float>(nnz, 0));
  SPARSE(cusparseCsrSetPointers(mat_c, c_offsets.at, c_columns.at, c_values.at));
  SPARSE(cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[4], nullptr));
  const Memory<char> last(std::vector<char>(bytes[4], 0));
  SPARSE(cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, mat_a, mat_b, mat_c, alg, plan, &bytes[4], last.at));
  const auto dense = [&] {
    const auto offsets = c_offsets.read(), places = c_columns.read();
    const auto values = c_values.read();
    Dense made(kRows, kWidth);
    for (int i = 0; i < kRows; ++i)
      for (int k = offsets[i]; k < offsets[i + 1]; ++k) made(i, places[k]) = values[k];
    return made.values;
  };
  const auto compute = [&](const float* beta) {
    SPARSE(cusparseSpGEMMreuse_compute(handle, kPlain, kPlain, &kTwo, mat_a, mat_b, beta, mat_c, CUDA_R_32F, alg, plan));
  };
  compute(&kZero);
  report("product of sparse matrices", dense(), doubled(c));
  compute(&kHalf);
  std::vector<float> wanted = doubled(c);
  for (float& value : wanted) value *= 1.5F;
  report("the same places again", dense(), wanted);
  SPARSE(cusparseSpGEMM_destroyDescr(plan));

  // How many multiplications a product takes.
  SPARSE(cusparseSpGEMM_createDescr(&plan));
  SPARSE(cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, &kOne, mat_a, mat_b, &kZero, mat_c, CUDA_R_32F, CUSPARSE_SPGEMM_ALG2,
                                       plan, &bytes[0], buffer.at));
  std::int64_t multiplications = 0, counted = 0;
  SPARSE(cusparseSpGEMM_getNumProducts(plan, &multiplications));
  for (const int column : of_a.columns) counted += of_b.offsets[column + 1] - of_b.offsets[column];
  std::printf("multiplications: %s\n", multiplications == counted ? "right" : "wrong");
  SPARSE(cusparseSpGEMM_estimateMemory(handle, kPlain, kPlain, &kOne, mat_a, mat_b, &kZero, mat_c, CUDA_R_32F,
                                       CUSPARSE_SPGEMM_ALG2, plan, 0.5F, &bytes[2], nullptr, nullptr));
  SPARSE(cusparseSpGEMM_estimateMemory(handle, kPlain, kPlain, &kOne, mat_a, mat_b, &kZero, mat_c, CUDA_R_32F,
                                       CUSPARSE_SPGEMM_ALG2, plan, 0.5F, &bytes[2], buffer.at, &bytes[1]));
  SPARSE(cusparseSpGEMM_destroyDescr(plan));
  for (cusparseSpMatDescr_t each : {mat_a, mat_b, mat_c}) SPARSE(cusparseDestroySpMat(each));
}

void count_elements(cusparseHandle_t handle) {
  const Dense a = thin(numbers(kRows, kColumns, 13));
  std::vector<float> by_columns(kRows * kColumns);
  std::vector<int> wanted(kRows);
  int total = 0, found = -1;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      by_columns[i + j * kRows] = a(i, j);
      wanted[i] += a(i, j) != 0, total += a(i, j) != 0;
    }
  const Memory<float> device(by_columns);
  const Memory<int> rows(std::vector<int>(kRows, -1));
  cusparseMatDescr_t descriptor;
  SPARSE(cusparseCreateMatDescr(&descriptor));
  SPARSE(cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, kRows, kColumns, descriptor, device.at, kRows, rows.at, &found));
  std::printf("counts: %s\n", found == total && rows.read() == wanted ? "right" : "wrong");
  SPARSE(cusparseDestroyMatDescr(descriptor));
}

// Two systems with five diagonals, whose elements alternate. The first pivots are 0.
void solve_five_diagonals(cusparseHandle_t handle) {
  constexpr int kUnknowns = 9, kSystems = 2, kAll = kUnknowns * kSystems;
  std::vector<double> diagonals[5], right(kAll);
  for (int k = 0; k < 5; ++k)
    for (int i = 0; i < kAll; ++i) diagonals[k].push_back(k == 2 && i < kSystems ? 0 : ((i + k) * 37 % 17) / 4.0 - 2.1);
  for (int i = 0; i < kAll; ++i) right[i] = i % 5 - 1.5;
  const Memory<double> ds(diagonals[0]), dl(diagonals[1]), d(diagonals[2]), du(diagonals[3]), dw(diagonals[4]), x(right);
  std::size_t bytes = 0;
  SPARSE(cusparseDgpsvInterleavedBatch_bufferSizeExt(handle, 0, kUnknowns, ds.at, dl.at, d.at, du.at, dw.at, x.at, kSystems, &bytes));
  const Memory<char> buffer(std::vector<char>(bytes, 0));
  SPARSE(cusparseDgpsvInterleavedBatch(handle, 0, kUnknowns, ds.at, dl.at, d.at, du.at, dw.at, x.at, kSystems, buffer.at));
  const std::vector<double> found = x.read();
  double error = 0;
  for (int b = 0; b < kSystems; ++b)
    for (int i = 0; i < kUnknowns; ++i) {
      double sum = -right[i * kSystems + b];
      for (int k = 0; k < 5; ++k)
        if (i + k - 2 >= 0 && i + k - 2 < kUnknowns) sum += diagonals[k][i * kSystems + b] * found[(i + k - 2) * kSystems + b];
      error = std::fmax(error, std::fabs(sum));
    }
  std::printf("five diagonals: %s\n", error < 1e-10 ? "right" : "wrong");
}

// The number of a graph's product arrives on the host when the graph has run.
void capture_product(cusparseHandle_t handle) {
  const std::vector<float> numbers{1, 2, 3, 4};
  const Memory<int> indices(std::vector<int>{1, 3});
  const Memory<float> values(std::vector<float>{10, 100}), y(numbers);
  cusparseSpVecDescr_t sparse;
  cusparseDnVecDescr_t dense;
  SPARSE(cusparseCreateSpVec(&sparse, 4, 2, indices.at, values.at, k32, kZeroBase, CUDA_R_32F));
  SPARSE(cusparseCreateDnVec(&dense, 4, y.at, CUDA_R_32F));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t launch;
  float result = 0;
  CHECK(cudaStreamCreate(&stream));
  SPARSE(cusparseSetStream(handle, stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  SPARSE(cusparseSpVV(handle, kPlain, sparse, dense, &result, CUDA_R_32F, nullptr));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&launch, graph, 0));
  const float before = result;
  CHECK(cudaGraphLaunch(launch, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("product in a graph: %g, then %g\n", before, result);
  CHECK(cudaGraphExecDestroy(launch));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  SPARSE(cusparseSetStream(handle, nullptr));
  SPARSE(cusparseDestroySpVec(sparse));
  SPARSE(cusparseDestroyDnVec(dense));
}

int main() {
  cusparseHandle_t handle;
  SPARSE(cusparseCreate(&handle));
  use_blocks(handle);
  use_blocked_ell(handle);
  use_sliced_ell(handle);
  use_batches(handle);
  reuse_product(handle);
  count_elements(handle);
  solve_five_diagonals(handle);
  capture_product(handle);
  SPARSE(cusparseDestroy(handle));
}
