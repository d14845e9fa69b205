// A bound that grows with the case: "rows * cols / 32 + 64".
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace cudalab::course {

// The value of an option, or nothing where there is none of that name.
using NumberOf = std::function<std::optional<double>(std::string_view)>;

// sum = product { ("+" | "-") product } ;  product = factor { ("*" | "/") factor } ;
// factor = number | name | "ceil" "(" sum ")" | "(" sum ")" .
// Throws Error(kUsage) that says where the text is none.
double formula_value(std::string_view formula, const NumberOf& number_of);

}  // namespace cudalab::course
