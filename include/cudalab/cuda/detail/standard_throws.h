// What std::optional and std::variant call instead of throwing in a kernel: it ends. Read before their headers.
#pragma once

#include "../cuda_runtime.h"

#ifdef __CUDA__
namespace std {

#define CUDALAB_THROW(name, ...)                                       \
  __attribute__((device, noreturn)) inline void name(__VA_ARGS__) {    \
    __trap();                                                          \
    __builtin_unreachable();                                           \
  }
CUDALAB_THROW(__throw_bad_optional_access)
CUDALAB_THROW(__throw_bad_variant_access, const char*)
CUDALAB_THROW(__throw_bad_variant_access, bool)
#undef CUDALAB_THROW

}  // namespace std
#endif
