// Thrust: device vectors, sorting, transforming and reducing.
#include "check.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct Halve {
  __host__ __device__ int operator()(int x) const { return x / 2; }
};

int main() {
  thrust::host_vector<int> h(2000);
  unsigned state = 1;
  for (int& x : h) x = (state = state * 1103515245u + 12345u) >> 20;
  thrust::device_vector<int> d = h;
  thrust::sort(d.begin(), d.end());
  std::printf("%d %d %d\n", (int)d[0], (int)d[1000], (int)d[1999]);
  thrust::transform(d.begin(), d.end(), d.begin(), Halve());
  std::printf("%d\n", thrust::reduce(d.begin(), d.end(), 0));
}
