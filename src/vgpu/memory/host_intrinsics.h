// The host processor's instructions as intrinsics. Include only in sources that are compiled for the level
// that has them, or that query the processor first (levels.h).
#pragma once

#ifdef __x86_64__
#pragma GCC diagnostic push  // the header passes uninitialized registers to masked intrinsics
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
