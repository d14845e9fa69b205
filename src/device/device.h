// The device interface of a lab: memory, kernels, launches, streams, times; and opening a device of this
// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compile/compiler.h"
#include "core/error.h"
#include "core/measurement.h"
#include "core/named.h"
#include "core/scalar_type.h"
#include "core/work_budget.h"
#include "device/textures.h"
#include "messages/device.h"
#include "vgpu/card.h"
#include "vgpu/launch_options.h"

namespace cudalab::device {

// Dot and matrix products by the vendor's library: what a lab's own kernels are measured against.

struct TimingPlan;

// One call of the library: to run once, and to repeat and time.
struct LibraryCall {
  std::function<LaunchResult()> once;
  std::function<std::optional<TimeSummary>(const TimingPlan&)> timed;
};

// C (rows x columns) = A (rows x inner) * B (inner x columns), each row by row; B may be given transposed,
// columns x inner.
struct MatrixProduct {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t rows = 0, inner = 0, columns = 0;
  std::uint64_t a = 0, b = 0, c = 0;
  bool b_is_transposed = false;
};

// y (rows) = factor * A (rows x columns, row by row) * x (columns).
struct MatrixVector {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t rows = 0, columns = 0;
  double factor = 1;
  std::uint64_t a = 0, x = 0, y = 0;
};

struct DotProduct {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t count = 0;
  std::uint64_t a = 0, b = 0, result = 0;
};

// Addresses are the device's. Calls throw Error(kUnavailable) where the library fails.
class LinearAlgebra {
 public:
  virtual ~LinearAlgebra() = default;
  virtual LibraryCall dot(const DotProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixVector& problem) = 0;
};

// Copies and kernels that are queued in several streams, so that one copies while another computes.

struct Launch;
struct TimingPlan;

// Pageable memory is the host's ordinary kind: the driver copies it in pieces through page-locked memory of
// its own, and the host waits meanwhile. Pinned (page-locked) memory is read and written by the GPU itself.
enum class HostMemoryKind { kPageable, kPinned };

// Bytes on the host; given back with the object. Must not outlive the device.
class HostMemory {
 public:
  using Release = std::function<void(std::byte*)>;
  HostMemory(std::byte* first, std::size_t bytes, Release release)
      : memory_(first, std::move(release)), bytes_(bytes) {}
  std::span<std::byte> bytes() const { return {memory_.get(), bytes_}; }

 private:
  std::unique_ptr<std::byte, Release> memory_;
  std::size_t bytes_;
};

enum class OperationKind { kToDevice, kKernel, kFromDevice };

// One entry of a stream. Those of one stream happen one after the other, in the order given.
struct StreamOperation {
  OperationKind kind{};
  std::size_t stream = 0;
  std::uint64_t address = 0;       // of a copy, on the device
  std::span<std::byte> host{};     // of a copy
  const Launch* launch = nullptr;  // of a kernel
};

// When an operation began and ended, from the begin of the first.
struct Interval {
  double begin_ms = 0, end_ms = 0;
};

class Streams {
 public:
  virtual ~Streams() = default;
  virtual HostMemory allocate_host(std::size_t bytes, HostMemoryKind kind) = 0;

