// The device interface of labs: memory, kernels, launches, streams and times. Also opens a device on this
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

// Dot products and matrix multiplications by the vendor's library, the reference for a lab's own kernels.

struct TimingPlan;

// A call of the library, to run once or to time repeatedly.
struct LibraryCall {
  std::function<LaunchResult()> once;
  std::function<std::optional<TimeSummary>(const TimingPlan&)> timed;
};

// C (rows x columns) = A (rows x inner) * B (inner x columns), all row-major. B can be transposed (columns x
// inner).
struct MatrixProduct {
  ScalarType type = ScalarType::kF32;  // or kF64
  std::size_t rows = 0, inner = 0, columns = 0;
  std::uint64_t a = 0, b = 0, c = 0;
  bool b_is_transposed = false;
};

// y (rows) = factor * A (rows x columns, row-major) * x (columns).
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

// All addresses are device addresses. Calls throw Error(kUnavailable) if the library fails.
class LinearAlgebra {
 public:
  virtual ~LinearAlgebra() = default;
  virtual LibraryCall dot(const DotProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixProduct& problem) = 0;
  virtual LibraryCall multiply(const MatrixVector& problem) = 0;
};

// Copies and kernels in several streams, where copies overlap with computation.

struct Launch;
struct TimingPlan;

// Pageable memory is ordinary host memory. The driver copies it through its own page-locked staging buffers
// while the host waits. The GPU reads and writes pinned (page-locked) memory directly.
enum class HostMemoryKind { kPageable, kPinned };

// Memory on the host, freed with the object. Must not outlive the device.
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

// An operation of a stream. The operations of one stream execute in the given order.
struct StreamOperation {
  OperationKind kind{};
  std::size_t stream = 0;
  std::uint64_t address = 0;       // for copies: device address
  std::span<std::byte> host{};     // for copies
  const Launch* launch = nullptr;  // for kernels
};

// Begin and end of an operation, relative to the begin of the first one.
struct Interval {
  double begin_ms = 0, end_ms = 0;
};

class Streams {
 public:
  virtual ~Streams() = default;
  virtual HostMemory allocate_host(std::size_t bytes, HostMemoryKind kind) = 0;

  // These functions queue all operations and wait for the last one. They throw Error if an operation fails.
  virtual void run(std::span<const StreamOperation> operations) = 0;
  // The intervals in the order of the operations. The events between operations cost some microseconds each.
  virtual std::vector<Interval> timeline(std::span<const StreamOperation> operations) = 0;
  // The time from the begin of the first operation to the end of the last one, including the time in which
  // the host queues them.
  virtual TimeSummary time(std::span<const StreamOperation> operations, const TimingPlan& plan) = 0;
};

// The interface that labs use for any device: memory, kernels, launches, times. Code above this header never
// asks whether the device is a GPU or the virtual GPU; it examines what a result contains.

struct DeviceInfo {
  std::string kind;  // "gpu" or "virtual", as in the result document
  std::string name;  // "NVIDIA H200", or the GPU that the virtual GPU models
  int compute_major = 0, compute_minor = 0;
  std::size_t memory_bytes = 0;         // maximum for kernels
  std::size_t host_bytes_per_byte = 0;  // host bytes per byte of device memory; 0 for a GPU
  std::size_t l2_bytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t max_threads_per_block = 0;
  std::size_t max_shared_per_block = 0;        // without opting in to more
  std::size_t max_shared_per_block_optin = 0;  // after opting in
  std::size_t constant_bytes = 0;
  std::string driver;          // driver version of a GPU; empty on the virtual GPU
  bool measures_time = false;  // time_launch and time_copies return values
  bool counts = false;         // launch returns counters and hazards
  // The GPU that the virtual GPU models; its launches return predicted times. Empty for a real GPU.
  std::optional<vgpu::Card> card{};
};

class Device;

// Memory on a device, freed with the object. Must not outlive the device.
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

// An argument of a kernel: its bytes in the parameter's representation (8 bytes for a pointer).
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
  bool is_pointer = false;  // only if the PTX states it
};

// A kernel of a loaded program. Valid as long as the program.
struct Kernel {
  std::string name;    // as in the source: "transpose", "mm<float,16>"
  std::string symbol;  // as in the PTX
  std::vector<KernelParameter> parameters;
  std::size_t static_shared_bytes = 0;
  std::optional<int> registers;              // registers per thread, if the device knows them
  std::optional<KernelResources> resources;  // ptxas's resources for the modelled GPU
  std::optional<std::size_t> local_bytes;
  void* handle = nullptr;  // private to the device
};

// Compiled code that is loaded onto a device. Must not outlive the device.
class Program {
 public:
  virtual ~Program() = default;
  // Throws Error(kUsage) with a list of the kernels if there is no such kernel.
  virtual const Kernel& kernel(const std::string& name) const = 0;
  virtual std::span<const Kernel> kernels() const = 0;
  // The address and size of a `__constant__` or `__device__` variable. Throws Error(kUsage) if there is none.
  virtual std::pair<std::uint64_t, std::size_t> variable(const std::string& name) const = 0;
};

