// Dot and matrix products by the vendor's library: what a lab's own kernels are measured against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/measurement.h"
#include "core/scalar_type.h"

namespace cudalab::device {

struct TimingPlan;

// One call of the library: to run once, and to repeat and time.
struct LibraryCall {
  std::function<LaunchResult()> once;
  std::function<std::optional<TimeSummary>(const TimingPlan&)> timed;
};

// C (rows x columns) = A (rows x inner) * B (inner x columns), each row by row; B may be given transposed,
// columns x inner.
struct MatrixProduct {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t rows = 0, inner = 0, columns = 0;
  std::uint64_t a = 0, b = 0, c = 0;
  bool b_is_transposed = false;
};

// y (rows) = factor * A (rows x columns, row by row) * x (columns).
struct MatrixVector {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t rows = 0, columns = 0;
  double factor = 1;
  std::uint64_t a = 0, x = 0, y = 0;
};

struct DotProduct {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t count = 0;
  std::uint64_t a = 0, b = 0, result = 0;
};

// Addresses are the device's. Calls throw Error(kUnavailable) where the library fails.
class LinearAlgebra {
 public:
  virtual ~LinearAlgebra() = default;
  virtual LibraryCall dot(const DotProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixVector& problem) = 0;
};

}  // namespace cudalab::device
