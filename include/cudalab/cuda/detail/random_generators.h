// cuRAND's generators of 32 random bits: their states, seeds, skips and draws. curand_kernel.h and our libcurand share them.
// Seeds scramble the published initial states; how, was found by comparing states with NVIDIA's.
#pragma once

#include "qualifiers.h"
#include "xorwow_jumps.h"

// The second of two normal numbers that one draw of a pair gives, until it is asked for.
struct cudalab_saved_normal {
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};

// ---- XORWOW ------------------------------------------------------------------------------------------
// Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003: an xorshift generator of 160 bits plus a Weyl
// sequence. Period (2^160 - 1) 2^32.
struct curandStateXORWOW : cudalab_saved_normal {
  unsigned int d, v[5];
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

CUDALAB_BOTH unsigned cudalab_xorwow_step(unsigned* v) {
  const unsigned t = v[0] ^ v[0] >> 2;
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  return v[4] ^= v[4] << 4 ^ t ^ t << 1;
}

// Multiplies the state by a polynomial in the matrix of one step.
CUDALAB_BOTH void cudalab_xorwow_jump(unsigned* v, const unsigned* polynomial) {
  unsigned sum[5] = {0, 0, 0, 0, 0};
  for (int word = 0; word < 5; ++word) {
    const unsigned bits = polynomial[word];
    for (int bit = 0; bit < 32; ++bit) {
      const unsigned mask = 0u - (bits >> bit & 1);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
      cudalab_xorwow_step(v);
    }
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

CUDALAB_BOTH void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  state->d += 362437u * (unsigned)n;
  for (unsigned i = (unsigned)n & 15; i != 0; --i) cudalab_xorwow_step(state->v);
  n >>= 4;
  for (int row = 0; n != 0; ++row, n >>= 4)
    if (n & 15) cudalab_xorwow_jump(state->v, cudalab_xorwow_steps[row][(n & 15) - 1]);
}

// n * 2^67 steps, after which d is the same.
CUDALAB_BOTH void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  for (int row = 0; n != 0; ++row, n >>= 4)
    if (n & 15) cudalab_xorwow_jump(state->v, cudalab_xorwow_sequences[row][(n & 15) - 1]);
}

CUDALAB_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStateXORWOW_t* state) {
  const unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  const unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  *state = curandStateXORWOW_t{};
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

CUDALAB_BOTH unsigned int curand(curandStateXORWOW_t* state) {
  const unsigned last = cudalab_xorwow_step(state->v);
  return (state->d += 362437u) + last;
}

// ---- Philox4x32-10 -----------------------------------------------------------------------------------
// Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC11, 2011: ten rounds of a bijection of a counter, four
// words each time. A subsequence is a value of the upper half of the counter.
struct curandStatePhilox4_32_10 : cudalab_saved_normal {
  uint4 ctr, output;  // output: the words of ctr
  uint2 key;
  unsigned int STATE;  // how many words of output were drawn, 0 to 3
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

CUDALAB_BOTH uint4 cudalab_philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
    c = uint4{(unsigned)(b >> 32) ^ c.y ^ key.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ key.y, (unsigned)a};
    key.x += 0x9e3779b9u, key.y += 0xbb67ae85u;
  }
  return c;
}

CUDALAB_BOTH void cudalab_add(unsigned& low, unsigned& high, unsigned long long n) {
  const unsigned long long sum = ((unsigned long long)high << 32 | low) + n;
  low = (unsigned)sum, high = (unsigned)(sum >> 32);
}

// Moves on by n times four words.
CUDALAB_BOTH void cudalab_skip_fours(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  uint4& c = state->ctr;
  cudalab_add(c.x, c.y, n);
  if (((unsigned long long)c.y << 32 | c.x) < n) cudalab_add(c.z, c.w, 1);
  state->output = cudalab_philox(c, state->key);
}

CUDALAB_BOTH void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += (unsigned)n & 3;
  cudalab_skip_fours(n / 4 + state->STATE / 4, state);
  state->STATE &= 3;
}

