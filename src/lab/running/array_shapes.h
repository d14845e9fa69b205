// How the source declares arrays of several dimensions, so that their elements can be named as it does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudalab::lab {

using Macros = std::vector<std::pair<std::string, std::string>>;  // {"TILE", "32"}

// `__shared__ float tile[32][33]` in line 7: {"tile", 7, {33}}.
struct DeclaredArray {
  std::string name;
  int line = 0;
  std::vector<std::uint64_t> inner;  // all dimensions but the first
};

// Of variables in shared, device or constant memory with at least two dimensions, where all but the first are
// numbers, sums or products of numbers, or constants and macros that stand for such.
// `given`: macros that the compiler was told, whatever the source defines.
std::vector<DeclaredArray> array_shapes(std::string_view source, const Macros& given = {});

// `tile[1058]` as the line writes it, `tile[32][2]`, wherever the text names it so. The declaration is the
// last one of that name before the line; where the line does not take the element by all its indices, or
// there is no such declaration, the text stays.
std::string named_by_rows(std::string text, const std::string& name, int line, std::string_view source,
                          const Macros& given = {});

}  // namespace cudalab::lab
