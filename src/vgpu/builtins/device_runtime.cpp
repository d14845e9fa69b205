// The device runtime of a launch: child launches (CUDA dynamic parallelism), the device heap, and conditions
// of graphs.
#include "vgpu/builtins/device_runtime.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/alignment.h"
#include "core/programs/cuda_errors.h"
#include "vgpu/builtins/builtins.h"
#include "vgpu/checks/observe.h"
#include "vgpu/checks/observer.h"

namespace cudalab::vgpu {
namespace {

// Block sizes are multiples of 16 bytes.
std::size_t heap_bytes(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), 16); }

}  // namespace

void DeviceHeap::begin_launch() {
  taken_in_launch_ = 0;
  memory_.forget_retired();
}

std::uint64_t DeviceHeap::take(std::size_t bytes) {
  if (bytes > bytes_ || used_bytes_ + heap_bytes(bytes) > bytes_ || taken_in_launch_ == kMostPieces) return 0;
  if (!memory_.has_room(bytes)) return 0;
  const std::uint64_t address = memory_.allocate("memory from malloc()", bytes);
  used_bytes_ += heap_bytes(bytes);
  ++taken_in_launch_;
  pieces_.emplace(address, bytes);
  return address;
}

bool DeviceHeap::give_back(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return false;
  used_bytes_ -= heap_bytes(found->second);
  pieces_.erase(found);
  memory_.retire(address);
  return true;
}

void DeviceHeap::free_all() {
  for (const auto& [address, bytes] : pieces_) memory_.retire(address);
  pieces_.clear();
  used_bytes_ = 0;
  memory_.forget_retired();
}

// ---- requested work ----------------------------------------------------------------------------------

DeviceRuntime::~DeviceRuntime() {
  for (const auto& [address, request] : prepared_) memory_.free(address);
  for (const auto& [words, address] : texts_) memory_.free(address);
}

std::uint64_t DeviceRuntime::parameter_buffer(ChildLaunchRequest request, std::size_t bytes) {
  if (depth_ >= kDeepest) return failed(kTooDeep), 0;
  if (prepared_.size() + pending_.size() + tails_.size() >= kMostPending) return failed(kTooManyPending), 0;
  const std::uint64_t address = memory_.allocate("parameters of a launch", std::max<std::size_t>(bytes, 1));
  request.parameters.resize(bytes);
  prepared_.emplace(address, std::move(request));
  return address;
}

DeviceRuntime::Error DeviceRuntime::launch(std::uint64_t parameter_buffer, PendingWork work,
                                           std::shared_ptr<const Birth> birth) {
  const auto found = prepared_.find(parameter_buffer);
  if (found == prepared_.end()) return failed(kInvalidValue);
  ChildLaunchRequest request = std::move(found->second);
  prepared_.erase(found);
  if (!work.is_tail) request.birth = std::move(birth);
  memory_.read(parameter_buffer, request.parameters);
  memory_.retire(parameter_buffer);
  work.work = std::move(request);
  (work.is_tail ? tails_ : pending_).push_back(std::move(work));
  return kSuccess;
}

DeviceRuntime::Error DeviceRuntime::add(PendingWork work) {
  if (pending_.size() >= kMostPending) return failed(kTooManyPending);
  pending_.push_back(std::move(work));
  return kSuccess;
}

std::uint64_t DeviceRuntime::text(const std::string& words) {
  const auto known = texts_.find(words);
  if (known != texts_.end()) return known->second;
  const std::uint64_t address = memory_.allocate("text of an error", words.size() + 1);
  memory_.write(address, {reinterpret_cast<const std::byte*>(words.c_str()), words.size() + 1});
  return texts_[words] = address;
}

DeviceRuntime::Error DeviceRuntime::take_last_error() { return std::exchange(last_error_, kSuccess); }

std::vector<PendingWork> DeviceRuntime::take_work() {
  std::ranges::move(tails_, std::back_inserter(pending_));
  tails_.clear();
  if (waits_for_events_)
    for (PendingWork& work : pending_) work.queue = {};
  return std::exchange(pending_, {});
}

