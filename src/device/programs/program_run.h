// Runs a program on the virtual GPU and receives records of what it does.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/programs/program_variant.h"
#include "device/programs/program_log.h"
#include "device/programs/program_stops.h"

namespace cudalab::device {

struct ProgramRequest {
  std::vector<std::string> words;  // the program and its arguments
  std::string card;                // id of a built-in card, or vgpu::text_of a card
  LaunchOptions launch;            // of each kernel; `record`: of its first launch
  std::uint64_t gpus = 1;
  double timeout_seconds = 0;  // 0: no limit
  bool each_launch = false;
  bool has_virtual_clock = false;     // the host's clocks advance by predicted times
  bool is_sample = false;             // run only some blocks of each launch, without checks
  bool on_card = false;               // run with NVIDIA's runtime, which sends no records
  std::filesystem::path libraries{};  // folder to search for that runtime; may be empty
  // Standard input. If it is set, the output is captured, the program ends with the caller, and it cannot
  // read the caller's terminal.
  std::optional<std::string> input{};
  double processor_seconds = 0;  // per process; 0: no limit
  // Odd: results of each launch change places (runtime/streams/results_exchange.h). Any other value means
  // nothing.
  std::uint64_t seed = 0;
  // An untrusted program. It runs in the sandbox (core/processes/child_pool.h), which contains the program's
  // folder, and requires `input`.
  bool is_strangers = false;
  // Receives progress messages about a kernel that runs longer than a second. An empty message means that the
  // kernel has ended. May be empty.
  std::function<void(const Message&)> progress{};
  // The first stop to show to `look`, if that is set.
  vgpu::StepUntil until{};
  ProgramOnlooker look{};
  std::function<ProgramWish()> wish{};  // polled while the program runs; may be empty
  DebuggerMeeting* meeting = nullptr;   // with a debugger, which looks at the program instead
  Debugger debugger{};
};

struct ProgramOutcome {
  int exit_code = 0;  // 128 + N if signal N ended it
  bool is_timed_out = false;
  bool is_seen = false;          // whether there was a stop
  std::string output, errors;    // captured output, if the request has an input
  std::vector<ProgramLog> logs;  // one per process that called CUDA
};

// Throws Error(kUsage), with advice, for a program that cannot run here, and Error(kUnavailable) if the
// runtime library is not installed.
ProgramOutcome run_watched(const ProgramRequest& request);

// A program that is started once and continued in variants, from the point where it first needs its device
// code: what its host code did until then is not repeated. Not in the sandbox; not thread-safe.
class ProgramVariants {
 public:
  // The request has an input. Throws Error(kUnavailable) if the program does not reach that point in this
  // time.
  ProgramVariants(const ProgramRequest& request, double seconds);
  ~ProgramVariants();
  ProgramVariants(const ProgramVariants&) = delete;
  ProgramVariants& operator=(const ProgramVariants&) = delete;

  // `variant.output` is chosen here. Throws Error(kUnavailable) if the program has ended.
  ProgramOutcome outcome(ProgramVariant variant);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The libraries of cudalab for programs on the virtual GPU, all in one folder. The runtime is the first.
inline constexpr std::array<std::string_view, 7> kProgramLibraries{
    "libcudart.so.13", "libcuda.so.1",   "libnvidia-ml.so.1", "libcublas.so.13",
    "libcurand.so.10", "libcufft.so.12", "libcusparse.so.12"};

// The path of the runtime.
std::filesystem::path runtime_library();
// The paths of the other libraries that are installed.
std::vector<std::filesystem::path> further_libraries();

}  // namespace cudalab::device
