// Tests cuSPARSE against loops over dense matrices.
#include <cmath>

#include "libraries/sparse/sparse_testing.h"

namespace cudalab::sparse {
namespace {

// ---- products ------------------------------------------------------------------------------------------

template <class T>
void expect_vector_product(cusparseHandle_t handle) {
  const T alpha = T(1.5F), beta = T(-0.5F);
  const auto a = random_sparse<T>(7, 9, 1);
  for (const cusparseFormat_t format : kTestedFormats)
    for (const cusparseOperation_t operation : kTestedOperations)
      for (const int base : {0, 1}) {
        const auto by = under(a, operation);
        const auto x = random_matrix<T>(by.columns, 1, 3), y = random_matrix<T>(by.rows, 1, 4);
        const Stored<T> matrix(a, format, base);
        const StoredVector<T> from(x.values), to(y.values);
        std::size_t bytes = 0;
        ASSERT_EQ(cusparseSpMV_bufferSize(handle, operation, &alpha, matrix, from, &beta, to, kTypeOf<T>,
                                          CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                  CUSPARSE_STATUS_SUCCESS);
        ASSERT_EQ(cusparseSpMV(handle, operation, &alpha, matrix, from, &beta, to, kTypeOf<T>,
                               CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
                  CUSPARSE_STATUS_SUCCESS);
        auto wanted = product(by, x).values;
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = alpha * wanted[i] + beta * y.values[i];
        expect_near(to.read(), wanted);
      }
}

TEST_F(Sparse, MultipliesVectorsInEachFormatTypeAndOperation) {
  expect_vector_product<float>(handle);
  expect_vector_product<double>(handle);
  expect_vector_product<C>(handle);
  expect_vector_product<Complex>(handle);
}

TEST_F(Sparse, ReadsNoResultForABetaOfZeroAndFactorsFromTheDevice) {
  const auto a = random_sparse<float>(5, 5, 1), x = random_matrix<float>(5, 1, 2);
  const Stored<float> matrix(a, CUSPARSE_FORMAT_CSR);
  const StoredVector<float> from(x.values), to(std::vector<float>(5, std::nanf("")));
  const OnDevice<float> factors(std::vector<float>{1, 0});
  ASSERT_EQ(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseSpMV(handle, kPlain, factors.as(), matrix, from, factors.as() + 1, to, CUDA_R_32F,
                         CUSPARSE_SPMV_CSR_ALG1, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  expect_near(to.read(), product(a, x).values);
}

TEST_F(Sparse, MultipliesHalfPrecisionAndIntegersIntoWiderTypes) {
  const OnDevice<std::uint16_t> halves(std::vector<std::uint16_t>{0x3c00, 0x4000, 0x4200});  // 1 2 3
  const OnDevice<std::int8_t> bytes(std::vector<std::int8_t>{100, 100, -3});
  const OnDevice<int> offsets(std::vector<int>{0, 2, 3}), columns(std::vector<int>{0, 2, 1});
  const OnDevice<float> floats(std::vector<float>(2));
  const OnDevice<int> integers(std::vector<int>(2));
  const auto multiply = [&](const void* values, cudaDataType type, void* result, cudaDataType result_type,
                            cudaDataType compute, const void* one, const void* zero) {
    cusparseConstSpMatDescr_t matrix;
    cusparseConstDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    cusparseCreateConstCsr(&matrix, 2, 3, 3, offsets.as(), columns.as(), values, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    cusparseCreateConstDnVec(&x, 3, values, type);
    cusparseCreateDnVec(&y, 2, result, result_type);
    EXPECT_EQ(
        cusparseSpMV(handle, kPlain, one, matrix, x, zero, y, compute, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
        CUSPARSE_STATUS_SUCCESS);
    cusparseDestroySpMat(matrix), cusparseDestroyDnVec(x), cusparseDestroyDnVec(y);
  };
  const float one = 1, zero = 0;
  const int whole = 1, none = 0;
  multiply(halves.as(), CUDA_R_16F, floats.as(), CUDA_R_32F, CUDA_R_32F, &one, &zero);
  EXPECT_THAT(floats.read(), ElementsAre(7, 6));  // 1 * 1 + 2 * 3 and 3 * 2
  multiply(bytes.as(), CUDA_R_8I, integers.as(), CUDA_R_32I, CUDA_R_32I, &whole, &none);
  EXPECT_THAT(integers.read(), ElementsAre(9700, -300));
}

template <class T>
void expect_matrix_product(cusparseHandle_t handle) {
  const T alpha = T(1.5F), beta = T(-0.5F);
  const auto a = random_sparse<T>(6, 8, 1);
  for (const cusparseFormat_t format : kTestedFormats)
    for (const cusparseOperation_t op_a : kTestedOperations)
      for (const cusparseOperation_t op_b : kTestedOperations)
        for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
          const auto left = under(a, op_a);
          const auto b =
              op_b == kPlain ? random_matrix<T>(left.columns, 5, 2) : random_matrix<T>(5, left.columns, 2);
          const auto c = random_matrix<T>(left.rows, 5, 3);
          const Stored<T> matrix(a, format);
          const StoredMatrix<T> from(b, order),
              to(c, order == CUSPARSE_ORDER_ROW ? CUSPARSE_ORDER_COL : order);
          ASSERT_EQ(cusparseSpMM(handle, op_a, op_b, &alpha, matrix, from, &beta, to, kTypeOf<T>,
                                 CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
                    CUSPARSE_STATUS_SUCCESS);
          auto wanted = product(left, under(b, op_b)).values;
          for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = alpha * wanted[i] + beta * c.values[i];
          expect_near(to.read(), wanted);
        }
}

TEST_F(Sparse, MultipliesMatricesInEachFormatOperationAndOrder) {
  expect_matrix_product<float>(handle);
  expect_matrix_product<Complex>(handle);
}

TEST_F(Sparse, MultipliesDenseMatricesWhereTheSparseOneHasElements) {
  const auto a = random_matrix<double>(6, 4, 1), b = random_matrix<double>(7, 4, 2);
  const auto c = random_sparse<double>(6, 7, 3);
  const double alpha = 2, beta = -1;
  for (const cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO}) {
    const StoredMatrix<double> left(a, CUSPARSE_ORDER_ROW), right(b, CUSPARSE_ORDER_COL);
    const Stored<double> to(c, format);
    ASSERT_EQ(cusparseSDDMM(handle, kPlain, CUSPARSE_OPERATION_TRANSPOSE, &alpha, left, right, &beta, to,
                            CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr),
              CUSPARSE_STATUS_SUCCESS);
    const auto whole = product(a, under(b, CUSPARSE_OPERATION_TRANSPOSE));
    std::vector<double> wanted;
    for (std::size_t i = 0; i < whole.values.size(); ++i)
      if (c.values[i] != 0) wanted.push_back(alpha * whole.values[i] + beta * c.values[i]);
    expect_near(to.values().read(), wanted);
  }
}

// The steps of the documentation: sizes, the number of elements, then the elements.
TEST_F(Sparse, MultipliesSparseMatricesInSteps) {
  const auto a = random_sparse<float>(6, 8, 1), b = random_sparse<float>(8, 7, 5);
  const Stored<float> left(a, CUSPARSE_FORMAT_CSR), right(b, CUSPARSE_FORMAT_CSR, 1);
  const OnDevice<int> offsets(std::vector<int>(7));
  cusparseSpMatDescr_t c;
  cusparseCreateCsr(&c, 6, 7, 0, offsets.as(), nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseSpGEMMDescr_t state;
  ASSERT_EQ(cusparseSpGEMM_createDescr(&state), CUSPARSE_STATUS_SUCCESS);
  const float alpha = 2, beta = 0;
  std::size_t bytes = 0;
  const auto step = [&](auto function, auto... further) {
    return function(handle, kPlain, kPlain, &alpha, left, right, &beta, c, CUDA_R_32F,
                    CUSPARSE_SPGEMM_DEFAULT, state, further...);
  };
  for (const auto function : {cusparseSpGEMM_workEstimation, cusparseSpGEMM_compute}) {
    ASSERT_EQ(step(function, &bytes, static_cast<void*>(nullptr)), CUSPARSE_STATUS_SUCCESS);
    const OnDevice<std::byte> buffer{std::vector<std::byte>(bytes)};
    ASSERT_EQ(step(function, &bytes, buffer.as<void>()), CUSPARSE_STATUS_SUCCESS);
  }
  std::int64_t rows = 0, columns = 0, nnz = 0;
  ASSERT_EQ(cusparseSpMatGetSize(c, &rows, &columns, &nnz), CUSPARSE_STATUS_SUCCESS);
  const OnDevice<int> indices{std::vector<int>(nnz)};
  const OnDevice<float> values{std::vector<float>(nnz)};
  ASSERT_EQ(cusparseCsrSetPointers(c, offsets.as(), indices.as(), values.as()), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(step(cusparseSpGEMM_copy), CUSPARSE_STATUS_SUCCESS);
  auto wanted = product(a, b);
  for (float& value : wanted.values) value *= alpha;
  Matrix<float> found{6, 7, std::vector<float>(42)};
  const auto begin = offsets.read(), column = indices.read();
  const auto value = values.read();
  EXPECT_EQ(begin[6], nnz);
  for (int i = 0; i < 6; ++i)
    for (int j = begin[i]; j < begin[i + 1]; ++j) found(i, column[j]) = value[j];
  expect_near(found.values, wanted.values);
  cusparseSpGEMM_destroyDescr(state);
  cusparseDestroySpMat(c);
}

// ---- vectors -------------------------------------------------------------------------------------------

// A program may create a matrix with a larger number of elements than its offsets describe.
TEST_F(Sparse, IgnoresIndicesBehindTheLastOffset) {
  constexpr int kNotAColumn = 1065353216;
  const OnDevice<int> offsets(std::vector<int>{0, 1, 2}), columns(std::vector<int>{1, 0, kNotAColumn});
  const OnDevice<float> values(std::vector<float>{2, 3, 5});
  cusparseSpMatDescr_t matrix;
  ASSERT_EQ(cusparseCreateCsr(&matrix, 2, 2, 3, offsets.as(), columns.as(), values.as(), CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            CUSPARSE_STATUS_SUCCESS);
  const StoredVector<float> x({10, 20}), y({0, 0});
  const float one = 1, zero = 0;
  EXPECT_EQ(
      cusparseSpMV(handle, kPlain, &one, matrix, x, &zero, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
      CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(y.read(), ElementsAre(40, 30));
  cusparseDestroySpMat(matrix);
}

TEST_F(Sparse, CombinesSparseAndDenseVectors) {
  const OnDevice<int> indices(std::vector<int>{1, 4, 2});
  const OnDevice<double> values(std::vector<double>{10, 20, 30});
  const StoredVector<double> dense({1, 2, 3, 4});
  cusparseSpVecDescr_t sparse;
  ASSERT_EQ(cusparseCreateSpVec(&sparse, 4, 3, indices.as(), values.as(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F),
            CUSPARSE_STATUS_SUCCESS);
  double result = 0, alpha = 0.5, beta = 2;
  ASSERT_EQ(cusparseSpVV(handle, kPlain, sparse, dense, &result, CUDA_R_64F, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(result, 10 + 80 + 60);
  ASSERT_EQ(cusparseAxpby(handle, &alpha, sparse, &beta, dense), CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(dense.read(), ElementsAre(7, 19, 6, 18));
  ASSERT_EQ(cusparseScatter(handle, sparse, dense), CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(dense.read(), ElementsAre(10, 30, 6, 20));
  const double c = 0, s = 1;
  ASSERT_EQ(cusparseRot(handle, &c, &s, sparse, dense), CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(values.read(), ElementsAre(10, 20, 30));
  EXPECT_THAT(dense.read(), ElementsAre(-10, -30, 6, -20));
  ASSERT_EQ(cusparseGather(handle, dense, sparse), CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(values.read(), ElementsAre(-10, -20, -30));
  cusparseDestroySpVec(sparse);
}

// ---- systems of equations ------------------------------------------------------------------------------

template <class T>
void expect_solution(cusparseHandle_t handle, cusparseFillMode_t fill, cusparseDiagType_t diagonal,
                     cusparseOperation_t operation) {
  auto a = random_sparse<T>(6, 6, 1);  // the other triangle has elements, too
  for (int i = 0; i < 6; ++i) a(i, i) = T(3);
  Matrix<T> triangle = a;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      if (fill == CUSPARSE_FILL_MODE_LOWER ? j > i : j < i) triangle(i, j) = T{};
      if (i == j && diagonal == CUSPARSE_DIAG_TYPE_UNIT) triangle(i, j) = T(1);
    }
  const auto x = random_matrix<T>(6, 2, 7);
  const auto right = product(under(triangle, operation), x);
  const Stored<T> matrix(a, CUSPARSE_FORMAT_CSR);
  cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
  cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal);
  const T alpha = T(2);
  auto wanted = x.values;
  for (T& value : wanted) value *= alpha;
  const StoredMatrix<T> from(right, CUSPARSE_ORDER_COL), to(random_matrix<T>(6, 2, 9), CUSPARSE_ORDER_COL);
  ASSERT_EQ(cusparseSpSM_solve(handle, operation, kPlain, &alpha, matrix, from, to, kTypeOf<T>,
                               CUSPARSE_SPSM_ALG_DEFAULT, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  expect_near(to.read(), wanted);

  std::vector<T> first, first_wanted;
  for (int i = 0; i < 6; ++i) first.push_back(right(i, 0)), first_wanted.push_back(alpha * x(i, 0));
  const StoredVector<T> b(first), y(first);
  ASSERT_EQ(cusparseSpSV_solve(handle, operation, &alpha, matrix, b, y, kTypeOf<T>, CUSPARSE_SPSV_ALG_DEFAULT,
                               nullptr),
            CUSPARSE_STATUS_SUCCESS);
  expect_near(y.read(), first_wanted);
}

TEST_F(Sparse, SolvesTriangularSystems) {
  for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
    for (const auto diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT})
      for (const cusparseOperation_t operation : kTestedOperations) {
        expect_solution<double>(handle, fill, diagonal, operation);
        expect_solution<Complex>(handle, fill, diagonal, operation);
      }
}

TEST_F(Sparse, SolvesTridiagonalSystemsWithExchangesOfRows) {
  // Row 2 has a 0 on the diagonal.
  const std::vector<double> lower{0, 1, 4, -2, 3}, middle{2, 3, 0, 5, -4}, upper{1, -2, 6, 1, 0};
  const auto x = random_values<double>(5, 3);
  std::vector<double> right(5);
  for (int i = 0; i < 5; ++i)
    right[i] = (i > 0 ? lower[i] * x[i - 1] : 0) + middle[i] * x[i] + (i < 4 ? upper[i] * x[i + 1] : 0);
  const OnDevice<double> dl(lower), d(middle), du(upper), b(right), batch(right);
  ASSERT_EQ(cusparseDgtsv2(handle, 5, 1, dl.as(), d.as(), du.as(), b.as(), 5, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  expect_near(b.read(), x);
  ASSERT_EQ(cusparseDgtsv2StridedBatch(handle, 5, dl.as(), d.as(), du.as(), batch.as(), 1, 5, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  expect_near(batch.read(), x);
}

// Of a full matrix, the incomplete factorizations are complete.
TEST_F(Sparse, FactorsFullMatrices) {
  auto a = random_matrix<double>(5, 5, 1);
  a = product(a, under(a, CUSPARSE_OPERATION_TRANSPOSE));
  for (int i = 0; i < 5; ++i) a(i, i) += 1;
  cusparseMatDescr_t descriptor;
  cusparseCreateMatDescr(&descriptor);
  csrilu02Info_t of_lu;
  csric02Info_t of_cholesky;
  cusparseCreateCsrilu02Info(&of_lu), cusparseCreateCsric02Info(&of_cholesky);
  const Stored<double> lu(a, CUSPARSE_FORMAT_CSR), cholesky(a, CUSPARSE_FORMAT_CSR);
  ASSERT_EQ(cusparseDcsrilu02(handle, 5, 25, descriptor, lu.values().as(), lu.outer().as(), lu.inner().as(),
                              of_lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseDcsric02(handle, 5, 25, descriptor, cholesky.values().as(), cholesky.outer().as(),
                             cholesky.inner().as(), of_cholesky, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  int position = 0;
  EXPECT_EQ(cusparseXcsrilu02_zeroPivot(handle, of_lu, &position), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(position, -1);
  const Matrix<double> factors{5, 5, lu.values().read()}, triangle{5, 5, cholesky.values().read()};
  Matrix<double> lower{5, 5, std::vector<double>(25)}, upper = lower, root = lower;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      (j < i ? lower : upper)(i, j) = factors(i, j);
      if (i == j) lower(i, j) = 1;
      if (j <= i) root(i, j) = triangle(i, j);
    }
  expect_near(product(lower, upper).values, a.values);
  expect_near(product(root, under(root, CUSPARSE_OPERATION_TRANSPOSE)).values, a.values);
  cusparseDestroyCsrilu02Info(of_lu), cusparseDestroyCsric02Info(of_cholesky),
      cusparseDestroyMatDescr(descriptor);
}

TEST_F(Sparse, TellsTheRowOfAPivotThatIsZero) {
  const Stored<double> a({3, 3, {2, 0, 0, 0, 3, 1, 0, 6, 2}}, CUSPARSE_FORMAT_CSR);
  cusparseMatDescr_t descriptor;
  cusparseCreateMatDescr(&descriptor);
  csrilu02Info_t info;
  cusparseCreateCsrilu02Info(&info);
  ASSERT_EQ(cusparseDcsrilu02(handle, 3, a.nnz(), descriptor, a.values().as(), a.outer().as(), a.inner().as(),
                              info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  int position = -1;
  EXPECT_EQ(cusparseXcsrilu02_zeroPivot(handle, info, &position), CUSPARSE_STATUS_ZERO_PIVOT);
  EXPECT_EQ(position, 2);
  cusparseDestroyCsrilu02Info(info), cusparseDestroyMatDescr(descriptor);
}

// ---- conversions ---------------------------------------------------------------------------------------

TEST_F(Sparse, ConvertsBetweenSparseAndDenseMatrices) {
  const auto a = random_sparse<float>(5, 7, 2);
  for (const cusparseFormat_t format : kTestedFormats) {
    const Stored<float> sparse(a, format, 1);
    const StoredMatrix<float> dense(random_matrix<float>(5, 7, 3), CUSPARSE_ORDER_COL);
    ASSERT_EQ(cusparseSparseToDense(handle, sparse, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr),
              CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(dense.read(), a.values);

    const Stored<float> back({5, 7, std::vector<float>(35, 1)}, format, 1);  // with room for all elements
    ASSERT_EQ(
        cusparseDenseToSparse_analysis(handle, dense, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
        CUSPARSE_STATUS_SUCCESS);
    std::int64_t rows = 0, columns = 0, nnz = 0;
    cusparseSpMatGetSize(back, &rows, &columns, &nnz);
    EXPECT_EQ(nnz, sparse.nnz());
    ASSERT_EQ(cusparseDenseToSparse_convert(handle, dense, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
              CUSPARSE_STATUS_SUCCESS);
    const auto first = [&](auto values, std::size_t count) {
      values.resize(count);
      return values;
    };
    EXPECT_EQ(first(back.outer().read(), sparse.outer().read().size()), sparse.outer().read());
    EXPECT_EQ(first(back.inner().read(), nnz), sparse.inner().read());
    EXPECT_EQ(first(back.values().read(), nnz), sparse.values().read());
  }
}

TEST_F(Sparse, ConvertsBetweenRowsAndOffsetsAndColumns) {
  const auto a = random_sparse<double>(6, 5, 3);
  const Stored<double> csr(a, CUSPARSE_FORMAT_CSR, 1), coo(a, CUSPARSE_FORMAT_COO, 1),
      csc(a, CUSPARSE_FORMAT_CSC, 1);
  const int nnz = csr.nnz();
  const OnDevice<int> offsets(std::vector<int>(7)), rows{std::vector<int>(nnz)}, columns(std::vector<int>(6));
  const OnDevice<double> values{std::vector<double>(nnz)};
  ASSERT_EQ(cusparseXcoo2csr(handle, coo.outer().as(), nnz, 6, offsets.as(), CUSPARSE_INDEX_BASE_ONE),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(offsets.read(), csr.outer().read());
  ASSERT_EQ(cusparseXcsr2coo(handle, csr.outer().as(), nnz, 6, rows.as(), CUSPARSE_INDEX_BASE_ONE),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(rows.read(), coo.outer().read());
  ASSERT_EQ(cusparseCsr2cscEx2(handle, 6, 5, nnz, csr.values().as(), csr.outer().as(), csr.inner().as(),
                               values.as(), columns.as(), rows.as(), CUDA_R_64F, CUSPARSE_ACTION_NUMERIC,
                               CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG1, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(columns.read(), csc.outer().read());
  EXPECT_EQ(rows.read(), csc.inner().read());
  EXPECT_EQ(values.read(), csc.values().read());
}

TEST_F(Sparse, SortsElementsAndTheirPermutation) {
  const OnDevice<int> rows(std::vector<int>{2, 0, 1, 0}), columns(std::vector<int>{1, 2, 0, 1}),
      order(std::vector<int>(4));
  ASSERT_EQ(cusparseCreateIdentityPermutation(handle, 4, order.as()), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseXcoosortByRow(handle, 3, 3, 4, rows.as(), columns.as(), order.as(), nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(rows.read(), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(columns.read(), ElementsAre(1, 2, 0, 1));
  EXPECT_THAT(order.read(), ElementsAre(3, 1, 2, 0));
  ASSERT_EQ(cusparseXcoosortByColumn(handle, 3, 3, 4, rows.as(), columns.as(), order.as(), nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(columns.read(), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(rows.read(), ElementsAre(1, 0, 2, 0));

  cusparseMatDescr_t descriptor;
  cusparseCreateMatDescr(&descriptor);
  const OnDevice<int> offsets(std::vector<int>{0, 3, 4}), within(std::vector<int>{2, 0, 1, 0});
  ASSERT_EQ(cusparseXcsrsort(handle, 2, 3, 4, descriptor, offsets.as(), within.as(), nullptr, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_THAT(within.read(), ElementsAre(0, 1, 2, 0));
  cusparseDestroyMatDescr(descriptor);
}

// ---- wrong calls ---------------------------------------------------------------------------------------

TEST_F(Sparse, RefusesVectorsOfOtherSizesAndTypes) {
  const auto a = random_sparse<float>(4, 5, 1);
  const Stored<float> matrix(a, CUSPARSE_FORMAT_CSR);
  const StoredVector<float> x(std::vector<float>(5)), y(std::vector<float>(4));
  const StoredVector<double> other(std::vector<double>(5));
  const float one = 1, zero = 0;
  const auto multiply = [&](cusparseDnVecDescr_t from, cusparseDnVecDescr_t to, cudaDataType compute) {
    return cusparseSpMV(handle, kPlain, &one, matrix, from, &zero, to, compute, CUSPARSE_SPMV_ALG_DEFAULT,
                        nullptr);
  };
  EXPECT_EQ(multiply(y, x, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(nullptr, y, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(other, y, CUDA_R_32F), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusparseSpMV(nullptr, kPlain, &one, matrix, x, &zero, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                         nullptr),
            CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(multiply(x, y, CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  cusparseDnMatDescr_t dense;
  EXPECT_EQ(cusparseCreateDnMat(&dense, 4, 5, 3, nullptr, CUDA_R_32F, CUSPARSE_ORDER_COL),
            CUSPARSE_STATUS_INVALID_VALUE);
}

TEST_F(Sparse, KeepsWhatDescriptorsWereCreatedWith) {
  const Stored<C> matrix(random_sparse<C>(4, 5, 1), CUSPARSE_FORMAT_CSC, 1);
  std::int64_t rows = 0, columns = 0, nnz = 0;
  void *outer = nullptr, *inner = nullptr, *values = nullptr;
  cusparseIndexType_t outer_type, inner_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  ASSERT_EQ(cusparseCscGet(matrix, &rows, &columns, &nnz, &outer, &inner, &values, &outer_type, &inner_type,
                           &base, &type),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(columns, 5);
  EXPECT_EQ(nnz, matrix.nnz());
  EXPECT_EQ(outer, matrix.outer().as());
  EXPECT_EQ(values, matrix.values().as());
  EXPECT_EQ(base, CUSPARSE_INDEX_BASE_ONE);
  EXPECT_EQ(type, CUDA_C_32F);
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER, found = CUSPARSE_FILL_MODE_LOWER;
  ASSERT_EQ(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseSpMatGetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &found, sizeof found),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(found, CUSPARSE_FILL_MODE_UPPER);
}

}  // namespace
}  // namespace cudalab::sparse
