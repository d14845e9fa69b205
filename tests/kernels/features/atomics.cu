// Atomic functions of all types and scopes.
// NVRTC and clang make kernels of it with the same results (features_test.cpp).
// run: --kernel atoms --grid 1 --block 64 --arg buf:i32:64:random --arg buf:i32:64:zero --arg buf:u32:8:zero --arg buf:u64:16:zero --arg buf:f32:4:zero --arg buf:f64:4:zero
extern "C" __global__ void atoms(const int* in, int* out, unsigned* u, unsigned long long* l, float* f,
                                 double* d) {
  int i = threadIdx.x, v = in[i] % 100;
  out[i] = 0;
  __syncthreads();
  atomicAdd(&out[0], v);
  atomicSub(&out[1], v);
  atomicMin(&out[2], v);
  atomicMax(&out[3], v);
  atomicAnd(&out[4], ~(1 << (i & 15)));
  atomicOr(&out[5], 1 << (i & 31));
  atomicXor(&out[6], v);
  atomicAdd_block(&out[7], v);
  atomicAdd_system(&out[8], v);
  atomicMax_block(&out[9], v);
  atomicCAS(&out[10], 0, 7);
  atomicCAS_system(&out[11], 0, 9);
  atomicInc(&u[0], 17);
  atomicDec(&u[1], 9);
  atomicAdd(&u[2], 3u);
  atomicMin(&u[3], 5u);
  atomicMax(&u[4], (unsigned)i);
  atomicAdd(&l[0], 3ull);
  atomicMin(&l[1], 5ull);
  atomicMax(&l[2], (unsigned long long)i);
  atomicAnd(&l[3], 3ull);
  atomicOr(&l[4], 1ull << i);
  atomicXor(&l[5], 1ull << i);
  atomicCAS(&l[6], 0ull, 5ull);
  atomicExch(&l[7], 9ull);
  atomicMin((long long*)&l[8], -5ll);
  atomicMax((long long*)&l[9], 5ll);
  atomicAdd(&f[0], 1.5f);
  atomicExch(&f[1], 2.f);
  atomicAdd(&d[0], 0.25);
  unsigned short* s = (unsigned short*)&out[20];
  atomicCAS(s, (unsigned short)0, (unsigned short)3);
}
