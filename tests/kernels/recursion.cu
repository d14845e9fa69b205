// A function that calls itself, to a different depth in each lane.
__device__ __noinline__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void fibonacci_numbers(long long* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = fibonacci(threadIdx.x);
}

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

extern "C" __global__ void parity(int* out) { out[threadIdx.x] = even(threadIdx.x); }

// run: --kernel fibonacci_numbers --grid 1 --block 32 --arg buf:i64:12 --arg i32:12
// run: --kernel parity --grid 1 --block 32 --arg buf:i32:32
