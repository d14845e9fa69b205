// Judges a whole program's run. compile/programs builds the program, and device/programs runs it.
#include "lab/running/program_runner.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "compile/clang/clang.h"
#include "compile/programs.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/measurement.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "core/work_budget.h"
#include "device/programs/program_names.h"
#include "device/programs/program_run.h"
#include "lab/running/runner.h"
#include "lab/verification/verification.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

namespace fs = std::filesystem;
using device::ProgramLog;
using device::ProgramOutcome;

constexpr int kSignals = 128;  // larger exit codes are 128 + signal
// The wall-clock limit per second of processor time: the machine may be busy.
constexpr double kWallSecondsPerSecond = 20;
// The processor time of each process of a stranger's program: a share of this process's own limit, which the
// grader sets.
constexpr double kStrangersSeconds = 8, kStrangersShare = 0.8;

// ---- building and running ----------------------------------------------------------------------------

bool is_strangers(const ProgramSource& source, const Machine& machine) {
  return source.is_users && !machine.strangers.empty();
}

double strangers_seconds() {
  rlimit own{};
  const bool is_limited = ::getrlimit(RLIMIT_CPU, &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? kStrangersShare * static_cast<double>(own.rlim_cur) : kStrangersSeconds;
}

void build(const ProgramSource& source, const compile::ProgramCompiler& compiler, const RunRequest& request,
           const Machine& machine, const fs::path& to) {
  compile::ProgramBuild build{
      .compiler = compiler, .runtime = device::runtime_library(), .libraries = device::further_libraries()};
  build.request.source = read_text(source.file);
  build.request.file_name = source.is_users ? source.name : source.file.string();
  build.request.compute_major = machine.device.info().compute_major;
  build.request.compute_minor = machine.device.info().compute_minor;
  build.is_strangers = is_strangers(source, machine);
  if (source.is_users) request.compiler.add_to(build.request);
  compile::build_program(build, to);
  if (build.is_strangers) hand_over(to.parent_path());
}

// The build of a stranger's program stays in Machine::strangers, keyed by its text; the sandbox owns its
// folder.
fs::path place_of(const ProgramSource& source, const Machine& machine, const fs::path& own) {
  if (!is_strangers(source, machine)) return own / source.file.stem();
  return machine.strangers / digest(read_text(source.file));
}

device::ProgramRequest request_for(const ProgramStage& stage, const ProgramSource& source,
                                   const fs::path& program, const compile::ProgramCompiler& compiler,
                                   const RunRequest& request, const Machine& machine) {
  device::ProgramRequest run;
  run.words = {program.string()};
  run.words.insert(run.words.end(), stage.arguments.begin(), stage.arguments.end());
  run.input = stage.input;
  run.is_strangers = is_strangers(source, machine);
  run.on_card = !machine.device.info().card;
  run.libraries = compiler.libraries();
  if (!run.on_card) run.card = machine.device.info().card->id;
  run.launch = request.settings.launch;
  run.launch.predict = true;
  run.seed = 2 * request.seed;
  if (request.settings.launch.budget) run.processor_seconds = request.settings.launch.budget->seconds();
  if (run.is_strangers) run.processor_seconds = strangers_seconds();
  run.timeout_seconds = (run.is_strangers ? 2 : kWallSecondsPerSecond) * run.processor_seconds;
  return run;
}

// ---- what it did ---------------------------------------------------------------------------------------

// The compiler got the file by its absolute path; messages use the user's name for it.
void call_by_name(SourceLine& where, const ProgramSource& source) {
  if (fs::path(where.file).filename() == source.file.filename()) where.file = source.name;
}

void call_by_name(std::shared_ptr<const Recording>& recorded, const ProgramSource& source) {
  if (!recorded) return;
  auto named = std::make_shared<Recording>(*recorded);
  for (LineRequests& line : named->lines) call_by_name(line.where, source);
  for (WarpPaths& warp : named->warps)
    for (PathStep& step : warp.steps) call_by_name(step.where, source);
  for (LineExchanges& line : named->exchanges) call_by_name(line.where, source);
  recorded = std::move(named);
}

void call_by_name(LaunchResult& launches, const ProgramSource& source) {
  call_by_name(launches.recording, source);
  for (LineAccess& access : launches.accesses) call_by_name(access.where, source);
  for (LineExecution& line : launches.executions) call_by_name(line.where, source);
  for (Hazard& hazard : launches.hazards) {
    call_by_name(hazard.where, source);
    if (hazard.other) call_by_name(*hazard.other, source);
  }
}

// A stranger's program reports its own source lines: no tool of ours runs on its files.
ProgramLog log_of(ProgramOutcome& outcome, const ProgramSource& source, bool is_strangers) {
  if (outcome.logs.empty()) return {};
  ProgramLog log = std::move(outcome.logs.front());
  if (!is_strangers) device::add_source_lines(log);
  for (device::ProgramKernel& kernel : log.kernels) call_by_name(kernel.result, source);
  for (device::ParameterUse& use : log.uses)
    for (BufferUse::Line& line : use.use.lines) call_by_name(line.where, source);
  for (TextureUse& texture : log.textures) call_by_name(texture.where, source);
  for (auto& [site, line] : log.lines) call_by_name(line, source);
  return log;
}

void record_kernels(const ProgramLog& log, Row& row) {
  LaunchResult total;
  for (const device::ProgramKernel& kernel : log.kernels) {
    add_launch(total, kernel.result);
    row.launches += kernel.launches;
  }
  row.simulation_ms = total.simulation_ms;
  row.prediction = total.prediction;
  row.counters = total.counters;
  row.accesses = total.accesses;
  row.executions = total.executions;
  row.recording = total.recording;
  row.hazards = total.hazards;
  row.printed = total.printed;
  if (log.kernels.empty()) return;
  const device::ProgramKernel& first = log.kernels.front();
  row.kernel = first.kernel;
  row.spec = first.spec;
}

// ---- what is wrong with it -----------------------------------------------------------------------------

SourceLine line_of(const ProgramLog& log, const CallSite& site) {
  return known_line(log, site).value_or(SourceLine());
}

std::optional<ProgramFault> fault_on_the_host(const ProgramLog& log) {
  // Warnings count like errors in grading; only notes do not.
  const auto first = std::ranges::find_if(log.mistakes, [](const HostMistake& mistake) {
    return device::severity_of(mistake) != Severity::kNote;
  });
  if (first != log.mistakes.end())
    return ProgramFault{ProgramFault::kMistake, first->kind, first->what, first->fix,
                        line_of(log, first->from)};
  for (const FailedCall& call : unchecked(log))
    if (call.is_launch)
      return ProgramFault{ProgramFault::kUncheckedLaunch,
                          {},
                          msg::launch_never_checked(call.call, call.why, call.error),
                          msg::advice_check_launches(),
                          line_of(log, call.from)};
  return std::nullopt;
}

// The last line that the program wrote to standard error.
std::string last_words(const std::string& errors) {
  const std::size_t end = errors.find_last_not_of(" \n"), begin = errors.rfind('\n', end);
  if (end == std::string::npos) return "";
  const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
  return errors.substr(from, end + 1 - from);
}

std::optional<ProgramFault> fault_of_end(const ProgramStage& stage, const ProgramPart& part) {
  const auto fault = [](Message what, Message fix) {
    return ProgramFault{ProgramFault::kEnd, {}, std::move(what), std::move(fix), {}};
  };
  const std::string words = last_words(part.errors);
  if (const std::optional<int> signal = device::signal_in(part.exit_code))
    return fault(words.empty() ? msg::program_ended_by_signal(*signal)
                               : msg::program_ended_by_signal_saying(*signal, words),
                 {});
  if (!stage.must_refuse && part.exit_code != 0) {
    Message what = words.empty() ? msg::program_ended_with_code(part.exit_code)
                                 : msg::program_ended_with_code_saying(part.exit_code, words);
    // A failed call explains more than its consequence.
    const bool has_failure = !part.log.failures.empty();
    return fault(std::move(what), has_failure ? msg::advice_failed_call() : msg::advice_end_with_0());
  }
  if (stage.must_refuse && part.exit_code == 0) {
    if (part.log.start && part.log.failures.empty())
      return fault(msg::program_avoided_refusal(), msg::advice_pass_block());
    ProgramFault ignored = fault(msg::program_ignored_refusal(), msg::advice_check_every_call());
    if (!part.log.failures.empty()) ignored.where = line_of(part.log, part.log.failures.front().from);
    return ignored;
  }
  if (stage.must_refuse && part.errors.empty())
    return fault(msg::program_silent_on_refusal(), msg::advice_print_error());
  return std::nullopt;
}

// What is wrong with its output; empty if nothing is.
Message judged_output(const ProgramStage& stage, const std::string& output, Row& row) {
  if (stage.must_refuse) return {};
  row.check = stage.check(output);
  row.check->digest = digest(output);
  return describe(*row.check);
}

void judge(const ProgramStage& stage, const ProgramOutcome& outcome, Row& row) {
  ProgramPart& part = *row.program;
  const auto fault = fault_of_end(stage, part);
  const Message wrong = judged_output(stage, outcome.output, row);
  part.wrong_outside = fault ? fault->what : wrong;
  part.fault = fault_on_the_host(part.log);
  if (!part.fault) part.fault = fault;
  if (!row.hazards.empty())
    fail(row, describe(row.hazards));
  else if (part.fault)
    fail(row, at_line(part.fault->where, part.fault->what));
  else if (!wrong.empty())
    fail(row, wrong);
  else
    row.verdict = Verdict::kPass;
}

// A program that takes too long is reported like a kernel that does.
Hazard too_long(const device::ProgramRequest& run, const ProgramLog& log) {
  Hazard hazard;
  hazard.kind = HazardKind::kStepLimit;
  hazard.kernel = log.running.empty() ? "main" : log.running;
  hazard.what = msg::program_too_long(run.processor_seconds, run.timeout_seconds);
  return hazard;
}

// ---- where its output comes from -----------------------------------------------------------------------

// The same lines, but not in the same order.
bool is_permuted(const std::string& output, const std::string& other) {
  if (output == other) return false;
  std::vector<std::string_view> lines = split(output, '\n'), others = split(other, '\n');
  std::ranges::sort(lines);
  std::ranges::sort(others);
  return lines == others;
}

// With fewer lines, results that change places may be equal by chance.
bool has_many_lines(const std::string& output) {
  constexpr std::ptrdiff_t kMany = 500;
  return std::ranges::count(output, '\n') >= kMany;
}

// Runs the program again while results of its kernels change places in memory. What the kernels computed is
// then printed in another order; what the host computed is not.
void judge_origin(const ProgramStage& stage, const ProgramSource& source, device::ProgramRequest run,
                  const std::string& output, std::uint64_t seed, Row& row) {
  if (!source.is_users || run.on_card || stage.must_refuse || !row.program->wrong_outside.empty() ||
      !has_many_lines(output))
    return;
  Message why = msg::output_without_launch();
  if (!row.program->log.kernels.empty()) {
    run.seed = seed | 1;
    run.launch.record = false;
    const ProgramOutcome again = device::run_watched(run);
    if (is_permuted(output, again.output)) return;
    why = msg::output_not_from_kernel();
  }
  fail(row, why);
  row.program->wrong_outside = std::move(why);
}

bool was_ended(const ProgramOutcome& outcome) {
  return outcome.is_timed_out || outcome.exit_code == kSignals + SIGXCPU;
}

bool run_built(const ProgramStage& stage, const ProgramSource& source, const device::ProgramRequest& run,
               std::uint64_t seed, Row& row) {
  ProgramOutcome outcome = device::run_watched(run);
  row.program = ProgramPart{outcome.exit_code,
                            outcome.errors,
                            outcome.output.size(),
                            log_of(outcome, source, run.is_strangers),
                            {},
                            {}};
  record_kernels(row.program->log, row);
  if (was_ended(outcome)) {
    Hazard hazard = too_long(run, row.program->log);
    if (run.is_strangers) throw OutOfTime(msg::program_out_of_time(hazard.what));
    row.hazards.push_back(std::move(hazard));
  }
  judge(stage, outcome, row);
  judge_origin(stage, source, run, outcome.output, seed, row);
  return std::ranges::any_of(row.hazards,
                             [](const Hazard& hazard) { return hazard.kind == HazardKind::kStepLimit; });
}

}  // namespace

bool run_program(const ProgramStage& stage, const ProgramSource& source, const RunRequest& request,
                 const Machine& machine, Row& row) {
  const auto compiler = compile::find_program_compiler(request.compiler.compiler);
  if (!compiler) {
    Message why = msg::program_needs_compiler(compile::kLeastClang);
    if (source.is_users) throw unavailable_error(msg::at_place(source.name, std::move(why)));
    row.reason = std::move(why);
    return false;
  }
  const TemporaryFolder own("cudalab-program-");
  const fs::path program = place_of(source, machine, own.path());
  try {
    if (!is_there(program)) build(source, *compiler, request, machine, program);
    return run_built(stage, source, request_for(stage, source, program, *compiler, request, machine),
                     2 * request.seed, row);
  } catch (const compile::CompileError& error) {
    fail(row, error.message());
    row.diagnosis = error.diagnosis();
  }
  return false;
}

}  // namespace cudalab::lab
