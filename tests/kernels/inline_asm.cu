// Inline PTX: scopes with their own registers, predicates, special registers, repeated labels.
__device__ __forceinline__ unsigned lane() {
  unsigned result;
  asm("mov.u32 %0, %%laneid;" : "=r"(result));
  return result;
}

__device__ __forceinline__ int clamp_to(int value, int limit) {
  int result;
  asm("{\n\t"
      ".reg .pred above;\n\t"
      ".reg .b32 tmp;\n\t"
      "setp.gt.s32 above, %1, %2;\n\t"
      "mov.b32 tmp, %1;\n\t"
      "@above mov.b32 tmp, %2;\n\t"
      "mov.b32 %0, tmp;\n\t"
      "}"
      : "=r"(result)
      : "r"(value), "r"(limit));
  return result;
}

__device__ __forceinline__ int halve_until_odd(int value) {
  int result;
  asm volatile(
      "{ .reg.pred even; .reg .b32 x, bit;\n"
      "  mov.b32 x, %1;\n"
      "AGAIN: and.b32 bit, x, 0b1;\n"
      "  setp.eq.and.u32 even, bit, 0x0U, 1;\n"
      "  @!even bra.uni DONE;\n"
      "  shr.u32 x, x, 01;\n"
      "  bra AGAIN;\n"
      "DONE: mov .b32 %0, x; }\n"
      : "=r"(result)
      : "r"(value));
  return result;
}

extern "C" __global__ void by_hand(const int* in, int* out) {
  const int i = threadIdx.x;
  int* row = out + i * 5;
  row[0] = lane();
  row[1] = clamp_to(in[i], 10) + clamp_to(in[i] * 2, 11);
  row[2] = halve_until_odd(in[i] | 64) + halve_until_odd(in[i] | 128);
  long long packed;
  asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(in[i]), "r"(i));
  row[3] = static_cast<int>(packed >> 32);
  unsigned both;
  asm("{ .reg .v2 .b32 pair; .reg .pred p, q;\n"
      "  mov.b64 pair, %1;\n"
      "  setp.lt.s32 p|q, pair.x, pair.y;\n"
      "  selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 4 * (1 + 2) - (8 >> 1); }"
      : "=r"(both)
      : "l"(packed));
  row[4] = both;
}

// run: --kernel by_hand --grid 1 --block 32 --arg buf:i32:32:random --arg buf:i32:160
