// Checks parameters that all functions of cuBLAS share, and queues work in a stream.
#include "libraries/blas/call.h"

namespace cudalab::blas {

LibraryMemory memory_of(const char* parameter, const void* address, std::size_t row_bytes, std::size_t rows,
                        std::size_t pitch, Access access) {
  const bool is_read = access != Access::kWrite;
  const bool is_in_part = access == Access::kReadInPart || access == Access::kUpdateInPart;
  const bool is_written = is_read ? access == Access::kUpdate || access == Access::kUpdateInPart : true;
  return {parameter, address, row_bytes, rows, pitch, is_read, is_written, is_in_part};
}

Call::Call(const Entry& entry) : name_(name_in_source(entry.function)), handle_(entry.handle) {
  require(is_handle(handle_), {LibraryFailure::kNull, "handle"}, CUBLAS_STATUS_NOT_INITIALIZED);
}

void Call::require(bool holds, const LibraryFailure& why, cublasStatus_t status) {
  if (holds || !is_valid()) return;
  status_ = status;
  why_ = why;
}

void Call::size(const char* parameter, std::int64_t value) {
  require(value >= 0, {LibraryFailure::kNegative, parameter, value});
}
void Call::at_least(const char* parameter, std::int64_t value, std::int64_t limit) {
  require(value >= limit, {LibraryFailure::kBelow, parameter, value, limit});
}
void Call::increment(const char* parameter, std::int64_t value) {
  require(value != 0, {LibraryFailure::kZero, parameter});
}
void Call::pointer(const char* parameter, const void* value) {
  require(value != nullptr, {LibraryFailure::kNull, parameter});
}
void Call::operation(const char* parameter, cublasOperation_t value) {
  require(value >= CUBLAS_OP_N && value <= CUBLAS_OP_C, {LibraryFailure::kUnknown, parameter, value});
}
void Call::fill(cublasFillMode_t uplo) {
  require(uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER,
          {LibraryFailure::kUnknown, "uplo", uplo});
}
void Call::diagonal(cublasDiagType_t diag) {
  require(diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT, {LibraryFailure::kUnknown, "diag", diag});
}
void Call::side(cublasSideMode_t side) {
  require(side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT, {LibraryFailure::kUnknown, "side", side});
}

cublasStatus_t Call::finish(std::function<void(const Reached&)> body) {
  if (!is_valid()) {
    __cudalabLibraryFailed(name_, name_of(status_), why_);
    return status_;
  }
  if (!body) return CUBLAS_STATUS_SUCCESS;
  work_.library = "cuBLAS";
  work_.call = name_;
  work_.stream = handle_->stream;
  work_.run = [body = std::move(body)](const std::vector<std::byte*>& memory, LibraryReach& reach) {
    body(Reached(memory, reach));
  };
  return status_of(__cudalabLibraryWork(work_));
}

}  // namespace cudalab::blas
