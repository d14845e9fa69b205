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
    {CUSPARSE_FORMAT_BSR, {"bsrRowOffsets", "bsrColInd", "bsrValues"}},
    {CUSPARSE_FORMAT_BLOCKED_ELL, {"", "ellColInd", "ellValue"}},
    {CUSPARSE_FORMAT_SLICED_ELLPACK, {"sellSliceOffsets", "sellColInd", "sellValues"}},
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

// ---- formats with blocks -------------------------------------------------------------------------------

// The elements of a matrix are collected one by one.
struct Collected {
  const cusparseSpMatDescr& matrix;
  const std::byte* indices;
  const char* name;  // of the indices
  LibraryReach& reach;
  Places places{};

  // The column of index `i`, or -1 for padding.
  std::int64_t column(std::int64_t i, std::int64_t limit) const {
    constexpr std::int64_t kPadding = -1;
    const std::int64_t value = read_index(indices, matrix.inner_type, i);
    if (value == kPadding) return kPadding;
    if (value < matrix.base || value - matrix.base >= limit)
      reach.wrong_index(name, i, value, matrix.base, limit + matrix.base);
    return value - matrix.base;
  }
  void add(std::int64_t row, std::int64_t column, std::int64_t at) {
    places.row.push_back(row), places.column.push_back(column), places.at.push_back(at);
  }
};

void collect_bsr(Collected& all, const std::vector<std::int64_t>& block_rows) {
  const cusparseSpMatDescr& matrix = all.matrix;
  const std::int64_t height = matrix.block_rows, width = matrix.block_columns;
  for (std::size_t block = 0; block < block_rows.size(); ++block) {
    const auto number = static_cast<std::int64_t>(block);
    const std::int64_t column = all.column(number, matrix.columns / width);
    for (std::int64_t i = 0; column >= 0 && i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        all.add(block_rows[block] * height + i, column * width + j,
                number * height * width +
                    (matrix.block_order == CUSPARSE_ORDER_ROW ? i * width + j : i + j * height));
  }
}

// The values are a matrix by rows with ell_columns columns.
void collect_blocked_ell(Collected& all) {
  const cusparseSpMatDescr& matrix = all.matrix;
  const std::int64_t size = matrix.block_rows, blocks = matrix.ell_columns / size;
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t column = all.column(row / size * blocks + block, matrix.columns / size);
      for (std::int64_t j = 0; column >= 0 && j < size; ++j)
        all.add(row, column * size + j, row * matrix.ell_columns + block * size + j);
    }
}

// A slice stores the first elements of its rows, then the second ones, and so on.
void collect_sliced_ell(Collected& all, const std::vector<std::int64_t>& offsets) {
  const cusparseSpMatDescr& matrix = all.matrix;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t slice = row / matrix.block_rows;
    for (std::int64_t at = offsets[slice] + row % matrix.block_rows; at < offsets[slice + 1];
         at += matrix.block_rows)
      if (const std::int64_t column = all.column(at, matrix.columns); column >= 0) all.add(row, column, at);
  }
}

}  // namespace

StoredCounts counts_of(const cusparseSpMatDescr& matrix) {
  switch (matrix.format) {
    case CUSPARSE_FORMAT_CSR: return {matrix.rows + 1, matrix.nnz, matrix.nnz};
    case CUSPARSE_FORMAT_CSC: return {matrix.columns + 1, matrix.nnz, matrix.nnz};
    case CUSPARSE_FORMAT_COO: break;
    case CUSPARSE_FORMAT_BSR:
      return {matrix.rows / matrix.block_rows + 1, matrix.nnz / (matrix.block_rows * matrix.block_columns),
              matrix.nnz};
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      return {0, matrix.nnz / (matrix.block_rows * matrix.block_rows), matrix.nnz};
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      return {(matrix.rows + matrix.block_rows - 1) / matrix.block_rows + 1, matrix.stored, matrix.stored};
  }
  return {matrix.nnz, matrix.nnz, matrix.nnz};
}

SparseOf sparse_matrix(Call& call, const cusparseSpMatDescr& matrix, const char* const names[3],
                       Access values) {
  call.supported(bytes_of(matrix.type) > 0 && matrix.batch == 1);
  if (!call.is_valid()) return {};
  const StoredCounts counts = counts_of(matrix);
  SparseOf result{matrix, names};
  result.outer =
      call.memory(names[0], matrix.outer, counts.outer * bytes_of(matrix.outer_type), Access::kRead);
  result.inner =
      call.memory(names[1], matrix.inner, counts.inner * bytes_of(matrix.inner_type), Access::kRead);
  result.values = call.memory(names[2], matrix.values, counts.values * bytes_of(matrix.type), values);
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
  const StoredCounts counts = counts_of(matrix);
  Collected all{matrix, reached.at(sparse.inner), names[1], reached.reach()};
  switch (matrix.format) {
    case CUSPARSE_FORMAT_BSR:
      collect_bsr(all,
                  expanded(indices(sparse.outer, matrix.outer_type, counts.outer, counts.inner + 1, names[0]),
                           matrix.base, names[0], reached.reach()));
      return std::move(all.places);
    case CUSPARSE_FORMAT_BLOCKED_ELL: collect_blocked_ell(all); return std::move(all.places);
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      collect_sliced_ell(all,
                         indices(sparse.outer, matrix.outer_type, counts.outer, counts.values + 1, names[0]));
      return std::move(all.places);
    default: break;
  }
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
  std::vector<W> values;
  if (places.at.empty()) {
    values = read<W>(reached.at(sparse.values), matrix.type, static_cast<std::int64_t>(places.row.size()));
  } else {
    const std::vector<W> stored = read<W>(reached.at(sparse.values), matrix.type, counts_of(matrix).values);
    for (const std::int64_t at : places.at) values.push_back(stored[at]);
  }
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
