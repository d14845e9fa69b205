// Makes the names of the host's standard library visible in cuda::std. Their constexpr functions are functions of host
// and device for clang; what a kernel often needs and is not constexpr in C++17 is defined here.
#pragma once

#include "../cuda_runtime.h"

namespace cuda {
namespace std {

using namespace ::std;

template <class T>
CUDALAB_INLINE constexpr void swap(T& a, T& b) {
  T before = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(before);
}
template <class T, class Value = T>
CUDALAB_INLINE constexpr T exchange(T& a, Value&& value) {
  T before = static_cast<T&&>(a);
  a = static_cast<Value&&>(value);
  return before;
}

}  // namespace std
}  // namespace cuda
