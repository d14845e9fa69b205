// What a check keeps of each allocation that a launch touches, made at the first touch: a program may have
// thousands of allocations, and launch as often.
#pragma once

#include <mutex>
#include <unordered_map>

#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

template <class Watched>
class WatchedMemory {
 public:
  // What is allocated from now on, by the launch itself, is not watched.
  explicit WatchedMemory(const GlobalMemory& memory) : newest_(memory.newest()) {}
  ~WatchedMemory() {
    for (const auto& [allocation, watched] : all_) allocation->watch = nullptr;
  }
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  // Nothing before the first touch.
  static Watched* known(const Allocation& allocation) {
    return static_cast<Watched*>(allocation.watch.load(std::memory_order_acquire));
  }

  // Nothing where it is not watched. By any host thread; `make(allocation)` is called under a lock.
  template <class Make>
  Watched* of(const Allocation& allocation, const Make& make) {
    if (Watched* touched = known(allocation)) return touched;
    if (allocation.read_only || allocation.number > newest_) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = all_.try_emplace(&allocation);
    if (is_new) place->second = std::make_unique<Watched>(make(allocation));
    allocation.watch.store(place->second.get(), std::memory_order_release);
    return place->second.get();
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::uint64_t newest_;
  std::mutex mutex_;
  std::unordered_map<const Allocation*, std::unique_ptr<Watched>> all_;
};

}  // namespace cudalab::vgpu