// n * 2^66 steps.
CUDALAB_BOTH void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  cudalab_add(state->ctr.z, state->ctr.w, n);
  state->output = cudalab_philox(state->ctr, state->key);
}

CUDALAB_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStatePhilox4_32_10_t* state) {
  *state = curandStatePhilox4_32_10_t{};
  state->key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
  cudalab_add(state->ctr.z, state->ctr.w, subsequence);
  skipahead(offset, state);
}

CUDALAB_BOTH unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const uint4 words = state->output;
  const unsigned at = state->STATE++;
  if (at == 3) {
    state->STATE = 0;
    cudalab_skip_fours(1, state);
  }
  return at == 0 ? words.x : at == 1 ? words.y : at == 2 ? words.z : words.w;
}

// Four draws.
CUDALAB_BOTH uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 a = state->output;
  cudalab_skip_fours(1, state);
  const uint4 b = state->output;
  switch (state->STATE) {
    case 0: return a;
    case 1: return uint4{a.y, a.z, a.w, b.x};
    case 2: return uint4{a.z, a.w, b.x, b.y};
    default: return uint4{a.w, b.x, b.y, b.z};
  }
}

// ---- MRG32k3a ----------------------------------------------------------------------------------------
// L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators", Operations
// Research 47(1), 1999: the difference of two linear recurrences of order 3. Period about 2^191.
struct curandStateMRG32k3a : cudalab_saved_normal {
  unsigned int s1[3], s2[3];
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

#define CUDALAB_MRG_M1 4294967087ull
#define CUDALAB_MRG_M2 4294944443ull

// s[n + 3] = c2 s[n + 2] + c1 s[n + 1] + c0 s[n] modulo m; -810728 and -1370589 as positive remainders.
struct cudalab_recurrence {
  unsigned long long m, c0, c1, c2;
};
#define CUDALAB_MRG_FIRST (cudalab_recurrence{CUDALAB_MRG_M1, CUDALAB_MRG_M1 - 810728, 1403580, 0})
#define CUDALAB_MRG_SECOND (cudalab_recurrence{CUDALAB_MRG_M2, CUDALAB_MRG_M2 - 1370589, 0, 527612})

// a0 + a1 x + a2 x^2 modulo the characteristic polynomial of a recurrence: as for XORWOW, x^n skips n steps.
struct cudalab_polynomial {
  unsigned long long a0, a1, a2;
};

// a x^2 + ... times x, where x^3 = c2 x^2 + c1 x + c0.
CUDALAB_BOTH constexpr cudalab_polynomial cudalab_times_x(cudalab_polynomial a, cudalab_recurrence r) {
  return cudalab_polynomial{a.a2 * r.c0 % r.m, (a.a0 + a.a2 * r.c1 % r.m) % r.m, (a.a1 + a.a2 * r.c2 % r.m) % r.m};
}
CUDALAB_BOTH constexpr cudalab_polynomial cudalab_plus(cudalab_polynomial a, cudalab_polynomial b, unsigned long long factor,
                                             unsigned long long m) {
  return cudalab_polynomial{(a.a0 + b.a0 * factor % m) % m, (a.a1 + b.a1 * factor % m) % m,
                            (a.a2 + b.a2 * factor % m) % m};
}
CUDALAB_BOTH constexpr cudalab_polynomial cudalab_times(cudalab_polynomial a, cudalab_polynomial b, cudalab_recurrence r) {
  cudalab_polynomial product = cudalab_plus(cudalab_polynomial{0, 0, 0}, a, b.a0, r.m);
  a = cudalab_times_x(a, r);
  product = cudalab_plus(product, a, b.a1, r.m);
  a = cudalab_times_x(a, r);
  return cudalab_plus(product, a, b.a2, r.m);
}
CUDALAB_BOTH constexpr cudalab_polynomial cudalab_to_the_power_of_two(cudalab_polynomial a, int squarings,
                                                                      cudalab_recurrence r) {
  for (int i = 0; i < squarings; ++i) a = cudalab_times(a, a, r);
  return a;
}

// Moves s on by n times the distance of `base`.
CUDALAB_BOTH void cudalab_mrg_jump(unsigned* s, unsigned long long n, cudalab_polynomial base, cudalab_recurrence r) {
  if (n == 0) return;
  for (; (n & 1) == 0; n >>= 1) base = cudalab_times(base, base, r);
  cudalab_polynomial power = base;
  while ((n >>= 1) != 0) {
    base = cudalab_times(base, base, r);
    if (n & 1) power = cudalab_times(power, base, r);
  }
  unsigned long long terms[5] = {s[0], s[1], s[2], 0, 0};
  for (int i = 3; i < 5; ++i)
    terms[i] = (terms[i - 1] * r.c2 % r.m + terms[i - 2] * r.c1 % r.m + terms[i - 3] * r.c0 % r.m) % r.m;
  for (int i = 0; i < 3; ++i)
    s[i] = (unsigned)((terms[i] * power.a0 % r.m + terms[i + 1] * power.a1 % r.m + terms[i + 2] * power.a2 % r.m) % r.m);
}

CUDALAB_BOTH void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  const cudalab_polynomial x{0, 1, 0};
  cudalab_mrg_jump(state->s1, n, x, CUDALAB_MRG_FIRST);
  cudalab_mrg_jump(state->s2, n, x, CUDALAB_MRG_SECOND);
}

