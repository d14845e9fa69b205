// Products with sparse matrices: SpMV, SpMM, SDDMM and SpGEMM. Sums are accumulated in double precision.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "libraries/host_threads.h"
#include "libraries/sparse/matrices.h"

// A product of sparse matrices between its steps: cusparseSpGEMM_compute() computes it, cusparseSpGEMM_copy()
// stores it.
struct cusparseSpGEMMDescr {
  cudalab::sparse::Rows<cudalab::sparse::Complex> product;
  std::int64_t multiplications = 0;
};

namespace cudalab::sparse {
namespace {

// The types that the documentation of cusparseSpMV() and cusparseSpMM() combines.
struct Combination {
  cudaDataType a, x, y, compute;
};
constexpr Combination kCombinations[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},   {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
    {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
};

bool is_combined(cudaDataType a, cudaDataType x, cudaDataType y, cudaDataType compute) {
  return std::ranges::any_of(kCombinations, [&](const Combination& row) {
    return row.a == a && row.x == x && row.y == y && row.compute == compute;
  });
}

constexpr bool is_transposed(cusparseOperation_t operation) {
  return operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
}

// The sizes of op(matrix).
template <class Matrix>
std::pair<std::int64_t, std::int64_t> sizes_of(const Matrix& matrix, cusparseOperation_t operation) {
  return is_transposed(operation) ? std::pair{matrix.columns, matrix.rows}
                                  : std::pair{matrix.rows, matrix.columns};
}

// Calls body(row) for all rows, on several threads if there is enough to do.
template <class Body>
void for_each_row(std::int64_t rows, double operations, const Reached& reached, const Body& body) {
  constexpr std::int64_t kTogether = 256;
  libraries::for_each_part((rows + kTogether - 1) / kTogether, reached.reach().threads(), operations, [&] {
    return [&](std::int64_t part) {
      for (std::int64_t row = part * kTogether; row < std::min(rows, (part + 1) * kTogether); ++row)
        body(row);
    };
  });
}

// alpha and beta of a call: result = alpha * product + beta * result. If beta is 0, the result is not read.
template <class W>
struct Scales {
  W alpha, beta;
  W of(W product, const std::byte* memory, cudaDataType type, std::int64_t at) const {
    const W scaled = alpha * product;
    if (beta == W{}) return scaled;
    return scaled + beta * read<W>(memory + at * bytes_of(type), type, 1)[0];
  }
};

// ---- SpMV ----------------------------------------------------------------------------------------------

struct MatrixVector {
  cusparseOperation_t operation;
  SparseOf a;
  VectorOf x{}, y{};
  Factor alpha{}, beta{};

  template <class W>
  void run(const Reached& reached) const {
    const Rows<W> rows = rows_of<W>(a, operation, reached);
    const std::vector<W> from = x.in<W>(reached);
    const Scales<W> scales{alpha.in<W>(reached), beta.in<W>(reached)};
    for_each_row(rows.rows, static_cast<double>(rows.value.size()), reached, [&](std::int64_t row) {
      W sum{};
      for (std::int64_t i = rows.begin[row]; i < rows.begin[row + 1]; ++i)
        sum += rows.value[i] * from[rows.column[i]];
      std::byte* to = reached.at(y.index);
      write(to, y.vector.type, row, scales.of(sum, to, y.vector.type, row));
    });
  }
};

cusparseStatus_t multiply_vector(Call& call, cusparseOperation_t operation, const void* alpha,
                                 cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                 cusparseConstDnVecDescr_t y, cudaDataType compute) {
  call.operation("opA", operation);
  MatrixVector product{operation, sparse_matrix(call, "matA", a, Access::kRead)};
  product.alpha = call.factor("alpha", alpha, compute);
  product.beta = call.factor("beta", beta, compute);
  product.x = call.vector("vecX", x, Access::kRead);
  product.y = call.vector("vecY", y, product.beta.is_zero() ? Access::kWrite : Access::kUpdate);
  if (call.is_valid()) {
    const auto [rows, columns] = sizes_of(*a, operation);
    call.equal("the size of vecX", x->size, columns);
    call.equal("the size of vecY", y->size, rows);
    call.supported(is_combined(a->type, x->type, y->type, compute));
    call.costs(LibraryPattern::kSparseVector, compute, 2 * static_cast<double>(a->nnz));
  }
  return call.finish(
      [=](const Reached& reached) { with_numbers(compute, [&]<class W>(W) { product.run<W>(reached); }); });
}

// ---- batches -------------------------------------------------------------------------------------------

const void* advanced(const void* address, std::int64_t bytes) {
  return static_cast<const std::byte*>(address) + bytes;
}

// Matrix `i` of a batch. A matrix without a batch is the same for all.
cusparseSpMatDescr one_of(cusparseSpMatDescr matrix, std::int64_t i) {
  const auto bytes = [](std::int64_t elements, std::size_t size) {
    return elements * static_cast<std::int64_t>(size);
  };
  matrix.outer = advanced(matrix.outer, bytes(i * matrix.outer_stride, bytes_of(matrix.outer_type)));
  matrix.inner = advanced(matrix.inner, bytes(i * matrix.inner_stride, bytes_of(matrix.inner_type)));
  matrix.values = advanced(matrix.values, bytes(i * matrix.value_stride, bytes_of(matrix.type)));
  matrix.batch = 1;
  return matrix;
}
cusparseDnMatDescr one_of(cusparseDnMatDescr matrix, std::int64_t i) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(matrix.type));
  if (matrix.batch > 1) matrix.values = advanced(matrix.values, i * matrix.batch_stride * bytes);
  matrix.batch = 1;
  return matrix;
}

// The number of products of a batch; all matrices that are batches must have it. Null descriptors are
// reported by other checks.
template <class A, class B, class C>
std::int64_t batch_of(Call& call, const A* a, const B* b, const C* c) {
  if (!a || !b || !c) return 1;
  const int batch = std::max({a->batch, b->batch, c->batch});
  for (const int one : {a->batch, b->batch, c->batch})
    if (one > 1) call.equal("the batchCount", one, batch);
  return batch;
}

// ---- SpMM ----------------------------------------------------------------------------------------------

// A dense matrix that was read, as op(matrix).
template <class W>
struct Dense {
  std::vector<W> numbers;
  MatrixOf from;
  cusparseOperation_t operation;
  Dense(const MatrixOf& matrix, cusparseOperation_t op, const Reached& reached)
      : numbers(matrix.in<W>(reached)), from(matrix), operation(op) {}
  W operator()(std::int64_t row, std::int64_t column) const {
    if (!is_transposed(operation)) return numbers[from.place(row, column)];
    const W value = numbers[from.place(column, row)];
    return operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(value) : value;
  }
};

struct MatrixMatrix {
  cusparseOperation_t op_a, op_b;
  SparseOf a;
  MatrixOf b{}, c{};
  Factor alpha{}, beta{};

