// A switch that compilers turn into a jump table, and loops with early exits.
extern "C" __global__ void dispatch(const int* op, const int* in, int* out) {
  const int x = in[threadIdx.x];
  int result = 0;
  switch (op[threadIdx.x]) {
    case 0: result = x + 1; break;
    case 1: result = x * x; break;
    case 2: result = x ^ 0x55; break;
    case 3:
      for (int i = 0; i < x; ++i) result += i * i ^ result;
      break;
    case 4: result = x / 3; break;
    case 5: result = -x; [[fallthrough]];
    case 6: result += 100; break;
    case 7: result = __popc(x); break;
    default: result = -1;
  }
  out[threadIdx.x] = result;
}

// The length of the Collatz sequence: the number of iterations differs between lanes.
extern "C" __global__ void collatz(const unsigned* in, int* steps, int limit) {
  unsigned x = in[threadIdx.x];
  int count = 0;
  while (x != 1) {
    if (++count >= limit) break;
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  }
  steps[threadIdx.x] = count;
}

// run: --kernel dispatch --grid 1 --block 32 --arg buf:i32:32:iota --arg buf:i32:32:iota --arg buf:i32:32
// run: --kernel collatz --grid 1 --block 31 --arg buf:u32:31:random --arg buf:i32:31 --arg i32:1000
