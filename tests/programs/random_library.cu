// nvcc: -lcurand
// cuRAND's host API: the numbers of each generator, on the device and on the host, and pi from points in a
// square.
#include <curand.h>

#include "check.h"

#define CHECK_RANDOM(call)                                            \
  do {                                                                \
    curandStatus_t status_ = (call);                                  \
    if (status_ != CURAND_STATUS_SUCCESS) {                           \
      std::printf("%s:%d: status %d\n", __FILE__, __LINE__, status_); \
      std::exit(1);                                                   \
    }                                                                 \
  } while (0)

constexpr int kCount = 100000;
constexpr curandRngType_t kTypes[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                      CURAND_RNG_PSEUDO_PHILOX4_32_10};

unsigned words[kCount], *on_device;
float numbers[kCount];

unsigned long long hash(const void* data) {
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (int i = 0; i < kCount; i++) hash = (hash ^ static_cast<const unsigned*>(data)[i]) * 0x100000001b3ull;
  return hash;
}

void show_bits(curandRngType_t type, curandOrdering_t order) {
  curandGenerator_t generator, of_host;
  CHECK_RANDOM(curandCreateGenerator(&generator, type));
  CHECK_RANDOM(curandCreateGeneratorHost(&of_host, type));
  for (curandGenerator_t each : {generator, of_host}) {
    CHECK_RANDOM(curandSetPseudoRandomGeneratorSeed(each, 1234));
    CHECK_RANDOM(curandSetGeneratorOrdering(each, order));
    CHECK_RANDOM(curandSetGeneratorOffset(each, 3));
  }
  CHECK_RANDOM(curandGenerate(generator, on_device, 1001));
  CHECK_RANDOM(curandGenerate(generator, on_device + 1001, kCount - 1001));
  CHECK(cudaMemcpy(words, on_device, sizeof words, cudaMemcpyDeviceToHost));
  const unsigned long long bits = hash(words);
  CHECK_RANDOM(curandGenerate(of_host, words, kCount));
  CHECK_RANDOM(curandGenerateUniform(generator, (float*)on_device, kCount));
  CHECK(cudaMemcpy(numbers, on_device, sizeof numbers, cudaMemcpyDeviceToHost));
  std::printf("%d %d: %u %u %u, hash %016llx, host %016llx, uniform %016llx\n", type, order, words[0],
              words[1], words[kCount - 1], bits, hash(words), hash(numbers));
  CHECK_RANDOM(curandDestroyGenerator(generator));
  CHECK_RANDOM(curandDestroyGenerator(of_host));
}

void show_normal(curandRngType_t type) {
  curandGenerator_t generator;
  CHECK_RANDOM(curandCreateGenerator(&generator, type));
  CHECK_RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 99));
  CHECK_RANDOM(curandGenerateNormal(generator, (float*)on_device, kCount, 10, 2));
  CHECK(cudaMemcpy(numbers, on_device, sizeof numbers, cudaMemcpyDeviceToHost));
  double sum = 0, squares = 0;
  for (float x : numbers) sum += x, squares += (x - 10.0) * (x - 10.0);
  std::printf("%d: normal %.3f %.3f %.3f %.3f, mean %.4f, variance %.4f\n", type, numbers[0], numbers[1],
              numbers[2], numbers[kCount - 1], sum / kCount, squares / kCount);
  CHECK_RANDOM(curandDestroyGenerator(generator));
}

// The statuses that cuRAND returns for calls that this generator does not support.
void show_statuses(curandRngType_t type) {
  curandGenerator_t generator;
  CHECK_RANDOM(curandCreateGenerator(&generator, type));
  const int none = curandGenerate(generator, on_device, 0);
  const int negative = curandGeneratePoisson(generator, on_device, 2, -1);
  const int of_64_bits = curandGenerateLongLong(generator, (unsigned long long*)on_device, 2);
  const int dimensions = curandSetQuasiRandomGeneratorDimensions(generator, 2);
  const int order = curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT);
  const int odd = curandGenerateNormal(generator, (float*)on_device, 3, 0, 1);
  std::printf("%d: statuses %d %d %d %d %d %d\n", type, none, negative, of_64_bits, dimensions, order, odd);
  CHECK_RANDOM(curandDestroyGenerator(generator));
}

__global__ void count_inside(const float* x, const float* y, int n, int* inside) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] * x[i] + y[i] * y[i] <= 1) atomicAdd(inside, 1);
}

void show_pi() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  curandGenerator_t generator;
  CHECK_RANDOM(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  CHECK_RANDOM(curandSetStream(generator, stream));
  const int n = kCount / 2;
  float* x = (float*)on_device;
  int *inside, hits;
  CHECK(cudaMalloc(&inside, sizeof *inside));
  CHECK(cudaMemsetAsync(inside, 0, sizeof *inside, stream));
  CHECK_RANDOM(curandGenerateUniform(generator, x, 2 * n));
  count_inside<<<(n + 255) / 256, 256, 0, stream>>>(x, x + n, n, inside);
  CHECK(cudaMemcpyAsync(&hits, inside, sizeof hits, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("pi is about %.5f\n", 4.0 * hits / n);
  CHECK_RANDOM(curandDestroyGenerator(generator));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(inside));
}

int main() {
  CHECK(cudaMalloc(&on_device, sizeof words));
  for (curandRngType_t type : kTypes)
    for (curandOrdering_t order : {CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_LEGACY})
      show_bits(type, order);
  for (curandRngType_t type : kTypes) show_normal(type), show_statuses(type);
  show_pi();
  CHECK(cudaFree(on_device));
}
