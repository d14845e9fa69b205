// cuRAND's distributions over its generators: uniform, normal, log-normal and Poisson numbers. curand_kernel.h and our
// libcurand share them. How many bits a number takes, and in which order, is as in NVIDIA's, found by comparison.
#pragma once

#include <math.h>

#include "random_generators.h"

// ---- uniform: more than 0, at most 1 -----------------------------------------------------------------
// Each number is the middle of its interval.
CUDALAB_BOTH float cudalab_unit(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
CUDALAB_BOTH double cudalab_unit(unsigned low, unsigned high) {
  return (double)(low ^ (unsigned long long)high << 21) * 0x1p-53 + 0x1p-54;
}

template <class State>
CUDALAB_INLINE float curand_uniform(State* state) {
  return cudalab_unit(curand(state));
}
template <class State>
CUDALAB_INLINE double curand_uniform_double(State* state) {
  const unsigned low = curand(state);
  return cudalab_unit(low, curand(state));
}
CUDALAB_BOTH double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return cudalab_mrg_draw(state) * (1.0 / CUDALAB_MRG_M1);
}
// Of one draw.
CUDALAB_BOTH double curand_uniform_double(curandStatePhilox4_32_10_t* state) { return curand(state) * 0x1p-32 + 0x1p-32; }
CUDALAB_BOTH float curand_uniform(curandStateMRG32k3a_t* state) { return (float)curand_uniform_double(state); }

CUDALAB_BOTH float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return float4{cudalab_unit(x.x), cudalab_unit(x.y), cudalab_unit(x.z), cudalab_unit(x.w)};
}
CUDALAB_BOTH double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return double2{cudalab_unit(x.x, x.y), cudalab_unit(x.z, x.w)};
}
CUDALAB_BOTH double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return double4{a.x, a.y, b.x, b.y};
}

// ---- normal ------------------------------------------------------------------------------------------
// Two normal numbers from two uniform ones, u from 0 to 1 and an angle: Box and Muller, "A Note on the Generation of Random
// Normal Deviates", Annals of Mathematical Statistics 29(2), 1958.
CUDALAB_BOTH float2 cudalab_box_muller(float u, float angle) {
  const float radius = sqrtf(-2 * logf(u));
#ifdef __CUDA_ARCH__
  return float2{radius * __sinf(angle), radius * __cosf(angle)};
#else
  return float2{radius * sinf(angle), radius * cosf(angle)};
#endif
}
// half_turns: the angle divided by pi.
CUDALAB_BOTH double2 cudalab_box_muller(double u, double half_turns) {
  const double radius = sqrt(-2 * log(u));
#ifdef __CUDA_ARCH__
  return double2{radius * sinpi(half_turns), radius * cospi(half_turns)};
#else
  constexpr double pi = 3.14159265358979323846;
  return double2{radius * sin(half_turns * pi), radius * cos(half_turns * pi)};
#endif
}

#define CUDALAB_2PI 6.2831855f
CUDALAB_BOTH float2 cudalab_normals(unsigned x, unsigned y) {
  return cudalab_box_muller(cudalab_unit(x), (float)y * (0x1p-32f * CUDALAB_2PI) + 0x1p-33f * CUDALAB_2PI);
}
CUDALAB_BOTH double2 cudalab_normals(uint4 x) {
  return cudalab_box_muller(cudalab_unit(x.x, x.y), 2 * cudalab_unit(x.z, x.w));
}

template <class State>
CUDALAB_INLINE float2 curand_normal2(State* state) {
  const unsigned x = curand(state);
  return cudalab_normals(x, curand(state));
}
template <class State>
CUDALAB_INLINE double2 curand_normal2_double(State* state) {
  uint4 x;
  x.x = curand(state), x.y = curand(state), x.z = curand(state), x.w = curand(state);
  return cudalab_normals(x);
}
CUDALAB_BOTH float2 curand_normal2(curandStateMRG32k3a_t* state) {
  const float u = curand_uniform(state);
  return cudalab_box_muller(u, curand_uniform(state) * CUDALAB_2PI);
}
CUDALAB_BOTH double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
  const double u = curand_uniform_double(state);
  return cudalab_box_muller(u, 2 * curand_uniform_double(state));
}
CUDALAB_BOTH double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) { return cudalab_normals(curand4(state)); }
CUDALAB_BOTH float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = cudalab_normals(x.x, x.y), b = cudalab_normals(x.z, x.w);
  return float4{a.x, a.y, b.x, b.y};
}
CUDALAB_BOTH double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return double4{a.x, a.y, b.x, b.y};
}

