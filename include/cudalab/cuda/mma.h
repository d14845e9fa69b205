// Warp matrix functions (nvcuda::wmma), as the CUDA C++ Programming Guide documents them: products of half precision for
// the shapes 16x16x16, 32x8x16 and 8x32x16, with accumulators of half or single precision; of bfloat16 and of 8-bit
// integers for the same shapes, of TF32 for 16x16x8, and of double precision for 8x8x4.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

// What a lane holds of a fragment. Which elements these are is not specified.
template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;
template <class Use, int M, int N, int K, class Layout>
class fragment<Use, M, N, K, __half, Layout> {
 public:
  static constexpr int num_elements = 16;
  union {
    __half x[16];
    unsigned cudalab_words[8];
  };
  CUDALAB_MEMBER fragment() {}
};
template <int M, int N, int K>
class fragment<accumulator, M, N, K, __half, void> {
 public:
  static constexpr int num_elements = 8;
  union {
    __half x[8];
    unsigned cudalab_words[4];
  };
  CUDALAB_MEMBER fragment() {}
};
template <int M, int N, int K>
class fragment<accumulator, M, N, K, float, void> {
 public:
  static constexpr int num_elements = 8;
  float x[8];
};

namespace precision {
struct tf32 {};
}  // namespace precision
CUDALAB_DEVICE float __float_to_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __builtin_bit_cast(float, bits);
}

// The elements of a fragment, and the registers in which clang's builtins take them.
template <class T, class Register, int Count>
class cudalab_elements {
 public:
  static constexpr int num_elements = Count;
  union {
    T x[Count];
    Register cudalab_words[Count * sizeof(T) / sizeof(Register)];
  };
  CUDALAB_MEMBER cudalab_elements() {}
};
template <class Use, int M, int N, int K>
constexpr int cudalab_count = (::std::is_same_v<Use, matrix_a> ? M * K : N * K) / 32;
#define CUDALAB_FRAGMENT(type, element, in_registers)                         \
  template <class Use, int M, int N, int K, class Layout>                     \
  class fragment<Use, M, N, K, type, Layout>                                  \
      : public cudalab_elements<element, in_registers, cudalab_count<Use, M, N, K>> {};
CUDALAB_FRAGMENT(__nv_bfloat16, __nv_bfloat16, int)
CUDALAB_FRAGMENT(signed char, signed char, int)
CUDALAB_FRAGMENT(unsigned char, unsigned char, int)
CUDALAB_FRAGMENT(precision::tf32, float, int)
CUDALAB_FRAGMENT(double, double, double)
#undef CUDALAB_FRAGMENT
template <int M, int N, int K>
class fragment<accumulator, M, N, K, int, void> : public cudalab_elements<int, int, M * N / 32> {};
template <int M, int N, int K>
class fragment<accumulator, M, N, K, double, void> : public cudalab_elements<double, double, M * N / 32> {};

template <class Use, int M, int N, int K, class T, class Layout, class Value>
CUDALAB_TEMPLATE void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const Value& value) {
  typedef __typeof__(to.x[0]) element;
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = element(value);
}

#define CUDALAB_LOAD(use, operand, shape, m, n, k, layout, order)                                                  \
  CUDALAB_DEVICE void load_matrix_sync(fragment<use, m, n, k, __half, layout>& to, const __half* from,             \
                                       unsigned stride) {                                                          \
    unsigned* w = to.cudalab_words;                                                                                \
    asm volatile("wmma.load." operand ".sync.aligned." order "." shape                                             \
                 ".f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                                \
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7])  \
                 : "l"(from), "r"(stride)                                                                          \
                 : "memory");                                                                                      \
  }
#define CUDALAB_PRODUCT(shape, m, n, k, layout_a, order_a, layout_b, order_b)                                      \
  CUDALAB_DEVICE void mma_sync(fragment<accumulator, m, n, k, float>& d,                                           \
                               const fragment<matrix_a, m, n, k, __half, layout_a>& a,                             \
                               const fragment<matrix_b, m, n, k, __half, layout_b>& b,                             \
                               const fragment<accumulator, m, n, k, float>& c, bool = false) {                     \
    const unsigned *v = a.cudalab_words, *w = b.cudalab_words;                                                     \
    asm volatile("wmma.mma.sync.aligned." order_a "." order_b "." shape                                            \
                 ".f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "             \
                 "{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};"             \
                 : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]),             \
                   "=f"(d.x[6]), "=f"(d.x[7])                                                                      \
                 : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),         \
                   "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]),         \
                   "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]),      \
                   "f"(c.x[7]));                                                                                   \
  }                                                                                                                \
  CUDALAB_DEVICE void mma_sync(fragment<accumulator, m, n, k, __half>& d,                                          \
                               const fragment<matrix_a, m, n, k, __half, layout_a>& a,                             \
                               const fragment<matrix_b, m, n, k, __half, layout_b>& b,                             \
                               const fragment<accumulator, m, n, k, __half>& c, bool = false) {                    \
    const unsigned *v = a.cudalab_words, *w = b.cudalab_words, *u = c.cudalab_words;                               \
    unsigned* r = d.cudalab_words;                                                                                 \
    asm volatile("wmma.mma.sync.aligned." order_a "." order_b "." shape                                            \
                 ".f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "                                 \
                 "{%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};"                                 \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                                  \
                 : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),         \
                   "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]),         \
                   "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]));                                                    \
  }
