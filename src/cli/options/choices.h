// Options whose value is one of a table's words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "core/error.h"
#include "core/named.h"
#include "core/text.h"

namespace cudalab::cli {

inline constexpr Named<ColourChoice> kColours[]{
    {"auto", ColourChoice::kAuto}, {"always", ColourChoice::kAlways}, {"never", ColourChoice::kNever}};

// "auto|gpu|virtual"
template <class Value, std::size_t kSize>
std::string alternatives(const Named<Value> (&table)[kSize]) {
  return joined(table, "|", &Named<Value>::name);
}

template <class Value, std::size_t kSize>
Value chosen(std::string_view option, std::string_view text, const Named<Value> (&table)[kSize]) {
  if (const auto value = value_called(text, table)) return *value;
  throw usage_error("{} takes {}, not `{}`", option, joined(table, ", ", &Named<Value>::name), text);
}

}  // namespace cudalab::cli