// ---- log-normal --------------------------------------------------------------------------------------
// exp of a normal number with this mean and standard deviation.
template <class State>
CUDALAB_INLINE float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 pair = curand_normal2(state);
  return float2{expf(mean + stddev * pair.x), expf(mean + stddev * pair.y)};
}
template <class State>
CUDALAB_INLINE double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 pair = curand_normal2_double(state);
  return double2{exp(mean + stddev * pair.x), exp(mean + stddev * pair.y)};
}
CUDALAB_BOTH float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 four = curand_normal4(state);
  return float4{expf(mean + stddev * four.x), expf(mean + stddev * four.y), expf(mean + stddev * four.z),
                expf(mean + stddev * four.w)};
}
CUDALAB_BOTH double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  const double4 four = curand_normal4_double(state);
  return double4{exp(mean + stddev * four.x), exp(mean + stddev * four.y), exp(mean + stddev * four.z),
                 exp(mean + stddev * four.w)};
}

// ---- one of a pair -----------------------------------------------------------------------------------
// The first of a pair, and at the next call the second. Normal and log-normal numbers share the place of the second: a call
// of one distribution discards what a call of the other has saved.
enum cudalab_saved_kind { cudalab_saved_normal_number = 1, cudalab_saved_log_normal_number = 2 };

#define CUDALAB_ONE_OF_PAIR(name, type, suffix, kind, parameters, pair_of)                  \
  template <class State>                                                                    \
  CUDALAB_INLINE type name parameters {                                                     \
    const bool is_saved = state->boxmuller_flag##suffix == kind;                            \
    state->boxmuller_flag##suffix = is_saved ? 0 : kind;                                    \
    if (is_saved) return state->boxmuller_extra##suffix;                                    \
    const type##2 pair = pair_of;                                                           \
    state->boxmuller_extra##suffix = pair.y;                                                \
    return pair.x;                                                                          \
  }
CUDALAB_ONE_OF_PAIR(curand_normal, float, , cudalab_saved_normal_number, (State* state), curand_normal2(state))
CUDALAB_ONE_OF_PAIR(curand_normal_double, double, _double, cudalab_saved_normal_number, (State* state),
                    curand_normal2_double(state))
CUDALAB_ONE_OF_PAIR(curand_log_normal, float, , cudalab_saved_log_normal_number,
                    (State* state, float mean, float stddev), curand_log_normal2(state, mean, stddev))
CUDALAB_ONE_OF_PAIR(curand_log_normal_double, double, _double, cudalab_saved_log_normal_number,
                    (State* state, double mean, double stddev), curand_log_normal2_double(state, mean, stddev))
#undef CUDALAB_ONE_OF_PAIR

// ---- Poisson -----------------------------------------------------------------------------------------
// Small means: Knuth, "The Art of Computer Programming", volume 2, section 3.4.1: counts factors until their product is small
// enough. Medium means: Hoermann, "The Transformed Rejection Method for Generating Poisson Random Variables", Insurance:
// Mathematics and Economics 12(1), 1993, algorithm PTRS. Large means: a rounded normal number.
template <class State>
CUDALAB_INLINE unsigned int cudalab_poisson_by_product(State* state, double lambda) {
  const float least = expf(-(float)lambda);
  unsigned count = 0;
  for (float product = curand_uniform(state); product > least; product *= curand_uniform(state)) ++count;
  return count;
}
template <class State>
CUDALAB_INLINE unsigned int cudalab_poisson_by_rejection(State* state, double lambda) {
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
    const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return (unsigned)k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double bound = k * log(lambda) - lambda - lgamma(k + 1);
    if (log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b)) <= bound) return (unsigned)k;
  }
}
template <class State>
CUDALAB_INLINE unsigned int curand_poisson(State* state, double lambda) {
  if (lambda < 64) return cudalab_poisson_by_product(state, lambda);
  if (lambda <= 4000) return cudalab_poisson_by_rejection(state, lambda);
  return (unsigned)(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
}
CUDALAB_BOTH uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  uint4 four;
  four.x = curand_poisson(state, lambda), four.y = curand_poisson(state, lambda);
  four.z = curand_poisson(state, lambda), four.w = curand_poisson(state, lambda);
  return four;
}
