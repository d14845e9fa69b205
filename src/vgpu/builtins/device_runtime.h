// The device runtime of a launch: child launches (CUDA dynamic parallelism), the device heap, and conditions
// of graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/measurement.h"
#include "vgpu/checks/child_races.h"
#include "vgpu/memory/memory.h"

namespace cudalab::vgpu {

// The values that choose what conditional nodes of graphs run: the host makes them, kernels set them.

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

// The heap that kernels take memory from with malloc() and new. It lives as long as the virtual GPU, as on a
// card.

// Kernels that use it run on one host thread. Every piece is an allocation of its own, so that going beyond
// one, or using it after free(), is caught.
class DeviceHeap {
 public:
  static constexpr std::size_t kDefaultBytes = 8 << 20;  // cudaLimitMallocHeapSize
  static constexpr std::size_t kMostPieces = 1 << 20;    // taken in one launch; malloc() then returns null

  explicit DeviceHeap(GlobalMemory& memory) : memory_(memory) {}
  void begin_launch();
  std::uint64_t take(std::size_t bytes);  // 0: there is no room
  bool give_back(std::uint64_t address);  // false: not the address of a piece
  void set_bytes(std::size_t bytes) { bytes_ = bytes; }
  const std::map<std::uint64_t, std::size_t>& pieces() const { return pieces_; }  // address, bytes
  void free_all();                                                                // while no kernel runs

 private:
  GlobalMemory& memory_;
  std::map<std::uint64_t, std::size_t> pieces_;  // address, bytes
  std::size_t bytes_ = kDefaultBytes, used_bytes_ = 0, taken_in_launch_ = 0;
};

// Launches from kernels (CUDA dynamic parallelism 2): what the kernels of one launch ask the card's run time
// to do. Nothing in a kernel can wait for it, so that all of it is done when the launch's blocks have ended.

struct Birth;

struct ChildLaunchRequest {
  std::size_t kernel = 0;  // index into Program::kernels
  LaunchSpec spec;
  std::vector<std::byte> parameters;
  std::shared_ptr<const Birth> birth;  // where races are looked for; a tail launch has none with its parent
};

struct ChildCopy {
  std::uint64_t to = 0, from = 0;
  std::size_t bytes = 0;
};

struct ChildFill {
  std::uint64_t to = 0;
  std::size_t bytes = 0;
  std::uint8_t value = 0;
};

struct PendingWork {
  std::variant<ChildLaunchRequest, ChildCopy, ChildFill> work;
  SourceLine where;  // that asked for it
  std::string by;    // that kernel's name
  LaunchQueue queue;
  bool is_tail = false;
};

// Work that is done in the order in which it was asked for, tail launches last, is in order in each stream.
// Only the races between two kernels ask which streams they went into.
class DeviceRuntime {
 public:
  static constexpr std::size_t kMostPending = 1 << 18;  // by one launch; its memory is the host's
  static constexpr int kDeepest = 24;                   // CUDA's nesting depth

  // cudaError_t, as far as it comes from here.
  enum Error : std::int32_t { kSuccess = 0, kInvalidValue = 1, kTooDeep = 65, kTooManyPending = 69 };

  DeviceRuntime(GlobalMemory& memory, int depth) : memory_(memory), depth_(depth) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  int depth() const { return depth_; }
  // Memory for the parameters of a launch, which the kernel writes before it launches; 0: no room.
  std::uint64_t parameter_buffer(ChildLaunchRequest request, std::size_t bytes);
  Error launch(std::uint64_t parameter_buffer, PendingWork work, std::shared_ptr<const Birth> birth);
  Error add(PendingWork work);
  std::uint64_t new_handle() { return next_handle_++; }  // of a stream or an event
  // A stream waits for an event: from now on all work counts as ordered.
  void wait_for_event() { waits_for_events_ = true; }
  std::uint64_t text(const std::string& words);  // the address of a C string
  Error take_last_error();
  Error last_error() const { return last_error_; }

  std::vector<PendingWork> take_work();  // tail launches last

 private:
  Error failed(Error error) { return last_error_ = error; }
  GlobalMemory& memory_;
  int depth_;
  std::map<std::uint64_t, ChildLaunchRequest> prepared_;  // by the address of their parameters
  std::map<std::string, std::uint64_t> texts_;
  std::vector<PendingWork> pending_, tails_;
  std::uint64_t next_handle_ = 0x100;
  Error last_error_ = kSuccess;
  bool waits_for_events_ = false;
};

}  // namespace cudalab::vgpu