  // Each queues all operations and waits for the last. They throw Error where one fails.
  virtual void run(std::span<const StreamOperation> operations) = 0;
  // The intervals, in the order of the operations. The events between them cost some microseconds each.
  virtual std::vector<Interval> timeline(std::span<const StreamOperation> operations) = 0;
  // From the begin of the first to the end of the last, the host's time to queue them included.
  virtual TimeSummary time(std::span<const StreamOperation> operations, const TimingPlan& plan) = 0;
};

// What a lab can ask of a device, whichever it is: memory, kernels, launches, times. Nothing above this
// header asks whether the device is a GPU or the virtual GPU; it asks what a result contains.

struct DeviceInfo {
  std::string kind;  // "gpu" or "virtual", as in the result document
  std::string name;  // "NVIDIA H200", or the virtual GPU's model of a card
  int compute_major = 0, compute_minor = 0;
  std::size_t memory_bytes = 0;  // what kernels can have at most
  std::size_t host_bytes_per_byte =
      0;  // of the host's memory that each byte of it takes; 0 where it has its own
  std::size_t l2_bytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t max_threads_per_block = 0;
  std::size_t max_shared_per_block = 0;        // without asking for more
  std::size_t max_shared_per_block_optin = 0;  // with it
  std::size_t constant_bytes = 0;
  std::string driver;          // driver version of a GPU; empty on the virtual GPU
  bool measures_time = false;  // time_launch and time_copies return values
  bool counts = false;         // launch returns counters and hazards
  // That the virtual GPU stands for: launch says how long it would take. Empty on a GPU.
  std::optional<vgpu::Card> card{};
};

class Device;

// Memory on a device; freed with the object. Must not outlive the device.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::uint64_t address, std::size_t bytes, std::string name)
      : device_(&device), address_(address), bytes_(bytes), name_(std::move(name)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();
  std::uint64_t address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    std::swap(name_, other.name_);
  }
  Device* device_ = nullptr;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  std::string name_;
};