// ---- the functions that kernels call -----------------------------------------------------------------
namespace {

DeviceRuntime& runtime_of(const Warp& warp) { return *warp.launch->runtime; }

// Writes to a variable of the kernel, like *pointer = value.
template <class T>
void put(const Inst* inst, Warp& warp, int lane, std::uint64_t pointer, T value) {
  static constexpr SiteInfo kStore{.kind = SiteKind::kGlobalStore, .bytes_per_lane = sizeof(T)};
  std::byte* to = memory_at(warp, lane, pointer, sizeof value);
  if (!to) return;
  if (warp.observed) observe_lane(inst, warp, kStore, lane, pointer, AccessMode::kWrite);
  std::memcpy(to, &value, sizeof value);
}

// The kernel at the address that a lane passes.
std::optional<std::size_t> kernel_at(const Program& program, std::uint64_t address) {
  const std::uint64_t function = address - kFunctionWindow;
  for (std::size_t kernel = 0; kernel < program.kernel_code.size(); ++kernel)
    if (static_cast<std::uint64_t>(program.kernel_code[kernel].function) == function) return kernel;
  return std::nullopt;
}

// void* GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared_bytes)
void get_parameter_buffer(const Inst*, Warp& warp, const CallInfo& info) {
  const Program& program = *warp.launch->program;
  for_each_lane(warp, [&](int lane) {
    std::uint64_t address = 0;
    if (const auto kernel = kernel_at(program, argument<std::uint64_t>(warp, info, 0, lane)))
      address = runtime_of(warp).parameter_buffer(
          {*kernel,
           {argument<Dim3>(warp, info, 1, lane), argument<Dim3>(warp, info, 2, lane),
            argument<std::uint32_t>(warp, info, 3, lane)},
           {}},
          program.kernels[*kernel].parameter_bytes);
    set_result(warp, info, lane, address);
  });
}

// nullptr if races are not checked.
std::shared_ptr<const Birth> birth_by(const Warp& warp) {
  if (!warp.launch->for_children) return nullptr;
  return std::make_shared<Birth>(
      Birth{warp.launch->for_children->shared_from_this(), warp.block->observer->launch_moment(warp)});
}

constexpr std::uint64_t kTailLaunch = 3;     // cudaStreamTailLaunch
constexpr std::uint64_t kFireAndForget = 4;  // cudaStreamFireAndForget

// The names of the default stream (0, cudaStreamLegacy, cudaStreamPerThread) mean the block's own stream.
// Each fire-and-forget launch has its own queue.
LaunchQueue queue_of(const Warp& warp, std::uint64_t stream) {
  if (stream < kTailLaunch) return {warp.block->number + 1, 0};
  return {0, stream == kFireAndForget ? runtime_of(warp).new_handle() : stream};
}

PendingWork asked_by(const Inst* inst, const Warp& warp, std::uint64_t stream) {
  return {.work = {},
          .where = line_of(warp, inst),
          .by = warp.launch->kernel->symbol,
          .queue = queue_of(warp, stream),
          .is_tail = stream == kTailLaunch};
}

// cudaError_t LaunchDeviceV2(void* parameter_buffer, cudaStream_t stream)
void launch_device(const Inst* inst, Warp& warp, const CallInfo& info) {
  const std::shared_ptr<const Birth> birth = birth_by(warp);
  for_each_lane(warp, [&](int lane) {
    PendingWork work = asked_by(inst, warp, argument<std::uint64_t>(warp, info, 1, lane));
    set_result<std::int32_t>(
        warp, info, lane,
        runtime_of(warp).launch(argument<std::uint64_t>(warp, info, 0, lane), std::move(work), birth));
  });
}

// `stream`: index of the stream argument.
template <class Work>
void add(const Inst* inst, Warp& warp, const CallInfo& info, int lane, const Work& work, std::size_t stream) {
  PendingWork asked = asked_by(inst, warp, argument<std::uint64_t>(warp, info, stream, lane));
  asked.work = work;
  asked.is_tail = false;
  set_result<std::int32_t>(warp, info, lane, runtime_of(warp).add(std::move(asked)));
}

// cudaError_t MemcpyAsync(void* to, const void* from, size_t bytes, enum kind, cudaStream_t stream)
void copy(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const ChildCopy work{argument<std::uint64_t>(warp, info, 0, lane),
                         argument<std::uint64_t>(warp, info, 1, lane),
                         argument<std::uint64_t>(warp, info, 2, lane)};
    add(inst, warp, info, lane, work, 4);
  });
}

// cudaError_t MemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream)
void fill(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const ChildFill work{argument<std::uint64_t>(warp, info, 0, lane),
                         argument<std::uint64_t>(warp, info, 2, lane),
                         argument<std::uint8_t>(warp, info, 1, lane)};
    add(inst, warp, info, lane, work, 3);
  });
}

// cudaError_t StreamCreateWithFlags(cudaStream_t* stream, unsigned flags); the same for events.
void create(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    put(inst, warp, lane, argument<std::uint64_t>(warp, info, 0, lane), runtime_of(warp).new_handle());
    set_result<std::int32_t>(warp, info, lane, DeviceRuntime::kSuccess);
  });
}

// Functions on events and streams that have no effect here, because the work runs in order anyway.
void succeed(const Inst*, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) { set_result<std::int32_t>(warp, info, lane, DeviceRuntime::kSuccess); });
}

void wait_for_event(const Inst* inst, Warp& warp, const CallInfo& info) {
  runtime_of(warp).wait_for_event();
  succeed(inst, warp, info);
}

