// Two, four and more values per access, and cache hints.
extern "C" __global__ void add_float4(const float4* a, const float4* b, float4* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

extern "C" __global__ void swap_pairs(double2* pairs, ushort2* shorts, uchar4* bytes) {
  const int i = threadIdx.x;
  pairs[i] = make_double2(pairs[i].y, pairs[i].x);
  shorts[i] = make_ushort2(shorts[i].y, shorts[i].x);
  bytes[i] = make_uchar4(bytes[i].w, bytes[i].z, bytes[i].y, bytes[i].x);
}

extern "C" __global__ void cache_hints(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = __ldg(in + i) + __ldcg(in + i) + __ldca(in + i) + __ldcs(in + i) + __ldlu(in + i) + __ldcv(in + i);
  __stcs(out + 32 + i, in[i]);
  __stcg(out + 64 + i, in[i]);
  __stwt(out + 96 + i, in[i]);
}

// run: --kernel add_float4 --grid 1 --block 64 --arg buf:f32:256:random --arg buf:f32:256:random --arg buf:f32:256
// run: --kernel swap_pairs --grid 1 --block 32 --arg buf:f64:64:random --arg buf:u16:64:random --arg buf:u8:128:random
// run: --kernel cache_hints --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:128
