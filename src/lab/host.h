// The host machine: processor, threads and free memory; and parallel loops on all of its threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace cudalab::lab {

struct HostInfo {
  std::string cpu;  // "AMD EPYC 9534 64-Core Processor"
  // OpenMP's: respects affinity and OMP_NUM_THREADS; 1 if not all of them can be started.
  unsigned threads = 1;
  std::size_t available_bytes = 0;  // memory available without swapping, within this container's limit
};
HostInfo describe_host();

// Splits 0..count into at most one piece per thread and calls work(piece, begin, end) for all pieces in
// parallel. Returns the number of pieces, at least 1. `work` must not throw. `steps_each`: the cost of one of
// `count`, in array elements visited; with expensive steps a small count is split, too.
std::size_t for_pieces(std::size_t count,
                       const std::function<void(std::size_t piece, std::size_t begin, std::size_t end)>& work,
                       std::size_t steps_each = 1);
// The number of pieces that for_pieces makes of `count`.
std::size_t piece_count(std::size_t count, std::size_t steps_each = 1);

}  // namespace cudalab::lab
