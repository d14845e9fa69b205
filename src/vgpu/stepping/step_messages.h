// The messages between a program that has stopped at a launch, or at a call that failed, and a process that
// inspects it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// Environment variables of the program: the path of the socket to connect to, and the launch to stop at. If
// they are set: failed calls are stops, too; the program goes on without the other process.
inline constexpr const char *kStepVariable = "CUDALAB_STEP", *kStepLaunchVariable = "CUDALAB_STEP_LAUNCH",
                            *kStepErrorsVariable = "CUDALAB_STEP_ERRORS",
                            *kStepStaysVariable = "CUDALAB_STEP_STAYS";

// Where to stop next.
struct StepUntil {
  std::string launch;      // a number (from 1), the kernel's name, or kAnyLaunch; empty: no launch
  bool at_errors = false;  // at calls that fail
};
inline constexpr const char* kAnyLaunch = "*";

// The program's message at each stop.
struct StepStop {
  std::string kernel, file;  // as in the source; empty at a failed call
  std::uint64_t number = 0;  // of the launch, or of launches so far
  LaunchSpec spec;
  std::string error;                   // of the call: "cudaErrorInvalidValue"; empty at a launch
  Message why;                         // of the error; may be empty
  std::string call;                    // the API function that the host is in: "cudaDeviceSynchronize"
  std::string object;                  // the host's call stack, as in CallSite
  std::vector<std::uint64_t> offsets;  // innermost call first
};

struct StepQuestion {
  enum Kind : std::uint8_t { kTrace, kRehearsal, kGoOn };  // a rehearsal is of the whole launch
  Kind kind = kTrace;
  TraceRequest trace;
  StepUntil until;  // of kGoOn, which has no answer
};

struct StepAnswer {
  Message error;  // the reason if there is neither
  WarpTrace trace;
  LaunchResult result;  // of a rehearsal: its hazards, and whether it completed
};

std::string bytes_of(const StepStop& stop);
std::string bytes_of(const StepQuestion& question);
std::string bytes_of(const StepAnswer& answer);
// Throw Error(kUsage) if the bytes are no such message.
StepStop stop_in(std::string_view bytes);
StepQuestion question_in(std::string_view bytes);
StepAnswer answer_in(std::string_view bytes);

// Whether a launch is the one specified by `wanted`.
bool is_wanted(const std::string& wanted, std::uint64_t number, const std::string& kernel);

}  // namespace cudalab::vgpu
