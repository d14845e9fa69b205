// Loops outside of the opcode table that are worth compiling for several instruction-set levels; the loader
// chooses.
#pragma once

// Only what is inlined into such a function is compiled with it. Sanitizers run before the loader could
// choose.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
// What needs instructions by name asks the processor itself.
#define CUDALAB_CHOOSES_LEVEL
#define CUDALAB_EACH_LEVEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CUDALAB_EACH_LEVEL
#endif
