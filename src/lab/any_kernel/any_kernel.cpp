// Runs one kernel of any .cu file: reads and compiles the file, checks the arguments, launches, downloads the
// buffers.
#include "lab/any_kernel/any_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compile/compile_kernels.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "lab/any_kernel/bound_arguments.h"
#include "lab/any_kernel/kernel_file.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "lab/running/runner.h"
#include "lab/running/source_facts.h"
#include "lab/running/summary.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

using compile::KernelDeclaration;

void require_no_template(const std::string& name, const compile::DeviceCode& code) {
  for (const KernelDeclaration& declaration : code.kernels)
    if (declaration.name == name && !declaration.template_parameters.empty())
      throw usage_error(msg::kernel_is_template(name, signature(declaration), example_instance(declaration)));
}

// ---- arguments ---------------------------------------------------------------------------------------

void require_memory(const KernelRequest& request, const Machine& machine) {
  const device::DeviceInfo& device = machine.device.info();
  double bytes = 0;
  for (const ArgumentSpec& argument : request.arguments) bytes += bytes_of_memory(argument);
  for (const auto& [name, spec] : request.symbols) bytes += bytes_of_memory(spec);
  const double host =
      bytes *
      (2 + static_cast<double>(device.host_bytes_per_byte));  // the contents before and after the launch
  if (bytes > static_cast<double>(device.memory_bytes) ||
      host > static_cast<double>(machine.host.available_bytes))
    throw unavailable_error(
        msg::buffers_too_large(bytes / 1e9, static_cast<double>(device.memory_bytes) / 1e9,
                               static_cast<double>(machine.host.available_bytes) / 1e9, host / 1e9));
}

BoundArguments make_arguments(const KernelRequest& request, const device::Program& program,
                              const std::vector<std::string>& names, const Machine& machine) {
  require_memory(request, machine);
  BoundArguments bound(machine.device);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) bound.add(request.arguments[i], names[i]);
  for (const auto& [name, spec] : request.symbols) {
    const auto [address, bytes] = program.variable(name);
    bound.add_variable(spec, name, address, bytes);
  }
  return bound;
}

// The elements that --print or --dump names by parameter, variable or position.
const BoundElements& elements_named(const std::string& name, const BoundArguments& bound,
                                    const char* option) {
  Argument::List known;
  for (const BoundElements& one : bound.elements()) {
    if (one.name == name || (!one.position.empty() && one.position == name)) return one;
    known.emplace_back(one.position.empty() ? one.name : fmt::format("{} ({})", one.name, one.position));
  }
  throw usage_error(msg::buffer_unknown(
      option, name, known.empty() ? Argument(msg::word_none()) : Argument(std::move(known))));
}

void require_in_range(const PrintRange& range, const ArgumentSpec& spec) {
  if (range.first >= spec.count)
    throw usage_error(msg::print_beyond_end(range.argument, range.first, spec.count - 1));
}

// ---- the result --------------------------------------------------------------------------------------

// The place of the compiler in the list of options, after `file` and `kernel`. Which compiler was used is
// known only after compilation.
constexpr std::ptrdiff_t kBehindKernel = 2;

std::string shape_text(const Dim3& shape) { return fmt::format("{},{},{}", shape.x, shape.y, shape.z); }

std::vector<std::pair<std::string, OptionValue>> options_of(const KernelRequest& request) {
  const LaunchSpec& spec = request.spec;
  std::vector<std::pair<std::string, OptionValue>> options{{"file", request.file},
                                                           {"kernel", request.kernel},
                                                           {"grid", shape_text(spec.grid)},
                                                           {"block", shape_text(spec.block)}};
  for (std::size_t i = 0; i < request.others.size(); ++i)
    options.emplace_back(fmt::format("file_{}", i + 2), request.others[i]);
  if (spec.cluster.volume() > 0) options.emplace_back("cluster", shape_text(spec.cluster));
  if (spec.dynamic_shared_bytes)
    options.emplace_back("shared", static_cast<std::int64_t>(spec.dynamic_shared_bytes));
  for (const auto& [name, value] : request.defines) options.emplace_back("define_" + name, value);
  for (std::size_t i = 0; i < request.compiler.include_directories.size(); ++i)
    options.emplace_back(fmt::format("include_{}", i + 1), request.compiler.include_directories[i]);
  if (!request.compiler.standard.empty()) options.emplace_back("std", request.compiler.standard);
  for (std::size_t i = 0; i < request.compiler_options.size(); ++i)
    options.emplace_back(fmt::format("option_{}", i + 1), request.compiler_options[i]);
  for (std::size_t i = 0; i < request.arguments.size(); ++i)
    options.emplace_back(fmt::format("arg_{}", i + 1), request.arguments[i].text);
  for (const auto& [name, spec] : request.symbols) options.emplace_back("symbol_" + name, spec.text);
  return options;
}

