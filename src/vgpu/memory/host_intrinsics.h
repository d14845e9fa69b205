// The host processor's own instructions by their names. Included only by sources that are compiled for the
// level that has them, or ask the processor first (levels.h).
#pragma once

#ifdef __x86_64__
#pragma GCC diagnostic push  // the header passes on registers that nobody has set, where a mask hides them
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
