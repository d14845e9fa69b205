// Every kind of atomic operation, each on its own word.
extern "C" __global__ void atomic_integers(const int* in, int* words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&words[0], in[i]);
  atomicSub(&words[1], in[i]);
  atomicMin(&words[2], in[i]);
  atomicMax(&words[3], in[i]);
  atomicAnd(&words[4], in[i]);
  atomicOr(&words[5], in[i]);
  atomicXor(&words[6], in[i]);
  atomicInc(reinterpret_cast<unsigned*>(&words[7]), 9);
  atomicDec(reinterpret_cast<unsigned*>(&words[8]), 9);
}

extern "C" __global__ void atomic_wide(const unsigned long long* in, unsigned long long* words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&words[0], in[i]);
  atomicMax(&words[1], in[i]);
  atomicExch(&words[2], in[i]);
}

extern "C" __global__ void atomic_floats(const float* in, float* sum, double* wide_sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sum, in[i]);
  atomicAdd(wide_sum, static_cast<double>(in[i]));
}

// There is no atomic maximum of floats: repeats a compare-and-swap until it succeeds.
extern "C" __global__ void atomic_max_float(const float* in, float* maximum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* word = reinterpret_cast<int*>(maximum);
  int seen = *word;
  while (in[i] > __int_as_float(seen)) {
    const int before = atomicCAS(word, seen, __float_as_int(in[i]));
    if (before == seen) break;
    seen = before;
  }
}

// The block that draws the last ticket knows that all other blocks have written.
extern "C" __global__ void last_block(const int* in, volatile int* partial, unsigned* ticket, int* total) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x] * 2;
  __threadfence();
  if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
  *total = sum;
}

// run: --kernel atomic_integers --grid 4 --block 64 --arg buf:i32:200:random --arg buf:i32:9:zero --arg i32:200
// run: --kernel atomic_wide --grid 4 --block 64 --arg buf:u64:200:random --arg buf:u64:3:zero --arg i32:200
// run: --kernel atomic_floats --grid 4 --block 64 --arg buf:f32:200:random --arg buf:f32:1:zero --arg buf:f64:1:zero --arg i32:200
// run: --kernel atomic_max_float --grid 4 --block 64 --arg buf:f32:200:iota --arg buf:f32:1:zero --arg i32:200
// run: --kernel last_block --grid 16 --block 32 --arg buf:i32:16:iota --arg buf:i32:16 --arg buf:u32:1:zero --arg buf:i32:1
