// Distributes independent parts of a library's work over threads of the host.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace cudalab::libraries {

// Calls a body once for each number below `count`. make_body() is called once on each thread, so a body may
// own buffers. `operations`: of all parts together; a thread is started only for enough of them.
template <class MakeBody>
void for_each_part(std::int64_t count, unsigned threads, double operations, const MakeBody& make_body) {
  constexpr double kWorthAThread = 1 << 20;
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    auto body = make_body();
    for (std::int64_t part = next++; part < count; part = next++) body(part);
  };
  const auto useful =
      static_cast<std::int64_t>(std::min(static_cast<double>(count), operations / kWorthAThread));
  std::vector<std::jthread> helpers;
  for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, useful); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace cudalab::libraries