  template <class W>
  void run(const Reached& reached) const {
    const Rows<W> rows = rows_of<W>(a, op_a, reached);
    const Dense<W> from(b, op_b, reached);
    const Scales<W> scales{alpha.in<W>(reached), beta.in<W>(reached)};
    const std::int64_t width = c.matrix.columns;
    const double operations = static_cast<double>(rows.value.size()) * static_cast<double>(width);
    for_each_row(rows.rows, operations, reached, [&](std::int64_t row) {
      std::vector<W> sums(width);
      for (std::int64_t i = rows.begin[row]; i < rows.begin[row + 1]; ++i)
        for (std::int64_t j = 0; j < width; ++j) sums[j] += rows.value[i] * from(rows.column[i], j);
      std::byte* to = reached.at(c.index);
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t place = c.place(row, j);
        write(to, c.matrix.type, place, scales.of(sums[j], to, c.matrix.type, place));
      }
    });
  }
};

cusparseStatus_t multiply_matrix(Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                 const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                 const void* beta, cusparseConstDnMatDescr_t c, cudaDataType compute) {
  call.operation("opA", op_a);
  call.operation("opB", op_b);
  const Factor by = call.factor("alpha", alpha, compute), kept = call.factor("beta", beta, compute);
  std::vector<MatrixMatrix> products;
  const std::int64_t batch = batch_of(call, a, b, c);
  for (const auto& [name, descriptor] :
       {std::pair<const char*, const void*>{"matA", a}, {"matB", b}, {"matC", c}})
    call.pointer(name, descriptor);
  for (std::int64_t i = 0; call.is_valid() && i < batch; ++i) {
    const cusparseSpMatDescr one_a = one_of(*a, i);
    const cusparseDnMatDescr one_b = one_of(*b, i), one_c = one_of(*c, i);
    products.push_back({op_a, op_b, sparse_matrix(call, "matA", &one_a, Access::kRead),
                        call.matrix("matB", &one_b, Access::kRead),
                        call.matrix("matC", &one_c, kept.is_zero() ? Access::kWrite : Access::kUpdate), by,
                        kept});
  }
  if (call.is_valid()) {
    const auto [rows, depth] = sizes_of(*a, op_a);
    const auto [b_rows, columns] = sizes_of(*b, op_b);
    call.equal("the rows of op(matB)", b_rows, depth);
    call.equal("the rows of matC", c->rows, rows);
    call.equal("the columns of matC", c->columns, columns);
    call.supported(is_combined(a->type, b->type, c->type, compute));
    const double terms =
        static_cast<double>(a->nnz) * static_cast<double>(columns) * static_cast<double>(batch);
    call.costs(LibraryPattern::kSparseMatrix, compute, 2 * terms);
    call.gathers(terms * static_cast<double>(bytes_of(b->type)));
  }
  return call.finish([=](const Reached& reached) {
    for (const MatrixMatrix& each : products)
      with_numbers(compute, [&]<class W>(W) { each.run<W>(reached); });
  });
}

