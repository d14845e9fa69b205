// The verb `cudalab exec`, and the parts that it shares with `run` of a whole program: options, the run and
// its report.
#include "cli/verbs/exec.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/card_file.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "core/files.h"
#include "course/own_verdict.h"
#include "course/reasons/program_evidence.h"
#include "device/device.h"
#include "device/program_on_card.h"
#include "device/programs/program_names.h"
#include "device/programs/program_objection.h"
#include "device/programs/program_run.h"
#include "messages/cli.h"
#include "messages/device.h"
#include "report/formats/json.h"
#include "report/page/result_page.h"
#include "report/text/program_report.h"
#include "vgpu/card.h"

namespace cudalab::cli {
namespace {

using device::ProgramOutcome;
using device::ProgramRequest;

constexpr std::uint64_t kLongestTimeout = 1'000'000, kMostGpus = 16, kAnySteps = UINT64_MAX;

ProgramRequest request_from(const std::vector<std::string>& words, const ProgramTexts& texts) {
  ProgramRequest request;
  request.words = words;
  request.card = card_for_programs(texts.card);
  request.launch.checks = chosen("--check", texts.check, kCheckNames);
  request.launch.predict = prediction_from(texts.predict);
  request.launch.max_steps = parse_natural("--max-steps", texts.max_steps, kAnySteps);
  request.gpus = parse_natural("--gpus", texts.gpus, kMostGpus);
  if (request.gpus == 0) throw usage_error(msg::gpus_is_zero());
  request.timeout_seconds = static_cast<double>(parse_natural("--timeout", texts.timeout, kLongestTimeout));
  request.each_launch = texts.launches;
  request.has_virtual_clock = texts.virtual_clock;
  request.is_sample = texts.sample;
  if (texts.virtual_clock && !request.launch.predict)
    throw usage_error(msg::virtual_clock_needs_predictions());
  request.launch.record = texts.html || need_recording(show_requests_from(texts.show));
  return request;
}

int code_with_errors(const ProgramOutcome& outcome) {
  if (outcome.is_timed_out) return static_cast<int>(ExitCode::kStopped);
  const bool failed = std::ranges::any_of(outcome.logs, device::has_errors);
  return outcome.exit_code == 0 && failed ? static_cast<int>(ExitCode::kFailed) : outcome.exit_code;
}

void print_to_stderr(const Console& console, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), console.err);
  note_output();
}

// The physical GPU that the program runs on; empty for the virtual GPU.
std::optional<device::DeviceInfo> gpu_from(const ProgramTexts& texts) {
  const device::DeviceChoice choice = chosen("--device", texts.device, device::kDeviceNames);
  if (choice == device::DeviceChoice::kVirtual ||
      (choice == device::DeviceChoice::kAuto && !texts.card.empty()))
    return std::nullopt;
  device::DeviceInfo info = device::open_device(choice)->info();
  if (info.kind == "virtual") return std::nullopt;
  return info;
}

constexpr const char* kOnGpu =
    "the program ran on {} with NVIDIA's runtime; --profile reads the counters of its kernels, and on the "
    "virtual GPU (--device virtual) cudalab checks kernels and host code";

std::string read_source(const lab::Row& row) { return read_text(row.source); }

// Whether the program ended by itself, and no finding about its host code explains it if its results are
// wrong. After a kernel's fault, every call fails.
bool is_host_without_findings(const ProgramOutcome& outcome) {
  if (outcome.is_timed_out || outcome.logs.size() != 1) return false;
  const device::ProgramLog& log = outcome.logs.front();
  const bool has_mistakes = std::ranges::any_of(log.mistakes, [](const HostMistake& mistake) {
    return device::severity_of(mistake) != Severity::kNote;
  });
  return !has_mistakes && (log.failures.empty() || device::is_gpu_lost(log)) &&
         !device::signal_in(log.exit_code) && log.start;
}

// Waits until a debugger attaches, which then sees where the program stops.
void wait_for_debugger(ProgramRequest& request, std::optional<device::DebuggerMeeting>& meeting,
                       const Console& console) {
  device::require_runnable(request.words.front());
  meeting.emplace();
  console.remark(console.wording.say(msg::exec_waits(static_cast<std::uint64_t>(::getpid()))));
  request.debugger = meeting->wait();
  request.meeting = &*meeting;
}

// Of a program that ends with code 0: how long it may take to be run again only to read what it prints.
constexpr double kQuickRun = 1;

