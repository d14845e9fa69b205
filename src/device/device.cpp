// The device interface of a lab: memory, kernels, launches, streams, times; and opening a device of this
// machine.
#include "device/device.h"

#include <fmt/format.h>

#include "compile/nvrtc/compiler_process.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/text.h"
#include "device/cuda/cublas.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"
#include "vgpu/vgpu.h"

namespace cudalab::device {

// Which device a choice means on this machine.

namespace {

std::unique_ptr<Device> open_any_device(const std::optional<vgpu::Card>& card) {
  if (card) return open_virtual_device({.card = card});  // a GPU stands for itself alone
  try {
    return open_cuda_device();
  } catch (const Error&) {  // no driver, no GPU, or none that gives a context: all mean that there is no
                            // usable one
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

// What this machine has of what the program can use.

namespace {

// Parts of the CUDA Toolkit, as NVIDIA's repositories for apt and dnf call them, and as pip does.
std::string advice_on_parts(std::string_view of_distribution, std::string_view of_pip) {
  return fmt::format(
      "install {} from NVIDIA's repository (https://developer.nvidia.com/cuda-downloads), or, in an active "
      "Python environment, `pip install {}`; the whole CUDA Toolkit is not needed. Where it is, set "
      "CUDA_HOME",
      of_distribution, of_pip);
}

struct Thing {
  std::string name, enables;
};

Finding missing(const Thing& thing, std::string advice) {
  return {thing.name, false, {}, thing.enables, std::move(advice)};
}

Finding found_at(const Thing& thing, std::string where) {
  return {thing.name, true, std::move(where), thing.enables, {}};
}

Finding find_driver() {
  const Thing thing{"CUDA driver", "running kernels on a GPU"};
  const DriverSearch& search = cuda_driver();
  if (!search.driver)
    return missing(thing,
                   fmt::format("{}; install the NVIDIA driver for your GPU. Without one, kernels run on the "
                               "virtual GPU",
                               search.missing));
  return found_at(thing, fmt::format("{}, CUDA {}", search.driver->path, search.driver->version));
}

std::string describe_gpu(const Driver& cuda, CUdevice gpu) {
  char name[256] = {};
  int major = 0, minor = 0;
  std::size_t bytes = 0;
  cuda.device_name(name, sizeof name, gpu);
  cuda.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu);
  cuda.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu);
  cuda.device_memory(&bytes, gpu);
  return fmt::format("{}, compute capability {}.{}, {:.0f} GB", name, major, minor,
                     static_cast<double>(bytes) / 1e9);
}

// One row a GPU; a machine without a driver has none, and the driver's row says so.
std::vector<Finding> find_gpus() {
  std::vector<Finding> gpus;
  const auto& driver = cuda_driver().driver;
  int count = 0;
  if (driver) driver->device_count(&count);
  for (int i = 0; i < count; ++i) {
    CUdevice gpu = 0;
    driver->device_get(&gpu, i);
    const char* enables =
        i == 0 ? "times and bandwidths" : "nothing: GPU 0 is used; CUDA_VISIBLE_DEVICES chooses";
    const Thing row{fmt::format("GPU {}", i), enables};
    gpus.push_back(found_at(row, describe_gpu(*driver, gpu)));
  }
  return gpus;
}

Finding find_nvrtc() {
  const Thing thing{"NVRTC", "compiling kernels"};
  const compile::FoundNvrtc nvrtc = compile::found_nvrtc();
  const std::string others = nvrtc.passed_over.empty() ? "" : fmt::format("; {}", joined(nvrtc.passed_over));
  if (!nvrtc.is_found())
    return missing(thing, advice_on_parts("cuda-nvrtc-13-0", "nvidia-cuda-nvrtc") + others);
  return found_at(thing, fmt::format("{}, version {}{}", nvrtc.path.string(), nvrtc.version, others));
}

Finding find_headers() {
  const Thing thing{"CUDA headers", "kernels that include cuda_fp16.h, cooperative_groups.h and the like"};
  const auto headers = compile::find_toolkit_headers(compile::found_nvrtc().path);
  if (!headers)
    return missing(thing, advice_on_parts("cuda-cudart-dev-13-0, cuda-crt-13-0 and cuda-cccl-13-0",
                                          "nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"));
  return found_at(thing, fmt::format("{}, version {}.{}", headers->directories.front().string(),
                                     headers->version / 1000, headers->version % 1000 / 10));
}

Finding describe_cublas() {
  const Thing thing{"cuBLAS", "the library's speed as a ceiling, on a GPU"};
  const auto [library, passed_over] = find_cublas_library();
  const std::string others = passed_over.empty() ? "" : fmt::format("; {}", joined(passed_over));
  return library ? found_at(thing, library->path().string() + others)
                 : missing(thing, advice_on_parts("libcublas-13-0", "nvidia-cublas") + others);
}

Finding find_nsight_compute() {
  const Thing thing{"Nsight Compute", "reading a GPU's own counters"};
  if (const auto ncu = compile::find_program("ncu")) return found_at(thing, ncu->string());
  return missing(
      thing, "install Nsight Compute (https://developer.nvidia.com/nsight-compute) and put ncu on the PATH");
}

Finding describe_virtual_gpu() {
  const Thing thing{"Virtual GPU", "kernels, counters and checks without a GPU"};
  const vgpu::VirtualGpu gpu(vgpu::Options{});
  return found_at(thing, fmt::format("model of the {}, {} host threads, {}", gpu.card().name,
                                     gpu.host_threads(), vgpu::instruction_set_level()));
}

}  // namespace

std::vector<Finding> look_around() {
  std::vector<Finding> findings{find_driver()};
  for (Finding& gpu : find_gpus()) findings.push_back(std::move(gpu));
  for (const auto find :
       {find_nvrtc, find_headers, describe_cublas, find_nsight_compute, describe_virtual_gpu})
    findings.push_back(find());
  return findings;
}

Buffer::~Buffer() {
  if (device_) device_->free(address_);
}

}  // namespace cudalab::device
