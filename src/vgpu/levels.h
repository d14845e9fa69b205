// Instruction-set levels of the host processor: which it has, and loops compiled once per level.
#pragma once

namespace cudalab::vgpu::host_has {

// The instruction-set levels that the host processor supports.

inline bool generic() { return true; }

// The features that the x86-64 psABI lists for the level and that our loops may use.
inline bool x86_64_v3() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
#else
  return false;
#endif
}

inline bool x86_64_v4() {
#ifdef __x86_64__
  return x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace cudalab::vgpu::host_has

// Compiles a loop outside the opcode table for several instruction-set levels; the loader selects one.

// Only functions inlined into such a function are compiled for its level. With sanitizers it is disabled,
// because they run before the loader selects.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
// Code that uses intrinsics queries the processor itself.
#define CUDALAB_CHOOSES_LEVEL
#define CUDALAB_EACH_LEVEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CUDALAB_EACH_LEVEL
#endif
