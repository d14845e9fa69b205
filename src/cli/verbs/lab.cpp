// `cudalab LAB`: runs a lab on a device and shows its result as a table or as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/choices.h"
#include "cli/lab_options.h"
#include "cli/profile.h"
#include "cli/suggestion.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "grading/student.h"
#include "report/formats/json.h"
#include "report/text/table.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

// The texts of the options that every lab has.
struct CommonOptions {
  std::string device = "auto", stage, seed, student, repeat = "0", kernel, as, json, color = "auto",
              check = "all", max_steps = "0";
  bool profile = false, profiled = false;
};

void declare(CLI::App& app, CommonOptions& texts) {
  auto add = [&app](const char* name, std::string& text, const std::string& placeholder, const char* help) {
    app.add_option(name, text, help)->option_text(" " + placeholder)->group("Options of every lab");
  };
  add("--device", texts.device, alternatives(device::kDeviceNames),
      "where kernels run; auto takes the GPU if there is one");
  add("--stage", texts.stage, "A,B", "run only these stages");
  add("--kernel", texts.kernel, "FILE.cu", "run your own kernel as one more stage");
  add("--as", texts.as, "STAGE", "the stage in whose place your kernel runs, with its launch and arguments");
  add("--seed", texts.seed, "N", "what the inputs are made from; default 1");
  add("--student", texts.student, "ID", "whose result this is: recorded, and the seed follows from it");
  add("--repeat", texts.repeat, "N",
      "timed samples of each stage; 0, the default: until the spread is small");
  app.add_flag("--json{-}", texts.json,
               "print JSON instead of the table, or write it to FILE beside the table")
      ->option_text("[=FILE]")
      ->group("Options of every lab");
  add("--color", texts.color, alternatives(kColours), "colours in the table; auto: only on a terminal");
  add("--check", texts.check, alternatives(device::kCheckNames), "what the virtual GPU watches kernels for");
  app.add_flag("--profile", texts.profile,
               "let Nsight Compute count on a GPU, as the virtual GPU does by itself")
      ->group("Options of every lab");
  app.add_flag(kProfiled, texts.profiled)->group("");
  add("--max-steps", texts.max_steps, "N",
      "stop a kernel after so many warp instructions; 0: a generous default");
}

std::vector<std::string> stages_of(const lab::Lab& lab, const std::string& text) {
  std::vector<std::string> stages;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (std::find(lab.stages.begin(), lab.stages.end(), name) == lab.stages.end())
      throw usage_error("{} has no stage `{}`{} (its stages: {})", lab.name, name,
                        did_you_mean(name, lab.stages), fmt::join(lab.stages, ", "));
    stages.push_back(name);
  }
  return stages;
}

std::uint64_t seed_from(const CommonOptions& texts) {
  if (texts.student.empty()) return texts.seed.empty() ? 1 : parse_natural("--seed", texts.seed, UINT64_MAX);
  grading::require_student_name(texts.student);
  if (!texts.seed.empty()) throw usage_error("--student makes the seed; leave --seed out");
  return grading::student_seed(texts.student);
}

lab::RunRequest request_from(const lab::Lab& lab, const CommonOptions& texts, const LabOptions& options) {
  lab::RunRequest request;
  request.options = options.given();
  request.settings.device = chosen("--device", texts.device, device::kDeviceNames);
  request.stages = stages_of(lab, texts.stage);
  request.seed = seed_from(texts);
  request.student = texts.student;
  request.settings.repeat = static_cast<int>(parse_natural("--repeat", texts.repeat, kMostSamples));
  request.kernel_file = texts.kernel;
  request.kernel_stage = texts.as;
  request.settings.checks = chosen("--check", texts.check, device::kCheckNames);
  request.settings.max_steps = parse_natural("--max-steps", texts.max_steps, UINT64_MAX);
  request.settings.profiled = texts.profiled;
  return request;
}

ExitCode run(const lab::Lab& lab, const CommonOptions& texts, const LabOptions& options,
             const Console& console) {
  lab::RunRequest request = request_from(lab, texts, options);
  bool colour = console.colour(chosen("--color", texts.color, kColours));
  bool json_to_stdout = texts.json == "-";
  std::optional<OutputFile> file;  // opened before the run, which may be long
  if (!texts.json.empty() && !json_to_stdout) file.emplace(texts.json);

  request.settings.progress = [&console](const std::string& text) { console.show_progress(text); };
  lab::Result result = lab::run_lab(lab, request);
  if (texts.profile) add_own_counters(result, console);
  console.clear_progress();

  if (file) file->write(report::json_text(result, report::this_tool()));
  if (json_to_stdout)
    console.print(report::json_text(result, report::this_tool()));
  else
    console.print(report::table_text(result, {.colour = colour, .width = console.width}));
  return exit_code(result);
}

}  // namespace

Verb lab_verb(const lab::Lab& lab) {
  auto declare_options = [&lab](CLI::App& app) -> Action {
    auto texts = std::make_shared<CommonOptions>();
    auto options = std::make_shared<LabOptions>(app, lab.options);
    declare(app, *texts);
    return [&lab, texts, options](const Console& console) { return run(lab, *texts, *options, console); };
  };
  return {.name = lab.name,
          .alias = lab.alias,
          .summary = lab.title,
          .examples = lab.examples,
          .declare = declare_options,
          .more_help = fmt::format("Stages: {}\n", fmt::join(lab.stages, ", "))};
}

}  // namespace cudalab::cli
