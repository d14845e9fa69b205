// atomicAdd … atomicCAS, of a device and with the scopes of a block (_block) and of the system (_system).
#pragma once

#include "qualifiers.h"

// One function at all three scopes; the builtins of clang carry the scope in their name.
#define CUDALAB_ATOMIC(name, type, operation, letter, as)                                             \
  CUDALAB_DEVICE type name(type* address, type value) {                                               \
    return (type)__nvvm_atom_##operation##_gen_##letter((as*)address, (as)value);                     \
  }                                                                                                   \
  CUDALAB_DEVICE type name##_block(type* address, type value) {                                       \
    return (type)__nvvm_atom_cta_##operation##_gen_##letter((as*)address, (as)value);                 \
  }                                                                                                   \
  CUDALAB_DEVICE type name##_system(type* address, type value) {                                      \
    return (type)__nvvm_atom_sys_##operation##_gen_##letter((as*)address, (as)value);                 \
  }

#define CUDALAB_ATOMIC_OF_BITS(name, operation)                                             \
  CUDALAB_ATOMIC(name, int, operation, i, int)                                              \
  CUDALAB_ATOMIC(name, unsigned int, operation, i, int)                                     \
  CUDALAB_ATOMIC(name, unsigned long long int, operation, ll, long long)

CUDALAB_ATOMIC_OF_BITS(atomicAdd, add)
CUDALAB_ATOMIC(atomicAdd, float, add, f, float)
CUDALAB_ATOMIC(atomicAdd, double, add, d, double)
CUDALAB_ATOMIC_OF_BITS(atomicExch, xchg)
CUDALAB_ATOMIC_OF_BITS(atomicAnd, and)
CUDALAB_ATOMIC_OF_BITS(atomicOr, or)
CUDALAB_ATOMIC_OF_BITS(atomicXor, xor)
CUDALAB_ATOMIC(atomicInc, unsigned int, inc, ui, unsigned int)
CUDALAB_ATOMIC(atomicDec, unsigned int, dec, ui, unsigned int)

#define CUDALAB_ATOMIC_ORDER(name, operation)                                                      \
  CUDALAB_ATOMIC(name, int, operation, i, int)                                                     \
  CUDALAB_ATOMIC(name, unsigned int, operation, ui, unsigned int)                                  \
  CUDALAB_ATOMIC(name, long long int, operation, ll, long long)                                    \
  CUDALAB_ATOMIC(name, unsigned long long int, operation, ull, unsigned long long)
CUDALAB_ATOMIC_ORDER(atomicMin, min)
CUDALAB_ATOMIC_ORDER(atomicMax, max)
#undef CUDALAB_ATOMIC_ORDER
#undef CUDALAB_ATOMIC_OF_BITS
#undef CUDALAB_ATOMIC

// What is made of the functions above, at each scope.
#define CUDALAB_DERIVED_ATOMICS(scope)                                                               \
  CUDALAB_DEVICE int atomicSub##scope(int* address, int value) {                                     \
    return atomicAdd##scope(address, (int)(0u - (unsigned)value));                                   \
  }                                                                                                  \
  CUDALAB_DEVICE unsigned int atomicSub##scope(unsigned int* address, unsigned int value) {          \
    return atomicAdd##scope(address, 0u - value);                                                    \
  }                                                                                                  \
  CUDALAB_DEVICE float atomicExch##scope(float* address, float value) {                              \
    return __builtin_bit_cast(                                                                       \
        float, atomicExch##scope((unsigned int*)address, __builtin_bit_cast(unsigned int, value)));  \
  }
CUDALAB_DERIVED_ATOMICS()
CUDALAB_DERIVED_ATOMICS(_block)
CUDALAB_DERIVED_ATOMICS(_system)
#undef CUDALAB_DERIVED_ATOMICS

#define CUDALAB_CAS(name, scope)                                                                          \
  CUDALAB_DEVICE int name(int* address, int compare, int value) {                                         \
    return __nvvm_atom_##scope##cas_gen_i(address, compare, value);                                       \
  }                                                                                                       \
  CUDALAB_DEVICE unsigned int name(unsigned int* address, unsigned int compare, unsigned int value) {     \
    return (unsigned int)__nvvm_atom_##scope##cas_gen_i((int*)address, (int)compare, (int)value);         \
  }                                                                                                       \
  CUDALAB_DEVICE unsigned long long int name(unsigned long long int* address,                             \
                                             unsigned long long int compare,                              \
                                             unsigned long long int value) {                              \
    return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long*)address, (long long)compare,   \
                                                               (long long)value);                         \
  }
CUDALAB_CAS(atomicCAS, )
CUDALAB_CAS(atomicCAS_block, cta_)
CUDALAB_CAS(atomicCAS_system, sys_)
#undef CUDALAB_CAS

CUDALAB_DEVICE unsigned short int atomicCAS(unsigned short int* address, unsigned short int compare,
                                            unsigned short int value) {
  unsigned short before;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(before)
               : "l"(address), "h"(compare), "h"(value)
               : "memory");
  return before;
}
