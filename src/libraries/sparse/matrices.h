// Sparse matrices in a call's memory, and their elements by rows.
#pragma once

#include <cstdint>
#include <vector>

#include "libraries/sparse/call.h"

namespace cudalab::sparse {

struct SparseOf {
  cusparseSpMatDescr matrix{};
  const char* const* names = nullptr;            // of the outer indices, the inner indices and the values
  std::size_t outer = 0, inner = 0, values = 0;  // indices in the call's memory
};

// Checks the descriptor and adds its memory. The indices are read; `values`: how the values are used.
SparseOf sparse_matrix(Call& call, const char* parameter, cusparseConstSpMatDescr_t descriptor,
                       Access values);
// The same for a matrix that a function of 32-bit indices gets as three pointers, in CSR.
SparseOf sparse_matrix(Call& call, const cusparseSpMatDescr& matrix, const char* const names[3],
                       Access values);

// How many indices and values a matrix stores.
struct StoredCounts {
  std::int64_t outer, inner, values;
};
StoredCounts counts_of(const cusparseSpMatDescr& matrix);

// The rows and columns of all elements, counted from 0, in the order in which they are stored. An index
// outside the matrix ends the call.
struct Places {
  std::vector<std::int64_t> row, column;
  std::vector<std::int64_t> at{};  // where its value is; empty if element i has value i
  std::int64_t position(std::size_t i) const { return at.empty() ? static_cast<std::int64_t>(i) : at[i]; }
};
Places places_of(const SparseOf& matrix, const Reached& reached);

// The elements of a matrix by rows; those of one row in the order in which they are stored.
template <class W>
struct Rows {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> begin{};  // of each row, and the end of the last
  std::vector<std::int64_t> column{};
  std::vector<W> value{};
};
template <class W>
Rows<W> by_rows(std::int64_t rows, std::int64_t columns, Places places, std::vector<W> values);
// The elements of op(A).
template <class W>
Rows<W> rows_of(const SparseOf& matrix, cusparseOperation_t operation, const Reached& reached);

// For each row, the numbers of its elements: a stable order by row.
std::vector<std::int64_t> order_by(const std::vector<std::int64_t>& keys, std::int64_t key_count,
                                   std::vector<std::int64_t>& begin);

}  // namespace cudalab::sparse
