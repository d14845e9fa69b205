// One function for host and device, a class that owns memory, and a kernel selected by a template argument.
#include "check.h"

#include <utility>
#include <vector>

__host__ __device__ inline int collatz(unsigned x) {
  int steps = 0;
  for (; x != 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

template <class T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T>& from) : size_(from.size()) {
    CHECK(cudaMalloc(&data_, size_ * sizeof(T)));
    CHECK(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(data_)); }
  T* get() { return data_; }
  std::vector<T> read() const {
    std::vector<T> to(size_);
    CHECK(cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

template <bool kCount, class T>
__global__ void apply(T* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = kCount ? collatz(x[i]) : x[i] + 1;
}

int main() {
  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; i++) numbers[i] = i;
  Buffer<int> buffer(numbers);
  apply<false><<<8, 128>>>(buffer.get(), 1000u);
  apply<true><<<8, 128>>>(buffer.get(), 1000u);
  int differences = 0, longest = 0, i = 0;
  for (int steps : buffer.read()) {
    differences += steps != collatz(++i);
    longest = steps > longest ? steps : longest;
  }
  std::printf("%d differences, longest %d\n", differences, longest);
}
