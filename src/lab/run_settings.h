// How something is run, whatever it is: where, watched for what, until when, how often, and who hears of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "device/device.h"
#include "vgpu/card.h"

namespace cudalab::lab {

struct RunSettings {
  device::DeviceChoice device = device::DeviceChoice::kAuto;
  std::optional<vgpu::Card> card{};              // that the virtual GPU stands for; empty: its usual one
  bool predict = true;                           // how long that card would take
  device::Checks checks = device::Checks::kAll;  // of the virtual GPU
  std::uint64_t max_steps = 0;                   // warp instructions of a launch; 0: the device's default
  ProcessorBudget* budget = nullptr;             // of the host, for all launches together; null: no end
  int repeat = 0;                                // timed samples; 0: until the spread is small
  bool record = false;                           // what single warps did, for pictures
  bool profiled = false;           // for a profiler: all once, neither timed nor beside a library
  bool for_debugger = false;       // kernels are compiled with -G: not optimised, variables have names
  device::Onlooker onlooker = {};  // of each launch on the virtual GPU; may be empty
  std::function<void(const std::string&)> progress;  // "compiling labs/transpose/3_padded.cu"; may be empty
  std::function<void(const std::string&)> remark;    // a sentence before a run that takes long; may be empty
};

}  // namespace cudalab::lab
