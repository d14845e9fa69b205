// Declarations of arrays in a source, used to name their elements as the source does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/sources/source_parts.h"

namespace cudalab::compile {

using Macros = std::vector<std::pair<std::string, std::string>>;  // {"TILE", "32"}
using TokenSpan = std::span<const SourceToken>;

// `__shared__ float tile[32][33]` in line 7: {"tile", 7, {33}}.
struct DeclaredArray {
  std::string name;
  int line = 0;
  std::vector<std::uint64_t> inner;  // all dimensions except the first
};

// Variables in shared, device or constant memory with at least two dimensions, in which all but the first are
// numbers, sums or products of numbers, or constants and macros for such. `given`: macros on the compiler's
// command line, which override the source's.
std::vector<DeclaredArray> array_shapes(std::string_view source, const Macros& given = {});

// All declared arrays; `inner` is empty for one dimension and for unknown ones.
std::vector<DeclaredArray> declared_arrays(TokenSpan tokens, const Macros& given);

// The contents of each pair of brackets after a name: its indices or dimensions.
std::vector<TokenSpan> brackets_behind(TokenSpan tokens);

}  // namespace cudalab::compile