// n * 2^distance steps.
template <int distance>
CUDALAB_INLINE void cudalab_mrg_skip(unsigned long long n, curandStateMRG32k3a_t* state) {
  constexpr cudalab_polynomial x{0, 1, 0};
  constexpr cudalab_polynomial first = cudalab_to_the_power_of_two(x, distance, CUDALAB_MRG_FIRST);
  constexpr cudalab_polynomial second = cudalab_to_the_power_of_two(x, distance, CUDALAB_MRG_SECOND);
  cudalab_mrg_jump(state->s1, n, first, CUDALAB_MRG_FIRST);
  cudalab_mrg_jump(state->s2, n, second, CUDALAB_MRG_SECOND);
}
CUDALAB_BOTH void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  cudalab_mrg_skip<76>(n, state);
}
CUDALAB_BOTH void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  cudalab_mrg_skip<127>(n, state);
}

CUDALAB_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                              curandStateMRG32k3a_t* state) {
  *state = curandStateMRG32k3a_t{};
  const unsigned long long low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = seed == 0 ? 12345 : (unsigned)(12345 * (i == 1 ? high : low) % CUDALAB_MRG_M1);
    state->s2[i] = seed == 0 ? 12345 : (unsigned)(12345 * (i == 1 ? low : high) % CUDALAB_MRG_M2);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

// One draw: 1 to m1.
CUDALAB_BOTH unsigned cudalab_mrg_draw(curandStateMRG32k3a_t* state) {
  const cudalab_recurrence a = CUDALAB_MRG_FIRST, b = CUDALAB_MRG_SECOND;
  unsigned *s = state->s1, *t = state->s2;
  const unsigned first = (unsigned)((a.c1 * s[1] + (a.m - a.c0) * (a.m - s[0])) % a.m);
  const unsigned second = (unsigned)((b.c2 * t[2] + (b.m - b.c0) * (b.m - t[0])) % b.m);
  s[0] = s[1], s[1] = s[2], s[2] = first;
  t[0] = t[1], t[1] = t[2], t[2] = second;
  return first > second ? first - second : (unsigned)(first + CUDALAB_MRG_M1 - second);
}

// Scaled to 32 bits.
CUDALAB_BOTH unsigned int curand(curandStateMRG32k3a_t* state) {
  const double scaled = cudalab_mrg_draw(state) * 1.000000048662;
  return scaled < 0x1p32 ? (unsigned)scaled : ~0u;
}
