// NVML on the virtual GPU: devices with their names, memory and PCI addresses. Queries of facts that a GPU
// model lacks, such as a temperature, return NVML_ERROR_NOT_SUPPORTED.
#include <fmt/format.h>
#include <nvml.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "runtime/device_properties.h"
#include "runtime/runtime.h"

using namespace cudalab::runtime;

namespace {

int nvml_users = 0;  // calls of nvmlInit without a matching nvmlShutdown

// Handles are numbers of devices, counted from 1.
nvmlDevice_t nvml_handle_of(int device) { return reinterpret_cast<nvmlDevice_t>(std::intptr_t{device} + 1); }
int nvml_device_of(nvmlDevice_t handle) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle)) - 1;
}
bool is_nvml_device(int device) { return device >= 0 && device < the_runtime().settings.devices; }

cudaDeviceProp nvml_properties(int device) {
  return properties_of(the_runtime().card(), the_runtime().memory.limit_bytes(), device);
}

// Runs `body`, which returns the result of the call, if the library is initialized.
template <class Body>
nvmlReturn_t with_nvml(Body&& body) {
  const std::lock_guard lock(the_runtime().mutex);
  return nvml_users > 0 ? body() : NVML_ERROR_UNINITIALIZED;
}

// The same for a call about one device that writes to `answer`; `body` gets the device's number.
template <class Body>
nvmlReturn_t of_device(nvmlDevice_t handle, const void* answer, Body&& body) {
  return with_nvml([&] {
    const int device = nvml_device_of(handle);
    return is_nvml_device(device) && answer ? body(device) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t not_known(nvmlDevice_t handle, const void* answer) {
  return of_device(handle, answer, [](int) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t write_nvml_text(const std::string& text, char* to, unsigned length) {
  if (text.size() >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

// "GPU-01000000-0000-0000-0000-000000000000"
std::string nvml_uuid_of(int device) {
  const cudaUUID_t uuid = nvml_properties(device).uuid;
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    constexpr std::size_t kDashes[] = {4, 6, 8, 10};
    if (std::ranges::find(kDashes, i) != std::end(kDashes)) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// The first device for which `is_wanted` holds.
template <class Wanted>
nvmlReturn_t find_nvml_device(const char* text, nvmlDevice_t* handle, const Wanted& is_wanted) {
  return with_nvml([&] {
    if (!text || !handle) return NVML_ERROR_INVALID_ARGUMENT;
    for (int device = 0; is_nvml_device(device); ++device)
      if (is_wanted(device)) return *handle = nvml_handle_of(device), NVML_SUCCESS;
    return NVML_ERROR_NOT_FOUND;
  });
}

constexpr const char* kNvmlErrors[] = {
    "Success",
    "Uninitialized",
    "Invalid Argument",
    "Not Supported",
    "Insufficient Permissions",
    "Already Initialized",
    "Not Found",
    "Insufficient Size",
    "Insufficient External Power",
    "Driver Not Loaded",
    "Timeout",
    "Interrupt Request Issue",
    "NVML Shared Library Not Found",
    "Function Not Found",
    "Corrupted infoROM",
    "GPU is lost",
    "GPU requires reset",
    "GPU access blocked by the operating system",
    "Driver/library version mismatch",
    "In use by another client",
    "Insufficient Memory",
    "No data",
    "vGPU ECC not supported",
    "Insufficient Resources",
    "Invalid Frequency",
    "Argument version mismatch",
    "Requested functionality has been deprecated",
    "System is not in ready state",
    "No supported GPUs were found",
    "Resource not in correct state to perform requested operation",
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

nvmlReturn_t nvmlInitWithFlags(unsigned) {
  const std::lock_guard lock(the_runtime().mutex);
  ++nvml_users;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlInit() { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlShutdown() {
  return with_nvml([] { return --nvml_users, NVML_SUCCESS; });
}
const char* nvmlErrorString(nvmlReturn_t result) {
  return result < std::size(kNvmlErrors) ? kNvmlErrors[result] : "Unknown Error";
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return version && cudaDriverGetVersion(version) == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
// No NVIDIA driver is installed, so there is no version.
nvmlReturn_t nvmlSystemGetDriverVersion(char*, unsigned) {
  return with_nvml([] { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetCount(unsigned* count) {
  return with_nvml([&] {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned>(the_runtime().settings.devices);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* handle) {
  return with_nvml([&] {
    if (!handle || !is_nvml_device(static_cast<int>(index))) return NVML_ERROR_INVALID_ARGUMENT;
    *handle = nvml_handle_of(static_cast<int>(index));
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* handle) {
  return find_nvml_device(uuid, handle, [&](int device) { return nvml_uuid_of(device) == uuid; });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus_id, nvmlDevice_t* handle) {
  unsigned domain = 0, bus = 0, device = 0;
  const bool is_address = bus_id && std::sscanf(bus_id, "%x:%x:%x", &domain, &bus, &device) == 3;
  return find_nvml_device(bus_id, handle, [&](int number) {
    const cudaDeviceProp properties = nvml_properties(number);
    return is_address && domain == static_cast<unsigned>(properties.pciDomainID) &&
           bus == static_cast<unsigned>(properties.pciBusID) &&
           device == static_cast<unsigned>(properties.pciDeviceID);
  });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t handle, unsigned* index) {
  return of_device(handle, index,
                   [&](int device) { return *index = static_cast<unsigned>(device), NVML_SUCCESS; });
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t handle, char* name, unsigned length) {
  return of_device(handle, name, [&](int) {
    return write_nvml_text(std::string(the_runtime().card().name), name, length);
  });
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char* uuid, unsigned length) {
  return of_device(handle, uuid,
                   [&](int device) { return write_nvml_text(nvml_uuid_of(device), uuid, length); });
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t handle, nvmlPciInfo_t* pci) {
  return of_device(handle, pci, [&](int number) {
    const cudaDeviceProp properties = nvml_properties(number);
    *pci = {.domain = static_cast<unsigned>(properties.pciDomainID),
            .bus = static_cast<unsigned>(properties.pciBusID),
            .device = static_cast<unsigned>(properties.pciDeviceID)};
    std::snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
    std::snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xffff,
                  pci->bus & 0xff, pci->device & 0xff);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle, nvmlMemory_t* memory) {
  return of_device(handle, memory, [&](int device) {
    const std::size_t total = the_runtime().memory.limit_bytes(),
                      used = std::min(total, the_runtime().memory.used_bytes(device));
    *memory = {.total = total, .free = total - used, .used = used};
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t handle, int* major, int* minor) {
  return of_device(handle, major && minor ? major : nullptr, [&](int) {
    *major = the_runtime().card().compute_major;
    *minor = the_runtime().card().compute_minor;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle, nvmlClockType_t type, unsigned* mhz) {
  return of_device(handle, mhz, [&](int) {
    const cudalab::vgpu::Card& card = the_runtime().card();
    if (type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
    *mhz = static_cast<unsigned>(type == NVML_CLOCK_MEM ? card.memory_clock_mhz : card.clock_mhz);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t handle, nvmlClockType_t, unsigned* mhz) {
  return not_known(handle, mhz);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t handle, nvmlTemperatureSensors_t, unsigned* celsius) {
  return not_known(handle, celsius);
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t handle, unsigned* milliwatts) {
  return not_known(handle, milliwatts);
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t handle, unsigned* milliwatts) {
  return not_known(handle, milliwatts);
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t handle, unsigned long long* millijoules) {
  return not_known(handle, millijoules);
}
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t handle, unsigned* percent) {
  return not_known(handle, percent);
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t handle, nvmlUtilization_t* utilization) {
  return not_known(handle, utilization);
}

}  // extern "C"
#pragma GCC visibility pop