// ---- SDDMM: the product of two dense matrices where the sparse matrix has elements ---------------------

struct Sampled {
  cusparseOperation_t op_a, op_b;
  MatrixOf a{}, b{};
  SparseOf c{};
  Factor alpha{}, beta{};

  template <class W>
  void run(const Reached& reached) const {
    const Places places = places_of(c, reached);
    const Dense<W> left(a, op_a, reached), right(b, op_b, reached);
    const Scales<W> scales{alpha.in<W>(reached), beta.in<W>(reached)};
    const std::int64_t depth = sizes_of(a.matrix, op_a).second;
    const auto count = static_cast<std::int64_t>(places.row.size());
    for_each_row(count, static_cast<double>(count) * static_cast<double>(depth), reached,
                 [&](std::int64_t i) {
                   W sum{};
                   for (std::int64_t k = 0; k < depth; ++k)
                     sum += left(places.row[i], k) * right(k, places.column[i]);
                   std::byte* to = reached.at(c.values);
                   const std::int64_t place = places.position(i);
                   write(to, c.matrix.type, place, scales.of(sum, to, c.matrix.type, place));
                 });
  }
};

cusparseStatus_t multiply_sampled(Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                  const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                  const void* beta, cusparseConstSpMatDescr_t c, cudaDataType compute) {
  call.operation("opA", op_a);
  call.operation("opB", op_b);
  const Factor by = call.factor("alpha", alpha, compute), kept = call.factor("beta", beta, compute);
  std::vector<Sampled> products;
  const std::int64_t batch = batch_of(call, a, b, c);
  for (const auto& [name, descriptor] :
       {std::pair<const char*, const void*>{"matA", a}, {"matB", b}, {"matC", c}})
    call.pointer(name, descriptor);
  for (std::int64_t i = 0; call.is_valid() && i < batch; ++i) {
    const cusparseDnMatDescr one_a = one_of(*a, i), one_b = one_of(*b, i);
    const cusparseSpMatDescr one_c = one_of(*c, i);
    products.push_back(
        {op_a, op_b, call.matrix("matA", &one_a, Access::kRead), call.matrix("matB", &one_b, Access::kRead),
         sparse_matrix(call, "matC", &one_c, kept.is_zero() ? Access::kWrite : Access::kUpdate), by, kept});
  }
  if (call.is_valid()) {
    const auto [rows, depth] = sizes_of(*a, op_a);
    const auto [b_rows, columns] = sizes_of(*b, op_b);
    call.equal("the rows of op(matB)", b_rows, depth);
    call.equal("the rows of matC", c->rows, rows);
    call.equal("the columns of matC", c->columns, columns);
    call.supported(is_combined(a->type, b->type, c->type, compute));
    const double terms =
        static_cast<double>(c->nnz) * static_cast<double>(depth) * static_cast<double>(batch);
    call.costs(LibraryPattern::kSparseMatrix, compute, 2 * terms);
    call.gathers(terms * static_cast<double>(bytes_of(a->type) + bytes_of(b->type)));
  }
  return call.finish([=](const Reached& reached) {
    for (const Sampled& each : products) with_numbers(compute, [&]<class W>(W) { each.run<W>(reached); });
  });
}

