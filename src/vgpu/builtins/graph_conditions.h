// The values that choose what conditional nodes of graphs run: the host makes them, kernels set them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace cudalab::vgpu {

class GraphConditions {
 public:
  // A handle that no other value has.
  std::uint64_t add(std::uint32_t value) {
    const std::lock_guard lock(mutex_);
    values_[++last_handle_] = value;
    return last_handle_;
  }
  // Nothing happens where there is no such handle. Blocks that set one at the same time race, as on a card.
  void set(std::uint64_t handle, std::uint32_t value) {
    const std::lock_guard lock(mutex_);
    if (const auto found = values_.find(handle); found != values_.end()) found->second = value;
  }
  std::optional<std::uint32_t> value(std::uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(handle);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint32_t> values_;
  std::uint64_t last_handle_ = 0;
};

}  // namespace cudalab::vgpu
