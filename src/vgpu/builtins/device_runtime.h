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

// The values that select the bodies of conditional graph nodes: the host creates them, kernels set them.

class GraphConditions {
 public:
  // Returns a new unique handle.
  std::uint64_t add(std::uint32_t value) {
    const std::lock_guard lock(mutex_);
    values_[++last_handle_] = value;
    return last_handle_;
  }
  // Ignores an unknown handle. Blocks that set the same value at the same time race, as on a GPU.
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

// The heap for malloc() and new in kernels. It exists as long as the virtual GPU, as on a GPU.

// Kernels that use it run on one host thread. Every block of memory is a separate allocation, so accesses out
// of bounds or after free() are detected.
class DeviceHeap {
 public:
  static constexpr std::size_t kDefaultBytes = 8 << 20;  // cudaLimitMallocHeapSize
  // Blocks allocated in one launch; malloc() then returns null.
  static constexpr std::size_t kMostPieces = 1 << 20;

  explicit DeviceHeap(GlobalMemory& memory) : memory_(memory) {}
  void begin_launch();
  std::uint64_t take(std::size_t bytes);  // 0: out of memory
  bool give_back(std::uint64_t address);  // false: not the address of a block
  void set_bytes(std::size_t bytes) { bytes_ = bytes; }
  const std::map<std::uint64_t, std::size_t>& pieces() const { return pieces_; }  // address, bytes
  void free_all();                                                                // only while no kernel runs

 private:
  GlobalMemory& memory_;
  std::map<std::uint64_t, std::size_t> pieces_;  // address, bytes
  std::size_t bytes_ = kDefaultBytes, used_bytes_ = 0, taken_in_launch_ = 0;
};

// Launches from kernels (CUDA dynamic parallelism 2): the work that the kernels of one launch request from
// the device runtime. A kernel cannot wait for it, so all of it is executed after the launch's blocks have
// ended.

struct Birth;

struct ChildLaunchRequest {
  std::size_t kernel = 0;  // index into Program::kernels
  LaunchSpec spec;
  std::vector<std::byte> parameters;
  std::shared_ptr<const Birth> birth;  // if races are checked; a tail launch has none with its parent
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
  SourceLine where;  // line that requested it
  std::string by;    // name of the requesting kernel
  LaunchQueue queue;
  bool is_tail = false;
};

// Work is executed in the order of the requests, tail launches last, which preserves the order in each
// stream. Only race checks between two kernels consider their streams.
class DeviceRuntime {
 public:
  static constexpr std::size_t kMostPending = 1 << 18;  // per launch; uses host memory
  static constexpr int kDeepest = 24;                   // CUDA's nesting depth

  // Values of cudaError_t that are returned here.
  enum Error : std::int32_t { kSuccess = 0, kInvalidValue = 1, kTooDeep = 65, kTooManyPending = 69 };

  DeviceRuntime(GlobalMemory& memory, int depth) : memory_(memory), depth_(depth) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  int depth() const { return depth_; }
  // Memory for the parameters of a launch, which the kernel writes before it launches; 0: out of memory.
  std::uint64_t parameter_buffer(ChildLaunchRequest request, std::size_t bytes);
  Error launch(std::uint64_t parameter_buffer, PendingWork work, std::shared_ptr<const Birth> birth);
  Error add(PendingWork work);
  std::uint64_t new_handle() { return next_handle_++; }  // of a stream or an event
  // A stream waits for an event: from now on, all work counts as ordered.
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
