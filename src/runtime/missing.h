// What an entry point of CUDA answers that the virtual GPU does not have.
#pragma once

namespace cudalab::runtime {

// cudaErrorNotSupported, after one line with the name: to who watches, else on standard error.
int answer_missing(const char* name);

}  // namespace cudalab::runtime

// Weak: a definition anywhere in the library takes its place. The parameters do not matter, since nobody
// reads them.
#define CUDALAB_MISSING(name)                                          \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    return ::cudalab::runtime::answer_missing(#name);                  \
  }
