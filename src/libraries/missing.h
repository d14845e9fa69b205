// The functions that a library of ours has by name only: they say so, and return the library's status for it.
#pragma once

#include "runtime/library_work.h"

// Weak, so a definition anywhere in the library replaces it. The real parameters are omitted because the
// function ignores them.
#define CUDALAB_LIBRARY_MISSING(name, status)                          \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    __cudalabLibraryMissing(#name);                                    \
    return status;                                                     \
  }
