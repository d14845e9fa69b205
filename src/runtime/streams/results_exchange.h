// Exchanges some results of a launch in memory, so a grader sees from outside whether a program's output
// comes from its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// Construct before a launch, and apply after it: in each allocation that the launch changed, pairs of the
// words that it wrote change places. A program that prints what its kernel computed then prints the same
// numbers in another order; one that computes them itself prints what it always does. Does nothing if the
// seed is even.
class ResultsExchange {
 public:
  ResultsExchange(vgpu::VirtualGpu& gpu, std::uint64_t seed);
  void apply() const;

 private:
  std::vector<std::byte> contents(const vgpu::MemorySpan& span) const;
  void exchange_in(const vgpu::MemorySpan& span, const std::vector<std::byte>& before,
                   std::uint64_t seed) const;

  vgpu::VirtualGpu& gpu_;
  std::uint64_t seed_;
  std::vector<vgpu::MemorySpan> spans_;
  std::vector<std::vector<std::byte>> before_;  // parallel to spans_
};

}  // namespace cudalab::runtime
