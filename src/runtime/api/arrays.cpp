// Arrays and memory with a pitch, and the copies to and from them.
#include "runtime/arrays.h"

#include "core/alignment.h"
#include "runtime/call.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

constexpr std::size_t kPitchAlignment = 512;

Side rows_at(const void* address, std::size_t pitch, std::size_t height) {
  return {reinterpret_cast<std::uint64_t>(address), pitch, pitch * height, false};
}

void require_inside(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t width,
                    std::size_t height) {
  const std::size_t row = array.shape.width * array.shape.format.bytes();
  require(
      x_bytes <= row && width <= row - x_bytes && y <= array.shape.rows() && height <= array.shape.rows() - y,
      cudaErrorInvalidValue, "the copy goes beyond the edge of the array");
}

cudaError_t to_array(const char* call, cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                     std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                     cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    const Array& array = array_of(to);
    require(kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            "a copy to an array goes to the device");
    require_inside(array, x, y, width, height);
    require(width <= pitch || height == 1, cudaErrorInvalidPitchValue, "a row is wider than the pitch");
    copy(call, {side_in(array, x, y, 0), rows_at(from, pitch, height), width, height, 1}, kind,
         stream_of(stream), waits);
  });
}

cudaError_t from_array(const char* call, void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                       std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                       cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    const Array& array = array_of(from);
    require(kind != cudaMemcpyHostToDevice && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            "a copy from an array comes from the device");
    require_inside(array, x, y, width, height);
    require(width <= pitch || height == 1, cudaErrorInvalidPitchValue, "a row is wider than the pitch");
    copy(call, {rows_at(to, pitch, height), side_in(array, x, y, 0), width, height, 1}, kind,
         stream_of(stream), waits);
  });
}

cudaError_t copy_box(const char* call, const cudaMemcpy3DParms* params, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(params, cudaErrorInvalidValue, "the pointer to the copy is null");
    copy(call, box_of(*params), params->kind, stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return answer(__func__, [&] {
    require(pointer && pitch, cudaErrorInvalidValue, "a pointer is null");
    *pointer = nullptr;
    *pitch = 0;
    if (width * height == 0) return;
    *pitch = round_up(width, kPitchAlignment);
    *pointer = reinterpret_cast<void*>(
        the_runtime().memory.allocate("cudaMallocPitch", *pitch * height, this_thread().device));
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
  return answer(__func__, [&] {
    require(to, cudaErrorInvalidValue, "the pointer to the pointer is null");
    *to = {nullptr, round_up(extent.width, kPitchAlignment), extent.width, extent.height};
    const std::size_t bytes = to->pitch * extent.height * extent.depth;
    if (bytes > 0)
      to->ptr =
          reinterpret_cast<void*>(the_runtime().memory.allocate("cudaMalloc3D", bytes, this_thread().device));
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, "a pointer is null");
    *array = reinterpret_cast<cudaArray_t>(create_array(*format, {width, height, 0}, flags));
  });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return answer(__func__, [&] {
    require(array && format, cudaErrorInvalidValue, "a pointer is null");
    *array = reinterpret_cast<cudaArray_t>(create_array(*format, extent, flags));
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return answer(__func__, [&] {
    if (!array) return;
    the_runtime().queue.wait_for_all();
    destroy_array(array);
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return answer(__func__, [&] {
    const Array& array = array_of(handle);
    if (format) *format = array.format;
    if (extent) *extent = array.extent;
    if (flags) *flags = array.flags;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return answer(__func__, [&] {
    require(format, cudaErrorInvalidValue, "the pointer to the channels is null");
    *format = array_of(array).format;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return to_array(__func__, to, x, y, from, bytes, bytes, 1, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return from_array(__func__, to, bytes, from, x, y, bytes, 1, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return to_array(__func__, to, x, y, from, pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return to_array(__func__, to, x, y, from, pitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return from_array(__func__, to, pitch, from, x, y, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return from_array(__func__, to, pitch, from, x, y, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* params) {
  return copy_box(__func__, params, nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return copy_box(__func__, params, stream, false);
}

}  // extern "C"
#pragma GCC visibility pop