Result describe_run(const KernelRequest& request, const Machine& machine) {
  Result result = result_on(machine);
  result.lab = "run";
  result.options = options_of(request);
  return result;
}

// The kernel's row without its hazards, which share_hazards adds.
Row run_of(const KernelRequest& request, const device::Kernel& kernel, const std::string& source,
           LaunchResult& launched) {
  Row row;
  row.name = row.kernel = kernel.name;
  row.kind = RowKind::kKernel;
  row.source = request.file;
  row.source_hash = digest(source);
  row.spec = request.spec;
  row.launches = 1;
  row.verdict = Verdict::kPass;
  row.simulation_ms = launched.simulation_ms;
  row.prediction = launched.prediction;
  row.counters = launched.counters;
  row.accesses = std::move(launched.accesses);
  row.executions = std::move(launched.executions);
  row.recording = std::move(launched.recording);
  row.printed = std::move(launched.printed);
  return row;
}

Message note_on_verdict(const KernelRequest& request, const device::DeviceInfo& device) {
  if (!device.counts) return msg::note_ran_to_end_on_gpu();
  if (request.settings.launch.checks != Checks::kAll) return msg::note_ran_without_checks();
  return msg::note_ran_clean();
}

std::optional<TimeSummary> time(const KernelRequest& request, const device::Launch& launch,
                                const BoundArguments& bound, device::Device& device) {
  if (!device.info().measures_time || request.settings.profiled) return std::nullopt;
  progress(request, msg::progress_timing(launch.kernel->name));
  bound.fill();
  return device.time_launch(launch, device_plan(request.settings));
}

void bring_back(const KernelRequest& request, const BoundArguments& bound, KernelOutcome& outcome) {
  for (const BoundElements& one : bound.elements())
    outcome.result.notes.push_back(note_on(one, bound.read(one)));
  for (const PrintRange& range : request.prints) {
    const BoundElements& one = elements_named(range.argument, bound, "--print");
    outcome.result.figures.push_back(print_of(range, one, bound.read(one)));
  }
  for (const std::string& name : request.dumps) {
    const BoundElements& one = elements_named(name, bound, "--dump");
    outcome.dumps.push_back({one.spec.type, bound.read(one)});
  }
}

// A row for each kernel that the kernel launched, with its own hazards.
void add_children(LaunchResult& launched, const Row& parent, KernelOutcome& outcome) {
  for (ChildLaunch& child : launched.children) {
    Row row = parent;
    row.kernel = child.kernel;
    row.name =
        fmt::format("{}, launched {} time{}", child.kernel, child.launches, child.launches == 1 ? "" : "s");
    row.spec = child.spec;
    row.launches = child.launches;
    row.simulation_ms = child.result.simulation_ms;
    row.prediction = child.result.prediction;
    row.counters = child.result.counters;
    row.accesses = std::move(child.result.accesses);
    row.executions = std::move(child.result.executions);
    row.recording = std::move(child.result.recording);
    row.printed.clear();
    outcome.result.rows.push_back(std::move(row));
  }
}

// Adds each hazard to the row of its kernel.
void share_hazards(std::vector<Hazard> hazards, Result& result) {
  for (Hazard& hazard : hazards) {
    const auto its = std::find_if(result.rows.begin(), result.rows.end(),
                                  [&](const Row& row) { return row.kernel == hazard.kernel; });
    (its == result.rows.end() ? result.rows.front() : *its).hazards.push_back(std::move(hazard));
  }
  for (Row& row : result.rows) {
    if (row.hazards.empty()) continue;
    row.verdict = Verdict::kFail;
    row.reason = describe(row.hazards);
  }
}

// ---- races that the compiler may have made -----------------------------------------------------------

// The hazards of the same launch without optimisation; empty if that build is not available or the launch
// does not complete.
std::optional<std::vector<Hazard>> hazards_as_it_stands(const KernelRequest& request, device::Launch launch,
                                                        const std::vector<std::string>& names,
                                                        const Machine& machine, const std::string& source) {
  compile::CompileRequest compile = compile_request(request, source, machine.device.info());
  compile.source = source_as_it_stands(compile.source, request.file);
  compile.options.emplace_back(compile::kForDebugger);
  compile.wants_resources = false;
  try {
    const Loaded loaded = load(request, compile, machine);
    const BoundArguments bound = make_arguments(request, *loaded.program, names, machine);
    launch.kernel = &loaded.program->kernel(request.kernel);
    launch.arguments = bound.arguments();
    launch.options.predict = launch.options.record = false;
    launch.options.pace = nullptr;
    launch.onlooker = nullptr;
    bound.fill();
    progress(request, msg::progress_own_races_again());
    LaunchResult again = machine.device.launch(launch);
    if (!again.completed) return std::nullopt;
    return std::move(again.hazards);
  } catch (const Error&) {  // the race stays as it was found
    return std::nullopt;
  }
}

