// Warp matrix functions (nvcuda::wmma), as the CUDA C++ Programming Guide documents them: products of half precision for
// the shapes 16x16x16, 32x8x16 and 8x32x16, with accumulators of half or single precision.
#pragma once

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

template <class Use, int M, int N, int K, class T, class Layout, class Value>
CUDALAB_TEMPLATE void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const Value& value) {
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = T(value);
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