// ---- SpGEMM --------------------------------------------------------------------------------------------

// alpha A B, with the columns of each row in ascending order. (F. Gustavson, "Two fast algorithms for sparse
// matrices", 1978)
Rows<Complex> product_of(const Rows<Complex>& a, const Rows<Complex>& b, Complex alpha) {
  Rows<Complex> c{a.rows, b.columns, {0}};
  std::vector<Complex> sums(b.columns);
  std::vector<std::int64_t> last_row(b.columns, -1), columns;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    columns.clear();
    for (std::int64_t i = a.begin[row]; i < a.begin[row + 1]; ++i)
      for (std::int64_t j = b.begin[a.column[i]]; j < b.begin[a.column[i] + 1]; ++j) {
        const std::int64_t column = b.column[j];
        if (last_row[column] != row) last_row[column] = row, sums[column] = 0, columns.push_back(column);
        sums[column] += a.value[i] * b.value[j];
      }
    std::ranges::sort(columns);
    for (const std::int64_t column : columns)
      c.column.push_back(column), c.value.push_back(alpha * sums[column]);
    c.begin.push_back(static_cast<std::int64_t>(c.column.size()));
  }
  return c;
}

bool is_plain(cusparseConstSpMatDescr_t matrix) { return matrix && matrix->format == CUSPARSE_FORMAT_CSR; }

void check_product(Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                   cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                   cusparseSpGEMMDescr_t descriptor) {
  call.pointer("matA", a);
  call.pointer("matB", b);
  call.pointer("matC", c);
  call.pointer("spgemmDescr", descriptor);
  if (!call.is_valid()) return;
  call.supported(!is_transposed(op_a) && !is_transposed(op_b) && is_plain(a) && is_plain(b) && is_plain(c));
  call.equal("the rows of matB", b->rows, a->columns);
  call.equal("the rows of matC", c->rows, a->rows);
  call.equal("the columns of matC", c->columns, b->columns);
}

// The program learns the number of elements when the call returns.
cusparseStatus_t compute_product(Call& call, const void* alpha, cusparseConstSpMatDescr_t a,
                                 cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cudaDataType compute,
                                 cusparseSpGEMMDescr_t descriptor) {
  const SparseOf left = sparse_matrix(call, "matA", a, Access::kRead);
  const SparseOf right = sparse_matrix(call, "matB", b, Access::kRead);
  const Factor by = call.factor("alpha", alpha, compute);
  if (call.is_valid()) call.costs(LibraryPattern::kOther, compute, 0);
  return call.finish(
      [=](const Reached& reached) {
        descriptor->product = product_of(rows_of<Complex>(left, CUSPARSE_OPERATION_NON_TRANSPOSE, reached),
                                         rows_of<Complex>(right, CUSPARSE_OPERATION_NON_TRANSPOSE, reached),
                                         by.in<Complex>(reached));
        c->nnz = static_cast<std::int64_t>(descriptor->product.column.size());
      },
      true);
}

// How many multiplications the product takes. The program may ask for it when the call returns.
cusparseStatus_t count_multiplications(Call& call, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                       cusparseSpGEMMDescr_t descriptor) {
  const SparseOf left = sparse_matrix(call, "matA", a, Access::kRead);
  const SparseOf right = sparse_matrix(call, "matB", b, Access::kRead);
  if (call.is_valid()) call.costs(LibraryPattern::kOther, a->type, 0);
  return call.finish(
      [=](const Reached& reached) {
        const auto rows = rows_of<Complex>(right, CUSPARSE_OPERATION_NON_TRANSPOSE, reached);
        descriptor->multiplications = 0;
        for (const std::int64_t column : places_of(left, reached).column)
          descriptor->multiplications += rows.begin[column + 1] - rows.begin[column];
      },
      true);
}