// A callback that inspects a launch before it happens. An exception that it throws ends the run.
class LaunchView;  // device/kernel_launch.h
using Onlooker = std::function<void(LaunchView&)>;

struct Launch {
  const Kernel* kernel = nullptr;
  LaunchSpec spec;
  std::vector<Argument> arguments;
  LaunchOptions options;
  const Onlooker* onlooker = nullptr;  // called by devices that count
};

struct TimingPlan {
  bool cold = false;     // clear the L2 before every sample by writing four times its size
  int min_samples = 10;  // sampling continues until the spread is small, at most up to max_samples
  int max_samples = 200;
  double max_seconds = 2;               // time limit, which applies after min_samples
  std::function<void()> before_each{};  // called before each run of a cold plan, outside the measured time
};

// Times of host-to-device and device-to-host copies with pinned host memory.
struct CopyTimes {
  TimeSummary to_device_ms, from_device_ms;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  // Whether a kernel has made the device unusable. After a fault on a GPU (a hazard other than kInvalidLaunch
  // with `completed` false), the process cannot use that GPU any more, not even with a new context: every
  // later call throws Error(kUnavailable). The virtual GPU survives any kernel.
  virtual bool is_lost() const { return false; }

  // Throws Error(kUnavailable) with the sizes if there is not enough memory.
  virtual Buffer allocate(std::string name, std::size_t bytes) = 0;
  virtual void upload(std::uint64_t address, std::span<const std::byte> from) = 0;
  virtual void download(std::uint64_t address, std::span<std::byte> to) = 0;
  // Sets every byte. On a device that checks reads of unwritten memory, `poison` also marks the bytes as
  // unwritten.
  virtual void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison = false) = 0;

  // Arrays, textures and surfaces. Throws Error(kUnavailable) if the device has none.
  virtual Textures& textures() { throw unavailable_error(msg::device_without_textures()); }

  virtual std::unique_ptr<Program> load(const compile::CompiledSource& source) = 0;

  // Runs a kernel once and waits. The errors of the kernel are returned as hazards; `completed` states
  // whether it ran to its end. A launch that the device refuses (too many threads, too much shared memory) is
  // a hazard of kind kInvalidLaunch. Throws Error only if the device is lost, if the arguments do not fit the
  // kernel (kUsage), or if a kernel on a GPU runs longer than max_seconds (kStopped). Only the end of the
  // process stops such a kernel, so the device is lost.
  virtual LaunchResult launch(const Launch& launch) = 0;

  // Times repeated runs with events (device/cuda/cuda_queue.h defines a sample). Empty if the device does not
  // measure time. Throws Error if the kernel does not run, so launch it once before.
  virtual std::optional<TimeSummary> time_launch(const Launch& launch, const TimingPlan& plan) = 0;
  virtual std::optional<CopyTimes> time_copies(std::size_t bytes_to, std::size_t bytes_from) = 0;
  // Times one device-to-device copy of `bytes`, the reference for kernels that only move data.
  virtual std::optional<TimeSummary> time_device_copy(std::size_t bytes, const TimingPlan& plan) = 0;

  // Null if copies and kernels never overlap, as on the virtual GPU.
  virtual Streams* streams() { return nullptr; }
  // Throws Error(kUnavailable) if the library is not installed or the device has none.
  virtual LinearAlgebra& linear_algebra() {
    throw unavailable_error(msg::device_without_linear_algebra(info().name));
  }

 private:
  friend class Buffer;
  virtual void free(std::uint64_t address) = 0;
};

enum class DeviceChoice { kAuto, kGpu, kVirtual };

// As in --device.
inline constexpr Named<DeviceChoice> kDeviceNames[]{
    {"auto", DeviceChoice::kAuto}, {"gpu", DeviceChoice::kGpu}, {"virtual", DeviceChoice::kVirtual}};

// kAuto opens a GPU if there is a usable one, otherwise the virtual GPU. kGpu throws Error(kUnavailable) if
// there is no usable GPU. `card` is the GPU that the virtual GPU models; by default the first of
// vgpu::cards().
std::unique_ptr<Device> open_device(DeviceChoice choice, const std::optional<vgpu::Card>& card = {});

// The built-in GPU model with this id. Throws Error(kUsage) with a list of the models if there is none.
const vgpu::Card& card_named(const std::string& id);

struct VirtualDeviceOptions {
  std::optional<vgpu::Card> card{};  // empty: the first of vgpu::cards()
  unsigned host_threads = 0;         // 0: all
};
std::unique_ptr<Device> open_virtual_device(const VirtualDeviceOptions& options = {});

// A row of the output of `cudalab doctor`: a component that it looked for.
struct Finding {
  Message thing;  // "Virtual GPU", "NVRTC", "nvcc", "clang", "CUDA headers", "CUDA driver", "cuBLAS", ...
  bool found = false;
  Message where;    // path and version; empty if not found
  Message enables;  // what it is needed for
  Message advice;   // what to install; empty if found
};
// The components that a learner needs first come first.
std::vector<Finding> look_around();

}  // namespace cudalab::device
