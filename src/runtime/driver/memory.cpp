// The driver API's memory: allocation, copies, sets, and attributes of pointers.
#include <algorithm>
#include <cstring>

#include "runtime/arrays.h"
#include "runtime/copies.h"
#include "runtime/driver/driver.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

constexpr cudaError_t kInvalidValue = cudaErrorInvalidValue;

// ---- allocation --------------------------------------------------------------------------------------

// Allocates memory by a function of the runtime API. A context that a program created frees its memory when
// it is destroyed.
template <class Pointer, class... To, class... From>
CUresult allocate_by(const char* name, Pointer* pointer, std::size_t bytes, cudaError_t (*twin)(To...),
                     From... arguments) {
  if (bytes == 0)
    return drive(name, Needs::kContext, [] { throw Failure{kInvalidValue, msg::allocation_empty()}; });
  const CUresult result = call_twin(name, Needs::kContext, twin, arguments...);
  if (result == CUDA_SUCCESS && !current_context()->is_primary)
    current_context()->allocations.insert(as<std::uint64_t>(*pointer));
  return result;
}

// ---- attributes of pointers --------------------------------------------------------------------------

std::uint64_t id_of(const MemoryBlock& block) { return block.address; }

template <class Value>
void write_value(void* to, Value value) {
  std::memcpy(to, &value, sizeof value);
}

