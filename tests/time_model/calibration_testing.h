// The launches that the time model is calibrated with: what launches.txt says, and how it is compiled.
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

// Of launches.txt, say. Throws std::runtime_error that names the launch.
std::vector<CalibrationLaunch> calibration_launches(const std::string& list);

// Launches of one source with the same defines share it.
std::string ptx_name(const CalibrationLaunch& launch);
compile::CompiledSource compiled(const CalibrationLaunch& launch);

// The launch of `kernel`, without checks; `arguments` holds its buffers meanwhile.
device::Launch prepared(const CalibrationLaunch& wanted, const device::Kernel& kernel,
                        lab::BoundArguments& arguments);

// One line of expected/CARD/time_model.jsonl.
struct RecordedLaunch {
  std::string name;
  double cold_us = 0;  // measured, with nothing of its data in the L2
  int resident_blocks = 0;
  vgpu::LaunchFeatures features;
};
std::vector<RecordedLaunch> recorded_launches(const std::string& file);

}  // namespace cudalab::calibration
