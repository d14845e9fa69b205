// Shared by the programs of the driver API: checks every call, and provides the PTX of one kernel.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                          \
  do {                                                       \
    CUresult error_ = (call);                                \
    if (error_ != CUDA_SUCCESS) {                            \
      const char* name_ = "?";                               \
      cuGetErrorName(error_, &name_);                        \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, name_); \
      std::exit(1);                                          \
    }                                                        \
  } while (0)

// c[i] = factor * (a[i] + b[i]), with a variable `factor` that is 1 initially.
inline const char* const kAddPtx = R"(
.version 7.8
.target sm_70
.address_size 64

.visible .global .align 4 .f32 factor = 0f3F800000;

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  cvta.to.global.u64 %rd6, %rd3;
  mul.wide.s32 %rd7, %r5, 4;
  add.s64 %rd8, %rd4, %rd7;
  add.s64 %rd9, %rd5, %rd7;
  add.s64 %rd10, %rd6, %rd7;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd9];
  add.f32 %f3, %f1, %f2;
  ld.global.f32 %f4, [factor];
  mul.f32 %f3, %f3, %f4;
  st.global.f32 [%rd10], %f3;
DONE:
  ret;
}
)";