// Writes the attribute of a pointer into `block`. If `block` is null: writes what cuPointerGetAttributes
// returns for memory that CUDA does not know.
void write_attribute(void* to, CUpointer_attribute attribute, CUdeviceptr pointer, const MemoryBlock* block) {
  const bool is_managed = block && block->kind == MemoryKind::kManaged;
  const bool is_host = block && block->is_on_host() && !is_managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return write_value<void*>(to, block ? &primary_context(block->device) : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return write_value<unsigned>(to, !block ? 0 : is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return write_value<CUdeviceptr>(to, block ? pointer : 0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return write_value<CUdeviceptr>(to, block && block->is_reached_by_host() ? pointer : 0);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return write_value<int>(to, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return write_value<std::uint64_t>(to, block ? id_of(*block) : 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return write_value<unsigned>(to, is_managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return write_value<int>(to, block ? block->device : -2);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return write_value<CUdeviceptr>(to, block ? block->address : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return write_value<std::size_t>(to, block ? block->bytes : 0);
    case CU_POINTER_ATTRIBUTE_MAPPED: return write_value<unsigned>(to, block != nullptr);
    default: throw Failure{kInvalidValue, msg::attribute_unknown()};
  }
}

// ---- copies ------------------------------------------------------------------------------------------

// One side of a copy, as CUDA_MEMCPY2D and CUDA_MEMCPY3D describe it.
struct SideText {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t x_bytes, y, z, pitch, height;
};

Side side_from(const SideText& side, const Box& box) {
  if (side.type == CU_MEMORYTYPE_ARRAY)
    return side_in(array_of(reinterpret_cast<cudaArray_const_t>(side.array)), side.x_bytes, side.y, side.z);
  const std::uint64_t base =
      side.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uint64_t>(side.host) : side.device;
  require(side.type >= CU_MEMORYTYPE_HOST && side.type <= CU_MEMORYTYPE_UNIFIED, kInvalidValue,
          msg::memory_type_unknown());
  const std::size_t pitch = side.pitch ? side.pitch : side.x_bytes + box.width;
  const std::size_t slice = pitch * (side.height ? side.height : side.y + box.height);
  require((box.height == 1 && box.depth == 1) || side.x_bytes + box.width <= pitch, kInvalidValue,
          msg::row_wider_than_side_pitch());
  return {base + side.x_bytes + side.y * pitch + side.z * slice, pitch, slice, false};
}

template <class Text>
SideText source_of(const Text& copy) {
  SideText side{copy.srcMemoryType,
                copy.srcHost,
                copy.srcDevice,
                copy.srcArray,
                copy.srcXInBytes,
                copy.srcY,
                0,
                copy.srcPitch,
                0};
  if constexpr (requires { copy.srcZ; }) side.z = copy.srcZ, side.height = copy.srcHeight;
  return side;
}
template <class Text>
SideText target_of(const Text& copy) {
  SideText side{copy.dstMemoryType,
                copy.dstHost,
                copy.dstDevice,
                copy.dstArray,
                copy.dstXInBytes,
                copy.dstY,
                0,
                copy.dstPitch,
                0};
  if constexpr (requires { copy.dstZ; }) side.z = copy.dstZ, side.height = copy.dstHeight;
  return side;
}

bool is_of_device(CUmemorytype type) { return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_ARRAY; }

cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (is_of_device(to)) return is_of_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return is_of_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

template <class Text>
CUresult copy_described(const char* name, const Text* text, CUstream stream, bool waits) {
  return drive(name, Needs::kContext, [&] {
    require(text, kInvalidValue, msg::pointer_null());
    Box box{.width = text->WidthInBytes, .height = text->Height};
    if constexpr (requires { text->Depth; }) box.depth = text->Depth;
    if (box.bytes() == 0) return;
    box.to = side_from(target_of(*text), box);
    box.from = side_from(source_of(*text), box);
    copy(name, box, kind_of(text->dstMemoryType, text->srcMemoryType), stream_of(stream), waits);
  });
}

// Copies bytes to or from the first rows of an array.
CUresult copy_with_array(const char* name, SideText to, SideText from, std::size_t bytes) {
  CUDA_MEMCPY2D text{.srcXInBytes = from.x_bytes,
                     .srcMemoryType = from.type,
                     .srcHost = from.host,
                     .srcDevice = from.device,
                     .srcArray = from.array,
                     .dstXInBytes = to.x_bytes,
                     .dstMemoryType = to.type,
                     .dstHost = const_cast<void*>(to.host),
                     .dstDevice = to.device,
                     .dstArray = to.array,
                     .WidthInBytes = bytes,
                     .Height = 1};
  return copy_described(name, &text, nullptr, true);
}
SideText in_array(CUarray array, std::size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset};
}
SideText on_device(CUdeviceptr device) { return {CU_MEMORYTYPE_DEVICE, nullptr, device}; }
SideText on_host(const void* host) { return {CU_MEMORYTYPE_HOST, host}; }

// ---- sets --------------------------------------------------------------------------------------------

template <class Element>
CUresult set_memory(const char* name, CUdeviceptr to, std::size_t pitch, Element value, std::size_t width,
                    std::size_t height, CUstream stream, bool waits) {
  return drive(name, Needs::kContext, [&] {
    if (width * height == 0) return;
    const std::size_t row = width * sizeof(Element);
    require(to, kInvalidValue, msg::pointer_of_copy_null());
    require(to % sizeof(Element) == 0 && (height == 1 || pitch % sizeof(Element) == 0), kInvalidValue,
            msg::fill_misaligned(sizeof(Element)));
    require(height == 1 || row <= pitch, kInvalidValue, msg::row_wider_than_pitch());
    fill(name, {to, height == 1 ? row : pitch, pitch * height, false}, row, height, 1,
         {static_cast<std::uint32_t>(value), sizeof(Element)}, stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

TWIN(cuMemGetInfo, cudaMemGetInfo, (std::size_t * available, std::size_t* total), available, total)

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  return allocate_by("cuMemAlloc", pointer, bytes, cudaMalloc, pointer, bytes);
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  return allocate_by("cuMemAllocManaged", pointer, bytes, cudaMallocManaged, pointer, bytes, flags);
}
CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return call_twin("cuMemHostAlloc", Needs::kContext, cudaHostAlloc, pointer, bytes, flags);
}
TWIN(cuMemAllocHost, cudaMallocHost, (void** pointer, std::size_t bytes), pointer, bytes)
CUresult cuMemAllocPitch(CUdeviceptr* pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned element_bytes) {
  const bool is_known = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
  if (!is_known)
    return drive("cuMemAllocPitch", Needs::kContext, [&] {
      throw Failure{kInvalidValue, msg::element_size_unknown()};
    });
  return allocate_by("cuMemAllocPitch", pointer, width * height, cudaMallocPitch, pointer, pitch, width,
                     height);
}
TWIN(cuMemFree, cudaFree, (CUdeviceptr pointer), pointer)
TWIN(cuMemFreeHost, cudaFreeHost, (void* pointer), pointer)
TWIN(cuMemHostRegister, cudaHostRegister, (void* pointer, std::size_t bytes, unsigned flags), pointer, bytes,
     flags)
TWIN(cuMemHostUnregister, cudaHostUnregister, (void* pointer), pointer)
TWIN(cuMemHostGetDevicePointer, cudaHostGetDevicePointer, (CUdeviceptr * device, void* host, unsigned flags),
     device, host, flags)
TWIN(cuMemHostGetFlags, cudaHostGetFlags, (unsigned* flags, void* host), flags, host)

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr pointer) {
  return drive("cuMemGetAddressRange", Needs::kContext, [&] {
    const MemoryBlock* block = the_runtime().memory.find(pointer);
    require(block, cudaErrorSymbolNotFound, msg::address_leads_nowhere(Address{pointer}));
    if (begin) *begin = block->address;
    if (bytes) *bytes = block->bytes;
  });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return drive(__func__, Needs::kInit, [&] {
    require(value, kInvalidValue, msg::pointer_to_value_null());
    const MemoryBlock* block = the_runtime().memory.find(pointer);
    require(block, kInvalidValue, msg::address_leads_nowhere(Address{pointer}));
    write_attribute(value, attribute, pointer, block);
  });
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  return drive(__func__, Needs::kInit, [&] {
    require(attributes && values && count > 0, kInvalidValue, msg::pointer_null());
    for (unsigned i = 0; i < count; ++i)
      write_attribute(values[i], attributes[i], pointer, the_runtime().memory.find(pointer));
  });
}

TWIN(cuMemAdvise, cudaMemAdvise,
     (CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice, CUmemLocation place), pointer, bytes,
     advice, place)
STREAM_TWIN(cuMemPrefetchAsync, _ptsz, cudaMemPrefetchAsync,
            (CUdeviceptr pointer, std::size_t bytes, CUmemLocation place, unsigned flags, CUstream stream),
            pointer, bytes, place, flags, stream)
TWIN(cuMemRangeGetAttribute, cudaMemRangeGetAttribute,
     (void* data, std::size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr pointer,
      std::size_t bytes),
     data, data_bytes, attribute, pointer, bytes)
TWIN(cuMemRangeGetAttributes, cudaMemRangeGetAttributes,
     (void** data, std::size_t* data_bytes, CUmem_range_attribute* attributes, std::size_t count,
      CUdeviceptr pointer, std::size_t bytes),
     data, data_bytes, attributes, count, pointer, bytes)

// ---- copies ------------------------------------------------------------------------------------------

// `kind` is the direction of the copy, which the runtime API takes as an argument.
#define COPY(name, suffix, to_type, from_type, kind)                                                        \
  DEFINE_TWIN(kContext, #name, name, cudaMemcpy, (to_type to, from_type from, std::size_t bytes), to, from, \
              bytes, kind)                                                                                  \
  DEFINE_PER_THREAD_VARIANT(name, suffix, (to_type to, from_type from, std::size_t bytes), to, from, bytes)
#define COPY_ASYNC(name, to_type, from_type, kind)                                                         \
  DEFINE_TWIN(kContext, #name, name, cudaMemcpyAsync,                                                      \
              (to_type to, from_type from, std::size_t bytes, CUstream stream), to, from, bytes, kind,     \
              stream)                                                                                      \
  DEFINE_PER_THREAD_VARIANT(name, _ptsz, (to_type to, from_type from, std::size_t bytes, CUstream stream), \
                            to, from, bytes, stream)

COPY(cuMemcpy, _ptds, CUdeviceptr, CUdeviceptr, cudaMemcpyDefault)
COPY(cuMemcpyHtoD, _ptds, CUdeviceptr, const void*, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH, _ptds, void*, CUdeviceptr, cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD, _ptds, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)
COPY_ASYNC(cuMemcpyAsync, CUdeviceptr, CUdeviceptr, cudaMemcpyDefault)
COPY_ASYNC(cuMemcpyHtoDAsync, CUdeviceptr, const void*, cudaMemcpyHostToDevice)
COPY_ASYNC(cuMemcpyDtoHAsync, void*, CUdeviceptr, cudaMemcpyDeviceToHost)
COPY_ASYNC(cuMemcpyDtoDAsync, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
  return call_twin("cuMemcpyPeer", Needs::kContext, cudaMemcpy, to, from, bytes, cudaMemcpyDefault);
}
PER_THREAD_VARIANT(cuMemcpyPeer, _ptds,
                   (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                    std::size_t bytes),
                   to, to_context, from, from_context, bytes)
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes,
                           CUstream stream) {
  return call_twin("cuMemcpyPeerAsync", Needs::kContext, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDefault,
                   stream);
}
PER_THREAD_VARIANT(cuMemcpyPeerAsync, _ptsz,
                   (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                    std::size_t bytes, CUstream stream),
                   to, to_context, from, from_context, bytes, stream)

#define DESCRIBED_COPY(name, Description)                                                       \
  CUresult name(const Description* text) { return copy_described(#name, text, nullptr, true); } \
  DEFINE_PER_THREAD_VARIANT(name, _ptds, (const Description* text), text)
#define DESCRIBED_COPY_ASYNC(name, Description)             \
  CUresult name(const Description* text, CUstream stream) { \
    return copy_described(#name, text, stream, false);      \
  }                                                         \
  DEFINE_PER_THREAD_VARIANT(name, _ptsz, (const Description* text, CUstream stream), text, stream)

DESCRIBED_COPY(cuMemcpy2D, CUDA_MEMCPY2D)
DESCRIBED_COPY(cuMemcpy2DUnaligned, CUDA_MEMCPY2D)
DESCRIBED_COPY(cuMemcpy3D, CUDA_MEMCPY3D)
DESCRIBED_COPY_ASYNC(cuMemcpy2DAsync, CUDA_MEMCPY2D)
DESCRIBED_COPY_ASYNC(cuMemcpy3DAsync, CUDA_MEMCPY3D)

CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
  return copy_with_array("cuMemcpyDtoA", in_array(to, offset), on_device(from), bytes);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_with_array("cuMemcpyAtoD", on_device(to), in_array(from, offset), bytes);
}
CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  return copy_with_array("cuMemcpyHtoA", in_array(to, offset), on_host(from), bytes);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_with_array("cuMemcpyAtoH", on_host(to), in_array(from, offset), bytes);
}

// ---- sets --------------------------------------------------------------------------------------------

#define MEMSET(name, suffix, Element)                                                                    \
  CUresult name(CUdeviceptr to, Element value, std::size_t count) {                                      \
    return set_memory(#name, to, 0, value, count, 1, nullptr, true);                                     \
  }                                                                                                      \
  DEFINE_PER_THREAD_VARIANT(name, suffix, (CUdeviceptr to, Element value, std::size_t count), to, value, \
                            count)
#define MEMSET_ASYNC(name, Element)                                                                         \
  CUresult name(CUdeviceptr to, Element value, std::size_t count, CUstream stream) {                        \
    return set_memory(#name, to, 0, value, count, 1, stream, false);                                        \
  }                                                                                                         \
  DEFINE_PER_THREAD_VARIANT(name, _ptsz,                                                                    \
                            (CUdeviceptr to, Element value, std::size_t count, CUstream stream), to, value, \
                            count, stream)
#define MEMSET_2D(name, suffix, Element)                                                                    \
  CUresult name(CUdeviceptr to, std::size_t pitch, Element value, std::size_t width, std::size_t height) {  \
    return set_memory(#name, to, pitch, value, width, height, nullptr, true);                               \
  }                                                                                                         \
  DEFINE_PER_THREAD_VARIANT(                                                                                \
      name, suffix,                                                                                         \
      (CUdeviceptr to, std::size_t pitch, Element value, std::size_t width, std::size_t height), to, pitch, \
      value, width, height)
#define MEMSET_2D_ASYNC(name, Element)                                                                   \
  CUresult name(CUdeviceptr to, std::size_t pitch, Element value, std::size_t width, std::size_t height, \
                CUstream stream) {                                                                       \
    return set_memory(#name, to, pitch, value, width, height, stream, false);                            \
  }                                                                                                      \
  DEFINE_PER_THREAD_VARIANT(name, _ptsz,                                                                 \
                            (CUdeviceptr to, std::size_t pitch, Element value, std::size_t width,        \
                             std::size_t height, CUstream stream),                                       \
                            to, pitch, value, width, height, stream)

MEMSET(cuMemsetD8, _ptds, unsigned char)
MEMSET(cuMemsetD16, _ptds, unsigned short)
MEMSET(cuMemsetD32, _ptds, unsigned)
MEMSET_ASYNC(cuMemsetD8Async, unsigned char)
MEMSET_ASYNC(cuMemsetD16Async, unsigned short)
MEMSET_ASYNC(cuMemsetD32Async, unsigned)
MEMSET_2D(cuMemsetD2D8, _ptds, unsigned char)
MEMSET_2D(cuMemsetD2D16, _ptds, unsigned short)
MEMSET_2D(cuMemsetD2D32, _ptds, unsigned)
MEMSET_2D_ASYNC(cuMemsetD2D8Async, unsigned char)
MEMSET_2D_ASYNC(cuMemsetD2D16Async, unsigned short)
MEMSET_2D_ASYNC(cuMemsetD2D32Async, unsigned)

// ---- memory in the order of a stream -----------------------------------------------------------------

STREAM_TWIN(cuMemAllocAsync, _ptsz, cudaMallocAsync,
            (CUdeviceptr * pointer, std::size_t bytes, CUstream stream), pointer, bytes, stream)
STREAM_TWIN(cuMemAllocFromPoolAsync, _ptsz, cudaMallocFromPoolAsync,
            (CUdeviceptr * pointer, std::size_t bytes, CUmemoryPool pool, CUstream stream), pointer, bytes,
            pool, stream)
STREAM_TWIN(cuMemFreeAsync, _ptsz, cudaFreeAsync, (CUdeviceptr pointer, CUstream stream), pointer, stream)
TWIN_THAT_NEEDS(kInit, cuMemPoolCreate, cudaMemPoolCreate,
                (CUmemoryPool * pool, const CUmemPoolProps* properties), pool, properties)
TWIN_THAT_NEEDS(kInit, cuMemPoolDestroy, cudaMemPoolDestroy, (CUmemoryPool pool), pool)
TWIN_THAT_NEEDS(kInit, cuMemPoolSetAttribute, cudaMemPoolSetAttribute,
                (CUmemoryPool pool, CUmemPool_attribute attribute, void* value), pool, attribute, value)
TWIN_THAT_NEEDS(kInit, cuMemPoolGetAttribute, cudaMemPoolGetAttribute,
                (CUmemoryPool pool, CUmemPool_attribute attribute, void* value), pool, attribute, value)
TWIN_THAT_NEEDS(kInit, cuMemPoolTrimTo, cudaMemPoolTrimTo, (CUmemoryPool pool, std::size_t kept_bytes), pool,
                kept_bytes)
TWIN_THAT_NEEDS(kInit, cuMemPoolSetAccess, cudaMemPoolSetAccess,
                (CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count), pool, access, count)

}  // extern "C"
#pragma GCC visibility pop
