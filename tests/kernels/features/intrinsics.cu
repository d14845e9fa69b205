// Intrinsics of integers and SIMD words, roundings and conversions, warps, cache hints, and vectors.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel ints --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero
// run: --kernel conv --grid 1 --block 64 --arg buf:f32:64:random --arg buf:i32:64:zero
// run: --kernel warp --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero
// run: --kernel vec --grid 1 --block 16 --arg buf:f32:64:random --arg buf:f32:64 --arg buf:i32:32 --arg buf:f64:32:random --arg buf:i16:64
extern "C" __global__ void ints(const int* in, int* out) {
  int i = threadIdx.x, a = in[i], b = in[(i + 1) % blockDim.x];
  unsigned ua = a, ub = b;
  int r = 0;
  r += __popc(a) * 3 + __popcll(((long long)a << 32) | ub) + __clz(a) + __clzll(a) + __ffs(a) +
       __ffsll((long long)a << 9) + __brev(a) + (int)__brevll(ua);
  r ^= __mulhi(a, b) + __umulhi(ua, ub) + (int)__mul64hi((long long)a * b, (long long)b * 7919) +
       (int)__umul64hi((unsigned long long)ua * ub, 1234567890123ull);
  r += __mul24(a, b) + __umul24(ua, ub) + __sad(a, b, 3u) + __usad(ua, ub, 3u) + __byte_perm(ua, ub, 0x5140) +
       __hadd(a, b) + __rhadd(a, b) + __uhadd(ua, ub) + __urhadd(ua, ub);
  r ^= __funnelshift_l(ua, ub, 7) + __funnelshift_r(ua, ub, 9) + __funnelshift_lc(ua, ub, 33) +
       __funnelshift_rc(ua, ub, 40);
  r += __vadd2(ua, ub) + __vadd4(ua, ub) + __vsub2(ua, ub) + __vabsdiffu4(ua, ub) + __vmaxs2(ua, ub) +
       __vminu4(ua, ub) + __vcmpeq4(ua, ub) + __vavgu4(ua, ub) + __vsadu4(ua, ub) + __vaddss2(ua, ub) +
       __vaddus4(ua, ub) + __vcmpgts2(ua, ub) + __vsetltu4(ua, ub) + __vneg2(ua) + __vabs4(ua);
  r ^= __dp4a(a, b, 5) + __dp4a(ua, ub, 5u) + __dp2a_lo(a, b, 3) + __dp2a_hi(a, b, 3);
  r += min(a, b) + max(ua, ub) + abs(a) + (int)llabs((long long)a * 3) +
       (int)llmin((long long)a, (long long)b) + (int)umax(ua, ub);
  out[i] = r;
}
extern "C" __global__ void conv(const float* in, int* out) {
  int i = threadIdx.x;
  float x = in[i] * 1000.f;
  double d = x * 3.25;
  int r = __float2int_rn(x) + __float2int_rz(x) * 3 + __float2int_ru(x) * 5 + __float2int_rd(x) * 7 +
          __float2uint_rn(x) + (int)__float2ll_rn(x * 1e6f) + (int)__float2ull_rz(fabsf(x) * 1e6f);
  r ^= __double2int_rn(d) + __double2int_rd(d) + __double2uint_rz(fabs(d)) + (int)__double2ll_ru(d * 1e9) +
       __float_as_int(x) + (int)__float_as_uint(x) + (int)__double_as_longlong(d) + __double2hiint(d) +
       __double2loint(d);
  r += __float_as_int(__int2float_rz(r)) + __float_as_int(__uint2float_ru(r)) +
       __float_as_int(__ll2float_rd((long long)r * 12345678)) + __float_as_int(__double2float_rz(d)) +
       __float_as_int((float)__hiloint2double(r, 3)) +
       __float_as_int((float)__longlong_as_double((long long)r << 30));
  r ^= __float_as_int(__fadd_rz(x, 1.3f)) + __float_as_int(__fmul_ru(x, 1.3f)) +
       __float_as_int(__fmaf_rd(x, 1.3f, x)) + __float_as_int(__fdiv_rz(x, 1.3f)) +
       __float_as_int(__frcp_ru(x)) + __float_as_int(__fsqrt_rd(fabsf(x))) +
       __float_as_int((float)__dadd_rz(d, 1.3)) + __float_as_int((float)__dmul_ru(d, 1.3)) +
       __float_as_int((float)__fma_rd(d, 1.3, d)) + __float_as_int((float)__ddiv_rz(d, 1.3)) +
       __float_as_int(__saturatef(x)) + __float_as_int(__frsqrt_rn(fabsf(x)));
  r += __float_as_int(__fsub_rn(x, 3.f)) + __float_as_int(__fsub_rz(x, 3.f)) +
       __float_as_int((float)__drcp_rn(d)) + __float_as_int((float)__dsqrt_ru(fabs(d)));
  out[i] = r;
}
extern "C" __global__ void warp(const int* in, int* out) {
  int i = threadIdx.x, a = in[i];
  int r = __shfl_sync(~0u, a, 3) + __shfl_up_sync(~0u, a, 2) + __shfl_down_sync(~0u, a, 5, 16) +
          __shfl_xor_sync(~0u, a, 1);
  r += (int)__shfl_sync(~0u, (double)a, 7) + (int)__shfl_xor_sync(~0u, (long long)a, 7) +
       (int)__shfl_down_sync(~0u, (float)a, 4);
  r ^= __all_sync(~0u, a > 0) + __any_sync(~0u, a > 0) * 2 + (int)__ballot_sync(~0u, a > 0) +
       (int)__match_any_sync(~0u, a & 3);
  int p;
  r += (int)__match_all_sync(~0u, 5, &p) + p;
  r ^= (int)__reduce_add_sync(~0u, (unsigned)a) + __reduce_min_sync(~0u, a) + __reduce_max_sync(~0u, a) +
       (int)__reduce_xor_sync(~0u, (unsigned)a) + (int)__reduce_or_sync(~0u, (unsigned)a);
  r += __syncthreads_count(a > 0) + __syncthreads_and(a > 0) + __syncthreads_or(a > 0) + (int)__activemask() +
       (int)__fns(0xf0f0f0f0u, 0, 3);
  __syncwarp();
  out[i] = r + (int)__ldg(in + i) + (int)__ldcg(in + i) + __ldca(in + i) + __ldcs(in + i) + __ldlu(in + i) +
           __ldcv(in + i);
  __stcg(out + i, out[i] + 1);
  __stcs(out + i, out[i] + 1);
  __stwb(out + i, out[i] + 1);
  __stwt(out + i, out[i] + 1);
}
extern "C" __global__ void vec(const float4* in, float4* out, int2* o2, const double2* d2, short4* s4) {
  int i = threadIdx.x;
  float4 v = in[i];
  float4 w = make_float4(v.y, v.x, v.w, v.z + __ldg(in + i).x);
  out[i] = w;
  o2[i] = make_int2((int)(v.x * 100), i);
  double2 d = __ldg(d2 + i);
  o2[i].x += (int)(d.x * 100);
  s4[i] = make_short4(1, 2, 3, (short)i);
}