// ---- SpGEMMreuse: the places of the product are computed once, its values as often as the program wants
// ----

cusparseStatus_t find_places(Call& call, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                             cusparseSpMatDescr_t c, cusparseSpGEMMDescr_t descriptor) {
  if (!call.is_valid()) return call.finish(nullptr);
  const SparseOf left = sparse_matrix(call, "matA", a, Access::kRead);
  const SparseOf right = sparse_matrix(call, "matB", b, Access::kRead);
  call.costs(LibraryPattern::kOther, a->type, 0);
  return call.finish(
      [=](const Reached& reached) {
        descriptor->product =
            product_of(rows_of<Complex>(left, CUSPARSE_OPERATION_NON_TRANSPOSE, reached),
                       rows_of<Complex>(right, CUSPARSE_OPERATION_NON_TRANSPOSE, reached), 1);
        c->nnz = static_cast<std::int64_t>(descriptor->product.column.size());
      },
      true);
}

cusparseStatus_t copy_places(Call& call, cusparseConstSpMatDescr_t c, cusparseSpGEMMDescr_t descriptor) {
  if (!call.is_valid()) return call.finish(nullptr);
  const auto product = std::make_shared<Rows<Complex>>(descriptor->product);
  const cusparseSpMatDescr matrix = *c;
  const std::size_t outer = call.memory("csrRowOffsets", matrix.outer,
                                        product->begin.size() * bytes_of(matrix.outer_type), Access::kWrite);
  const std::size_t inner = call.memory("csrColInd", matrix.inner,
                                        product->column.size() * bytes_of(matrix.inner_type), Access::kWrite);
  call.costs(LibraryPattern::kUpdate, matrix.type, 0);
  return call.finish([=](const Reached& reached) {
    for (std::size_t i = 0; i < product->begin.size(); ++i)
      write_index(reached.at(outer), matrix.outer_type, i, product->begin[i] + matrix.base);
    for (std::size_t i = 0; i < product->column.size(); ++i)
      write_index(reached.at(inner), matrix.inner_type, i, product->column[i] + matrix.base);
  });
}

cusparseStatus_t compute_values(Call& call, const void* alpha, cusparseConstSpMatDescr_t a,
                                cusparseConstSpMatDescr_t b, const void* beta, cusparseConstSpMatDescr_t c,
                                cudaDataType compute) {
  const Factor by = call.factor("alpha", alpha, compute), keep = call.factor("beta", beta, compute);
  const SparseOf left = sparse_matrix(call, "matA", a, Access::kRead);
  const SparseOf right = sparse_matrix(call, "matB", b, Access::kRead);
  const SparseOf to = sparse_matrix(call, "matC", c, keep.is_zero() ? Access::kWrite : Access::kUpdate);
  if (call.is_valid()) call.costs(LibraryPattern::kOther, compute, 0);
  return call.finish([=](const Reached& reached) {
    const auto product = product_of(rows_of<Complex>(left, CUSPARSE_OPERATION_NON_TRANSPOSE, reached),
                                    rows_of<Complex>(right, CUSPARSE_OPERATION_NON_TRANSPOSE, reached),
                                    by.in<Complex>(reached));
    const Scales<Complex> scales{1, keep.in<Complex>(reached)};
    const auto count = std::min(to.matrix.nnz, static_cast<std::int64_t>(product.value.size()));
    for (std::int64_t i = 0; i < count; ++i)
      write(reached.at(to.values), to.matrix.type, i,
            scales.of(product.value[i], reached.at(to.values), to.matrix.type, i));
  });
}

