// Reads the description of the host machine from /proc and OpenMP, and runs parallel loops.
#include "lab/host.h"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/work_budget.h"

namespace cudalab::lab {
namespace {

// Threads that wait by spinning take the processor from those that have work when other programs run, too: a
// CPU version on all threads then took up to 6,500 times as long. OpenMP's runtime reads this variable once,
// when it is initialised; constructors of this priority run before that. A value that the user has set stays.
[[gnu::constructor(101)]] void let_openmp_wait_passively() { ::setenv("OMP_WAIT_POLICY", "passive", 0); }

// The text after "KEY<tabs>: " in a file of such lines; empty when there is none.
std::string value_of(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

std::string cpu_name() {
  for (const char* key : {"model name", "Model", "CPU part"})  // x86; Raspberry Pi and others; other ARM
    if (std::string name = value_of("/proc/cpuinfo", key); !name.empty()) return name;
  return "unknown";
}

std::optional<std::size_t> number_in(const char* file) {
  std::ifstream in(file);
  std::size_t number = 0;
  if (in >> number) return number;
  return std::nullopt;  // absent, or "max"
}

std::size_t available_memory() {
  std::size_t kilobytes = std::numeric_limits<std::size_t>::max() / 1024;
  const std::string text = value_of("/proc/meminfo", "MemAvailable");
  if (!text.empty()) kilobytes = std::stoull(text);
  std::size_t bytes = kilobytes * 1024;
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) bytes = std::min(bytes, *limit > *used ? *limit - *used : 0);
  return bytes;
}

bool can_start(unsigned threads) {
  std::latch end(1);
  std::vector<std::jthread> started;
  while (started.size() < threads) {
    started.push_back(further_thread([&end] { end.wait(); }));
    if (!started.back().joinable()) break;
  }
  const bool all = threads == 0 || started.back().joinable();
  end.count_down();
  return all;
}

// OpenMP ends the process if it cannot start a thread, so starting them is tried first.
unsigned threads_for_loops() {
  constexpr unsigned kOthers = 2;  // other threads of this process that run at the same time
  static const unsigned threads = [] {
    const auto wanted = static_cast<unsigned>(std::max(1, omp_get_max_threads()));
    return wanted > 1 && !can_start(wanted - 1 + kOthers) ? 1 : wanted;
  }();
  return threads;
}

constexpr std::size_t kSmallestPiece = 16384;  // below this, starting threads costs more than it saves

}  // namespace

HostInfo describe_host() { return {cpu_name(), threads_for_loops(), available_memory()}; }

std::size_t piece_count(std::size_t count, std::size_t steps_each) {
  const std::size_t threads = threads_for_loops();
  const std::size_t smallest_piece =
      std::max<std::size_t>(1, kSmallestPiece / std::max<std::size_t>(1, steps_each));
  return std::clamp<std::size_t>(count / smallest_piece, 1, threads);
}

std::size_t for_pieces(std::size_t count,
                       const std::function<void(std::size_t piece, std::size_t begin, std::size_t end)>& work,
                       std::size_t steps_each) {
  const std::size_t pieces = piece_count(count, steps_each);
  const std::size_t length = count / pieces;
  const std::size_t longer = count % pieces;  // the first `longer` pieces get one element more
#pragma omp parallel for num_threads(static_cast <int>(pieces))
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * length + std::min(piece, longer);
    work(piece, begin, begin + length + (piece < longer ? 1 : 0));
  }
  return pieces;
}

}  // namespace cudalab::lab