Message note_on_unconfirmed(const Hazard& race) {
  return msg::note_race_of_compiler(
      race.buffer.empty() ? Argument(msg::word_memory()) : Argument(Code{race.buffer}), race.where.line);
}

void leave_out_unconfirmed(const KernelRequest& request, const device::Launch& launch,
                           const std::vector<std::string>& names, const Machine& machine,
                           LaunchResult& launched, KernelOutcome& outcome) {
  if (request.settings.for_debugger || !launched.completed || !want_confirmation(launched.hazards)) return;
  const auto again = hazards_as_it_stands(request, launch, names, machine, outcome.source);
  if (!again) return;
  for (const Hazard& race : take_unconfirmed(launched.hazards, *again))
    outcome.result.notes.push_back(note_on_unconfirmed(race));
}

void launch(const KernelRequest& request, const device::Kernel& kernel, const BoundArguments& bound,
            const std::vector<std::string>& names, const Machine& machine, KernelOutcome& outcome) {
  Forewarning warning(request.settings.remark);
  Pace pace([&](double seconds) { warning.expect(kernel.name, seconds, msg::advice_smaller_grid()); });
  LaunchOptions options = request.settings.launch;
  options.pace = warning.is_heard() ? &pace : nullptr;
  const device::Launch launch{.kernel = &kernel,
                              .spec = request.spec,
                              .arguments = bound.arguments(),
                              .options = options,
                              .onlooker = request.settings.onlooker ? &request.settings.onlooker : nullptr};
  if (request.settings.launch.most_blocks > 0 && !machine.device.info().counts)
    throw usage_error(msg::blocks_needs_virtual());
  bound.fill();
  progress(request, msg::progress_running(kernel.name));
  LaunchResult launched = machine.device.launch(launch);
  leave_out_unconfirmed(request, launch, names, machine, launched, outcome);
  Result& result = outcome.result;
  explain_by_source(launched.hazards, request.file, outcome.source, request.defines);
  result.verdict = launched.completed && launched.hazards.empty() ? Verdict::kPass : Verdict::kFail;
  result.rows.push_back(run_of(request, kernel, outcome.source, launched));
  add_children(launched, Row(result.rows.front()), outcome);
  for (const Hazard& hazard : launched.hazards) result.stopped |= hazard.kind == HazardKind::kStepLimit;
  share_hazards(std::move(launched.hazards), result);
  if (result.verdict == Verdict::kPass)
    result.notes.push_back(note_on_verdict(request, machine.device.info()));
  if (!machine.device.is_lost())
    bring_back(request, bound, outcome);
  else
    result.notes.push_back(msg::note_gpu_lost());
  if (result.verdict == Verdict::kPass)
    result.rows.front().time_ms = time(request, launch, bound, machine.device);
}

}  // namespace

KernelOutcome run_kernel(const KernelRequest& request, const Machine& machine) {
  KernelOutcome outcome{describe_run(request, machine), {}, read_text(request.file), 0, 0};
  const compile::CompileRequest compile = compile_request(request, outcome.source, machine.device.info());
  const compile::DeviceCode code = compile::device_code_of(compile);
  require_no_template(request.kernel, code);
  const Loaded loaded = load(request, compile, machine);
  outcome.result.options.insert(outcome.result.options.begin() + kBehindKernel,
                                {"compiler", loaded.compiler});
  require_compiled(request.file, request.kernel, outcome.source, code, *loaded.program);
  const device::Kernel& kernel = loaded.program->kernel(request.kernel);
  const KernelDeclaration* declaration = declaration_of(code.kernels, kernel);
  require_fit(kernel, parameter_texts(kernel, declaration), request.arguments);
  if (declaration) outcome.first_line = declaration->line, outcome.last_line = declaration->last_line;
  const std::vector<std::string> names = argument_names(kernel.parameters.size(), declaration);
  const BoundArguments bound = make_arguments(request, *loaded.program, names, machine);
  for (const PrintRange& range : request.prints)
    require_in_range(range, elements_named(range.argument, bound, "--print").spec);
  for (const std::string& name : request.dumps) elements_named(name, bound, "--dump");
  launch(request, kernel, bound, names, machine, outcome);
  for (Row& row : outcome.result.rows) {
    row.compiler = loaded.compiler;
    if (row.verdict == Verdict::kFail) row.warnings = loaded.warnings;
  }
  return outcome;
}

KernelOutcome run_kernel(const KernelRequest& request) {
  read_text(request.file);  // report a wrong path at once
  const std::unique_ptr<device::Device> device =
      device::open_device(request.settings.device, request.settings.card);
  return run_kernel(request, this_machine(*device));
}

}  // namespace cudalab::lab
