// Runs of a learner's kernel in the place of a lab's stage: case after case, without what should matter, and
// with what each of them did wrong.
#pragma once

#include <array>
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
#include "core/work_budget.h"
#include "course/check.h"
#include "lab/lab.h"

namespace cudalab::course {

// What a learner's kernel did in one case.
struct Trial {
  Case on;
  lab::Result result;  // of the learner's rows alone
  const lab::Row& first() const { return result.rows.front(); }
};

// What a criterion may ask to have mattered: the kernel is run without it.
struct Matter {
  ExerciseCriterion::Matter what;
  std::string (*silenced)(std::string_view ptx);  // all of it dropped
  // Those of its statements dropped for which `idle` is set, in their order.
  std::string (*with_idle)(std::string_view ptx, const std::vector<bool>& idle);
  std::size_t (*count)(std::string_view ptx);
  const char* counter;  // of what is asked
};
extern const std::array<Matter, 2> kMatters;

enum class Fault { kNone, kDoesNotCompile, kHazard, kStopped, kHost, kWrongResult };

Fault fault_of(const lab::Row& row);

class Trials {
 public:
  // The exercise's stage is run with this file. All must outlive the trials.
  Trials(const Exercise& exercise, const lab::Lab& lab, const std::filesystem::path& file,
         const CheckSettings& settings, const lab::Machine& machine);

  // Each case runs once, however often it is asked for.
  const Trial& on(const Case& options);

  // The worst that the kernel does in a case. It is run for that alone, without what pictures are made of.
  Fault worst_on(const Case& options);

  // The first row of a run that records how often the kernel accesses each element of its buffers.
  lab::Row run_with_uses(const Case& options) const;
  // These counts; empty if the kernel does not run.
  std::vector<BufferUse> uses_on(const Case& options) const;
  // The check of a run with marked inputs; empty if the lab has no random inputs.
  std::optional<lab::Check> check_of_marks(const Case& options, const lab::MarkedInputs& marks) const;

  // How many different texts the compiler was given.
  std::size_t compiled() const { return compiled_.size(); }

  // Whether the results are right, too, of a kernel that learns nothing from what should matter. What such a
  // kernel takes is nobody's.
  bool are_right_without(const Matter& matter, const Case& options) const;

  // Which of the kernel's statements of that kind change nothing, one after the other: with all of these the
  // results are right, too, of a kernel that leaves them out.
  const std::vector<bool>& idle_ones(const Matter& matter, const Case& options);

  // The kernel's rows where it leaves these statements out.
  lab::Result run_without(const Matter& matter, const std::vector<bool>& idle, const Case& options,
                          ProcessorBudget& budget) const;

 private:
  using Change = std::function<std::string(std::string_view ptx)>;

  compile::CompiledSource compiled_once(const compile::CompileRequest& request);
  lab::Result run_once(const Case& options, const lab::RunSettings& settings) const;
  std::vector<bool> find_idle(const Matter& matter, const Case& options) const;
  lab::Result run_changed(const Case& options, ProcessorBudget& budget, const Change& changed,
                          std::uint64_t seed) const;
  // With two different inputs: a wrong sum of a few thousand products is within the allowed error of the
  // right one about once in a thousand inputs.
  bool stays_right(const Case& options, ProcessorBudget& budget, const Change& changed) const;

  const lab::Lab& lab_;
  const std::function<compile::CompiledSource(const compile::CompileRequest&)> compile_;
  lab::Machine machine_;                                       // the one given, with what it has compiled
  std::map<std::string, compile::CompiledSource> compiled_{};  // by all that matters to the compiler
  lab::RunRequest request_;
  std::optional<ProcessorBudget> budget_;
  std::vector<std::unique_ptr<Trial>> trials_;
  std::vector<std::pair<Case, Fault>> worst_;
  std::deque<std::tuple<ExerciseCriterion::Matter, Case, std::vector<bool>>> idle_;  // find_idle of these
};

}  // namespace cudalab::course
