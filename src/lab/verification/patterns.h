// What the wrong elements of a result have in common: a factor, a shift, a transposition, a precision, a
// region. A pattern is reported only if it explains all wrong elements and is unlikely by chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"

namespace cudalab::lab {

struct ComparedArrays {
  std::size_t count = 0;
  std::function<double(std::size_t)> found, expected;
  std::function<bool(std::size_t)> is_wrong;
  std::vector<std::int64_t> shape;  // the sizes of the dimensions, outermost first; empty: one dimension
  bool is_exact = false;            // the elements were only moved, so equal values have equal bits
  bool is_double = false;           // the elements have double precision
  bool is_whole = false;            // the elements are whole numbers
  bool has_unwritten = false;       // some wrong elements were never written, so the values mean nothing
};

// At most one sentence about the values and one about the places; empty if no pattern explains them. Examines
// only the first kMostLookedAt elements.
inline constexpr std::size_t kMostLookedAt = std::size_t{1} << 20;
std::vector<Message> patterns_of(const ComparedArrays& arrays);

// All values of a result that is partly wrong.
struct ComparedValues {
  std::vector<double> found, expected;
  std::vector<std::size_t> wrong;  // the indices of the wrong elements
};
inline constexpr std::size_t kMostKept = std::size_t{1} << 16;
// Null if there are more than kMostKept elements.
std::shared_ptr<const ComparedValues> kept_values(const ComparedArrays& arrays);

// Whether all wrong elements have the value of the input's element with the same index, or differ from the
// expected value by it, as the elements of an inclusive and an exclusive scan do. Empty if neither holds.
Message pattern_of_input(const ComparedValues& values, const std::string& input,
                         std::span<const double> elements);

// An input whose element i is an operand of the result's element i.
struct Operand {
  std::string name;
  std::span<const float> values;
};

// Whether all wrong elements of a result that should be first `operation` second ('+', '-', '*' or '/') are
// one of the operands, the result of another operation, or that of the operands without their fractions. The
// values may have been printed with six digits. Empty if none of these holds.
Message pattern_of_operands(std::span<const float> found, const Operand& first, char operation,
                            const Operand& second);

}  // namespace cudalab::lab
