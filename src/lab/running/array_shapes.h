// How the source declares arrays of several dimensions, so that their elements can be named as it does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::lab {

// `__shared__ float tile[32][33]` in line 7: {"tile", 7, {33}}.
struct ArrayShape {
  std::string name;
  int line = 0;
  std::vector<std::uint64_t> inner;  // all dimensions but the first
};

// Of variables in shared, device or constant memory with at least two dimensions, where all but the first are
// numbers, sums or products of numbers, or constants and macros that stand for such.
std::vector<ArrayShape> array_shapes(std::string_view source);

// `tile[1058]` as the line writes it, `tile[32][2]`, wherever the text names it so. The declaration is the
// last one of that name before the line; where the line does not take the element by all its indices, or
// there is no such declaration, the text stays.
std::string named_by_rows(std::string text, const std::string& name, int line, std::string_view source);

}  // namespace cudalab::lab
