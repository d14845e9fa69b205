// Test data: a kernel that nvcc 13.0 compiled with -G, with shortened debug information.
#pragma once

namespace cudalab::ptx {

//  1  struct Pair { float x; short n[2]; };
//  2  extern "C" __global__ void test(int* out, int n) {
//  3    Pair pair;
//  4    pair.x = 0.5f * n;
//  5    pair.n[1] = 7;
//  6    int sum = threadIdx.x;
//  7    for (int i = 0; i < 2; ++i) {
//  8      unsigned char sum = i + 3;
//  9      out[threadIdx.x] = sum + pair.n[1] + pair.x;
//  10    }
//  11    out[32] = sum;
//  12  }
inline constexpr const char* kVariablesSample = R"ptx(.version 9.0
.target sm_90, debug
.address_size 64
.visible .entry test(
.param .u64 test_param_0,
.param .u32 test_param_1
)
{
.local .align 4 .b8  __local_depot0[8];
.reg .b64  %SP;
.reg .b64  %SPL;
.reg .pred  %p<3>;
.reg .b16  %rs<3>;
.reg .f32  %f<6>;
.reg .b32  %r<15>;
.reg .b64  %rd<9>;
.loc 1 2 0
$L__func_begin0:
.loc 1 2 0
mov.u64  %SPL, __local_depot0;
cvta.local.u64  %SP, %SPL;
ld.param.u64  %rd1, [test_param_0];
ld.param.u32  %r5, [test_param_1];
$L__tmp0:
.loc 1 4 3
cvt.rn.f32.s32  %f1, %r5;
mul.f32  %f2, %f1, 0f3F000000;
st.f32  [%SP+0], %f2;
add.u64  %rd2, %SP, 0;
.loc 1 5 3
add.s64  %rd3, %rd2, 4;
mov.u16  %rs1, 7;
st.u16  [%rd3+2], %rs1;
.loc 1 6 3
mov.u32  %r6, %tid.x;
mov.b32  %r1, %r6;
$L__tmp1:
.loc 1 7 3
mov.u32  %r7, 0;
mov.b32  %r2, %r7;
$L__tmp2:
mov.u32  %r14, %r2;
$L__tmp3:
bra.uni  $L__BB0_1;
$L__BB0_1:
mov.u32  %r3, %r14;
$L__tmp4:
setp.lt.s32  %p1, %r3, 2;
not.pred  %p2, %p1;
@%p2 bra  $L__BB0_4;
bra.uni  $L__BB0_2;
$L__BB0_2:
$L__tmp5:
.loc 1 8 5
add.s32  %r8, %r3, 3;
$L__tmp6:
.loc 1 9 5
and.b32   %r9, %r8, 255;
add.u64  %rd4, %SP, 0;
add.s64  %rd5, %rd4, 4;
ld.u16  %rs2, [%rd5+2];
cvt.s32.s16  %r10, %rs2;
add.s32  %r11, %r9, %r10;
cvt.rn.f32.s32  %f3, %r11;
ld.f32  %f4, [%SP+0];
add.f32  %f5, %f3, %f4;
cvt.rzi.s32.f32  %r12, %f5;
mov.u32  %r13, %tid.x;
cvt.u64.u32  %rd6, %r13;
shl.b64  %rd7, %rd6, 2;
add.s64  %rd8, %rd1, %rd7;
st.u32  [%rd8], %r12;
$L__tmp7:
.loc 1 7 26
bra.uni  $L__BB0_3;
$L__BB0_3:
add.s32  %r4, %r3, 1;
$L__tmp8:
mov.u32  %r14, %r4;
$L__tmp9:
bra.uni  $L__BB0_1;
$L__tmp10:
$L__BB0_4:
.loc 1 11 3
st.u32  [%rd1+128], %r1;
.loc 1 12 1
ret;
$L__tmp11:
$L__func_end0:
}
.file 1 "sample.cu"
.section .debug_loc
{
.b64 $L__tmp2
.b64 $L__tmp3
.b8 5,0,144,178,228,149,1
.b64 $L__tmp3
.b64 $L__tmp4
.b8 6,0,144,180,226,200,171,2
.b64 $L__tmp4
.b64 $L__tmp8
.b8 5,0,144,179,228,149,1
.b64 $L__tmp8
.b64 $L__tmp9
.b8 5,0,144,180,228,149,1
.b64 $L__tmp9
.b64 $L__func_end0
.b8 6,0,144,180,226,200,171,2
.b64 0
.b64 0
}
.section .debug_abbrev
{
.b8 1,17,1,37,8,19,5,3,8,16,6,27,8,17,1,0,0,2,19,1,3,8,11,11,58,11,59,11,0,0,3,13,0,3,8,73,19,58,11,59
.b8 11,56,10,0,0,4,36,0,3,8,62,11,11,11,0,0,5,1,1,73,19,0,0,6,33,0,73,19,55,11,0,0,7,36,0,3,8,11,11,62
.b8 11,0,0,8,46,1,17,1,18,1,64,10,135,64,8,3,8,58,11,59,11,73,19,63,12,0,0,9,5,0,2,10,51,11,3,8,58,11
.b8 59,11,73,19,0,0,10,11,1,17,1,18,1,0,0,11,52,0,51,11,2,10,3,8,58,11,59,11,73,19,0,0,12,52,0,2,10,51
.b8 11,3,8,58,11,59,11,73,19,0,0,13,52,0,2,6,3,8,58,11,59,11,73,19,0,0,14,59,0,3,8,0,0,15,15,0,73,19,51
.b8 6,0,0,0
}
.section .debug_info
{
.b32 394
.b8 2,0
.b32 .debug_abbrev
.b8 8,1,108,103,101,110,102,101,58,32,69,68,71,32,54,46,54,0,4,0,115,97,109,112,108,101,46,99,117,0
.b32 .debug_line
.b8 47,104,111,109,101,47,97,47,108,97,98,0
.b64 0
.b8 2,80,97,105,114,0,8,1,1,3,120,0
.b32 98
.b8 1,1,2,35,0,3,110,0
.b32 107
.b8 1,1,2,35,4,0,4,102,108,111,97,116,0,4,4,5
.b32 119
.b8 6
.b32 128
.b8 2,0,4,115,104,111,114,116,0,5,2,7,95,95,65,82,82,65,89,95,83,73,90,69,95,84,89,80,69,95,95,0,8,7,8
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 1,156,116,101,115,116,0,116,101,115,116,0,1,2
.b32 358
.b8 1,9,9,3
.b64 test_param_0
.b8 7,111,117,116,0,1,2
.b32 364
.b8 9,9,3
.b64 test_param_1
.b8 7,110,0,1,2
.b32 373
.b8 10
.b64 $L__tmp0
.b64 $L__tmp11
.b8 11,6,11,3
.b64 __local_depot0
.b8 35,0,112,97,105,114,0,1,3
.b32 64
.b8 12,5,144,177,228,149,1,2,115,117,109,0,1,6
.b32 373
.b8 10
.b64 $L__tmp1
.b64 $L__tmp10
.b8 13
.b32 .debug_loc
.b8 105,0,1,7
.b32 373
.b8 10
.b64 $L__tmp5
.b64 $L__tmp7
.b8 12,5,144,184,228,149,1,2,115,117,109,0,1,8
.b32 380
.b8 0,0,0,0,14,118,111,105,100,0,15
.b32 373
.b32 12
.b8 4,105,110,116,0,5,4,4,117,110,115,105,103,110,101,100,32,99,104,97,114,0,8,1,0
}
)ptx";

}  // namespace cudalab::ptx
