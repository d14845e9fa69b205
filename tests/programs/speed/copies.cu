// Processor times of copies of 256 MiB, and of memcpy on the host. The first pass, which touches every page
// for the first time, is not counted.
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "../check.h"

const size_t kBytes = 256 << 20;

double seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

template <class Copy>
double gb_per_second(Copy copy) {
  const int passes = 4;
  copy();
  double start = seconds();
  for (int pass = 0; pass < passes; pass++) copy();
  return passes * 1e-9 * kBytes / (seconds() - start);
}

int main() {
  char *from = (char*)malloc(kBytes), *to = (char*)malloc(kBytes), *device, *other;
  memset(from, 1, kBytes);
  CHECK(cudaMalloc(&device, kBytes));
  CHECK(cudaMalloc(&other, kBytes));
  std::printf("memcpy %.0f GB/s, ", gb_per_second([&] { memcpy(to, from, kBytes); }));
  std::printf("to the device %.0f, ",
              gb_per_second([&] { CHECK(cudaMemcpy(device, from, kBytes, cudaMemcpyHostToDevice)); }));
  std::printf("back %.0f, ",
              gb_per_second([&] { CHECK(cudaMemcpy(to, device, kBytes, cudaMemcpyDeviceToHost)); }));
  std::printf("within %.0f\n", gb_per_second([&] {
                CHECK(cudaMemcpy(other, device, kBytes, cudaMemcpyDeviceToDevice));
                CHECK(cudaDeviceSynchronize());
              }));
  CHECK(cudaFree(device));
  CHECK(cudaFree(other));
}
