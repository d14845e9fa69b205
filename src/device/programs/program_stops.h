// Inspects programs that stop at launches and at calls that fail, over a socket.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/processes/message_socket.h"
#include "core/programs/program_record.h"
#include "device/kernel_launch.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::device {

// Where a program has stopped: at a launch, or at a call that failed.
struct ProgramStop {
  LaunchView* launch = nullptr;  // nullptr at a call that failed
  std::uint64_t number = 0;      // of the launch, or of launches so far
  std::string kernel;            // of the launch; empty for other calls
  std::string error;             // "cudaErrorInvalidValue"; empty at a launch
  Message why;                   // of the error; may be empty
  std::string call;              // the API function that the host code is in; may be empty
  CallSite from;                 // its call stack
};

// What a program does after a stop.
struct ProgramNext {
  bool ends = true;
  vgpu::StepUntil until = {};  // else: where it stops again; without launches and errors, it is left alone
};
// What is wanted of a program that runs: that it goes on; that it goes on without stops; that it ends.
enum class ProgramWish : std::uint8_t { kGoOn, kLeave, kEnd };
using ProgramOnlooker = std::function<ProgramNext(const ProgramStop&)>;

// Throws Error(kUnavailable) if the path is too long for a socket.
int listening_socket(const std::string& path);

// The socket to which programs connect when they stop; shows one program at a time.
class StopListener {
 public:
  StopListener(const std::string& path, ProgramOnlooker look)
      : socket_(listening_socket(path)), look_(std::move(look)) {}

  // The descriptor that becomes readable when there is something to look at.
  int awaited() const { return program_ ? program_->number() : socket_.number(); }
  // Takes a connection, or shows a stop, if there is one; does not wait.
  void look();
  bool has_seen() const { return has_seen_; }  // whether there was a stop
  bool is_over() const { return is_over_; }    // no further stop is wanted
  bool ends() const { return ends_; }          // the program shall end
  // An error of the onlooker; thrown only now, after the program has ended.
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  void show(const std::string& message);

  Descriptor socket_;
  ProgramOnlooker look_;
  std::optional<MessageSocket> program_;
  bool has_seen_ = false, is_over_ = false, ends_ = false;
  std::exception_ptr failed_;
};

// A program that waits for a debugger (`cudalab exec --wait`), and a debugger that attaches to it, meet at a
// socket in a folder of the user. The debugger names its StopListener there, and the program starts.

struct Debugger {
  std::string listener;   // the path of its StopListener
  vgpu::StepUntil until;  // the first stop
};

// The waiting side.
class DebuggerMeeting {
 public:
  DebuggerMeeting();  // throws Error(kUnavailable) if the folder cannot be made, or is not only the user's
  ~DebuggerMeeting();
  DebuggerMeeting(const DebuggerMeeting&) = delete;
  DebuggerMeeting& operator=(const DebuggerMeeting&) = delete;

  Debugger wait();  // for a debugger
  // Readable if the debugger has ended the program, or has left.
  int awaited() const { return debugger_ ? debugger_->number() : -1; }
  bool ends_program();  // reads; false: it has left

 private:
  std::filesystem::path path_;
  Descriptor socket_;
  std::optional<RemoveOnInterrupt> on_interrupt_;
  std::optional<MessageSocket> debugger_;
};

struct AttachRequest {
  std::optional<std::int64_t> process;  // of `cudalab exec --wait`; empty: the only one that waits
  vgpu::StepUntil until;                // the first stop
  ProgramOnlooker look;
  std::function<ProgramWish()> wish;  // polled while the program runs
};
// Returns when the program has ended or goes on alone. Throws Error(kUsage) if no program waits, or if
// several do and none is named.
void attach_to_program(const AttachRequest& request);

}  // namespace cudalab::device
