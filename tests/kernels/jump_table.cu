// A jump through a table of labels, written in PTX: brx.idx.
extern "C" __global__ void jump(const int* in, int* out) {
  int result;
  asm volatile(
      "{\n"
      "  .reg .u32 index;\n"
      "  .reg .pred beyond;\n"
      "  targets: .branchtargets zero, one, two;\n"
      "  min.u32 index, %1, 2;\n"
      "  brx.idx index, targets;\n"
      "  zero: mov.u32 %0, 100; bra done;\n"
      "  one: mov.u32 %0, 101; bra done;\n"
      "  two: mov.u32 %0, 102;\n"
      "  done:\n"
      "}\n"
      : "=r"(result)
      : "r"(in[threadIdx.x]));
  out[threadIdx.x] = result;
}

// run: --kernel jump --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32
