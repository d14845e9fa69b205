// Runs a program on the virtual GPU and listens to what it does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/kernel_launch.h"
#include "device/programs/program_log.h"

namespace cudalab::device {

// Sees a launch, and which of the program's it is, counted from 1.
using ProgramOnlooker = std::function<void(LaunchView&, std::uint64_t)>;

struct ProgramRequest {
  std::vector<std::string> words;  // the program and its arguments
  std::string card;                // a built-in one's name, or vgpu::text_of a card
  std::string checks = "all";
  bool predict = true;
  bool record = false;  // what single warps of each kernel's first launch did
  std::uint64_t max_steps = 0, gpus = 1;
  double timeout_seconds = 0;  // 0: none
  bool each_launch = false;
  bool on_card = false;               // with NVIDIA's runtime, which tells nothing
  std::filesystem::path libraries{};  // a folder that is searched for that runtime; may be empty
  // What it reads from its standard input; then what it writes is kept, too, and it may neither outlive the
  // caller nor read its terminal.
  std::optional<std::string> input{};
  double processor_seconds = 0;  // of each of its processes; 0: any
  // A stranger's program: it runs in the sandbox (core/processes/child_pool.h), which sees the folder that it
  // stands in, and has to have an input.
  bool is_strangers = false;
  // Hears what a program of this terminal is busy with, once that takes longer than a second; may be empty.
  // An empty text: with nothing of that kind any more.
  std::function<void(const std::string&)> progress{};
  // The launch that `look` is shown, by its number or its kernel's name: then the program is at its end.
  std::string look_into{};
  ProgramOnlooker look{};
};

struct ProgramOutcome {
  int exit_code = 0;  // 128 + N where signal N ended it
  bool is_timed_out = false;
  bool is_seen = false;          // there was a launch to look into
  std::string output, errors;    // what it wrote, where the request holds an input
  std::vector<ProgramLog> logs;  // a process each, of those that called CUDA
};

// Throws Error(kUsage) for what is no program that can run here (with what to do), Error(kUnavailable) where
// the runtime is not installed.
ProgramOutcome run_watched(const ProgramRequest& request);

// The library that programs are run with.
std::filesystem::path runtime_library();

}  // namespace cudalab::device
