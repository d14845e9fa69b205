// __device__ and __constant__ variables, by the address of their shadows on the host.
#include "runtime/call.h"
#include "runtime/copies.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

void* address_in(const void* symbol, std::size_t offset, std::size_t bytes) {
  std::size_t size = 0;
  const std::uint64_t address = the_runtime().modules.address_of(symbol, this_thread().device, size);
  if (offset > size || bytes > size - offset) {
    const std::string what = fmt::format(
        "a copy of {} bytes from byte {} of a variable on ends {} bytes behind its end: it has {} bytes",
        bytes, offset, offset + bytes - size, size);
    report_mistake(MistakeKind::kBeyondTheEnd, what, "copy as many bytes as both sides have");
    throw Failure{cudaErrorInvalidValue, what};
  }
  return reinterpret_cast<void*>(address + offset);
}

cudaError_t to_symbol(const char* call, const void* symbol, const void* from, std::size_t bytes,
                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            "a copy to a variable of the device goes to the device");
    copy(call, line(address_in(symbol, offset, bytes), from, bytes), kind, stream_of(stream), waits);
  });
}
cudaError_t from_symbol(const char* call, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  return answer(call, [&] {
    require(kind != cudaMemcpyHostToDevice && kind != cudaMemcpyHostToHost, cudaErrorInvalidMemcpyDirection,
            "a copy from a variable of the device comes from the device");
    copy(call, line(to, address_in(symbol, offset, bytes), bytes), kind, stream_of(stream), waits);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return to_symbol(__func__, symbol, from, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(__func__, symbol, from, bytes, offset, kind, stream, false);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return from_symbol(__func__, to, symbol, bytes, offset, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return from_symbol(__func__, to, symbol, bytes, offset, kind, stream, false);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return answer(__func__, [&] {
    require(address, cudaErrorInvalidValue, "the pointer to the address is null");
    *address = address_in(symbol, 0, 0);
  });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return answer(__func__, [&] {
    require(bytes, cudaErrorInvalidValue, "the pointer to the size is null");
    the_runtime().modules.address_of(symbol, this_thread().device, *bytes);
  });
}

}  // extern "C"
#pragma GCC visibility pop
