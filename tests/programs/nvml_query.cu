// Queries of NVML: the GPUs, their names, memory and PCI addresses, and invalid queries.
// nvcc: -l:libnvidia-ml.so.1
#include <cuda_runtime.h>
#include <nvml.h>

#include <cstdio>
#include <cstring>

int main() {
  unsigned count = 0;
  std::printf("%d\n", nvmlDeviceGetCount(&count));
  std::printf("%d ", nvmlInit());
  std::printf("%d ", nvmlDeviceGetCount(&count));
  std::printf("%d\n", count > 0);
  nvmlDevice_t device, same;
  char name[NVML_DEVICE_NAME_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
  std::printf("%d %d\n", nvmlDeviceGetHandleByIndex(0, &device), nvmlDeviceGetHandleByIndex(1000, &same));
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%d ", nvmlDeviceGetName(device, name, sizeof name));
  std::printf("%d %d\n", std::strcmp(name, properties.name), nvmlDeviceGetName(device, name, 2));
  std::printf("%d ", nvmlDeviceGetUUID(device, uuid, sizeof uuid));
  std::printf("%.4s %zu ", uuid, std::strlen(uuid));
  std::printf("%d %d\n", nvmlDeviceGetHandleByUUID(uuid, &same), nvmlDeviceGetHandleByUUID("GPU-0", &same));
  nvmlMemory_t memory;
  std::printf("%d ", nvmlDeviceGetMemoryInfo(device, &memory));
  std::printf("%d %d\n", memory.total >= properties.totalGlobalMem, memory.used + memory.free <= memory.total);
  nvmlPciInfo_t pci;
  char bus[32];
  std::snprintf(bus, sizeof bus, "%08X:%02X:%02X.0", properties.pciDomainID, properties.pciBusID,
                properties.pciDeviceID);
  std::printf("%d ", nvmlDeviceGetPciInfo(device, &pci));
  std::printf("%d %d ", std::strcmp(pci.busId, bus), pci.bus == (unsigned)properties.pciBusID);
  std::printf("%d ", nvmlDeviceGetHandleByPciBusId(pci.busId, &same));
  std::printf("%d\n", nvmlDeviceGetHandleByPciBusId("0000ffff:99:00.0", &same));
  unsigned index = 9;
  std::printf("%d ", nvmlDeviceGetIndex(same, &index));
  int major = 0, minor = 0;
  std::printf("%u %d ", index, nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
  std::printf("%d\n", major == properties.major && minor == properties.minor);
  int version = 0;
  std::printf("%d ", nvmlSystemGetCudaDriverVersion(&version));
  std::printf("%d %s, %s\n", version >= 13000, nvmlErrorString(NVML_ERROR_NOT_SUPPORTED),
              nvmlErrorString(NVML_ERROR_UNINITIALIZED));
  std::printf("%d %d ", nvmlDeviceGetMemoryInfo(device, nullptr), nvmlDeviceGetMemoryInfo(nullptr, &memory));
  std::printf("%d ", nvmlShutdown());
  std::printf("%d\n", nvmlShutdown());
}