// One argument of a kernel: its bytes as the parameter expects them (a pointer is 8 bytes).
class Argument {
 public:
  Argument(const Buffer& buffer) : Argument(buffer.address()) {}  // NOLINT: implicit on purpose
  template <class T>
  requires std::is_trivially_copyable_v<T> Argument(const T& value)  // NOLINT: implicit on purpose
      : bytes_(sizeof(T)) {
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  explicit Argument(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct KernelParameter {
  std::size_t bytes = 0;
  std::string ptx_type;     // "u64", "f32", "b8" for a struct
  bool is_pointer = false;  // only where the PTX says so
};

// A kernel of a loaded program. Valid as long as the program.
struct Kernel {
  std::string name;    // as the source spells it: "transpose", "mm<float,16>"
  std::string symbol;  // as the PTX spells it
  std::vector<KernelParameter> parameters;
  std::size_t static_shared_bytes = 0;
  std::optional<int> registers;              // a thread's registers, where the device knows
  std::optional<KernelResources> resources;  // what ptxas makes of it for the card that is stood for
  std::optional<std::size_t> local_bytes;
  void* handle = nullptr;  // the device's own
};

// Compiled code, loaded onto a device. Must not outlive the device.
class Program {
 public:
  virtual ~Program() = default;
  // Throws Error(kUsage) that lists the kernels there are.
  virtual const Kernel& kernel(const std::string& name) const = 0;
  virtual std::span<const Kernel> kernels() const = 0;
  // A `__constant__` or `__device__` variable: its address and size. Throws Error(kUsage) when there is none.
  virtual std::pair<std::uint64_t, std::size_t> variable(const std::string& name) const = 0;
};

// Somebody who looks into a launch before it happens; what it throws ends the run.
class LaunchView;  // device/kernel_launch.h
using Onlooker = std::function<void(LaunchView&)>;

struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Argument> arguments;
  Dim3 cluster{0, 0, 0};  // blocks of a cluster; 0: what the kernel says
  LaunchOptions options;
  const Onlooker* onlooker = nullptr;  // shown to, by a device that `counts`
};

struct TimingPlan {
  bool cold = false;     // clear the L2 before every sample by writing four times its size
  int min_samples = 10;  // sampling goes on until the spread is small, at most max_samples
  int max_samples = 200;
  double max_seconds = 2;  // measuring stops at this age, never before min_samples
};

// Host-to-device and device-to-host copies of the given sizes, timed with pinned host memory.
struct CopyTimes {
  TimeSummary to_device_ms, from_device_ms;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  // Whether a kernel has taken the device down with it. A fault on a GPU (a hazard with `completed` false
  // that is not kInvalidLaunch) ends the use of that GPU for the whole process, whatever context is tried:
  // every call from then on throws Error(kUnavailable). The virtual GPU survives any kernel.
  virtual bool is_lost() const { return false; }

  // Throws Error(kUnavailable) with the sizes in the message when the memory is not there.
  virtual Buffer allocate(std::string name, std::size_t bytes) = 0;
  virtual void upload(std::uint64_t address, std::span<const std::byte> from) = 0;
  virtual void download(std::uint64_t address, std::span<std::byte> to) = 0;
  // Sets every byte. On a device that checks reads of unwritten memory, `poison` also marks the bytes as
  // unwritten.
  virtual void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison = false) = 0;

  // Arrays, textures and surfaces. Throws Error(kUnavailable) on a device that has none.
  virtual Textures& textures() { throw unavailable_error(msg::device_without_textures()); }

  virtual std::unique_ptr<Program> load(const compile::CompiledSource& source) = 0;

  // Runs once and waits. What a kernel does wrong comes back as hazards; `completed` says whether it ran to
  // its end. A launch that the card refuses (too many threads, too much shared memory) is a hazard of kind
  // kInvalidLaunch. Throws Error only when the device itself is lost, the arguments do not fit the kernel
  // (kUsage), or a kernel on a GPU runs beyond max_seconds (kStopped): only the end of the process stops it,
  // and the device is of no more use.
  virtual LaunchResult launch(const Launch& launch) = 0;

  // Repeated runs, timed with events (device/cuda/cuda_queue.h says what is in a sample); nothing where the
  // device does not measure time. Throws Error where the kernel does not run: launch it once before.
  virtual std::optional<TimeSummary> time_launch(const Launch& launch, const TimingPlan& plan) = 0;
  virtual std::optional<CopyTimes> time_copies(std::size_t bytes_to, std::size_t bytes_from) = 0;
  // One device-to-device copy of `bytes`, timed: the ceiling of every kernel that only moves data.
  virtual std::optional<TimeSummary> time_device_copy(std::size_t bytes, const TimingPlan& plan) = 0;

  // Null where copies and kernels happen one after the other, on the virtual GPU.
  virtual Streams* streams() { return nullptr; }
  // Throws Error(kUnavailable) where the library is not installed, or the device has none.
  virtual LinearAlgebra& linear_algebra() {
    throw unavailable_error(msg::device_without_linear_algebra(info().name));
  }

 private:
  friend class Buffer;
  virtual void free(std::uint64_t address) = 0;
};

enum class DeviceChoice { kAuto, kGpu, kVirtual };

// As --device spells them.
inline constexpr Named<DeviceChoice> kDeviceNames[]{
    {"auto", DeviceChoice::kAuto}, {"gpu", DeviceChoice::kGpu}, {"virtual", DeviceChoice::kVirtual}};

// kAuto: a GPU if there is a usable one, else the virtual GPU. kGpu without one throws Error(kUnavailable).
// `card`: that the virtual GPU stands for; empty: the first of vgpu::cards().
std::unique_ptr<Device> open_device(DeviceChoice choice, const std::optional<vgpu::Card>& card = {});

// The built-in card of that name. Throws Error(kUsage) that lists the cards there are.
const vgpu::Card& card_named(const std::string& id);

struct VirtualDeviceOptions {
  std::optional<vgpu::Card> card{};  // empty: the first of vgpu::cards()
  unsigned host_threads = 0;         // 0: all
};
std::unique_ptr<Device> open_virtual_device(const VirtualDeviceOptions& options = {});

// What `cudalab doctor` prints: one row a thing looked for.
struct Finding {
  Message thing;  // "CUDA driver", "NVRTC", "cuBLAS", "Nsight Compute", "CUDA headers"
  bool found = false;
  Message where;    // path and version; empty when not found
  Message enables;  // what it is needed for
  Message advice;   // what to install; empty when found
};
std::vector<Finding> look_around();

}  // namespace cudalab::device
