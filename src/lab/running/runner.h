// Runs one CPU version or one stage at a time: poison, run, download, check, time, check again.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "core/work_budget.h"
#include "lab/arrays.h"
#include "lab/host.h"
#include "lab/lab.h"
#include "lab/running/source_facts.h"
#include "lab/running/stage_gpu.h"
#include "lab/stage.h"

namespace cudalab::lab {

using Arrays = std::vector<std::unique_ptr<Array>>;
using CheckFunction = std::function<Check()>;

// The text of a kernel file and its name in messages.
struct Source {
  std::string text, name;
  bool is_users = false;
  std::string replaced{};  // for a user's file: the text of the lab's own file that it replaces; may be empty
};

// "3_padded.cu:12: reads 4 bytes …"; only `what` if no file is known.
Message at_line(const SourceLine& where, Message what);

// "3_padded.cu:12: reads 4 bytes … (and 2 more)"
Message describe(const std::vector<Hazard>& hazards);

// Sets the row's verdict and reason.
void fail(Row& row, Message reason);

// The timing plan for launches on a device that measures time.
device::TimingPlan device_plan(const RunSettings& settings);

class Runner {
 public:
  // `takes_samples`: the lab declares a size at which results are checked if only a sample of the blocks
  // runs.
  Runner(const RunRequest& request, const Machine& machine, const Arrays& arrays, bool takes_samples)
      : request_(request), machine_(machine), arrays_(arrays), takes_samples_(takes_samples) {}

  // Fills the row's verdict, check and time.
  void run_cpu(const std::function<void()>& work, const CheckFunction& check, Row& row);
  // The same for a stage, with counters and hazards. Errors of the stage become row.reason; errors of the
  // machine (Error other than kUsage) are thrown.
  void run_stage(const KernelStage& stage, const Source& source, const CheckFunction& check, Row& row);

  void progress(const Message& what) const;
  // Warns the user that `work` will take long, if it will.
  void announce(const Argument& work, double seconds);
  // The number of stages left, the next one included, to estimate the time of the whole run.
  void expect_stages(std::size_t left) { stages_left_ = left; }

  // Whether a step or time limit has ended a stage.
  bool stopped() const { return stopped_; }

 private:
  struct Loaded {
    std::unique_ptr<device::Program> program;
    compile::Compiler made_by{};
    std::vector<compile::Diagnosis> warnings;
  };

  void compile_and_run(const KernelStage& stage, const Source& source, const CheckFunction& check, Row& row);
  void check_and_time(const KernelStage& stage, const Source& source, const StageGpu::Setup& setup,
                      const CheckFunction& check, Row& row);
  void choose_blocks(const KernelStage& stage, const Source& source, StageGpu::Setup& setup) const;
  void run_once(const KernelStage& stage, const StageGpu::Setup& setup, Row& row);
  void confirm_races(const KernelStage& stage, const Source& source, StageGpu::Setup setup, Row& row);
  static void consult(const KernelStage& stage, const Source& source, Row& row);
  void count_wrong_elements(const CheckFunction& check, Row& row);
  void time(const KernelStage& stage, StageGpu::Setup setup, Row& row);
  static Macros macros_of(const KernelStage& stage);
  enum class Build { kAsAsked, kAsItStands };  // kAsItStands: unoptimised, regardless of the request
  const Loaded& load(const KernelStage& stage, const Source& source, Build build = Build::kAsAsked);
  std::optional<TimeSummary> transfer_time();
  void prepare_arrays();
  void poison_host();
  void download_outputs();
  void add_pattern_of_inputs(Check& check) const;
  void verify(const CheckFunction& check, Row& row) const;
  void verify_again(const CheckFunction& check, Row& row) const;
  std::string digest_of_outputs() const;
  void announce_stage(const std::string& name, double gone_seconds, double seconds);

  const RunRequest& request_;
  const Machine& machine_;
  const Arrays& arrays_;
  bool takes_samples_;
  std::map<std::string, Loaded> programs_;  // keyed by everything they were compiled from
  Forewarning warning_{request_.settings.remark};
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t stages_left_ = 1;
  bool stopped_ = false;
  std::string lost_in_;                                    // the stage that made the device unusable
  bool inputs_suspect_ = false;                            // an earlier run may have overwritten the inputs
  std::optional<std::optional<TimeSummary>> transfer_ms_;  // measured once
};

}  // namespace cudalab::lab