void get_last_error(const Inst*, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    set_result<std::int32_t>(warp, info, lane, runtime_of(warp).take_last_error());
  });
}

void peek_at_last_error(const Inst*, Warp& warp, const CallInfo& info) {
  for_each_lane(warp,
                [&](int lane) { set_result<std::int32_t>(warp, info, lane, runtime_of(warp).last_error()); });
}

template <const char* CudaErrorText::*kWords>
void error_words(const Inst*, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const auto error = argument<std::int32_t>(warp, info, 0, lane);
    const CudaErrorText* found = find_cuda_error(error);
    set_result(warp, info, lane, runtime_of(warp).text(found ? (*found).*kWords : "unrecognized error code"));
  });
}

// cudaError_t Malloc(void** pointer, size_t bytes)
void allocate(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const std::uint64_t address = warp.launch->heap->take(argument<std::uint64_t>(warp, info, 1, lane));
    put(inst, warp, lane, argument<std::uint64_t>(warp, info, 0, lane), address);
    set_result<std::int32_t>(warp, info, lane, address ? 0 : 2);
  });
}

void release(const Inst*, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const auto address = argument<std::uint64_t>(warp, info, 0, lane);
    const bool is_known = address == 0 || warp.launch->heap->give_back(address);
    set_result<std::int32_t>(warp, info, lane,
                             is_known ? DeviceRuntime::kSuccess : DeviceRuntime::kInvalidValue);
  });
}

// There is one device, number 0.
template <std::int32_t kValue>
void answer(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    put(inst, warp, lane, argument<std::uint64_t>(warp, info, 0, lane), kValue);
    set_result<std::int32_t>(warp, info, lane, DeviceRuntime::kSuccess);
  });
}

// cudaError_t DeviceGetAttribute(int* value, enum attribute, int device)
void get_attribute(const Inst* inst, Warp& warp, const CallInfo& info) {
  for_each_lane(warp, [&](int lane) {
    const auto value = cuda_attribute(*warp.launch->card, argument<std::int32_t>(warp, info, 1, lane));
    if (value)
      put(inst, warp, lane, argument<std::uint64_t>(warp, info, 0, lane), static_cast<std::int32_t>(*value));
    set_result<std::int32_t>(warp, info, lane,
                             value ? DeviceRuntime::kSuccess : DeviceRuntime::kInvalidValue);
  });
}

// void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value)
void set_condition(const Inst*, Warp& warp, const CallInfo& info) {
  GraphConditions* const conditions = warp.launch->request->conditions;
  if (!conditions) return;  // no graph is launched, so there is no condition to set
  for_each_lane(warp, [&](int lane) {
    conditions->set(argument<std::uint64_t>(warp, info, 0, lane),
                    argument<std::uint32_t>(warp, info, 1, lane));
  });
}

constexpr std::int32_t kRuntimeVersion = 13'000;

constexpr std::array<Builtin, 23> kDeviceRuntime{{
    {"__cudaCDP2GetParameterBufferV2", get_parameter_buffer, true},
    {"__cudaCDP2LaunchDeviceV2", launch_device, true},
    {"__cudaCDP2MemcpyAsync", copy, true},
    {"__cudaCDP2MemsetAsync", fill, true},
    {"__cudaCDP2StreamCreateWithFlags", create, true},
    {"__cudaCDP2StreamDestroy", succeed, false},
    {"__cudaCDP2StreamWaitEvent", wait_for_event, true},
    {"__cudaCDP2EventCreateWithFlags", create, true},
    {"__cudaCDP2EventRecord", succeed, false},
    {"__cudaCDP2EventRecordWithFlags", succeed, false},
    {"__cudaCDP2EventDestroy", succeed, false},
    {"__cudaCDP2GetLastError", get_last_error, true},
    {"__cudaCDP2PeekAtLastError", peek_at_last_error, true},
    {"__cudaCDP2GetErrorString", error_words<&CudaErrorText::text>, true},
    {"__cudaCDP2GetErrorName", error_words<&CudaErrorText::name>, true},
    {"__cudaCDP2Malloc", allocate, true},
    {"__cudaCDP2Free", release, true},
    {"__cudaCDP2GetDevice", answer<0>, false},
    {"__cudaCDP2GetDeviceCount", answer<1>, false},
    {"__cudaCDP2DeviceGetAttribute", get_attribute, false},
    {"__cudaCDP2RuntimeGetVersion", answer<kRuntimeVersion>, false},
    {"__cudaCDP2DeviceGetCacheConfig", answer<0>, false},
    {"cudaGraphSetConditional", set_condition, false},
}};

}  // namespace

std::span<const Builtin> device_runtime_builtins() { return kDeviceRuntime; }

}  // namespace cudalab::vgpu
