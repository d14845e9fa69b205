// What passes between a program that has come to a launch and who looks into it from another process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

// In the environment of the program: where it is waited for, and the launch that it stops at: its number,
// counted from 1, or the kernel's name.
inline constexpr const char *kStepVariable = "CUDALAB_STEP", *kStepLaunchVariable = "CUDALAB_STEP_LAUNCH";

// The program says first where it stands.
struct StepLaunch {
  std::string kernel, file;  // as the source spells them
  std::uint64_t number = 1;
  LaunchSpec spec;
};

struct StepQuestion {
  bool is_rehearsal = false;  // of the whole launch; else a trace
  TraceRequest trace;
};

struct StepAnswer {
  Message error;  // why there is neither
  WarpTrace trace;
  LaunchResult result;  // of a rehearsal: its hazards, and whether it came to its end
};

std::string bytes_of(const StepLaunch& launch);
std::string bytes_of(const StepQuestion& question);
std::string bytes_of(const StepAnswer& answer);
// Throw Error(kUsage) for bytes that are nothing of this kind.
StepLaunch launch_in(std::string_view bytes);
StepQuestion question_in(std::string_view bytes);
StepAnswer answer_in(std::string_view bytes);

// Whether a launch is the one that the text means.
bool is_wanted(const std::string& wanted, std::uint64_t number, const std::string& kernel);

}  // namespace cudalab::vgpu
