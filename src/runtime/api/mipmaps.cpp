// Mipmapped arrays: the levels of one picture, each an array.
#include "runtime/arrays.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, "a pointer is null");
    *array = reinterpret_cast<cudaMipmappedArray_t>(create_mipmapped_array(*format, extent, levels, flags));
  });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t handle,
                                       unsigned level) {
  return answer(__func__, [&] {
    const MipmappedArray& levels = mipmapped_array_of(handle);
    require(array && level < levels.size(), cudaErrorInvalidValue,
            "the pointer to the array is null, or there is no such level");
    *array = reinterpret_cast<cudaArray_t>(const_cast<Array*>(levels[level]));
  });
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return answer(__func__, [&] {
    if (!array) return;
    the_runtime().queue.wait_for_all();
    destroy_mipmapped_array(array);
  });
}

}  // extern "C"
#pragma GCC visibility pop
