// Checks the parameters of a call of cuBLAS, collects the memory that it uses, and queues its work in a
// stream.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libraries/blas/handle.h"
#include "libraries/blas/values.h"
#include "runtime/library_work.h"

namespace cudalab::blas {

using runtime::LibraryCost;
using runtime::LibraryFailure;
using runtime::LibraryMemory;
using runtime::LibraryPattern;
using runtime::LibraryReach;
using runtime::LibraryUnit;

// A vector in memory. As in BLAS, a negative increment begins at the last element in memory.
template <class T>
struct Vector {
  T* first = nullptr;
  std::int64_t increment = 1;
  T& operator[](std::int64_t i) const { return first[i * increment]; }
};
template <class T>
Vector<T> vector_at(T* lowest, std::int64_t count, std::int64_t increment) {
  return {increment < 0 ? lowest - (count - 1) * increment : lowest, increment};
}

// The memory of a call, as its work sees it on the host.
class Reached {
 public:
  Reached(const std::vector<std::byte*>& memory, LibraryReach& reach) : memory_(&memory), reach_(&reach) {}
  template <class T>
  T* at(std::size_t index) const {
    return reinterpret_cast<T*>((*memory_)[index]);
  }
  LibraryReach& reach() const { return *reach_; }

 private:
  const std::vector<std::byte*>* memory_;
  LibraryReach* reach_;
};

// A factor such as alpha: its value or, with CUBLAS_POINTER_MODE_DEVICE, its index in the call's memory.
template <class T>
struct Factor {
  std::optional<T> value;
  std::size_t index = 0;
  T in(const Reached& reached) const { return value ? *value : *reached.at<T>(index); }
  bool is(T other) const {
    return value && *value == other;
  }  // whether it is known to have this value when the call is made
};

// A vector of the call: its index in the call's memory.
template <class T>
struct VectorOf {
  std::size_t index = 0;
  std::int64_t count = 0, increment = 1;
  Vector<T> in(const Reached& reached) const { return vector_at(reached.at<T>(index), count, increment); }
};

enum class Access : std::uint8_t { kRead, kWrite, kUpdate, kReadInPart, kUpdateInPart };

// Memory of a call: `rows` rows of `row_bytes` bytes, `pitch` bytes from one row to the next.
LibraryMemory memory_of(const char* parameter, const void* address, std::size_t row_bytes, std::size_t rows,
                        std::size_t pitch, Access access);
template <class T>
LibraryMemory matrix_of(const char* parameter, const void* address, std::int64_t rows, std::int64_t columns,
                        std::int64_t leading, Access access) {
  return memory_of(parameter, address, rows * sizeof(T), columns, leading * sizeof(T), access);
}
template <class T>
LibraryMemory vector_of(const char* parameter, const void* address, std::int64_t count,
                        std::int64_t increment, Access access) {
  const std::int64_t step = increment < 0 ? -increment : increment;
  if (step == 1) return memory_of(parameter, address, count * sizeof(T), 1, 0, access);
  if (step == 0) return memory_of(parameter, address, sizeof(T), count > 0, 0, access);
  return memory_of(parameter, address, sizeof(T), count, step * sizeof(T), access);
}

// The arguments that each entry point passes on: the function's name, and the handle.
struct Entry {
  const char* function;
  cublasHandle_t handle;
};

class Call {
 public:
  explicit Call(const Entry& entry);

  // Each check records its failure unless an earlier check has failed.
  void require(bool holds, const LibraryFailure& why, cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE);
  void size(const char* parameter, std::int64_t value);
  void at_least(const char* parameter, std::int64_t value, std::int64_t limit);
  void increment(const char* parameter, std::int64_t value);
  void pointer(const char* parameter, const void* value);
  void operation(const char* parameter, cublasOperation_t value);
  void fill(cublasFillMode_t uplo);
  void diagonal(cublasDiagType_t diag);
  void side(cublasSideMode_t side);
  bool is_valid() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  const cublasContext& context() const { return *handle_; }
  bool has_factors_on_device() const {
    return is_valid() && handle_->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  }

  // Memory of the call. Returns its index.
  std::size_t memory_count() const { return work_.memory.size(); }
  std::size_t memory(const LibraryMemory& memory) {
    work_.memory.push_back(memory);
    return work_.memory.size() - 1;
  }
  std::size_t memory(const char* parameter, const void* address, std::size_t row_bytes, std::size_t rows,
                     std::size_t pitch, Access access) {
    return memory(memory_of(parameter, address, row_bytes, rows, pitch, access));
  }
  template <class T>
  std::size_t matrix(const char* parameter, const void* address, std::int64_t rows, std::int64_t columns,
                     std::int64_t leading, Access access) {
    return memory(matrix_of<T>(parameter, address, rows, columns, leading, access));
  }
  template <class T>
  VectorOf<T> vector(const char* parameter, const void* address, std::int64_t count, std::int64_t increment,
                     Access access) {
    return {memory(vector_of<T>(parameter, address, count, increment, access)), count, increment};
  }
  template <class T>
  Factor<T> factor(const char* parameter, const void* address) {
    pointer(parameter, address);
    if (!is_valid()) return {T{}};
    if (has_factors_on_device())
      return {std::nullopt, memory(parameter, address, sizeof(T), 1, 0, Access::kRead)};
    T value;
    std::memcpy(&value, address, sizeof value);
    return {value};
  }

  void costs(LibraryPattern pattern, LibraryUnit unit, double operations, double bytes = 0,
             double steps = 0) {
    work_.cost = {pattern, unit, operations, bytes, steps};
  }

  // Queues the work, unless a check failed. finish(nullptr): there is no work.
  cublasStatus_t finish(std::function<void(const Reached&)> body);
  // Finishes a call that returns a value of type T, either to the host, which then waits, or to device
  // memory.
  template <class T>
  cublasStatus_t finish_with(T* result, std::function<T(const Reached&)> body) {
    require(result != nullptr, {LibraryFailure::kNull, "result"}, CUBLAS_STATUS_MAPPING_ERROR);
    if (!is_valid()) return finish(nullptr);
    if (has_factors_on_device()) {
      const std::size_t index = memory("result", result, sizeof(T), 1, 0, Access::kWrite);
      return finish(
          [=, body = std::move(body)](const Reached& reached) { *reached.at<T>(index) = body(reached); });
    }
    work_.waits = true;
    return finish([=, body = std::move(body)](const Reached& reached) { *result = body(reached); });
  }

 private:
  const char* name_;
  cublasHandle_t handle_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
  LibraryFailure why_;
  runtime::LibraryWork work_;
};

// The unit that computes with this type without tensor cores.
template <class T>
inline constexpr LibraryUnit kUnitOf =
    std::is_same_v<Real<T>, double> ? LibraryUnit::kFp64 : LibraryUnit::kFp32;
// The unit that multiplies whole matrices of this type.
template <class T>
inline constexpr LibraryUnit kMatrixUnitOf =
    std::is_same_v<Real<T>, double> ? LibraryUnit::kFp64Tensor : LibraryUnit::kFp32;
// The number of operations of one multiplication and addition.
template <class T>
inline constexpr double kOperationsOf = kIsComplex<T> ? 8 : 2;

}  // namespace cudalab::blas
