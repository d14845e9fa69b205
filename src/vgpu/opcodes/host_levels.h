// Which instruction-set levels the processor has that this program runs on.
#pragma once

namespace cudalab::vgpu::host_has {

inline bool generic() { return true; }

// The features that the x86-64 psABI lists for the level and that our loops can come to use.
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
