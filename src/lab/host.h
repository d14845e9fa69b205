// The machine that the program runs on: its processor, its threads and its free memory; and loops over all
// threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace cudalab::lab {

struct HostInfo {
  std::string cpu;       // "AMD EPYC 9534 64-Core Processor"
  unsigned threads = 1;  // of OpenMP: respects affinity and OMP_NUM_THREADS; 1 where not all can be had
  std::size_t available_bytes = 0;  // memory that can be had without swapping, in this container
};
HostInfo describe_host();

// Cuts 0..count into one piece a thread and calls work(piece, begin, end) for each, at the same time. Returns
// the number of pieces, which is at least 1. `work` must not throw. `steps_each`: what one of `count` costs,
// in elements of an array that are looked at; few costly ones are worth several threads, too.
std::size_t for_pieces(std::size_t count,
                       const std::function<void(std::size_t piece, std::size_t begin, std::size_t end)>& work,
                       std::size_t steps_each = 1);
// How many pieces for_pieces makes of `count`.
std::size_t piece_count(std::size_t count, std::size_t steps_each = 1);

}  // namespace cudalab::lab