// If the program ended with an error code of its own, or prints that its results are wrong, adds facts that
// may explain it, unless its kernels have hazards. Runs it again for that, without input and without showing
// its output, to record what its kernels do with each element. Returns false if there is nothing to explain,
// or if the second run ends differently or takes much longer.
bool add_facts(ProgramOutcome& outcome, ProgramRequest request, double seconds) {
  const bool has_hazards = device::has_errors(outcome.logs.front());
  if (has_hazards && outcome.exit_code != 0) return true;
  constexpr double kLeastSeconds = 2, kMostSeconds = 20, kSlowdown = 8;
  request.timeout_seconds = std::clamp(kSlowdown * seconds, kLeastSeconds, kMostSeconds);
  request.input = "";
  request.launch.record_uses = true;
  request.launch.predict = false;
  request.each_launch = false;
  ProgramOutcome again = device::run_watched(request);
  if (again.exit_code != outcome.exit_code || again.is_timed_out || again.logs.size() != 1) return false;
  std::vector<device::ProgramFact>& facts = outcome.logs.front().facts;
  if (outcome.exit_code == 0) {
    const auto complaint = course::complaint_in(again.output);
    if (!complaint) return false;
    if (!has_hazards) facts.push_back({msg::program_complains(*complaint), {}, true});
  }
  if (has_hazards) return true;  // they say more than these facts
  device::ProgramLog& log = again.logs.front();
  device::add_source_lines(log);
  for (const course::Reason& reason : course::facts_of_run({log, again.output.size()}))
    facts.push_back({reason.what, reason.where.value_or(SourceLine())});
  return true;
}

// The table, followed by the requested pictures.
std::string report_of(const device::ProgramLog& log, const ProgramTexts& texts,
                      const report::TableStyle& style) {
  const std::string table = report::program_text(log, style);
  if (table.empty() || texts.show.empty()) return table;
  return table +
         pictures_text(show_requests_from(texts.show), report::pictured_result(log), read_source, style);
}

std::vector<lab::Result> pictured_results(const std::vector<device::ProgramLog>& logs) {
  std::vector<lab::Result> results;
  for (const device::ProgramLog& log : logs) results.push_back(report::pictured_result(log));
  return results;
}

std::string nothing_to_report(const ProgramOutcome& outcome, const ProgramRequest& request) {
  const std::string ended =
      outcome.is_timed_out ? fmt::format("stopped by --timeout {:g}; ", request.timeout_seconds) : "";
  return ended +
         "the program allocated, copied and launched nothing on a device, so there is nothing to report";
}

}  // namespace

std::string card_for_programs(const std::string& name_or_file) {
  if (name_or_file.empty()) return std::string(vgpu::cards().front().id);
  card_from(name_or_file);  // throws with the list of built-in GPUs if it is invalid
  return vgpu::find_card(name_or_file) ? name_or_file : vgpu::text_of(described_card(name_or_file));
}

Option gpus_option(ProgramTexts& texts) {
  return {"--gpus", " N", &texts.gpus, "number of virtual GPUs that the program sees; default 1"};
}
Option launches_option(ProgramTexts& texts) {
  return {"--launches", "", &texts.launches, "show one row per launch instead of one per kernel"};
}
Option timeout_option(ProgramTexts& texts) {
  return {"--timeout", " SECONDS", &texts.timeout, "stop the program after this time; default 0: no limit"};
}

Option virtual_clock_option(ProgramTexts& texts) {
  return {"--virtual-clock", "", &texts.virtual_clock,
          "let the program's host clock advance by predicted times while it waits for the virtual GPU"};
}

Option strict_option(ProgramTexts& texts) { return {"--strict", "", &texts.strict, "fail on warnings, too"}; }

Option sample_option(ProgramTexts& texts) {
  return {"--sample", "", &texts.sample,
          "run only some blocks of each launch, one per SM, and predict from them, for programs "
          "that take too long; results are incomplete, and nothing is checked"};
}

Options program_options(ProgramTexts& texts) {
  return {device_option(texts.device, "it runs"),
          profile_option(texts.profile),
          card_option(texts.card),
          gpus_option(texts),
          check_option(texts, "kernels"),
          predict_option(texts.predict),
          launches_option(texts),
          show_option(texts.show),
          html_option(texts.html, "the report and its pictures"),
          max_steps_option(texts, "end a kernel"),
          timeout_option(texts),
          virtual_clock_option(texts),
          strict_option(texts),
          sample_option(texts),
          {"--json", "[=FILE]", MayBeBare{&texts.json, "-"},
           "print the report as JSON on standard output, or write it to FILE"},
          color_option(texts.color, "colour the output")};
}

