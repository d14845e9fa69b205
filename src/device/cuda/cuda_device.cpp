// Implements Device on the CUDA driver: memory, modules, launches, and the state of the device after a kernel
// faulted.
#include "device/cuda/cuda_device.h"

#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "device/captured_output.h"
#include "device/cuda/cublas.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda/cuda_textures.h"
#include "device/cuda/driver.h"
#include "device/kernel_launch.h"
#include "messages/device.h"
#include "ptx/module.h"

namespace cudalab::device {
namespace {

constexpr double kDefaultMaxSeconds = 60;

// ---- properties of the GPU ---------------------------------------------------------------------------

int attribute(const Driver& cuda, CUdevice gpu, CUdevice_attribute which) {
  int value = 0;
  cuda.device_attribute(&value, which, gpu);
  return value;
}

std::size_t free_memory(const Driver& cuda) {
  std::size_t free_bytes = 0, total_bytes = 0;
  cuda.memory_info(&free_bytes, &total_bytes);
  return free_bytes;
}

DeviceInfo describe(const Driver& cuda, CUdevice gpu) {
  const auto number = [&](CUdevice_attribute which) {
    return static_cast<std::uint32_t>(attribute(cuda, gpu, which));
  };
  char name[256] = {};
  cuda.device_name(name, sizeof name, gpu);
  DeviceInfo info;
  info.kind = "gpu";
  info.name = name;
  info.compute_major = attribute(cuda, gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = attribute(cuda, gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.memory_bytes = free_memory(cuda);
  info.l2_bytes = number(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.multiprocessors = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.max_threads_per_block = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_shared_per_block = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.max_shared_per_block_optin = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.constant_bytes = number(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  info.driver = "CUDA " + cuda.version;
  info.measures_time = true;
  return info;
}

// ---- programs ----------------------------------------------------------------------------------------

// Kernel::handle points to this.
struct CudaKernel {
  CUfunction function = nullptr;
  bool prints = false;
};

class CudaProgram final : public Program {
 public:
  CudaProgram(const ContextPointer& context, const compile::CompiledSource& source)
      : CudaProgram(context, source, ptx::parse(source.ptx, source.file_name)) {}

  const Kernel& kernel(const std::string& name) const override { return table_.kernel(name); }
  std::span<const Kernel> kernels() const override { return table_.kernels(); }
  std::pair<std::uint64_t, std::size_t> variable(const std::string& name) const override {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    context_->make_current();
    context_->driver().module_global(&address, &bytes, module_.get(), table_.variable_symbol(name).c_str());
    return {address, bytes};
  }

 private:
  CudaProgram(const ContextPointer& context, const compile::CompiledSource& source, const ptx::Module& parsed)
      : context_(context),
        table_(source, parsed),
        module_(make_module(context, source.ptx, source.file_name)) {
    const bool prints = parsed.find_function("vprintf") != nullptr;
    for (Kernel& kernel : table_.kernels()) fill_in(kernel, prints);
  }

  void fill_in(Kernel& kernel, bool prints) {
    const Driver& cuda = context_->driver();
    CudaKernel& own = handles_[kernel.symbol];
    own.prints = prints;
    cuda.module_function(&own.function, module_.get(), kernel.symbol.c_str());
    const auto number = [&](CUfunction_attribute which) {
      int value = 0;
      cuda.function_attribute(&value, which, own.function);
      return value;
    };
    kernel.handle = &own;
    kernel.registers = number(CU_FUNC_ATTRIBUTE_NUM_REGS);
    kernel.local_bytes = static_cast<std::size_t>(number(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    kernel.static_shared_bytes = static_cast<std::size_t>(number(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  }

  ContextPointer context_;
  KernelTable table_;
  CudaModule module_;
  std::map<std::string, CudaKernel> handles_;
};

// ---- launches ----------------------------------------------------------------------------------------

const CudaKernel& handle_of(const Launch& launch) {
  return *static_cast<const CudaKernel*>(launch.kernel->handle);
}

bool means_refused(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult put_on_stream(const Driver& cuda, const Launch& launch, CUstream stream) {
  std::vector<void*> parameters;
  for (const Argument& argument : launch.arguments)
    parameters.push_back(const_cast<std::byte*>(argument.bytes().data()));
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {launch.spec.cluster.x, launch.spec.cluster.y, launch.spec.cluster.z};
  CUlaunchConfig how{};
  how.gridDimX = launch.spec.grid.x, how.gridDimY = launch.spec.grid.y, how.gridDimZ = launch.spec.grid.z;
  how.blockDimX = launch.spec.block.x, how.blockDimY = launch.spec.block.y,
  how.blockDimZ = launch.spec.block.z;
  how.sharedMemBytes = static_cast<unsigned>(launch.spec.dynamic_shared_bytes);
  how.hStream = stream;
  how.attrs = &cluster;
  how.numAttrs = launch.spec.cluster.volume() > 0 ? 1 : 0;
  return cuda.launch_kernel_with.attempt(&how, handle_of(launch).function, parameters.data(), nullptr);
}

LaunchResult stopped_by(Hazard hazard) {
  LaunchResult result;
  result.completed = false;
  result.hazards.push_back(std::move(hazard));
  return result;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, CUdevice gpu)
      : driver_(std::move(driver)),
        context_(std::make_shared<CudaContext>(driver_, gpu)),
        stream_(make_stream(context_)),
        info_(describe(*driver_, gpu)),
        textures_(context_, gpu, [this] { enter(); }) {}

  const DeviceInfo& info() const override { return info_; }
  bool is_lost() const override { return !lost_because_.empty(); }

  Buffer allocate(std::string name, std::size_t bytes) override;
  void upload(std::uint64_t address, std::span<const std::byte> from) override {
    enter();
    if (!from.empty()) driver_->copy_to_device(address, from.data(), from.size());
  }
  void download(std::uint64_t address, std::span<std::byte> to) override {
    enter();
    if (!to.empty()) driver_->copy_from_device(to.data(), address, to.size());
  }
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool) override {
    enter();
    if (bytes) driver_->set_bytes(address, value, bytes);
  }
  Textures& textures() override { return textures_; }
  std::unique_ptr<Program> load(const compile::CompiledSource& source) override {
    enter();
    if (source.ptx.find("__cudaCDP2") != std::string::npos)
      throw unavailable_error(msg::gpu_device_runtime_missing(source.file_name));
    return std::make_unique<CudaProgram>(context_, source);
  }

  LaunchResult launch(const Launch& launch) override;
  std::optional<TimeSummary> time_launch(const Launch& launch, const TimingPlan& plan) override;
  std::optional<CopyTimes> time_copies(std::size_t bytes_to, std::size_t bytes_from) override;
  std::optional<TimeSummary> time_device_copy(std::size_t bytes, const TimingPlan& plan) override;
  Streams* streams() override;
  LinearAlgebra& linear_algebra() override;

 private:
  void free(std::uint64_t address) override {
    if (context_->is_usable()) driver_->mem_free.attempt(address);
  }
  void enter();
  CUresult start(const Launch& launch, CUstream stream);
  LaunchResult run(const Launch& launch);
  CUresult wait(CUevent event, double max_seconds);
  TimeSummary time(const Work& work, Batching batching, const TimingPlan& plan, double max_seconds);
  TimeSummary time_copy(const Work& copy, const TimingPlan& plan) {
    return time(copy, Batching::kStream, plan, kDefaultMaxSeconds);
  }
  void lose(Message reason);
  void expect_end(CUevent event, double max_seconds);
  CudaQueue queue();

  std::shared_ptr<const Driver> driver_;
  ContextPointer context_;
  CudaStream stream_;
  DeviceInfo info_;
  CudaTextures textures_;
  Message lost_because_;
  std::unique_ptr<CudaStreams> streams_;           // created at the first request
  std::unique_ptr<LinearAlgebra> linear_algebra_;  // created at the first request
};

double limit_of(const Launch& launch) {
  return launch.options.max_seconds > 0 ? launch.options.max_seconds : kDefaultMaxSeconds;
}

// Every call starts here. Makes the context current for the calling thread; throws if the GPU is lost.
void CudaDevice::enter() {
  if (is_lost()) throw unavailable_error(msg::gpu_lost(lost_because_));
  context_->make_current();
}

void CudaDevice::lose(Message reason) {
  lost_because_ = std::move(reason);
  context_->abandon();
}

Buffer CudaDevice::allocate(std::string name, std::size_t bytes) {
  enter();
  CUdeviceptr address = 0;
  const CUresult result = driver_->mem_alloc.attempt(&address, std::max<std::size_t>(bytes, 1));
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw unavailable_error(msg::gpu_memory_too_small(Code{name}, bytes, free_memory(*driver_)));
  if (result != CUDA_SUCCESS) throw_cuda_failure("cuMemAlloc", result);
  return Buffer(*this, address, bytes, std::move(name));
}

CUresult CudaDevice::start(const Launch& launch, CUstream stream) {
  if (launch.kernel->static_shared_bytes + launch.spec.dynamic_shared_bytes > info_.max_shared_per_block) {
    const CUresult result = driver_->set_function_attribute.attempt(
        handle_of(launch).function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        static_cast<int>(launch.spec.dynamic_shared_bytes));
    if (result != CUDA_SUCCESS) return result;
  }
  return put_on_stream(*driver_, launch, stream);
}

LaunchResult CudaDevice::launch(const Launch& launch) {
  enter();
  check_arguments(launch);
  if (!handle_of(launch).prints) return run(launch);
  CapturedOutput output;
  LaunchResult result = run(launch);
  // The driver prints the output of printf here, not when an event is queried.
  if (!is_lost()) driver_->stream_wait(stream_.get());
  result.printed = output.take();
  return result;
}

LaunchResult CudaDevice::run(const Launch& launch) {
  const CUresult started = start(launch, stream_.get());
  if (means_refused(started)) return stopped_by(refused_launch(launch, info_, cuda_error_name(started)));
  if (started != CUDA_SUCCESS) throw_cuda_failure("cuLaunchKernel", started);
  const CudaEvent done = make_event(context_);
  driver_->event_record(done.get(), stream_.get());
  const CUresult ended = wait(done.get(), limit_of(launch));
  if (ended == CUDA_SUCCESS) return {};
  const std::string error = cuda_error_name(ended);
  lose(msg::gpu_kernel_ended_with(Code{launch.kernel->name}, error));
  auto fault = kernel_fault(launch, error);
  if (!fault) throw_cuda_failure(msg::driver_the_kernel(), ended);
  return stopped_by(std::move(*fault));
}

// The result of the work before the event. Polls, because a wait inside the driver could not be abandoned
// after max_seconds.
CUresult CudaDevice::wait(CUevent event, double max_seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpinFor = std::chrono::milliseconds(2);
  const auto begin = Clock::now();
  for (;;) {
    const CUresult result = driver_->event_query.attempt(event);
    if (result != CUDA_ERROR_NOT_READY) return result;
    const auto waited = Clock::now() - begin;
    if (waited > std::chrono::duration<double>(max_seconds)) break;
    if (waited > kSpinFor) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  lose(msg::gpu_kernel_endless());
  throw stopped_error(msg::gpu_kernel_still_runs(max_seconds));
}

// ---- times -------------------------------------------------------------------------------------------

void CudaDevice::expect_end(CUevent event, double max_seconds) {
  const CUresult result = wait(event, max_seconds);
  if (result == CUDA_SUCCESS) return;
  lose(msg::gpu_work_ended_with(cuda_error_name(result)));
  throw_cuda_failure(msg::driver_the_queued_work(), result);
}

TimeSummary CudaDevice::time(const Work& work, Batching batching, const TimingPlan& plan,
                             double max_seconds) {
  const Wait wait_for = [&](CUevent event) { expect_end(event, max_seconds); };
  return time_work(context_, stream_.get(), work, batching, plan, info_.l2_bytes, wait_for);
}

std::optional<TimeSummary> CudaDevice::time_launch(const Launch& launch, const TimingPlan& plan) {
  enter();
  check_arguments(launch);
  std::optional<CapturedOutput> output;
  if (handle_of(launch).prints) output.emplace();
  const Work work = [&](CUstream stream) {
    if (const CUresult result = start(launch, stream); result != CUDA_SUCCESS)
      throw_cuda_failure("cuLaunchKernel", result);
  };
  return time(work, Batching::kGraph, plan, limit_of(launch));
}

std::optional<CopyTimes> CudaDevice::time_copies(std::size_t bytes_to, std::size_t bytes_from) {
  enter();
  const std::size_t bytes = std::max(bytes_to, bytes_from);
  const CudaMemory memory = make_memory(context_, bytes);
  const PinnedMemory host = make_pinned_memory(context_, bytes);
  const Work to_device = [&](CUstream stream) {
    driver_->copy_to_device_async(memory.get(), host.get(), bytes_to, stream);
  };
  const Work from_device = [&](CUstream stream) {
    driver_->copy_from_device_async(host.get(), memory.get(), bytes_from, stream);
  };
  CopyTimes times;
  if (bytes_to) times.to_device_ms = time_copy(to_device, {});
  if (bytes_from) times.from_device_ms = time_copy(from_device, {});
  return times;
}

std::optional<TimeSummary> CudaDevice::time_device_copy(std::size_t bytes, const TimingPlan& plan) {
  enter();
  if (bytes == 0) throw usage_error(msg::gpu_copy_of_no_bytes());
  const CudaMemory from = make_memory(context_, bytes), to = make_memory(context_, bytes);
  driver_->set_bytes(from.get(), 0x5a, bytes);
  const Work copy = [&](CUstream stream) {
    driver_->copy_on_device_async(to.get(), from.get(), bytes, stream);
  };
  return time_copy(copy, plan);
}

// ---- streams and libraries ---------------------------------------------------------------------------

CudaQueue CudaDevice::queue() {
  return {context_,
          stream_.get(),
          [this] { enter(); },
          [this](const Launch& launch, CUstream stream) {
            if (const CUresult result = start(launch, stream); result != CUDA_SUCCESS)
              throw_cuda_failure("cuLaunchKernel", result);
          },
          [this](CUevent event) { expect_end(event, kDefaultMaxSeconds); },
          [this](const Work& work, Batching batching, const TimingPlan& plan) {
            return time(work, batching, plan, kDefaultMaxSeconds);
          }};
}

Streams* CudaDevice::streams() {
  enter();
  if (!streams_) streams_ = std::make_unique<CudaStreams>(queue());
  return streams_.get();
}

LinearAlgebra& CudaDevice::linear_algebra() {
  enter();
  if (!linear_algebra_) linear_algebra_ = open_cublas(queue());
  return *linear_algebra_;
}

}  // namespace

std::unique_ptr<Device> open_cuda_device() {
  const DriverSearch& search = cuda_driver();
  if (!search.driver) throw unavailable_error(msg::gpu_not_usable(search.missing));
  CUdevice gpu = 0;
  search.driver->device_get(&gpu, 0);
  return std::make_unique<CudaDevice>(search.driver, gpu);
}

}  // namespace cudalab::device
