// Runs a learner's kernel in place of a lab's stage: in each case, without operations that should matter, and
// with recorded accesses.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compile/compile_kernels.h"
#include "core/access_history.h"
#include "core/work_budget.h"
#include "course/check.h"
#include "lab/lab.h"
#include "vgpu/warp_trace.h"

namespace cudalab::course {

// A run of the learner's kernel in one case.
struct Trial {
  Case on;
  lab::Result result;  // only the learner's rows
  const lab::Row& first() const { return result.rows.front(); }
};

// A kind of operation that a criterion may require to affect the results, and how to remove it from PTX.
struct Matter {
  ExerciseCriterion::Matter what;
  std::string (*silenced)(std::string_view ptx);  // removes all of them
  // Removes those for which `idle` is set; they are numbered in program order.
  std::string (*with_idle)(std::string_view ptx, const std::vector<bool>& idle);
  std::size_t (*count)(std::string_view ptx);
  const char* counter;  // the counter that counts them
};
extern const std::array<Matter, 2> kMatters;

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

  // Whether the results are still correct without all operations of this kind. The extra runs do not count
  // towards the check's budget.
  bool are_right_without(const Matter& matter, const Case& options) const;

  // For each operation of this kind: whether it has no effect, because the results stay correct without all
  // the operations that are marked so. The operations are tested one after the other.
  const std::vector<bool>& idle_ones(const Matter& matter, const Case& options);

  // The learner's rows of a run without these operations.
  lab::Result run_without(const Matter& matter, const std::vector<bool>& idle, const Case& options,
                          ProcessorBudget& budget) const;

 private:
  using Change = std::function<std::string(std::string_view ptx)>;

  compile::CompiledSource compiled_once(const compile::CompileRequest& request);
  lab::Result run_once(const Case& options, const lab::RunSettings& settings) const;
  std::vector<bool> find_idle(const Matter& matter, const Case& options) const;
  lab::Result run_changed(const Case& options, ProcessorBudget& budget, const Change& changed,
                          std::uint64_t seed) const;
  // Tests two different inputs, because a wrong sum of a few thousand products is within the allowed error
  // for about one input in a thousand.
  bool stays_right(const Case& options, ProcessorBudget& budget, const Change& changed) const;

  const lab::Lab& lab_;
  const std::function<compile::CompiledSource(const compile::CompileRequest&)> compile_;
  lab::Machine machine_;  // the given machine, with compile_ replaced by compiled_once()
  // Compiled code, by everything that affects the compiler's output.
  std::map<std::string, compile::CompiledSource> compiled_{};
  lab::RunRequest request_;
  std::optional<ProcessorBudget> budget_;
  std::vector<std::unique_ptr<Trial>> trials_;
  std::vector<std::pair<Case, Fault>> worst_;
  // Results of find_idle().
  std::deque<std::tuple<ExerciseCriterion::Matter, Case, std::vector<bool>>> idle_;
};

}  // namespace cudalab::course
