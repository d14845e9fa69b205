// Reads sparse matrices of all formats.
#include "libraries/sparse/matrices.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cudalab::sparse {
namespace {

struct FormatNames {
  cusparseFormat_t format;
  const char* names[3];  // of the outer indices, the inner indices and the values
};
constexpr FormatNames kFormats[] = {
    {CUSPARSE_FORMAT_CSR, {"csrRowOffsets", "csrColInd", "csrValues"}},
    {CUSPARSE_FORMAT_CSC, {"cscColOffsets", "cscRowInd", "cscValues"}},
    {CUSPARSE_FORMAT_COO, {"cooRowInd", "cooColInd", "cooValues"}},
};

const char* const* names_of(cusparseFormat_t format) {
  return std::ranges::find(kFormats, format, &FormatNames::format)->names;
}

bool is_by_columns(const cusparseSpMatDescr& matrix) { return matrix.format == CUSPARSE_FORMAT_CSC; }

std::vector<std::int64_t> read_indices(const std::byte* memory, cusparseIndexType_t type, std::int64_t count,
                                       std::int64_t base, std::int64_t limit, const char* name,
                                       LibraryReach& reach) {
  std::vector<std::int64_t> indices(count);
  for (std::int64_t i = 0; i < count; ++i) {
    indices[i] = read_index(memory, type, i) - base;
    if (indices[i] < 0 || indices[i] >= limit)
      reach.wrong_index(name, i, indices[i] + base, base, limit + base);
  }
  return indices;
}

// The number of the row (or column) of each element, from the offsets where they begin.
std::vector<std::int64_t> expanded(const std::vector<std::int64_t>& offsets, std::int64_t base,
                                   const char* name, LibraryReach& reach) {
  std::vector<std::int64_t> numbers(offsets.back());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] < offsets[i])
      reach.wrong_index(name, static_cast<std::int64_t>(i) + 1, offsets[i + 1] + base, offsets[i] + base,
                        static_cast<std::int64_t>(numbers.size()) + base + 1);
    std::fill(numbers.begin() + offsets[i], numbers.begin() + offsets[i + 1], static_cast<std::int64_t>(i));
  }
  return numbers;
}

}  // namespace

SparseOf sparse_matrix(Call& call, const cusparseSpMatDescr& matrix, const char* const names[3],
                       Access values) {
  call.supported(bytes_of(matrix.type) > 0);
  if (!call.is_valid()) return {};
  const std::int64_t outer = matrix.format == CUSPARSE_FORMAT_COO   ? matrix.nnz
                             : matrix.format == CUSPARSE_FORMAT_CSC ? matrix.columns + 1
                                                                    : matrix.rows + 1;
  SparseOf result{matrix, names};
  result.outer = call.memory(names[0], matrix.outer, outer * bytes_of(matrix.outer_type), Access::kRead);
  result.inner = call.memory(names[1], matrix.inner, matrix.nnz * bytes_of(matrix.inner_type), Access::kRead);
  result.values = call.memory(names[2], matrix.values, matrix.nnz * bytes_of(matrix.type), values);
  return result;
}

SparseOf sparse_matrix(Call& call, const char* parameter, cusparseConstSpMatDescr_t descriptor,
                       Access values) {
  call.pointer(parameter, descriptor);
  if (!call.is_valid()) return {};
  return sparse_matrix(call, *descriptor, names_of(descriptor->format), values);
}

Places places_of(const SparseOf& sparse, const Reached& reached) {
  const cusparseSpMatDescr& matrix = sparse.matrix;
  const char* const* names = sparse.names;
  std::int64_t outer_count = matrix.rows, inner_count = matrix.columns;
  if (is_by_columns(matrix)) std::swap(outer_count, inner_count);
  const auto indices = [&](std::size_t index, cusparseIndexType_t type, std::int64_t count,
                           std::int64_t limit, const char* name) {
    return read_indices(reached.at(index), type, count, matrix.base, limit, name, reached.reach());
  };
  Places places;
  if (matrix.format == CUSPARSE_FORMAT_COO)
    places.row = indices(sparse.outer, matrix.outer_type, matrix.nnz, outer_count, names[0]);
  else
    places.row = expanded(indices(sparse.outer, matrix.outer_type, outer_count + 1, matrix.nnz + 1, names[0]),
                          matrix.base, names[0], reached.reach());
  // Offsets may end before `nnz`. The indices after their end belong to no element and may have any value.
  places.column = indices(sparse.inner, matrix.inner_type, static_cast<std::int64_t>(places.row.size()),
                          inner_count, names[1]);
  if (is_by_columns(matrix)) std::swap(places.row, places.column);
  return places;
}

std::vector<std::int64_t> order_by(const std::vector<std::int64_t>& keys, std::int64_t key_count,
                                   std::vector<std::int64_t>& begin) {
  begin.assign(key_count + 1, 0);
  for (const std::int64_t key : keys) ++begin[key + 1];
  for (std::int64_t i = 0; i < key_count; ++i) begin[i + 1] += begin[i];
  std::vector<std::int64_t> next = begin, order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[next[keys[i]]++] = static_cast<std::int64_t>(i);
  return order;
}

template <class W>
Rows<W> by_rows(std::int64_t rows, std::int64_t columns, Places places, std::vector<W> values) {
  Rows<W> result{rows, columns};
  const bool is_sorted = std::ranges::is_sorted(places.row);
  const std::vector<std::int64_t> order = order_by(places.row, rows, result.begin);
  if (is_sorted) {
    result.column = std::move(places.column), result.value = std::move(values);
    return result;
  }
  for (const std::int64_t i : order)
    result.column.push_back(places.column[i]), result.value.push_back(values[i]);
  return result;
}

template <class W>
Rows<W> rows_of(const SparseOf& sparse, cusparseOperation_t operation, const Reached& reached) {
  const cusparseSpMatDescr& matrix = sparse.matrix;
  Places places = places_of(sparse, reached);
  std::vector<W> values =
      read<W>(reached.at(sparse.values), matrix.type, static_cast<std::int64_t>(places.row.size()));
  if (operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    for (W& value : values) value = conjugate(value);
  if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE)
    return by_rows(matrix.rows, matrix.columns, std::move(places), std::move(values));
  std::swap(places.row, places.column);
  return by_rows(matrix.columns, matrix.rows, std::move(places), std::move(values));
}

#define CUDALAB_ROWS(W)                                                            \
  template Rows<W> by_rows<W>(std::int64_t, std::int64_t, Places, std::vector<W>); \
  template Rows<W> rows_of<W>(const SparseOf&, cusparseOperation_t, const Reached&);
CUDALAB_ROWS(double)
CUDALAB_ROWS(Complex)

}  // namespace cudalab::sparse
