// The driver's words for what went wrong, as the runtime's errors.
#include "runtime/failure.h"

#include "core/named.h"

namespace cudalab::runtime {
namespace {

// What the virtual GPU says in the driver's words.
constexpr Named<cudaError_t> kDriverErrors[] = {
    {"CUDA_ERROR_INVALID_VALUE", cudaErrorInvalidValue},
    {"CUDA_ERROR_ILLEGAL_ADDRESS", cudaErrorIllegalAddress},
    {"CUDA_ERROR_MISALIGNED_ADDRESS", cudaErrorMisalignedAddress},
    {"CUDA_ERROR_INVALID_ADDRESS_SPACE", cudaErrorInvalidAddressSpace},
    {"CUDA_ERROR_INVALID_PC", cudaErrorInvalidPc},
    {"CUDA_ERROR_ILLEGAL_INSTRUCTION", cudaErrorIllegalInstruction},
    {"CUDA_ERROR_HARDWARE_STACK_ERROR", cudaErrorHardwareStackError},
    {"CUDA_ERROR_ASSERT", cudaErrorAssert},
    {"CUDA_ERROR_LAUNCH_FAILED", cudaErrorLaunchFailure},
    {"CUDA_ERROR_LAUNCH_TIMEOUT", cudaErrorLaunchTimeout},
    {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", cudaErrorLaunchOutOfResources},
    {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", cudaErrorCooperativeLaunchTooLarge},
    {"CUDA_ERROR_INVALID_CLUSTER_SIZE", cudaErrorInvalidClusterSize},
};

}  // namespace

cudaError_t error_of_driver(const std::string& driver_name) {
  return value_called(driver_name, kDriverErrors).value_or(cudaErrorLaunchFailure);
}

}  // namespace cudalab::runtime
