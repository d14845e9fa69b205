// Times one kernel with four clocks of the host, in milliseconds.
#include <sys/time.h>

#include <chrono>
#include <cstdio>
#include <ctime>

__global__ void add(float* x) {
  float sum = 0;
  for (int i = 0; i < 1000; ++i) sum += i * 0.5f;
  x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

double wall() {
  timeval now;
  gettimeofday(&now, nullptr);
  return now.tv_sec * 1e3 + now.tv_usec / 1e3;
}
double monotonic() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}
double of_processor() { return clock() * 1e3 / CLOCKS_PER_SEC; }
double of_chrono() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int main() {
  float* x;
  cudaMalloc(&x, 256 * 256 * sizeof(float));
  for (auto now : {wall, monotonic, of_processor, of_chrono}) {
    const double begin = now();
    add<<<256, 256>>>(x);
    cudaDeviceSynchronize();
    printf("%.3f\n", now() - begin);
  }
  cudaFree(x);
  return 0;
}
