// The messages between a program that has stopped at a launch and a process that inspects it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// Environment variables of the program: the path of the socket to connect to, and the launch to stop at, as
// its number (from 1) or the kernel's name.
inline constexpr const char *kStepVariable = "CUDALAB_STEP", *kStepLaunchVariable = "CUDALAB_STEP_LAUNCH";

// The program's first message: the launch at which it has stopped.
struct StepLaunch {
  std::string kernel, file;  // as in the source
  std::uint64_t number = 1;
  LaunchSpec spec;
};

struct StepQuestion {
  bool is_rehearsal = false;  // of the whole launch; else a trace
  TraceRequest trace;
};

struct StepAnswer {
  Message error;  // the reason if there is neither
  WarpTrace trace;
  LaunchResult result;  // of a rehearsal: its hazards, and whether it completed
};

std::string bytes_of(const StepLaunch& launch);
std::string bytes_of(const StepQuestion& question);
std::string bytes_of(const StepAnswer& answer);
// Throw Error(kUsage) if the bytes are no such message.
StepLaunch launch_in(std::string_view bytes);
StepQuestion question_in(std::string_view bytes);
StepAnswer answer_in(std::string_view bytes);

// Whether a launch is the one specified by `wanted`.
bool is_wanted(const std::string& wanted, std::uint64_t number, const std::string& kernel);

}  // namespace cudalab::vgpu
