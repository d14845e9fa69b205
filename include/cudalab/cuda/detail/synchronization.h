// Barriers, fences, clocks, and functions that end or delay a thread.
#pragma once

#include "qualifiers.h"

// __syncthreads() itself is a builtin of clang.
CUDALAB_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
CUDALAB_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
CUDALAB_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
CUDALAB_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

CUDALAB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
CUDALAB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
CUDALAB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

CUDALAB_DEVICE long long clock64() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}
CUDALAB_DEVICE int clock() {
  int now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}
CUDALAB_DEVICE unsigned long long __globaltimer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
CUDALAB_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
CUDALAB_DEVICE void __trap() { asm volatile("trap;"); }
CUDALAB_DEVICE void __brkpt() { asm volatile("brkpt;"); }
CUDALAB_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
  return mask;
}

CUDALAB_DEVICE unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
CUDALAB_DEVICE unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
CUDALAB_DEVICE unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
CUDALAB_DEVICE unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
#define CUDALAB_SPACE(name, space)                                                        \
  CUDALAB_DEVICE size_t __cvta_generic_to_##name(const void* p) {                         \
    return (size_t)(__attribute__((address_space(space))) const void*)p;                  \
  }                                                                                       \
  CUDALAB_DEVICE void* __cvta_##name##_to_generic(size_t address) {                       \
    return (void*)(__attribute__((address_space(space))) void*)address;                   \
  }
CUDALAB_SPACE(global, 1)
CUDALAB_SPACE(shared, 3)
CUDALAB_SPACE(constant, 4)
CUDALAB_SPACE(local, 5)
#undef CUDALAB_SPACE
