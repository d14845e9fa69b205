// Opens a device on this machine, and finds the components that `cudalab doctor` lists.
#include "device/device.h"

#include <fmt/format.h>

#include "compile/clang/clang.h"
#include "compile/nvcc.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/processes/child_pool.h"
#include "device/cuda/cublas.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"
#include "messages/core.h"
#include "vgpu/vgpu.h"

namespace cudalab::device {

// Selects the device for a choice on this machine.

namespace {

std::unique_ptr<Device> open_any_device(const std::optional<vgpu::Card>& card) {
  if (card) return open_virtual_device({.card = card});  // naming a GPU model selects the virtual GPU
  try {
    return open_cuda_device();
  } catch (const Error&) {  // no driver, no GPU, or no context: there is no usable GPU
    return open_virtual_device();
  }
}

}  // namespace

std::unique_ptr<Device> open_device(DeviceChoice choice, const std::optional<vgpu::Card>& card) {
  switch (choice) {
    case DeviceChoice::kGpu: return open_cuda_device();
    case DeviceChoice::kVirtual: return open_virtual_device({.card = card});
    case DeviceChoice::kAuto: break;
  }
  return open_any_device(card);
}

// Finds the components of this machine that the program can use.

namespace {

// How to install parts of the CUDA Toolkit from NVIDIA's apt and dnf repositories, and with pip.
Message advice_on_parts(cudalab::Argument of_distribution, const std::string& of_pip) {
  return msg::doctor_install_parts(std::move(of_distribution), Code{"pip install " + of_pip});
}

// Appends the libraries that exist but cannot be used to the components found or to the advice.
Message with(const Message& said, const std::vector<Message>& passed_over) {
  return passed_over.empty() ? said
                             : msg::message_and_addition(
                                   said, cudalab::Argument::List(passed_over.begin(), passed_over.end()));
}

struct Thing {
  Message name, enables;
};

Finding missing(const Thing& thing, Message advice) {
  return {thing.name, false, {}, thing.enables, std::move(advice)};
}

Finding found_at(const Thing& thing, Message where) {
  return {thing.name, true, std::move(where), thing.enables, {}};
}

Finding find_driver() {
  const Thing thing{msg::doctor_cuda_driver(), msg::doctor_for_driver()};
  const DriverSearch& search = cuda_driver();
  if (!search.driver) return missing(thing, msg::doctor_install_driver(search.missing));
  return found_at(thing, msg::doctor_driver_at(search.driver->path, search.driver->version));
}

Message describe_gpu(const Driver& cuda, CUdevice gpu) {
  char name[256] = {};
  int major = 0, minor = 0;
  std::size_t bytes = 0;
  cuda.device_name(name, sizeof name, gpu);
  cuda.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu);
  cuda.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu);
  cuda.device_memory(&bytes, gpu);
  return msg::doctor_gpu_is(static_cast<const char*>(name), fmt::format("{}.{}", major, minor),
                            fmt::format("{:.0f}", static_cast<double>(bytes) / 1e9));
}

// One row per GPU. Without a driver there are no rows; the driver's own row explains why.
std::vector<Finding> find_gpus() {
  std::vector<Finding> gpus;
  const auto& driver = cuda_driver().driver;
  int count = 0;
  if (driver) driver->device_count(&count);
  for (int i = 0; i < count; ++i) {
    CUdevice gpu = 0;
    driver->device_get(&gpu, i);
    const Thing row{msg::doctor_gpu(i), i == 0 ? msg::doctor_for_gpu() : msg::doctor_for_further_gpu()};
    gpus.push_back(found_at(row, describe_gpu(*driver, gpu)));
  }
  return gpus;
}

Finding find_nvrtc() {
  const Thing thing{Message::verbatim("NVRTC"), msg::doctor_for_nvrtc()};
  const compile::FoundNvrtc nvrtc = compile::found_nvrtc();

  if (!nvrtc.is_found())
    return missing(thing, with(advice_on_parts("cuda-nvrtc-13-0", "nvidia-cuda-nvrtc"), nvrtc.passed_over));
  return found_at(thing, with(msg::doctor_version_at(nvrtc.path.string(), nvrtc.version), nvrtc.passed_over));
}

Finding find_nvcc() {
  const Thing thing{Message::verbatim("nvcc"), msg::doctor_for_nvcc()};
  if (const auto nvcc = compile::find_nvcc()) return found_at(thing, Message::verbatim(nvcc->string()));
  return missing(thing, msg::doctor_install_nvcc());
}

Finding describe_clang() {
  const Thing thing{Message::verbatim("clang"), msg::doctor_for_clang()};
  if (const auto clang = compile::find_clang())
    return found_at(thing, msg::doctor_version_at(clang->path.string(), fmt::format("{}", clang->version)));
  return missing(thing, msg::doctor_install_clang(compile::kLeastClang));
}

Finding find_headers() {
  const Thing thing{msg::doctor_headers(), msg::doctor_for_headers()};
  const auto headers = compile::find_toolkit_headers(compile::found_nvrtc().path);
  if (!headers)
    return missing(thing, advice_on_parts(msg::doctor_packages_for_headers(),
                                          "nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"));
  return found_at(thing, msg::doctor_version_at(
                             headers->directories.front().string(),
                             fmt::format("{}.{}", headers->version / 1000, headers->version % 1000 / 10)));
}

Finding describe_cublas() {
  const Thing thing{Message::verbatim("cuBLAS"), msg::doctor_for_cublas()};
  const auto [library, passed_over] = find_cublas_library();

  return library ? found_at(thing, with(Message::verbatim(library->path().string()), passed_over))
                 : missing(thing, with(advice_on_parts("libcublas-13-0", "nvidia-cublas"), passed_over));
}

Finding find_nsight_compute() {
  const Thing thing{Message::verbatim("Nsight Compute"), msg::doctor_for_profiler()};
  if (const auto ncu = compile::find_program("ncu")) return found_at(thing, Message::verbatim(ncu->string()));
  return missing(thing, msg::doctor_install_profiler());
}

Finding describe_sandbox() {
  const Thing thing{msg::doctor_sandbox(), msg::doctor_for_sandbox()};
  if (!objection_to_sandbox().empty()) return missing(thing, msg::doctor_install_sandbox());
  const auto word = [](bool holds) { return holds ? msg::doctor_holds() : msg::doctor_holds_not(); };
  const SandboxFacts facts = sandbox_facts();
  return found_at(thing, msg::doctor_sandbox_is(facts.program, word(facts.filters_syscalls),
                                                word(facts.disables_user_namespaces)));
}

Finding describe_virtual_gpu() {
  const Thing thing{msg::doctor_virtual_gpu(), msg::doctor_for_virtual_gpu()};
  const vgpu::VirtualGpu gpu(vgpu::Options{});
  return found_at(
      thing, msg::doctor_virtual_gpu_is(gpu.card().name, gpu.host_threads(), vgpu::instruction_set_level()));
}

}  // namespace

std::vector<Finding> look_around() {
  std::vector<Finding> findings;
  for (const auto find :
       {describe_virtual_gpu, find_nvrtc, find_nvcc, describe_clang, find_headers, find_driver})
    findings.push_back(find());
  for (Finding& gpu : find_gpus()) findings.push_back(std::move(gpu));
  for (const auto find : {describe_cublas, find_nsight_compute, describe_sandbox}) findings.push_back(find());
  return findings;
}

Buffer::~Buffer() {
  if (device_) device_->free(address_);
}

}  // namespace cudalab::device