ExitCode run_and_report(const std::vector<std::string>& words, const ProgramTexts& texts,
                        const Console& console, const FromSource& source) {
  ProgramRequest request = request_from(words, texts);
  if (console.shows_progress())
    request.progress = [&](const Message& what) {
      what.empty() ? console.clear_progress() : console.show_progress(console.wording.say(what));
    };
  const ColourChoice colours = chosen("--color", texts.color, kColours);
  const bool colour = colours == ColourChoice::kAlways ||
                      (colours == ColourChoice::kAuto && console.err_is_terminal && !console.colour_refused);
  std::optional<OutputFile> file;
  if (texts.json && *texts.json != "-") file.emplace(*texts.json);
  const PageFile page(texts.html, std::filesystem::path(words.front()).filename().string());
  const auto gpu = gpu_from(texts);
  if (gpu && texts.waits) throw usage_error(msg::exec_wait_needs_virtual_gpu());
  if (gpu && texts.sample) throw usage_error(msg::exec_sample_needs_virtual_gpu());
  std::optional<device::DebuggerMeeting> meeting;
  if (texts.waits) wait_for_debugger(request, meeting, console);
  const auto begin = std::chrono::steady_clock::now();
  ProgramOutcome outcome =
      gpu ? device::run_on_card(request, *gpu, texts.profile) : device::run_watched(request);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const bool may_be_wrong = outcome.exit_code != 0 || (source.may_complain && taken.count() < kQuickRun);
  const bool is_riddle = !gpu && !meeting && !texts.sample && may_be_wrong &&
                         is_host_without_findings(outcome) && add_facts(outcome, request, taken.count());
  for (device::ProgramLog& log : outcome.logs) {
    device::add_source_lines(log);
    log.is_strict = texts.strict;
  }
  const int code = code_with_errors(outcome);
  const report::TableStyle style{
      .colour = colour, .width = console.width, .wording = console.wording, .read = read_source};
  print_to_stderr(console, code != 0 ? source.on_failure : source.on_success);
  if (gpu && !texts.profile)
    console.remark(outcome.is_timed_out ? console.wording.say(msg::ended_by_timeout(request.timeout_seconds))
                                        : fmt::format(kOnGpu, gpu->name));
  else if (!texts.json || file)
    for (const device::ProgramLog& log : outcome.logs) print_to_stderr(console, report_of(log, texts, style));
  if (outcome.logs.empty()) console.remark(nothing_to_report(outcome, request));
  if (is_riddle && source.search)
    if (auto found = source.search(request, outcome.logs.front(), taken.count())) {
      print_to_stderr(console, found->text);
      outcome.logs.front().facts.push_back(std::move(found->fact));
    }
  if (page.is_asked_for() && !outcome.logs.empty())
    page.write(report::page_of_processes(pictured_results(outcome.logs), read_source, console.wording),
               console);
  if (texts.json) {
    const std::string json =
        report::program_json_text(outcome.logs, words, outcome.exit_code, report::this_tool());
    file ? file->write(json) : console.print(json);
  }
  return static_cast<ExitCode>(code);
}

namespace {

struct ExecTexts {
  std::vector<std::string> words;
  ProgramTexts program;
};

Options exec_options(ExecTexts& texts) {
  Options options{
      {"PROGRAM", " [ITS ARGUMENTS]", BehindDashes{&texts.words}, "the program to run, after `--`"}};
  options.push_back(
      {"--wait", "", &texts.program.waits,
       "wait for a debugger, which attaches with `cudalab debug-adapter`, before the program starts"});
  return options + program_options(texts.program);
}

ExitCode exec(const ExecTexts& texts, const Console& console) {
  if (texts.words.empty()) throw usage_error(msg::exec_program_missing());
  return run_and_report(texts.words, texts.program, console);
}

std::string build_help() {
  return fmt::format(
      "A program built by nvcc runs unchanged if it contains PTX (plain `nvcc` includes it) and is not "
      "stripped. Source lines in the report need -lineinfo for kernels and -g for the host. One exported "
      "variable sets all of these options, for make and CMake, too:\n"
      "  export NVCC_APPEND_FLAGS=\"{}\"\n"
      "The program's output is unchanged; the report goes to standard error. The exit code is the program's, "
      "or 128 + N if signal N ended it; 1 if the program ended with 0 but a check failed. See "
      "docs/programs.md.\n",
      device::kBuildFlags);
}

}  // namespace

Verb exec_verb() {
  return {.name = "exec",
          .alias = "",
          .summary = "run a CUDA program that is already built: counters, hazards, time",
          .examples = {"cudalab exec -- ./vec", "cudalab exec --timeout 60 --json=vec.json -- ./vec 1000",
                       "cudalab exec --launches -- make test"},
          .declare = with_options(exec_options, exec),
          .more_help = build_help()};
}

}  // namespace cudalab::cli
