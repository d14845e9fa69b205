// Kernels that wait a millisecond by each clock of the device take a millisecond by events.
#include "check.h"

__global__ void wait_cycles(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void wait_short_cycles(int cycles) {
  const clock_t begin = clock();
  while (clock() - begin < cycles) {
  }
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_nanoseconds(unsigned long long wanted) {
  const unsigned long long begin = nanoseconds();
  while (nanoseconds() - begin < wanted) {
  }
}

template <class Launch>
void time_by_events(const char* name, const Launch& launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  launch();  // warms up
  CHECK(cudaEventRecord(begin));
  launch();
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  std::printf("%s: %s\n", name, ms > 0.8F && ms < 1.25F ? "about 1 ms" : "another time");
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

int main() {
  int kilohertz = 0;
  CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  time_by_events("clock64", [&] { wait_cycles<<<1, 32>>>(kilohertz); });
  time_by_events("clock", [&] { wait_short_cycles<<<1, 32>>>(kilohertz); });
  time_by_events("globaltimer", [&] { wait_nanoseconds<<<1, 32>>>(1000000); });
}
