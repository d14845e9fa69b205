// Runs the work of this project's libraries (cuBLAS, cuFFT, cuRAND, cuSPARSE) on the virtual GPU: queues the
// work in a stream, computes it on the host in device memory when its turn comes, and reports calls that
// fail.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace cudalab::runtime {

// Memory that a call uses: `rows` rows of `row_bytes` bytes, `pitch` bytes from one row to the next.
struct LibraryMemory {
  const char* parameter = "";     // as the library's documentation calls it: "A"
  const void* address = nullptr;  // as the program passed it
  std::size_t row_bytes = 0, rows = 1, pitch = 0;
  bool is_read = true, is_written = false;
  // The call reads only a part of it, such as a triangle, so unwritten bytes in it are no error.
  bool is_read_in_part = false;
};

// The device memory of a call while its work runs.
class LibraryReach {
 public:
  virtual ~LibraryReach() = default;
  // The host address of this memory. If it is not memory of the GPU or is too small, the call ends like a
  // kernel with an illegal address: this function throws an exception that the library must not catch. Memory
  // of the call itself (LibraryWork::memory) is checked before its work runs.
  virtual std::byte* of(const LibraryMemory& memory) = 0;
  // Ends the call as one with an illegal address: an index in memory of the call is not in [lowest, limit).
  [[noreturn]] virtual void wrong_index(const char* parameter, std::int64_t position, std::int64_t value,
                                        std::int64_t lowest, std::int64_t limit) = 0;
  // Host threads that the work may use.
  virtual unsigned threads() const = 0;
};

// The units of the GPU whose rate limits a call. Their rates are in the GPU's file.
enum class LibraryUnit : std::uint8_t { kNone, kFp32, kFp64, kHalf, kInt, kTensor, kFp64Tensor };

// The access pattern of a call, which decides what share of the peak rates it reaches.
enum class LibraryPattern : std::uint8_t {
  kOther,
  kUpdate,        // element by element: axpy, ger, geam
  kReduce,        // to one number: dot, nrm2
  kMatrixVector,  // gemv
  kProduct,       // gemm
  kSolve,         // trsm: a sequence of dependent steps
  kTransform,     // FFT: each step is a kernel
  kSparseVector,  // SpMV
  kSparseMatrix,  // SpMM and SDDMM, which gather the dense matrix
};

// The time of a call is estimated as a fixed time, plus the time of its steps and its latency, plus the
// longer of two times: its operations at the peak rate of the unit, and its bytes at the bandwidth of DRAM.
// Both rates are multiplied by the share that calls of this pattern reach.
struct LibraryCost {
  LibraryPattern pattern = LibraryPattern::kOther;
  LibraryUnit unit = LibraryUnit::kNone;
  // A multiplication and an addition are two. For kTensor: as many operations with 16-bit inputs as take the
  // same time (TF32 runs at half their rate, int8 at twice).
  double operations = 0;
  double bytes = 0;       // in addition to LibraryWork::memory
  double steps = 0;       // of kSolve: unknowns that are solved one after the other; of kTransform: kernels
  double latency_us = 0;  // of a single block's work, for calls that consist of few blocks
};

struct LibraryWork {
  const char* library = "";  // "cuBLAS"
  const char* call = "";     // as in the program's source: "cublasSgemm"
  cudaStream_t stream = nullptr;
  std::vector<LibraryMemory> memory;
  LibraryCost cost;
  // Computes the result. Called once per launch if a graph holds the work. `memory[i]`: the host address of
  // memory i.
  std::function<void(const std::vector<std::byte*>& memory, LibraryReach& reach)> run;
  bool waits = false;  // the call returns a value to the host, so it waits until the work is done
};

// Why a call failed, for the report.
struct LibraryFailure {
  enum Kind : std::uint8_t {
    kNone,         // the status alone says it
    kNull,         // a pointer or handle
    kNegative,     // a size
    kBelow,        // less than `limit`: a leading dimension, a stride
    kZero,         // an increment
    kUnknown,      // not a value of the enumeration
    kUnsupported,  // a combination that NVIDIA's library does not support either
    kOfOtherType,  // an object made for another type of data
    kOtherSize,    // a size that must be `limit`
  };
  Kind kind = kNone;
  const char* parameter = "";
  long long value = 0, limit = 0;
};

}  // namespace cudalab::runtime

// Exported by libcudart for the libraries of this project only.
extern "C" {
// Queues the work, or adds it to the graph that the stream is captured into. Returns the stream's error, or
// the error of an earlier fault.
cudaError_t __cudalabLibraryWork(const cudalab::runtime::LibraryWork& work);
// Puts a failed call into the report. `status`: "CUBLAS_STATUS_INVALID_VALUE".
void __cudalabLibraryFailed(const char* call, const char* status,
                            const cudalab::runtime::LibraryFailure& why);
// Reports, once for each name, that the program calls a function which the library does not implement.
void __cudalabLibraryMissing(const char* call);
}
