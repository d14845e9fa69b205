// `--profile`: this command once more under Nsight Compute.
#include "cli/profile.h"

#include <fstream>

#include "core/error.h"
#include "core/processes/this_process.h"
#include "device/cuda/profiler.h"
#include "lab/running/summary.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

// The words of this process's command line, with --profiled for --profile. What it prints is not looked at,
// and no file is written twice.
std::vector<std::string> command_to_profile() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    if (word.starts_with("--json=")) continue;
    words.push_back(word == "--profile" ? kProfiled : word);
  }
  if (words.empty()) throw unavailable_error(msg::profile_needs_proc());
  words.front() = this_program().string();
  return words;
}

}  // namespace

void add_own_counters(lab::Result& result, const Console& console) {
  if (result.device_kind == "virtual" || result.verdict == lab::Verdict::kFail) return;
  console.show_progress("running again under Nsight Compute");
  lab::add_profile(result, device::profile(command_to_profile()));
}

}  // namespace cudalab::cli
