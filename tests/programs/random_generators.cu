// The three generators of curand_kernel.h: their bits at several seeds, subsequences and offsets, and how
// their numbers are distributed.
#include <curand_kernel.h>

#include "check.h"

constexpr int kThreads = 64, kDraws = 100;

__device__ void mix(unsigned long long* hash, unsigned word) { *hash = (*hash ^ word) * 0x100000001b3ull; }
__device__ void mix(unsigned long long* hash, float x) { mix(hash, __float_as_uint(x)); }
__device__ void mix(unsigned long long* hash, double x) {
  mix(hash, (unsigned)__double2loint(x));
  mix(hash, (unsigned)__double2hiint(x));
}

// Bits and uniform numbers, which are bit-identical on every device.
template <class State>
__global__ void hash_bits(unsigned long long* hashes) {
  const unsigned long long seeds[] = {0, 1234, 0x9e3779b97f4a7c15ull}, far = 1ull << (threadIdx.x % 45);
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (unsigned long long seed : seeds) {
    State state;
    curand_init(seed, threadIdx.x * far, threadIdx.x + far, &state);
    for (int i = 0; i < 5; i++) mix(&hash, curand(&state));
    mix(&hash, curand_uniform(&state));
    mix(&hash, curand_uniform_double(&state));
    skipahead(12345 + far, &state);
    mix(&hash, curand(&state));
  }
  hashes[threadIdx.x] = hash;
}

__global__ void hash_fours(unsigned long long* hashes) {
  curandStatePhilox4_32_10_t state;
  curand_init(7, threadIdx.x, threadIdx.x, &state);
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (int i = 0; i < 5; i++) {
    const uint4 bits = curand4(&state);
    mix(&hash, bits.x), mix(&hash, bits.y), mix(&hash, bits.z), mix(&hash, bits.w);
    const float4 uniform = curand_uniform4(&state);
    mix(&hash, uniform.x), mix(&hash, uniform.w);
    const double2 doubles = curand_uniform2_double(&state);
    mix(&hash, doubles.x), mix(&hash, doubles.y);
    mix(&hash, curand(&state));
  }
  hashes[threadIdx.x] = hash;
}

struct Moments {
  double uniform, uniform_square, normal, normal_square, normal_double, log_normal, poisson, poisson_square;
  int bins[16];
};

template <class State>
__global__ void draw(Moments* sum) {
  State state;
  curand_init(42, threadIdx.x, 0, &state);
  for (int i = 0; i < kDraws; i++) {
    const float u = curand_uniform(&state), n = curand_normal(&state);
    const unsigned p = curand_poisson(&state, 5);
    atomicAdd(&sum->uniform, (double)u), atomicAdd(&sum->uniform_square, (double)u * u);
    atomicAdd(&sum->normal, (double)n), atomicAdd(&sum->normal_square, (double)n * n);
    atomicAdd(&sum->normal_double, curand_normal_double(&state));
    atomicAdd(&sum->log_normal, (double)curand_log_normal(&state, 1, 0.5f));
    atomicAdd(&sum->poisson, (double)p), atomicAdd(&sum->poisson_square, (double)p * p);
    atomicAdd(&sum->bins[curand(&state) >> 28], 1);
  }
}

unsigned long long* hashes;
Moments* sum;

void print_hashes(const char* name) {
  unsigned long long host[kThreads], all = 0;
  CHECK(cudaMemcpy(host, hashes, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned long long hash : host) all = all * 31 + hash;
  std::printf("%s: %016llx %016llx, all %016llx\n", name, host[0], host[kThreads - 1], all);
}

template <class State>
void show(const char* name) {
  hash_bits<State><<<1, kThreads>>>(hashes);
  print_hashes(name);
  CHECK(cudaMemset(sum, 0, sizeof *sum));
  draw<State><<<1, kThreads>>>(sum);
  Moments m;
  CHECK(cudaMemcpy(&m, sum, sizeof m, cudaMemcpyDeviceToHost));
  const double count = kThreads * kDraws;
  double chi_square = 0;
  for (int bin : m.bins) chi_square += (bin - count / 16) * (bin - count / 16) / (count / 16);
  const double u = m.uniform / count, n = m.normal / count, p = m.poisson / count;
  std::printf("  uniform: mean %.4f, variance %.4f; normal: mean %.4f, variance %.4f, double %.4f\n", u,
              m.uniform_square / count - u * u, n, m.normal_square / count - n * n, m.normal_double / count);
  std::printf("  log-normal: mean %.4f; Poisson: mean %.4f, variance %.4f; chi-square of 16 bins %.4f\n",
              m.log_normal / count, p, m.poisson_square / count - p * p, chi_square);
}

int main() {
  CHECK(cudaMalloc(&hashes, kThreads * sizeof *hashes));
  CHECK(cudaMalloc(&sum, sizeof *sum));
  show<curandStateXORWOW_t>("XORWOW");
  show<curandStatePhilox4_32_10_t>("Philox4x32-10");
  show<curandStateMRG32k3a_t>("MRG32k3a");
  hash_fours<<<1, kThreads>>>(hashes);
  print_hashes("Philox4x32-10 by fours");
  CHECK(cudaFree(hashes));
  CHECK(cudaFree(sum));
}
