// Checks parameters that functions of cuSPARSE share, and queues work in a stream.
#include "libraries/sparse/call.h"

#include <utility>

namespace cudalab::sparse {

Call::Call(const char* name, cusparseHandle_t handle) : name_(name), handle_(handle) {
  require(is_handle(handle_), {LibraryFailure::kNull, "handle"}, CUSPARSE_STATUS_NOT_INITIALIZED);
}

void Call::require(bool holds, const LibraryFailure& why, cusparseStatus_t status) {
  if (holds || !is_valid()) return;
  status_ = status;
  why_ = why;
}

void Call::pointer(const char* parameter, const void* value) {
  require(value != nullptr, {LibraryFailure::kNull, parameter});
}
void Call::size(const char* parameter, std::int64_t value) {
  require(value >= 0, {LibraryFailure::kNegative, parameter, value});
}
void Call::equal(const char* parameter, std::int64_t value, std::int64_t wanted) {
  require(value == wanted, {LibraryFailure::kOtherSize, parameter, value, wanted});
}
void Call::operation(const char* parameter, cusparseOperation_t value) {
  require(value >= CUSPARSE_OPERATION_NON_TRANSPOSE && value <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
          {LibraryFailure::kUnknown, parameter, value});
}
void Call::supported(bool holds) {
  require(holds, {LibraryFailure::kUnsupported}, CUSPARSE_STATUS_NOT_SUPPORTED);
}

std::size_t Call::memory(const char* parameter, const void* address, std::size_t row_bytes, Access access,
                         std::size_t rows, std::size_t pitch) {
  work_.memory.push_back({.parameter = parameter,
                          .address = address,
                          .row_bytes = row_bytes,
                          .rows = rows,
                          .pitch = pitch,
                          .is_read = access != Access::kWrite,
                          .is_written = access != Access::kRead});
  return work_.memory.size() - 1;
}

Factor Call::factor(const char* parameter, const void* address, cudaDataType type) {
  pointer(parameter, address);
  supported(bytes_of(type) > 0);
  if (!is_valid()) return {};
  if (has_factors_on_device())
    return {type, true, memory(parameter, address, bytes_of(type), Access::kRead), {}};
  return {type, false, 0, read<Complex>(static_cast<const std::byte*>(address), type, 1)[0]};
}

VectorOf Call::vector(const char* parameter, cusparseConstDnVecDescr_t descriptor, Access access) {
  pointer(parameter, descriptor);
  if (!is_valid()) return {};
  return {*descriptor,
          memory(parameter, descriptor->values, descriptor->size * bytes_of(descriptor->type), access)};
}

MatrixOf Call::matrix(const char* parameter, cusparseConstDnMatDescr_t descriptor, Access access) {
  pointer(parameter, descriptor);
  if (!is_valid()) return {};
  supported(descriptor->batch == 1);
  const bool is_by_rows = descriptor->order == CUSPARSE_ORDER_ROW;
  const std::int64_t lines = is_by_rows ? descriptor->rows : descriptor->columns,
                     length = is_by_rows ? descriptor->columns : descriptor->rows;
  const std::size_t bytes = bytes_of(descriptor->type);
  return {*descriptor,
          memory(parameter, descriptor->values, length * bytes, access, lines, descriptor->leading * bytes)};
}

void Call::costs(LibraryPattern pattern, cudaDataType type, double operations, double steps) {
  constexpr double kOfComplex = 4;
  const bool is_double = type == CUDA_R_64F || type == CUDA_C_64F;
  work_.cost = {pattern, is_double ? LibraryUnit::kFp64 : LibraryUnit::kFp32,
                operations * (is_complex(type) ? kOfComplex : 1), 0, steps};
}

bool Call::is_captured() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (is_valid() && handle_->stream) cudaStreamIsCapturing(handle_->stream, &status);
  return status != cudaStreamCaptureStatusNone;
}

cusparseStatus_t Call::finish(std::function<void(const Reached&)> body, bool waits) {
  if (!is_valid()) {
    __cudalabLibraryFailed(name_, name_of(status_), why_);
    return status_;
  }
  if (!body) return CUSPARSE_STATUS_SUCCESS;
  work_.library = "cuSPARSE";
  work_.call = name_;
  work_.stream = handle_->stream;
  work_.waits = waits;
  work_.run = [body = std::move(body)](const std::vector<std::byte*>& memory, LibraryReach& reach) {
    body(Reached(memory, reach));
  };
  return status_of(__cudalabLibraryWork(work_));
}

namespace {

template <class Size>
cusparseStatus_t answer_size(Call& call, Size* size) {
  constexpr int kSmallest = 256;
  call.pointer("bufferSize", size);
  if (call.is_valid()) *size = kSmallest;
  return call.finish(nullptr);
}

}  // namespace

cusparseStatus_t answer_buffer_size(Call& call, std::size_t* size) { return answer_size(call, size); }
cusparseStatus_t answer_buffer_size(Call& call, int* size) { return answer_size(call, size); }

}  // namespace cudalab::sparse
