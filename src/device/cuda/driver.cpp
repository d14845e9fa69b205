// Loads the CUDA driver at run time, and owns the resources that it allocates.
#include "device/cuda/driver.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "compile/compiler.h"
#include "compile/toolkit.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

// The most informative line of the JIT compiler's log: its first error.
cudalab::Argument first_error(std::string_view log) {
  const std::size_t at = log.find("error");
  if (at == std::string_view::npos) return msg::driver_refuses_without_reason();
  const std::size_t before = log.rfind('\n', at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', at) - begin);
}

[[noreturn]] void throw_load_error(const Driver& driver, CUresult result, const char* log,
                                   const std::string& file_name) {
  const auto version = compile::compiler_version();
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)

    throw unavailable_error(msg::driver_too_old(
        file_name, driver.version,
        version ? cudalab::Argument(*version) : cudalab::Argument(msg::unknown_version())));
  throw usage_error(msg::driver_does_not_load(file_name, cuda_error_name(result), first_error(log)));
}

}  // namespace

CudaContext::CudaContext(std::shared_ptr<const Driver> driver, CUdevice gpu)
    : driver_(std::move(driver)), gpu_(gpu) {
  driver_->context_retain(&context_, gpu_);
  driver_->context_set_current(context_);
}

CudaContext::~CudaContext() {
  if (usable_) driver_->context_release.attempt(gpu_);
}

CudaStream make_stream(const ContextPointer& context) {
  CUstream stream = nullptr;
  // A default stream synchronizes with copies on the null stream. A non-blocking stream would overtake them.
  context->driver().stream_create(&stream, CU_STREAM_DEFAULT);
  return {context, stream, [](const Driver& driver, CUstream s) { driver.stream_destroy.attempt(s); }};
}

CudaEvent make_event(const ContextPointer& context) {
  CUevent event = nullptr;
  context->driver().event_create(&event, CU_EVENT_DEFAULT);
  return {context, event, [](const Driver& driver, CUevent e) { driver.event_destroy.attempt(e); }};
}

CudaMemory make_memory(const ContextPointer& context, std::size_t bytes) {
  CUdeviceptr address = 0;
  context->driver().mem_alloc(&address, bytes ? bytes : 1);
  return {context, address, [](const Driver& driver, CUdeviceptr a) { driver.mem_free.attempt(a); }};
}

PinnedMemory make_pinned_memory(const ContextPointer& context, std::size_t bytes) {
  void* memory = nullptr;
  context->driver().host_alloc(&memory, bytes ? bytes : 1, 0);
  return {context, memory, [](const Driver& driver, void* m) { driver.host_free.attempt(m); }};
}

CudaGraph make_graph(const ContextPointer& context, CUstream stream,
                     const std::function<void(CUstream)>& work) {
  const Driver& cuda = context->driver();
  cuda.begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUgraph graph = nullptr;
  try {
    work(stream);
  } catch (...) {
    if (cuda.end_capture.attempt(stream, &graph) == CUDA_SUCCESS) cuda.graph_destroy.attempt(graph);
    throw;
  }
  cuda.end_capture(stream, &graph);
  CUgraphExec executable = nullptr;
  const CUresult result = cuda.graph_instantiate.attempt(&executable, graph, 0);
  cuda.graph_destroy.attempt(graph);
  if (result != CUDA_SUCCESS) throw_cuda_failure("cuGraphInstantiateWithFlags", result);
  return {context, executable,
          [](const Driver& driver, CUgraphExec g) { driver.graph_exec_destroy.attempt(g); }};
}

CudaModule make_module(const ContextPointer& context, const std::string& ptx, const std::string& file_name) {
  std::array<char, 8192> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size() - 1),
                              reinterpret_cast<void*>(1)};
  CUmodule module = nullptr;
  const CUresult result = context->driver().module_load.attempt(&module, ptx.c_str(), options.size(),
                                                                options.data(), values.data());
  if (result != CUDA_SUCCESS) throw_load_error(context->driver(), result, log.data(), file_name);
  return {context, module, [](const Driver& driver, CUmodule m) { driver.module_unload.attempt(m); }};
}

namespace {

struct Symbol {
  const char* name;
  void (*set)(Driver&, void* address);
};

constexpr Symbol kSymbols[] = {
#define CUDALAB_SYMBOL(member, declaration, symbol) \
  {symbol, [](Driver& driver, void* address) { driver.member.set(symbol, address); }},
    CUDALAB_DRIVER_FUNCTIONS(CUDALAB_SYMBOL)
#undef CUDALAB_SYMBOL
};

// The first symbol that the library lacks; null if it has all.
const char* fill_in(Driver& driver, const compile::SharedLibrary& library) {
  for (const Symbol& symbol : kSymbols) {
    void* address = library.function<void*>(symbol.name);
    if (!address) return symbol.name;
    symbol.set(driver, address);
  }
  return nullptr;
}

Message described(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.error_name.attempt(result, &name);
  driver.error_string.attempt(result, &text);
  return msg::driver_error_described(
      name ? cudalab::Argument(name) : cudalab::Argument(msg::driver_error_number(static_cast<int>(result))),
      text ? cudalab::Argument(text) : cudalab::Argument(msg::driver_error_without_description()));
}

// Why the loaded driver cannot be used; empty if it can.
Message why_unusable(Driver& driver) {
  if (const CUresult result = driver.init.attempt(0); result != CUDA_SUCCESS)
    return msg::driver_call_failed("cuInit", described(driver, result));
  int count = 0, version = 0;
  if (driver.device_count.attempt(&count) != CUDA_SUCCESS || count == 0) return msg::driver_sees_no_gpu();
  driver.driver_version.attempt(&version);
  driver.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  return {};
}

// Under `cudalab exec`, libcuda.so.1 is the virtual GPU's, which also contains the runtime API.
bool is_of_a_gpu(const compile::SharedLibrary& library) {
  return !library.function<void (*)()>("cudaRuntimeGetVersion");
}

DriverSearch search() {
  const std::string name = compile::environment("CUDALAB_CUDA_DRIVER").value_or("libcuda.so.1");
  if (Message crash = compile::crash_of_loading(name); !crash.empty()) return {nullptr, std::move(crash)};
  const auto library = compile::SharedLibrary::open(name, is_of_a_gpu);
  if (!library) return {nullptr, msg::library_not_found(name)};
  auto driver = std::make_shared<Driver>();
  driver->path = library->path().string();
  if (const char* missing = fill_in(*driver, *library))
    return {nullptr, msg::library_lacks(driver->path, missing)};
  if (Message reason = why_unusable(*driver); !reason.empty()) return {nullptr, std::move(reason)};
  return {std::move(driver), {}};
}

}  // namespace

const DriverSearch& cuda_driver() {
  static const DriverSearch found = search();
  return found;
}

std::string cuda_error_name(CUresult result) {
  const char* name = nullptr;
  if (const auto& driver = cuda_driver().driver) driver->error_name.attempt(result, &name);
  return name ? name : fmt::format("CUDA error {}", static_cast<int>(result));
}

void throw_cuda_failure(cudalab::Argument call, CUresult result) {
  const auto& driver = cuda_driver().driver;
  throw CudaFailure(
      result, msg::driver_call_failed(std::move(call), driver ? cudalab::Argument(described(*driver, result))
                                                              : cudalab::Argument(cuda_error_name(result))));
}

}  // namespace cudalab::device
