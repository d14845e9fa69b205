// Tables that map the words of an option or a document to values, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cudalab {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t kSize>
constexpr std::optional<Value> value_called(std::string_view name, const Named<Value> (&table)[kSize]) {
  for (const Named<Value>& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

// The name of a value; empty if no row has it.
template <class Value, std::size_t kSize>
constexpr std::string_view name_in(const Named<Value> (&table)[kSize], Value value) {
  for (const Named<Value>& row : table)
    if (row.value == value) return row.name;
  return {};
}

}  // namespace cudalab
