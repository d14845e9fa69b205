// Solves a system of equations with cuSPARSE: conjugate gradients with SpMV, once without and once with an incomplete Cholesky
// factorization; and the conversions, sorts and products that programs need before.
// nvcc: -lcusparse
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

#define SPARSE(call)                                                               \
  do {                                                                             \
    const cusparseStatus_t status_ = (call);                                       \
    if (status_ != CUSPARSE_STATUS_SUCCESS) {                                      \
      std::printf("line %d: %s\n", __LINE__, cusparseGetErrorName(status_));       \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

constexpr int kSide = 12, kRows = kSide * kSide;
const double kOne = 1, kZero = 0;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> read(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

__global__ void dot(const double* a, const double* b, double* result) {
  double sum = 0;
  for (int i = threadIdx.x; i < kRows; i += 32) sum += a[i] * b[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x == 0) *result = sum;
}

__global__ void add(double* y, double by, const double* x, double keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows) y[i] = keep * y[i] + by * x[i];
}

double inner(const double* a, const double* b, double* place) {
  dot<<<1, 32>>>(a, b, place);
  double result;
  CHECK(cudaMemcpy(&result, place, sizeof result, cudaMemcpyDeviceToHost));
  return result;
}

struct Vector {
  double* memory;
  cusparseDnVecDescr_t vector;
  explicit Vector(double value) : memory(on_device(std::vector<double>(kRows, value))) {
    SPARSE(cusparseCreateDnVec(&vector, kRows, memory, CUDA_R_64F));
  }
  ~Vector() {
    SPARSE(cusparseDestroyDnVec(vector));
    CHECK(cudaFree(memory));
  }
};

// The five-point matrix in CSR, made from elements in a random order.
struct Elements {
  int count = 0;
  int *rows, *columns, *offsets;
  double* values;
};

Elements five_points(cusparseHandle_t handle) {
  std::vector<int> rows, columns;
  std::vector<double> values;
  for (int step = 0; step < kRows; step++) {
    const int at = step * 59 % kRows, x = at % kSide, y = at / kSide;
    const auto put = [&](int column, double value) {
      rows.push_back(at), columns.push_back(column), values.push_back(value);
    };
    put(at, 4.1);
    if (x > 0) put(at - 1, -1);
    if (x < kSide - 1) put(at + 1, -1);
    if (y > 0) put(at - kSide, -1);
    if (y < kSide - 1) put(at + kSide, -1);
  }
  Elements made;
  made.count = int(rows.size());
  made.rows = on_device(rows), made.columns = on_device(columns);
  made.offsets = on_device(std::vector<int>(kRows + 1)), made.values = on_device(values);
  int* order = on_device(std::vector<int>(made.count));
  double* sorted = on_device(values);
  SPARSE(cusparseCreateIdentityPermutation(handle, made.count, order));
  std::size_t bytes = 0;
  SPARSE(cusparseXcoosort_bufferSizeExt(handle, kRows, kRows, made.count, made.rows, made.columns, &bytes));
  void* buffer;
  CHECK(cudaMalloc(&buffer, bytes));
  SPARSE(cusparseXcoosortByRow(handle, kRows, kRows, made.count, made.rows, made.columns, order, buffer));
  SPARSE(cusparseXcoo2csr(handle, made.rows, made.count, kRows, made.offsets, CUSPARSE_INDEX_BASE_ZERO));
  cusparseSpVecDescr_t gathered;
  cusparseDnVecDescr_t all;
  SPARSE(cusparseCreateSpVec(&gathered, made.count, made.count, order, sorted, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  SPARSE(cusparseCreateDnVec(&all, made.count, made.values, CUDA_R_64F));
  SPARSE(cusparseGather(handle, all, gathered));
  SPARSE(cusparseDestroySpVec(gathered));
  SPARSE(cusparseDestroyDnVec(all));
  for (void* memory : {(void*)order, (void*)made.values, buffer}) CHECK(cudaFree(memory));
  made.values = sorted;
  return made;
}

// The steps that conjugate gradients need for a right side of ones. precondition(r, z): z is about the solution for r.
template <class Precondition>
int solve(cusparseHandle_t handle, cusparseSpMatDescr_t a, Vector& x, const Precondition& precondition) {
  Vector r(1), z(0), p(0), q(0);
  double* place = on_device(std::vector<double>(1));
  std::size_t bytes = 0;
  SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a, p.vector, &kZero, q.vector,
                                 CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  void* buffer;
  CHECK(cudaMalloc(&buffer, bytes));
  double before = 0;
  int steps = 0;
  for (; inner(r.memory, r.memory, place) > 1e-16 && steps < 200; steps++) {
    precondition(r, z);
    const double now = inner(r.memory, z.memory, place);
    add<<<2, 128>>>(p.memory, 1, z.memory, steps == 0 ? 0 : now / before);
    before = now;
    SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a, p.vector, &kZero, q.vector, CUDA_R_64F,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    const double length = now / inner(p.memory, q.memory, place);
    add<<<2, 128>>>(x.memory, length, p.memory, 1);
    add<<<2, 128>>>(r.memory, -length, q.memory, 1);
  }
  CHECK(cudaFree(place));
  CHECK(cudaFree(buffer));
  return steps;
}

void solve_plainly(cusparseHandle_t handle, const Elements& of) {
  cusparseSpMatDescr_t a;
  SPARSE(cusparseCreateCoo(&a, kRows, kRows, of.count, of.rows, of.columns, of.values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  Vector x(0);
  const int steps = solve(handle, a, x, [&](Vector& r, Vector& z) {
    CHECK(cudaMemcpy(z.memory, r.memory, kRows * sizeof(double), cudaMemcpyDeviceToDevice));
  });
  std::printf("plain: %s steps, x = %.6f\n", steps < 60 ? "below 60" : "too many", read(x.memory, kRows)[kRows / 2]);
  SPARSE(cusparseDestroySpMat(a));
}

// A triangular system with one factor, prepared once.
class Triangle {
 public:
  Triangle(cusparseHandle_t handle, cusparseSpMatDescr_t factor, cusparseOperation_t operation, Vector& b, Vector& x)
      : handle_(handle), factor_(factor), operation_(operation) {
    SPARSE(cusparseSpSV_createDescr(&state_));
    std::size_t bytes = 0;
    SPARSE(cusparseSpSV_bufferSize(handle, operation, &kOne, factor, b.vector, x.vector, CUDA_R_64F,
                                   CUSPARSE_SPSV_ALG_DEFAULT, state_, &bytes));
    CHECK(cudaMalloc(&buffer_, bytes));
    SPARSE(cusparseSpSV_analysis(handle, operation, &kOne, factor, b.vector, x.vector, CUDA_R_64F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, state_, buffer_));
  }
  ~Triangle() {
    SPARSE(cusparseSpSV_destroyDescr(state_));
    CHECK(cudaFree(buffer_));
  }
  void solve(Vector& b, Vector& x) const {
    SPARSE(cusparseSpSV_solve(handle_, operation_, &kOne, factor_, b.vector, x.vector, CUDA_R_64F,
                              CUSPARSE_SPSV_ALG_DEFAULT, state_));
  }

 private:
  cusparseHandle_t handle_;
  cusparseSpMatDescr_t factor_;
  cusparseOperation_t operation_;
  cusparseSpSVDescr_t state_;
  void* buffer_;
};

double* incomplete_cholesky(cusparseHandle_t handle, const Elements& of) {
  double* factor = on_device(read(of.values, of.count));
  cusparseMatDescr_t descriptor;
  csric02Info_t info;
  SPARSE(cusparseCreateMatDescr(&descriptor));
  SPARSE(cusparseCreateCsric02Info(&info));
  int bytes = 0;
  SPARSE(cusparseDcsric02_bufferSize(handle, kRows, of.count, descriptor, factor, of.offsets, of.columns, info, &bytes));
  void* buffer;
  CHECK(cudaMalloc(&buffer, bytes));
  SPARSE(cusparseDcsric02_analysis(handle, kRows, of.count, descriptor, factor, of.offsets, of.columns, info,
                                   CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
  SPARSE(cusparseDcsric02(handle, kRows, of.count, descriptor, factor, of.offsets, of.columns, info,
                          CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
  int zero = 0;
  SPARSE(cusparseXcsric02_zeroPivot(handle, info, &zero));
  std::printf("zero pivot: %d\n", zero);
  SPARSE(cusparseDestroyCsric02Info(info));
  SPARSE(cusparseDestroyMatDescr(descriptor));
  CHECK(cudaFree(buffer));
  return factor;
}

void solve_with_factors(cusparseHandle_t handle, const Elements& of) {
  double* factor = incomplete_cholesky(handle, of);
  cusparseSpMatDescr_t a, lower;
  SPARSE(cusparseCreateCsr(&a, kRows, kRows, of.count, of.offsets, of.columns, of.values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  SPARSE(cusparseCreateCsr(&lower, kRows, kRows, of.count, of.offsets, of.columns, factor, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  SPARSE(cusparseSpMatSetAttribute(lower, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  Vector x(0), between(0), unused(1);
  {
    const Triangle down(handle, lower, CUSPARSE_OPERATION_NON_TRANSPOSE, unused, between);
    const Triangle up(handle, lower, CUSPARSE_OPERATION_TRANSPOSE, between, unused);
    const int steps = solve(handle, a, x, [&](Vector& r, Vector& z) { down.solve(r, between), up.solve(between, z); });
    std::printf("with factors: %s steps, x = %.6f\n", steps < 25 ? "below 25" : "too many",
                read(x.memory, kRows)[kRows / 2]);
  }
  SPARSE(cusparseDestroySpMat(a));
  SPARSE(cusparseDestroySpMat(lower));
  CHECK(cudaFree(factor));
}

// The matrix times three columns, and as a dense matrix.
void multiply(cusparseHandle_t handle, const Elements& of) {
  constexpr int kColumns = 3;
  std::vector<double> b(kRows * kColumns);
  for (int i = 0; i < kRows * kColumns; i++) b[i] = i % 9;
  double *from = on_device(b), *to = on_device(b), *whole = on_device(std::vector<double>(kRows * kRows));
  cusparseSpMatDescr_t a;
  cusparseDnMatDescr_t left, result, dense;
  SPARSE(cusparseCreateCsr(&a, kRows, kRows, of.count, of.offsets, of.columns, of.values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  SPARSE(cusparseCreateDnMat(&left, kRows, kColumns, kRows, from, CUDA_R_64F, CUSPARSE_ORDER_COL));
  SPARSE(cusparseCreateDnMat(&result, kRows, kColumns, kRows, to, CUDA_R_64F, CUSPARSE_ORDER_COL));
  SPARSE(cusparseCreateDnMat(&dense, kRows, kRows, kRows, whole, CUDA_R_64F, CUSPARSE_ORDER_ROW));
  std::size_t bytes = 0, more = 0;
  SPARSE(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a,
                                 left, &kZero, result, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
  SPARSE(cusparseSparseToDense_bufferSize(handle, a, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &more));
  void* buffer;
  CHECK(cudaMalloc(&buffer, bytes + more));
  SPARSE(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a, left,
                      &kZero, result, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
  SPARSE(cusparseSparseToDense(handle, a, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
  const auto product = read(to, b.size()), elements = read(whole, kRows * kRows);
  double sum = 0, trace = 0;
  for (std::size_t i = 0; i < b.size(); i++) sum += (i % 5 + 1) * product[i];
  for (int i = 0; i < kRows; i++) trace += elements[i * kRows + i];
  std::printf("product %.3f, trace %.3f\n", sum, trace);
  SPARSE(cusparseDestroySpMat(a));
  for (cusparseDnMatDescr_t each : {left, result, dense}) SPARSE(cusparseDestroyDnMat(each));
  for (void* memory : {(void*)from, (void*)to, (void*)whole, buffer}) CHECK(cudaFree(memory));
}

int main() {
  cusparseHandle_t handle;
  SPARSE(cusparseCreate(&handle));
  const Elements of = five_points(handle);
  std::printf("%d elements\n", of.count);
  solve_plainly(handle, of);
  solve_with_factors(handle, of);
  multiply(handle, of);
  for (void* memory : {(void*)of.rows, (void*)of.columns, (void*)of.offsets, (void*)of.values}) CHECK(cudaFree(memory));
  SPARSE(cusparseDestroy(handle));
}
