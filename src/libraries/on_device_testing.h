// Vectors in the memory of the virtual GPU, for tests of libraries.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace cudalab::libraries {

// A vector in device memory.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory_), count_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { cudaFree(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  // The address in the type of the interface: cuComplex for std::complex<float>.
  template <class To = T>
  To* as() const {
    return reinterpret_cast<To*>(memory_);
  }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    EXPECT_EQ(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
};

}  // namespace cudalab::libraries
