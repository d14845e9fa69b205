// Defines the functions of cuBLAS that exist for several types, from the list in cublas_functions.inc.
#include <cublas_v2.h>

#include "libraries/blas/batched.h"
#include "libraries/blas/level1.h"
#include "libraries/blas/level2.h"
#include "libraries/blas/level3.h"

using namespace cudalab::blas;

#define BLAS_JOINED(letters, name, ending, bits) cublas##letters##name##ending##bits
#define BLAS_NAME(letters, name, ending, bits) BLAS_JOINED(letters, name, ending, bits)
#define BLAS_SPREAD(...) __VA_ARGS__
#define BLAS_FUNCTION(letters, name, ending, meaning, parameters, arguments)       \
  cublasStatus_t BLAS_NAME(letters, name, ending, BLAS_BITS) parameters {          \
    return meaning<Value<BLAS_T>>(Entry{__func__, handle}, BLAS_SPREAD arguments); \
  }

#pragma GCC visibility push(default)
extern "C" {

#include "detail/cublas_sizes.inc"

}  // extern "C"
#pragma GCC visibility pop