#define CUDALAB_ACCUMULATOR(shape, m, n, k, order, name)                                                           \
  CUDALAB_DEVICE void cudalab_store_##name(float* to, const fragment<accumulator, m, n, k, float>& from,           \
                                           unsigned stride) {                                                      \
    asm volatile("wmma.store.d.sync.aligned." order "." shape                                                      \
                 ".f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"l"(to), "f"(from.x[0]), "f"(from.x[1]),     \
                 "f"(from.x[2]), "f"(from.x[3]), "f"(from.x[4]), "f"(from.x[5]), "f"(from.x[6]), "f"(from.x[7]),   \
                 "r"(stride) : "memory");                                                                          \
  }                                                                                                                \
  CUDALAB_DEVICE void cudalab_load_##name(fragment<accumulator, m, n, k, float>& to, const float* from,            \
                                          unsigned stride) {                                                       \
    asm volatile("wmma.load.c.sync.aligned." order "." shape                                                       \
                 ".f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                                \
                 : "=f"(to.x[0]), "=f"(to.x[1]), "=f"(to.x[2]), "=f"(to.x[3]), "=f"(to.x[4]), "=f"(to.x[5]),       \
                   "=f"(to.x[6]), "=f"(to.x[7])                                                                    \
                 : "l"(from), "r"(stride) : "memory");                                                             \
  }                                                                                                                \
  CUDALAB_DEVICE void cudalab_store_##name(__half* to, const fragment<accumulator, m, n, k, __half>& from,         \
                                           unsigned stride) {                                                      \
    const unsigned* w = from.cudalab_words;                                                                        \
    asm volatile("wmma.store.d.sync.aligned." order "." shape ".f16 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to),        \
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(stride) : "memory");                              \
  }                                                                                                                \
  CUDALAB_DEVICE void cudalab_load_##name(fragment<accumulator, m, n, k, __half>& to, const __half* from,          \
                                          unsigned stride) {                                                       \
    unsigned* w = to.cudalab_words;                                                                                \
    asm volatile("wmma.load.c.sync.aligned." order "." shape ".f16 {%0, %1, %2, %3}, [%4], %5;"                    \
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                  \
                 : "l"(from), "r"(stride) : "memory");                                                             \
  }
#define CUDALAB_SHAPE(shape, m, n, k)                                                                              \
  CUDALAB_LOAD(matrix_a, "a", shape, m, n, k, row_major, "row")                                                    \
  CUDALAB_LOAD(matrix_a, "a", shape, m, n, k, col_major, "col")                                                    \
  CUDALAB_LOAD(matrix_b, "b", shape, m, n, k, row_major, "row")                                                    \
  CUDALAB_LOAD(matrix_b, "b", shape, m, n, k, col_major, "col")                                                    \
  CUDALAB_PRODUCT(shape, m, n, k, row_major, "row", row_major, "row")                                              \
  CUDALAB_PRODUCT(shape, m, n, k, row_major, "row", col_major, "col")                                              \
  CUDALAB_PRODUCT(shape, m, n, k, col_major, "col", row_major, "row")                                              \
  CUDALAB_PRODUCT(shape, m, n, k, col_major, "col", col_major, "col")                                              \
  CUDALAB_ACCUMULATOR(shape, m, n, k, "row", by_rows)                                                              \
  CUDALAB_ACCUMULATOR(shape, m, n, k, "col", by_columns)
CUDALAB_SHAPE("m16n16k16", 16, 16, 16)
CUDALAB_SHAPE("m32n8k16", 32, 8, 16)
CUDALAB_SHAPE("m8n32k16", 8, 32, 16)
#undef CUDALAB_SHAPE
#undef CUDALAB_ACCUMULATOR
#undef CUDALAB_PRODUCT
#undef CUDALAB_LOAD

// ---- the other types, by clang's builtins, whose last arguments are the layouts ----------------------
template <class Layout>
constexpr int cudalab_is_col = ::std::is_same_v<Layout, col_major>;

#define CUDALAB_LOAD(use, m, n, k, type, element, in_registers, builtin)                               \
  template <class Layout>                                                                              \
  CUDALAB_TEMPLATE void load_matrix_sync(fragment<use, m, n, k, type, Layout>& to, const element* from, \
                                         unsigned stride) {                                            \
    builtin(to.cudalab_words, (const in_registers*)from, stride, cudalab_is_col<Layout>);              \
  }
#define CUDALAB_PRODUCT(m, n, k, type, sum, words, builtin, ...)                                         \
  template <class LayoutA, class LayoutB>                                                                \
  CUDALAB_TEMPLATE void mma_sync(fragment<accumulator, m, n, k, sum>& d,                                 \
                                 const fragment<matrix_a, m, n, k, type, LayoutA>& a,                    \
                                 const fragment<matrix_b, m, n, k, type, LayoutB>& b,                    \
                                 const fragment<accumulator, m, n, k, sum>& c, bool = false) {           \
    builtin(d.words, a.cudalab_words, b.cudalab_words, c.words,                                          \
            2 * cudalab_is_col<LayoutA> + cudalab_is_col<LayoutB> __VA_ARGS__);                          \
  }
#define CUDALAB_ACCUMULATOR(m, n, k, sum, words, load, store)                                            \
  CUDALAB_DEVICE void cudalab_store_by_rows(sum* to, const fragment<accumulator, m, n, k, sum>& from,    \
                                            unsigned stride) {                                           \
    store(to, from.words, stride, 0);                                                                    \
  }                                                                                                      \
  CUDALAB_DEVICE void cudalab_store_by_columns(sum* to, const fragment<accumulator, m, n, k, sum>& from, \
                                               unsigned stride) {                                        \
    store(to, from.words, stride, 1);                                                                    \
  }                                                                                                      \
  CUDALAB_DEVICE void cudalab_load_by_rows(fragment<accumulator, m, n, k, sum>& to, const sum* from,     \
                                           unsigned stride) {                                            \
    load(to.words, from, stride, 0);                                                                     \
  }                                                                                                      \
  CUDALAB_DEVICE void cudalab_load_by_columns(fragment<accumulator, m, n, k, sum>& to, const sum* from,  \
                                              unsigned stride) {                                         \
    load(to.words, from, stride, 1);                                                                     \
  }

#define CUDALAB_BYTES(rows, columns, depth, type, letter)                                                             \
  CUDALAB_LOAD(matrix_a, rows, columns, depth, type, type, int, __imma_m##rows##n##columns##k##depth##_ld_a_##letter)              \
  CUDALAB_LOAD(matrix_b, rows, columns, depth, type, type, int, __imma_m##rows##n##columns##k##depth##_ld_b_##letter)              \
  CUDALAB_PRODUCT(rows, columns, depth, type, int, cudalab_words, __imma_m##rows##n##columns##k##depth##_mma_##letter, , 0)
#define CUDALAB_SHAPE(rows, columns, depth)                                                                           \
  CUDALAB_LOAD(matrix_a, rows, columns, depth, __nv_bfloat16, __nv_bfloat16, int, __mma_bf16_m##rows##n##columns##k##depth##_ld_a) \
  CUDALAB_LOAD(matrix_b, rows, columns, depth, __nv_bfloat16, __nv_bfloat16, int, __mma_bf16_m##rows##n##columns##k##depth##_ld_b) \
  CUDALAB_PRODUCT(rows, columns, depth, __nv_bfloat16, float, x, __mma_bf16_m##rows##n##columns##k##depth##_mma_f32, , 0)             \
  CUDALAB_BYTES(rows, columns, depth, signed char, s8)                                                                \
  CUDALAB_BYTES(rows, columns, depth, unsigned char, u8)                                                              \
  CUDALAB_ACCUMULATOR(rows, columns, depth, int, cudalab_words, __imma_m##rows##n##columns##k##depth##_ld_c,                       \
                      __imma_m##rows##n##columns##k##depth##_st_c_i32)
CUDALAB_SHAPE(16, 16, 16)
CUDALAB_SHAPE(32, 8, 16)
CUDALAB_SHAPE(8, 32, 16)
CUDALAB_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, int, __mma_tf32_m16n16k8_ld_a)
CUDALAB_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, int, __mma_tf32_m16n16k8_ld_b)
CUDALAB_PRODUCT(16, 16, 8, precision::tf32, float, x, __mma_tf32_m16n16k8_mma_f32, , 0)
CUDALAB_ACCUMULATOR(16, 16, 8, float, x, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
CUDALAB_LOAD(matrix_a, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_a)
CUDALAB_LOAD(matrix_b, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_b)
CUDALAB_PRODUCT(8, 8, 4, double, double, cudalab_words, __dmma_m8n8k4_mma_f64, , 0)
CUDALAB_ACCUMULATOR(8, 8, 4, double, cudalab_words, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
#undef CUDALAB_SHAPE
#undef CUDALAB_BYTES
#undef CUDALAB_ACCUMULATOR
#undef CUDALAB_PRODUCT
#undef CUDALAB_LOAD

template <int M, int N, int K, class T>
CUDALAB_TEMPLATE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned stride,
                                       layout_t layout) {
  layout == mem_row_major ? cudalab_load_by_rows(to, from, stride) : cudalab_load_by_columns(to, from, stride);
}
template <int M, int N, int K, class T>
CUDALAB_TEMPLATE void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                                        layout_t layout) {
  layout == mem_row_major ? cudalab_store_by_rows(to, from, stride) : cudalab_store_by_columns(to, from, stride);
}

}  // namespace wmma
}  // namespace nvcuda