// The row offsets and columns of the product, and its values: C = product + beta C, where C has the same
// elements.
cusparseStatus_t copy_product(Call& call, const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                              cusparseSpGEMMDescr_t descriptor) {
  const Factor keep = call.factor("beta", beta, compute);
  if (!call.is_valid()) return call.finish(nullptr);
  const auto product = std::make_shared<Rows<Complex>>(descriptor->product);
  const cusparseSpMatDescr matrix = *c;
  const Access access = keep.is_zero() ? Access::kWrite : Access::kUpdate;
  const std::size_t outer = call.memory("csrRowOffsets", matrix.outer,
                                        product->begin.size() * bytes_of(matrix.outer_type), Access::kWrite);
  const std::size_t inner = call.memory("csrColInd", matrix.inner,
                                        product->column.size() * bytes_of(matrix.inner_type), Access::kWrite);
  const std::size_t values =
      call.memory("csrValues", matrix.values, product->value.size() * bytes_of(matrix.type), access);
  return call.finish([=](const Reached& reached) {
    const Scales<Complex> scales{1, keep.in<Complex>(reached)};
    for (std::size_t i = 0; i < product->begin.size(); ++i)
      write_index(reached.at(outer), matrix.outer_type, i, product->begin[i] + matrix.base);
    for (std::size_t i = 0; i < product->column.size(); ++i) {
      write_index(reached.at(inner), matrix.inner_type, i, product->column[i] + matrix.base);
      write(reached.at(values), matrix.type, i,
            scales.of(product->value[i], reached.at(values), matrix.type, i));
    }
  });
}

}  // namespace
}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

#define SPARSE_MV_PARAMETERS                                                                             \
  cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t matA,   \
      cusparseConstDnVecDescr_t vecX, const void *beta, cusparseDnVecDescr_t vecY, cudaDataType compute, \
      cusparseSpMVAlg_t
cusparseStatus_t cusparseSpMV_bufferSize(SPARSE_MV_PARAMETERS, size_t* size) {
  Call call(__func__, handle);
  for (const void* each : {static_cast<const void*>(matA), static_cast<const void*>(vecX),
                           static_cast<const void*>(vecY), alpha, beta})
    call.pointer("a descriptor or factor", each);
  call.operation("opA", opA);
  if (call.is_valid()) call.supported(is_combined(matA->type, vecX->type, vecY->type, compute));
  return answer_buffer_size(call, size);
}
// Nothing to prepare here.
cusparseStatus_t cusparseSpMV_preprocess(SPARSE_MV_PARAMETERS, void*) {
  Call call(__func__, handle);
  for (const void* each : {static_cast<const void*>(matA), static_cast<const void*>(vecX),
                           static_cast<const void*>(vecY), alpha, beta})
    call.pointer("a descriptor or factor", each);
  call.operation("opA", opA);
  if (call.is_valid()) call.supported(is_combined(matA->type, vecX->type, vecY->type, compute));
  return call.finish(nullptr);
}
cusparseStatus_t cusparseSpMV(SPARSE_MV_PARAMETERS, void*) {
  Call call(__func__, handle);
  return multiply_vector(call, opA, alpha, matA, vecX, beta, vecY, compute);
}

#define SPARSE_MM_PARAMETERS                                                                            \
  cusparseHandle_t handle, [[maybe_unused]] cusparseOperation_t opA,                                    \
      [[maybe_unused]] cusparseOperation_t opB, [[maybe_unused]] const void *alpha,                     \
      [[maybe_unused]] cusparseConstSpMatDescr_t matA, [[maybe_unused]] cusparseConstDnMatDescr_t matB, \
      [[maybe_unused]] const void *beta, [[maybe_unused]] cusparseDnMatDescr_t matC,                    \
      [[maybe_unused]] cudaDataType compute, cusparseSpMMAlg_t
