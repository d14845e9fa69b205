// Runs a learner's kernel in place of a lab's stage: in each case, without statements that should matter, and
// with recorded accesses.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compile_kernels.h"
#include "core/access_history.h"
#include "core/work_budget.h"
#include "course/check.h"
#include "lab/lab.h"
#include "ptx/silence.h"
#include "vgpu/data_flow.h"
#include "vgpu/warp_trace.h"

namespace cudalab::course {

// A run of the learner's kernel in one case.
struct Trial {
  Case on;
  lab::Result result;  // only the learner's rows
  const lab::Row& first() const { return result.rows.front(); }
};

enum class Fault { kNone, kDoesNotCompile, kHazard, kStopped, kHost, kWrongResult };

Fault fault_of(const lab::Row& row);

// Whether the hazard is in a kernel of the lab that runs beside the learner's.
bool is_in_lab(const Hazard& hazard, const lab::Row& row);

class Trials {
 public:
  // Runs the exercise's stage with this file. All arguments must outlive the trials.
  Trials(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
         const CheckSettings& settings, const lab::Machine& machine);

  // The run of a case; each case runs only once.
  const Trial& on(const Case& options);

  // The most serious fault of the kernel in a case. Each case runs once, without recording data for pictures.
  Fault worst_on(const Case& options);

  // The first row of a run that records how often the kernel accesses each element of its buffers.
  lab::Row run_with_uses(const Case& options) const;
  // The access counts alone; empty if the kernel does not run.
  std::vector<BufferUse> uses_on(const Case& options) const;
  // Every access of a run, with its value; empty if the kernel does not run.
  AccessHistory history_on(const Case& options) const;
  // The instructions of one warp of the run's launch with this number, counted from 0; empty if there is
  // none.
  std::optional<vgpu::WarpTrace> trace_on(const Case& options, std::uint32_t launch,
                                          const vgpu::TraceRequest& wanted) const;
  // The check of a run with marked inputs; empty if the lab has no random inputs.
  std::optional<lab::Check> check_of_marks(const Case& options, const lab::MarkedInputs& marks) const;

  // The first row of a run for its result alone; empty if the kernel does not run to its end.
  std::optional<lab::Row> result_on(const Case& options) const;

  // The number of compilations.
  std::size_t compiled() const { return compiled_.size(); }

  // The run of the exercise's solution in a case.
  const Trial& of_solution(const Case& options);

  // Which share of the outputs of a case depends on the inputs only through these statements. The extra runs
  // do not count towards the check's budget.
  const vgpu::DataFlow& flow_on(ptx::Carriers carriers, const Case& options);

  // The learner's rows of a run without these statements, numbered as in ptx/silence.h.
  lab::Result run_without(ptx::Carriers carriers, const std::vector<bool>& idle, const Case& options) const;

 private:
  compile::CompiledSource compiled_once(const compile::CompileRequest& request);
  lab::Result run_once(const Case& options, const lab::RunSettings& settings,
                       std::uint64_t steps = kStepsOfACheck) const;
  vgpu::DataFlow find_flow(ptx::Carriers carriers, const Case& options) const;

  const lab::Lab& lab_;
  const std::function<compile::CompiledSource(const compile::CompileRequest&)> compile_;
  lab::Machine machine_;  // the given machine, with compile_ replaced by compiled_once()
  // Compiled code, by everything that affects the compiler's output.
  std::map<std::string, compile::CompiledSource> compiled_{};
  lab::RunRequest request_;
  std::optional<ProcessorBudget> budget_;
  std::vector<std::unique_ptr<Trial>> trials_;
  std::vector<std::pair<Case, Fault>> worst_;
  struct FoundFlow {
    ptx::Carriers carriers;
    Case on;
    vgpu::DataFlow flow;
  };
  std::deque<FoundFlow> flows_;
  std::function<std::unique_ptr<Trials>()> make_solution_;
  std::unique_ptr<Trials> solution_;
};

}  // namespace cudalab::course
