// A list without duplicates that keeps the order of insertion.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace cudalab {

template <class T>
void add_once(std::vector<T>& list, std::type_identity_t<T> item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

}  // namespace cudalab
