// Records that describe the actions of a CUDA program on the virtual GPU, and their serialization for a
// socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/measurement.h"

namespace cudalab {

// Records of a CUDA program that runs on the virtual GPU. The runtime library inside the program sends them
// while the program runs; the reports read them.

// The call stack of a call, innermost call first: the object file and offsets in it. Tools such as addr2line
// convert offsets to source lines.
struct CallSite {
  std::string object;
  std::vector<std::uint64_t> offsets;
  friend bool operator==(const CallSite&, const CallSite&) = default;
  friend auto operator<=>(const CallSite&, const CallSite&) = default;
};

// The predicted begin and end of a piece of work, relative to the program's first call.
struct PredictedSpan {
  double start_ms = 0, end_ms = 0;
};

// The first record of a process.
struct ProgramStart {
  std::int64_t process = 0;
  std::string program;  // path of its file
  std::string card, compute_capability;
  std::int64_t devices = 1;
  std::int64_t host_threads = 1;
};

// Sent before a kernel runs: if the process is killed, the last kernel is known.
struct KernelBegin {
  std::string kernel;        // as in the source
  std::uint64_t number = 0;  // of launches so far; the first has number 1
};

// Sent from time to time while a kernel runs; an unknown value leaves the previous one unchanged.
struct KernelPace {
  double seconds = 0;  // estimated total time of the interpreter for this kernel; 0: unknown
  SourceLine where{};  // the line that is being executed; line 0: unknown
};

struct ProgramLaunch {
  std::string kernel;   // or the call of a library: "cublasSgemm"
  std::string library;  // "cuBLAS": the host computed it, and its time is an estimate; empty: a kernel
  LaunchSpec spec;
  std::int64_t device = 0, stream = 0;
  CallSite from;
  PredictedSpan span;
  LaunchResult result;
  std::uint64_t pinned_bytes = 0;  // of the host's memory that the kernel's arguments lead to
};

enum class CopyDirection : std::uint8_t { kToDevice, kFromDevice, kOnDevice, kOnHost, kFill };

struct ProgramCopy {
  std::string call;  // "cudaMemcpyAsync"
  CopyDirection direction{};
  std::uint64_t bytes = 0;
  std::int64_t device = 0, stream = 0;
  PredictedSpan span;
  // Only if the runtime records uses:
  std::string memory = {};  // the allocation in device memory; the source if both sides are in it
  std::uint64_t source = 0, target = 0;  // addresses; of arrays: their handles
  bool is_pageable = false;              // the host's side is in pageable memory
  std::uint64_t variable_bytes = 0;      // if that is a __device__ or __constant__ variable: its size
  std::uint64_t printed = 0;  // bytes in the buffer of standard output when the program made the call
  CallSite from = {};
  std::uint64_t nans = 0;             // in a copy to the host: words that are NaN as operations yield it
  std::uint64_t launches_before = 0;  // not sent: the log counts the launches whose uses it has received
};

// What the launches of a kernel did with the memory that its parameters point to. Sent after a launch if the
// runtime records uses.
struct KernelUse {
  std::string kernel;  // as in the source
  struct Parameter {
    std::uint64_t position = 0;  // among the kernel's parameters, from 0
    BufferUse use;               // named as hazards name the allocation
  };
  std::vector<Parameter> parameters;
  // Shared arrays, and memory that it accessed without a parameter that points to it, such as variables.
  std::vector<BufferUse> others = {};
  std::vector<TextureUse> textures = {};
};

struct ProgramAllocation {
  std::string call;  // "cudaMalloc"
  std::string name;  // as in hazards: "cudaMalloc #1"
  std::uint64_t address = 0, bytes = 0;
  CallSite from;
};
struct ProgramFree {
  std::uint64_t address = 0;
};

// A call that returned an error.
struct FailedCall {
  std::string call;   // "cudaMemcpy"; for a launch, the name of the kernel
  std::string error;  // "cudaErrorInvalidValue"
  Message why;        // may be empty
  bool is_launch = false;
  bool is_asked_for = false;  // the program asked for the error or its name afterwards
  CallSite from;
  std::uint64_t number = 0;  // of failed calls of the process; the first has number 1
};
// The program asked for all errors up to this number.
struct ErrorAsked {
  std::uint64_t up_to = 0;
};

enum class MistakeKind : std::uint8_t {
  kHostReadOfDeviceMemory,
  kHostPointerInKernel,
  kPendingMemoryTouched,
  kWrongDirection,
  kBeyondTheEnd,
  kUseAfterFree,
  kDoubleFree,
  kUnfinishedEvent,
  kClockWithoutWait,
  kSpinningHost,
  kUnsupported,
  kNeverWaitedFor,
  kUnorderedStreams,
  kUnwrittenCopied,
  kUnwrittenInput,  // of a library's call
  kOtherPitch,
  kHostCrash,
  kHostClock,
};

// An error makes the program fail. A warning does with --strict: the program is probably wrong, but this run
// shows no consequence. A note is information.
enum class Severity : std::uint8_t { kError, kWarning, kNote };

// A finding about the host code, or a request that cannot be met. `what` is a complete sentence.
struct HostMistake {
  MistakeKind kind{};
  Message what, fix;
  CallSite from;
  std::uint64_t occurrences = 1;
};

using ProgramRecord = std::variant<ProgramStart, KernelBegin, ProgramLaunch, ProgramCopy, ProgramAllocation,
                                   ProgramFree, FailedCall, ErrorAsked, HostMistake, KernelPace, KernelUse>;

// A message alone, for another process of this program.
std::string bytes_of(Message message);
Message message_in(std::string_view bytes);  // throws Error(kUsage) if the bytes are not a message

// Serialization of records for a socket between two processes of one machine.
//
//   LENGTH (4 bytes) KIND (1 byte: the index in ProgramRecord) FIELDS
//
// field_stream.h describes the fields.

// The whole serialized message, including its length.
std::string message_of(const ProgramRecord& record);

// Assembles messages from pieces of any size. The sender is not trusted: throws Error(kUsage) at the first
// invalid byte.
class RecordReader {
 public:
  void add(std::string_view bytes) { unread_ += bytes; }
  std::optional<ProgramRecord> next();  // empty if the message is not complete yet

 private:
  std::string unread_;
  std::size_t taken_ = 0;
};

}  // namespace cudalab
