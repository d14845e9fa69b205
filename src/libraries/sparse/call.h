// Checks the parameters of a call of cuSPARSE, collects the memory that it uses, and queues its work in a
// stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "libraries/sparse/handle.h"
#include "libraries/sparse/numbers.h"
#include "runtime/library_work.h"

namespace cudalab::sparse {

using runtime::LibraryFailure;
using runtime::LibraryMemory;
using runtime::LibraryPattern;
using runtime::LibraryReach;
using runtime::LibraryUnit;

enum class Access : std::uint8_t { kRead, kWrite, kUpdate };

// The memory of a call, as its work sees it on the host.
class Reached {
 public:
  Reached(const std::vector<std::byte*>& memory, LibraryReach& reach) : memory_(&memory), reach_(&reach) {}
  std::byte* at(std::size_t index) const { return (*memory_)[index]; }
  template <class T>
  T* of(std::size_t index) const {
    return reinterpret_cast<T*>(at(index));
  }
  LibraryReach& reach() const { return *reach_; }

 private:
  const std::vector<std::byte*>* memory_;
  LibraryReach* reach_;
};

// A factor such as alpha: its value or, with CUSPARSE_POINTER_MODE_DEVICE, its index in the call's memory.
struct Factor {
  cudaDataType type = CUDA_R_32F;
  bool is_on_device = false;
  std::size_t index = 0;
  Complex value;

  template <class W>
  W in(const Reached& reached) const {
    return is_on_device ? read<W>(reached.at(index), type, 1)[0] : widened<W>(value);
  }
  // Whether the factor is known to be 0 when the call is made.
  bool is_zero() const { return !is_on_device && value == Complex{}; }
};

// A vector, or a dense matrix, in the call's memory.
struct VectorOf {
  cusparseDnVecDescr vector;
  std::size_t index;
  template <class W>
  std::vector<W> in(const Reached& reached) const {
    return read<W>(reached.at(index), vector.type, vector.size);
  }
};
struct MatrixOf {
  cusparseDnMatDescr matrix;
  std::size_t index;
  std::int64_t place(std::int64_t row, std::int64_t column) const {
    return matrix.order == CUSPARSE_ORDER_ROW ? row * matrix.leading + column : row + column * matrix.leading;
  }
  // All elements from the first to the last, to be found by place().
  template <class W>
  std::vector<W> in(const Reached& reached) const {
    const bool is_empty = matrix.rows == 0 || matrix.columns == 0;
    return read<W>(reached.at(index), matrix.type,
                   is_empty ? 0 : place(matrix.rows - 1, matrix.columns - 1) + 1);
  }
};

class Call {
 public:
  Call(const char* name, cusparseHandle_t handle);

  // Each check records its failure unless an earlier check has failed.
  void require(bool holds, const LibraryFailure& why,
               cusparseStatus_t status = CUSPARSE_STATUS_INVALID_VALUE);
  void pointer(const char* parameter, const void* value);
  void size(const char* parameter, std::int64_t value);
  void equal(const char* parameter, std::int64_t value, std::int64_t wanted);
  void operation(const char* parameter, cusparseOperation_t value);
  // Types that the library does not combine.
  void supported(bool holds);
  bool is_valid() const { return status_ == CUSPARSE_STATUS_SUCCESS; }
  bool has_factors_on_device() const {
    return is_valid() && handle_->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
  }

  bool is_captured() const;  // into a graph

  // Memory of the call. Each returns its index.
  std::size_t memory(const char* parameter, const void* address, std::size_t row_bytes, Access access,
                     std::size_t rows = 1, std::size_t pitch = 0);
  Factor factor(const char* parameter, const void* address, cudaDataType type);
  VectorOf vector(const char* parameter, cusparseConstDnVecDescr_t descriptor, Access access);
  MatrixOf matrix(const char* parameter, cusparseConstDnMatDescr_t descriptor, Access access);

  // `type`: of the computation, which decides the unit.
  void costs(LibraryPattern pattern, cudaDataType type, double operations, double steps = 0);
  // Bytes that are read again for each product, in addition to the call's memory. After costs().
  void gathers(double bytes) { work_.cost.bytes = bytes; }

  // Queues the work, unless a check failed. finish(nullptr): there is no work. `waits`: the body returns a
  // value to the host.
  cusparseStatus_t finish(std::function<void(const Reached&)> body, bool waits = false);

 private:
  const char* name_;
  cusparseHandle_t handle_;
  cusparseStatus_t status_ = CUSPARSE_STATUS_SUCCESS;
  LibraryFailure why_;
  runtime::LibraryWork work_;
};

// The answer to a question for the size of a work area. The host needs none, but a program may take a null
// pointer for another question.
cusparseStatus_t answer_buffer_size(Call& call, std::size_t* size);
cusparseStatus_t answer_buffer_size(Call& call, int* size);

}  // namespace cudalab::sparse