cusparseStatus_t cusparseSpMM_bufferSize(SPARSE_MM_PARAMETERS, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpMM_preprocess(SPARSE_MM_PARAMETERS, void*) {
  Call call(__func__, handle);
  return call.finish(nullptr);
}
cusparseStatus_t cusparseSpMM(SPARSE_MM_PARAMETERS, void*) {
  Call call(__func__, handle);
  return multiply_matrix(call, opA, opB, alpha, matA, matB, beta, matC, compute);
}

#define SPARSE_SAMPLED_PARAMETERS                                                                       \
  cusparseHandle_t handle, [[maybe_unused]] cusparseOperation_t opA,                                    \
      [[maybe_unused]] cusparseOperation_t opB, [[maybe_unused]] const void *alpha,                     \
      [[maybe_unused]] cusparseConstDnMatDescr_t matA, [[maybe_unused]] cusparseConstDnMatDescr_t matB, \
      [[maybe_unused]] const void *beta, [[maybe_unused]] cusparseSpMatDescr_t matC,                    \
      [[maybe_unused]] cudaDataType compute, cusparseSDDMMAlg_t
cusparseStatus_t cusparseSDDMM_bufferSize(SPARSE_SAMPLED_PARAMETERS, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSDDMM_preprocess(SPARSE_SAMPLED_PARAMETERS, void*) {
  Call call(__func__, handle);
  return call.finish(nullptr);
}
cusparseStatus_t cusparseSDDMM(SPARSE_SAMPLED_PARAMETERS, void*) {
  Call call(__func__, handle);
  return multiply_sampled(call, opA, opB, alpha, matA, matB, beta, matC, compute);
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descriptor) {
  *descriptor = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

#define SPARSE_PRODUCT_PARAMETERS                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,                               \
      [[maybe_unused]] const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,  \
      [[maybe_unused]] const void *beta, cusparseSpMatDescr_t matC, [[maybe_unused]] cudaDataType compute, \
      cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor
cusparseStatus_t cusparseSpGEMM_workEstimation(SPARSE_PRODUCT_PARAMETERS, size_t* size, void* buffer) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return buffer ? count_multiplications(call, matA, matB, descriptor) : answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descriptor, int64_t* count) {
  if (!descriptor || !count) return CUSPARSE_STATUS_INVALID_VALUE;
  *count = descriptor->multiplications;
  return CUSPARSE_STATUS_SUCCESS;
}
// Answers with the size of its own buffer first, then with that of cusparseSpGEMM_compute().
cusparseStatus_t cusparseSpGEMM_estimateMemory(SPARSE_PRODUCT_PARAMETERS, float, size_t* size, void* buffer,
                                               size_t* size_of_compute) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return answer_buffer_size(call, buffer ? size_of_compute : size);
}
// With a null buffer, it is asked how large the buffer must be.
cusparseStatus_t cusparseSpGEMM_compute(SPARSE_PRODUCT_PARAMETERS, size_t* size, void* buffer) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return buffer ? compute_product(call, alpha, matA, matB, matC, compute, descriptor)
                : answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpGEMM_copy(SPARSE_PRODUCT_PARAMETERS) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return copy_product(call, beta, matC, compute, descriptor);
}

#define SPARSE_REUSE_PARAMETERS                                                                              \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t matA, \
      cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t,                        \
      cusparseSpGEMMDescr_t descriptor
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(SPARSE_REUSE_PARAMETERS, size_t* size, void* buffer) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return buffer ? call.finish(nullptr) : answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(SPARSE_REUSE_PARAMETERS, size_t* size2, void* buffer2, size_t* size3,
                                         void* buffer3, size_t* size4, void* buffer4) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  if (buffer2 || buffer3 || buffer4) return find_places(call, matA, matB, matC, descriptor);
  call.pointer("bufferSize2", size2);
  call.pointer("bufferSize3", size3);
  call.pointer("bufferSize4", size4);
  if (call.is_valid()) answer_buffer_size(call, size2), answer_buffer_size(call, size3);
  return answer_buffer_size(call, size4);
}
cusparseStatus_t cusparseSpGEMMreuse_copy(SPARSE_REUSE_PARAMETERS, size_t* size, void* buffer) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return buffer ? copy_places(call, matC, descriptor) : answer_buffer_size(call, size);
}
cusparseStatus_t cusparseSpGEMMreuse_compute(SPARSE_PRODUCT_PARAMETERS) {
  Call call(__func__, handle);
  check_product(call, opA, opB, matA, matB, matC, descriptor);
  return compute_values(call, alpha, matA, matB, beta, matC, compute);
}

}  // extern "C"
#pragma GCC visibility pop
