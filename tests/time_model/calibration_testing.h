// The launches with which the time model is calibrated: reads lists such as launches.txt, and compiles their
// kernels.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "core/dim3.h"
#include "device/device.h"
#include "lab/any_kernel/bound_arguments.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::calibration {

struct CalibrationLaunch {
  std::string name, file, kernel;
  std::vector<std::pair<std::string, std::string>> defines;
  LaunchSpec spec;
  std::vector<std::string> arguments;  // as --arg of `cudalab run`
};

// Reads a list such as launches.txt. Throws std::runtime_error that names the launch.
std::vector<CalibrationLaunch> calibration_launches(const std::string& list);

// The file name of a launch's PTX. Launches of one source with the same defines share it.
std::string ptx_name(const CalibrationLaunch& launch);
compile::CompiledSource compiled(const CalibrationLaunch& launch);

// The launch of `kernel`, without checks. Its buffers live in `arguments`.
device::Launch prepared(const CalibrationLaunch& wanted, const device::Kernel& kernel,
                        lab::BoundArguments& arguments);

// One line of expected/CARD/time_model.jsonl.
struct RecordedLaunch {
  std::string name;
  double cold_us = 0;  // measured, with none of its data in L2
  int resident_blocks = 0;
  vgpu::LaunchFeatures features;
};
std::vector<RecordedLaunch> recorded_launches(const std::string& file);

}  // namespace cudalab::calibration
