// Shared by the programs here: checks every call of CUDA.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                               \
  do {                                                                            \
    cudaError_t error_ = (call);                                                  \
    if (error_ != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)
