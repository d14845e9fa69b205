// Runs the program with each variant's PTX in place of its own.
#include "course/repair/program_repair.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compile/compile_kernels.h"
#include "compile/sources/source_parts.h"
#include "core/files.h"
#include "core/text.h"
#include "course/own_verdict.h"
#include "course/repair/edit_search.h"

namespace cudalab::course {
namespace {

using device::ProgramLog;
using device::ProgramOutcome;
using device::ProgramRequest;

constexpr double kLongestRun = 2;  // in seconds: of a longer one, too few variants could be tried
// Limits of a variant: multiples of what the program took.
constexpr double kTimesTheRun = 4, kShortRun = 0.5;
constexpr std::uint64_t kTimesTheSteps = 16, kFewProgramSteps = 100'000, kStepsAfterAFault = 20'000'000;

// Functions and types with which host code changes files or starts other programs.
constexpr std::array<std::string_view, 14> kChanging{"fopen", "freopen", "ofstream", "fstream",   "open",
                                                     "creat", "remove",  "rename",   "unlink",    "mkdir",
                                                     "popen", "system",  "fork",     "filesystem"};

bool changes_files(std::string_view source) {
  return std::ranges::any_of(compile::tokens_of(source), [](const compile::SourceToken& token) {
    return token.kind == compile::TokenKind::kWord &&
           std::ranges::find(kChanging, token.text) != kChanging.end();
  });
}

// For any text of the device code.
compile::CompileRequest device_request(const FailedProgram& failed) {
  compile::CompileRequest request = failed.build.request;
  request.is_interpreted = request.is_quick = true;
  std::vector<std::string>& names = request.name_expressions;
  for (const device::ProgramKernel& kernel : failed.log.kernels)
    if (kernel.library.empty() && std::ranges::find(names, kernel.kernel) == names.end())
      names.push_back(kernel.kernel);
  // Kernels that a fault kept from being launched.
  const std::vector<compile::KernelDeclaration> declared = compile::device_code_of(request).kernels;
  for (const compile::KernelDeclaration& kernel : declared)
    if (kernel.template_parameters.empty() && std::ranges::find(names, kernel.name) == names.end() &&
        std::ranges::count(declared, kernel.name, &compile::KernelDeclaration::name) == 1)
      names.push_back(kernel.name);
  return request;
}

std::uint64_t steps_of(const ProgramLog& log) {
  double most = 0;
  for (const device::ProgramKernel& kernel : log.kernels)
    if (!kernel.result.completed)
      most = std::max(most, static_cast<double>(kStepsAfterAFault / kTimesTheSteps));
    else if (kernel.result.counters)
      most = std::max(most, kernel.result.counters->value_or_zero(Counter::kWarpInstructions));
  return static_cast<std::uint64_t>(most);
}

// Replaces a symbol, but not where it begins a longer one.
std::string renamed(const std::string& ptx, const std::string& symbol, const std::string& name) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = ptx.find(symbol); at != std::string::npos; at = ptx.find(symbol, done)) {
    const std::size_t end = at + symbol.size();
    const bool is_longer = end < ptx.size() && (is_word(ptx[end]) || ptx[end] == '$');
    text.append(ptx, done, at - done).append(is_longer ? symbol : name);
    done = end;
  }
  return text.append(ptx, done);
}

// The variant's PTX, with its kernels called as in the program.
std::string with_names_of(const compile::CompiledSource& program, const compile::CompiledSource& variant) {
  std::string ptx = variant.ptx;
  for (const auto& [name, symbol] : variant.lowered_names)
    if (const auto wanted = program.lowered_names.find(name); wanted != program.lowered_names.end())
      ptx = renamed(ptx, symbol, wanted->second);
  return ptx;
}

}  // namespace

bool is_searched(const FailedProgram& failed, const RepairSettings& search) {
  return search.limit.count() > 0 && failed.build.others.empty() && failed.seconds < kLongestRun &&
         !changes_files(failed.build.request.source);
}

bool is_success(const FailedProgram& failed, const ProgramOutcome& outcome) {
  return outcome.exit_code == 0 && !outcome.is_timed_out && outcome.logs.size() == 1 &&
         !device::has_errors(outcome.logs.front()) && outcome.logs.front().nans <= failed.log.nans &&
         !complaint_in(outcome.output);
}

ProgramRequest quick_run(const FailedProgram& failed) {
  ProgramRequest run = failed.run;
  run.input = "";
  run.progress = {};
  run.each_launch = false;
  run.launch.predict = run.launch.record = run.launch.record_uses = false;
  return run;
}

ProgramVariant variant_of(const FailedProgram& failed, std::string device_code) {
  return {.device_code = std::move(device_code),
          .max_steps = kFewProgramSteps + kTimesTheSteps * steps_of(failed.log),
          .seconds = std::max(kShortRun, kTimesTheRun * failed.seconds)};
}

RepairedText repaired_text(const compile::ProgramBuild& build) {
  const compile::DeviceCode code = compile::device_code_of(build.request);
  return {code.text.substr(0, code.begin), code.text.substr(code.begin)};
}

std::optional<Repair> find_repair(const FailedProgram& failed, const RepairSettings& search) try {
  if (!is_searched(failed, search)) return std::nullopt;
  const RepairedText code = repaired_text(failed.build);
  compile::CompileRequest request = device_request(failed);
  request.source = code.before + code.text;
  const ProgramRequest run = quick_run(failed);
  EditSearch edits(request.file_name, code.text, search);
  const compile::CompiledSource program = compile::compile_kernels(request);
  // Otherwise, something else than the device code decides.
  const ProgramOutcome again =
      device::ProgramVariants(run, kLongestRun).outcome(variant_of(failed, program.ptx));
  if (again.exit_code != failed.log.exit_code || is_success(failed, again)) return std::nullopt;
  return edits.run([&]() -> EditSearch::Try {
    const auto variants = std::make_shared<device::ProgramVariants>(run, kLongestRun);
    return [&, variants](std::size_t number) {
      compile::CompileRequest edited = request;
      edited.source = code.before + edits.variant(number);
      return is_success(failed, variants->outcome(variant_of(
                                    failed, with_names_of(program, edits.compiled(number, edited)))));
    };
  });
} catch (const Error&) {
  return std::nullopt;  // the kernels alone do not compile, or the program cannot run so
}

}  // namespace cudalab::course
