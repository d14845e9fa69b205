// Shared by the programs of misuse: prints a line `CALL -> ERROR`; a second error is the value of
// cudaGetLastError afterwards.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

inline void show(const char* call, cudaError_t answer) {
  const cudaError_t last = cudaGetLastError();
  std::printf("%s -> %s", call, cudaGetErrorName(answer));
  if (last != answer) std::printf(" (%s)", cudaGetErrorName(last));
  std::printf("\n");
}

// `...`: a call with commas.
#define TRY(...) show(#__VA_ARGS__, __VA_ARGS__)
