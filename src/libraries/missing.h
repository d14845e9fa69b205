// Functions that a library of this project has by name only: they report their call, and return the library's
// error status.
#pragma once

#include "runtime/library_work.h"

// Weak, so a definition anywhere in the library replaces it. The real parameters are omitted because the
// function ignores them.
#define CUDALAB_LIBRARY_MISSING(name, status)                          \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    __cudalabLibraryMissing(#name);                                    \
    return status;                                                     \
  }
