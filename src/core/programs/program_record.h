// Records of what a CUDA program did on the virtual GPU, and their encoding as bytes for a socket.
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

// What a CUDA program told of itself while it ran on the virtual GPU: plain data that the runtime inside the
// program sends as it arises, and that the reports read.

// Where in a program's code something was called, the innermost call first: the file of the code, and the
// places in it, of which tools such as addr2line make source lines.
struct CallSite {
  std::string object;
  std::vector<std::uint64_t> offsets;
  friend bool operator==(const CallSite&, const CallSite&) = default;
  friend auto operator<=>(const CallSite&, const CallSite&) = default;
};

// When the time model says that a piece of work began and ended, from the program's first call on.
struct PredictedSpan {
  double start_ms = 0, end_ms = 0;
};

// The first record of a process: what it runs on.
struct ProgramStart {
  std::int64_t process = 0;
  std::string program;  // its file
  std::string card, compute_capability;
  std::int64_t devices = 1;
  std::int64_t host_threads = 1;
};

// Before a kernel runs, so that a process that is ended meanwhile has said what it was busy with.
struct KernelBegin {
  std::string kernel;        // as the source spells it
  std::uint64_t number = 0;  // of the launches so far, from 1 on
};

// While it runs, now and then.
struct KernelPace {
  double seconds = 0;  // that it will take the interpreter, from its beginning to its end
};

struct ProgramLaunch {
  std::string kernel;
  Dim3 grid, block;
  std::uint64_t shared_bytes = 0;  // dynamic
  std::int64_t device = 0, stream = 0;
  CallSite from;
  PredictedSpan span;
  LaunchResult result;
};

enum class CopyDirection : std::uint8_t { kToDevice, kFromDevice, kOnDevice, kOnHost, kFill };

struct ProgramCopy {
  std::string call;  // "cudaMemcpyAsync"
  CopyDirection direction{};
  std::uint64_t bytes = 0;
  std::int64_t device = 0, stream = 0;
  PredictedSpan span;
};

struct ProgramAllocation {
  std::string call;  // "cudaMalloc"
  std::string name;  // as hazards call it: "cudaMalloc #1"
  std::uint64_t address = 0, bytes = 0;
  CallSite from;
};
struct ProgramFree {
  std::uint64_t address = 0;
};

// A call that did not succeed.
struct FailedCall {
  std::string call;   // "cudaMemcpy"; of a launch the kernel's name
  std::string error;  // "cudaErrorInvalidValue"
  Message why;        // may be empty
  bool is_launch = false;
  bool is_asked_for = false;  // the program asked for the error afterwards, or for its name
  CallSite from;
  std::uint64_t number = 0;  // of the process's failed calls, from 1 on
};
// The program asked for the errors up to this number.
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
};

// What the host did wrong, or what it asked for and cannot get. `what` stands alone.
struct HostMistake {
  MistakeKind kind{};
  Message what, fix;
  CallSite from;
  std::uint64_t occurrences = 1;
};

using ProgramRecord = std::variant<ProgramStart, KernelBegin, ProgramLaunch, ProgramCopy, ProgramAllocation,
                                   ProgramFree, FailedCall, ErrorAsked, HostMistake, KernelPace>;

// Records of a program as bytes, for a socket between two processes of one machine.
//
//   LENGTH (4 bytes) KIND (1 byte: the index in ProgramRecord) FIELDS
//
// Numbers stand as they are in memory, texts and lists behind their length, what may be absent behind a byte.

// The whole message, with its length.
std::string message_of(const ProgramRecord& record);

// Takes messages as they come, in pieces of any size. What was sent by a stranger is never trusted: throws
// Error(kUsage) at the first byte that no record has.
class RecordReader {
 public:
  void add(std::string_view bytes) { unread_ += bytes; }
  std::optional<ProgramRecord> next();  // nothing: the rest has not come yet

 private:
  std::string unread_;
  std::size_t taken_ = 0;
};

}  // namespace cudalab
