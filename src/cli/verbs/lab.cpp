// The verb `cudalab LAB`: runs a lab and prints its result as a table or JSON, optionally with times recorded
// on an H200.
#include "cli/verbs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/step_target.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "grading/identity.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "lab/size_sweep.h"
#include "messages/cli.h"
#include "report/formats/json.h"
#include "report/page/result_page.h"
#include "report/text/lines.h"
#include "report/text/metrics.h"
#include "report/text/table.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> time_of(const Json& document, const std::string& stage) {
  for (const Json& run : document.at("runs"))
    if (run.at("name") == stage && run.at("time_ms").is_object())
      return run.at("time_ms").at("median").get<double>();
  return std::nullopt;
}

// "recorded on an NVIDIA H200 with rows 8192, cols 8192"
Message sentence_on(const Json& document) {
  std::vector<std::string> options;
  for (const auto& [name, value] : document.at("options").items())
    if (name != "seed")
      options.push_back(with_blanks(name) + " " +
                        (value.is_string() ? value.get<std::string>() : value.dump()));
  return msg::times_recorded_on(document.at("device").at("name").get<std::string>(), joined(options));
}

}  // namespace

void add_recorded_times(lab::Result& result, const std::string& text, const std::string& file) {
  try {
    const Json document = Json::parse(text);
    for (lab::Row& row : result.rows)
      if (!lab::is_cpu(row)) row.recorded_ms = time_of(document, row.name);
    result.recorded = sentence_on(document);
  } catch (const Json::exception&) {
    throw usage_error(msg::recording_wrong(file));
  }
}

void add_recorded_times(lab::Result& result, const std::string& lab) {
  const std::filesystem::path file =
      lab::labs_directory().parent_path() / "expected" / "h200" / (lab + ".json");
  if (!is_there(file)) throw usage_error(msg::recording_missing(lab, file.string()));
  add_recorded_times(result, read_text(file), file.string());
}

namespace {

// The options that every lab has.
struct LabTexts {
  std::string stage, seed, student, kernel, as, sizes;
  std::optional<std::string> blocks;  // absent: a sample if all blocks would take long
  bool lines = false;
  CompilerTexts compiler;
  RunTexts run;
};

bool has_option(const lab::Lab& lab, std::string_view name) {
  return std::ranges::find(lab.options, name, &lab::OptionSpec::name) != lab.options.end();
}

// Only for labs that can check their results at a smaller size.
Options sample_option(const lab::Lab& lab, LabTexts& texts) {
  if (lab.check_size.empty() || has_option(lab, "blocks")) return {};
  return {{"--blocks", " N", &texts.blocks,
           "run only the first N blocks of each stage, predict the time of all, and check the results at a "
           "smaller size; 0: run all blocks; default: all, or a sample where all would take long"}};
}

Options options_of_every_lab(const lab::Lab& lab, LabTexts& texts) {
  return in_group("Options of every lab",
                  Options{
                      device_option(texts.run.device, "kernels run"),
                      {"--stage", " A,B", &texts.stage, "run only these stages"},
                      {"--kernel", " FILE.cu", &texts.kernel, "run your own kernel as one more stage"},
                      {"--as", " STAGE", &texts.as,
                       "the stage that your kernel replaces: it gets the same launch and arguments"},
                      seed_option(texts.seed, "default 1"),
                      {"--student", " ID", &texts.student,
                       "the student's name: it is recorded, and the seed is derived from it"},
                      repeat_option(texts.run, "of each stage"),
                      json_option(texts.run),
                      {"--sizes", " A,B,C|FIRST:LAST", &texts.sizes,
                       "also run these sizes, and plot the time of each stage against the size; FIRST:LAST "
                       "doubles each time"},
                      {"--lines", "", &texts.lines,
                       "show each kernel's source with sectors and conflicts beside each line"},
                      color_option(texts.run.color, "colour the table"),
                      check_option(texts.run, "kernels"),
                      card_option(texts.run.card),
                      predict_option(texts.run.predict),
                      roofline_option(texts.run),
                      show_option(texts.run.show),
                      html_option(texts.run.html),
                      {"--recorded", "", &texts.run.recorded,
                       "also show the times that an H200 measured, at the size of its recording"},
                      verbose_option(texts.run),
                      metrics_option(texts.run),
                      profile_option(texts.run.profile),
                      max_steps_option(texts.run, "stop a kernel"),
                  } + sample_option(lab, texts)) +
         in_group("Your own kernel", compiler_options(texts.compiler));
}

std::vector<std::string> stages_of(const lab::Lab& lab, const std::string& text) {
  std::vector<std::string> stages;
  for (const std::string_view each : split(text, ',')) {
    const std::string name(each);
    if (std::find(lab.stages.begin(), lab.stages.end(), name) == lab.stages.end())
      throw usage_error(
          msg::lab_stage_unknown(lab.name, name, did_you_mean(name, lab.stages), joined(lab.stages, ", ")));
    stages.push_back(name);
  }
  return stages;
}

std::uint64_t seed_from(const LabTexts& texts) {
  if (texts.student.empty()) return texts.seed.empty() ? 1 : parse_natural("--seed", texts.seed, UINT64_MAX);
  grading::require_student_name(texts.student);
  if (!texts.seed.empty()) throw usage_error(msg::seed_from_student());
  return grading::student_seed(texts.student);
}

lab::RunRequest request_from(const lab::Lab& lab, const LabTexts& texts, const LabOptions& options,
                             const Console& console) {
  lab::RunRequest request;
  request.options = options.given();
  request.settings = settings_from(texts.run, console);
  request.stages = stages_of(lab, texts.stage);
  request.seed = seed_from(texts);
  request.student = texts.student;
  request.kernel_file = texts.kernel;
  if (texts.blocks)
    request.settings.launch.most_blocks = parse_natural("--blocks", *texts.blocks, UINT64_MAX);
  else
    request.settings.sampling = lab::BlockSampling::kAutomatic;
  request.kernel_stage = texts.as;
  request.compiler = compiler_choice_from(texts.compiler);
  return request;
}

std::string source_of(const lab::Row& row, const lab::RunRequest& request) {
  return read_text(lab::source_path(row.source, request.kernel_file));
}

void print_lines(const lab::Result& result, const lab::RunRequest& request, bool colour,
                 const Console& console) {
  for (const lab::Row& row : result.rows) {
    if (row.source.empty() || row.accesses.empty()) continue;
    console.print(fmt::format("\n{}\n{}", row.name,
                              report::lines_text(row, source_of(row, request), 0, 0,
                                                 {.colour = colour, .wording = console.wording})));
  }
}

bool draws_sizes(const lab::Lab& lab, const LabTexts& texts) {
  return !texts.sizes.empty() || (asks_for("time", texts.run.show) && !lab::size_options(lab).empty());
}

ExitCode run(const lab::Lab& lab, const LabTexts& texts, const LabOptions& options, const Console& console) {
  if (asks_for_metrics_help(texts.run)) {
    console.print(report::metrics_help());
    return ExitCode::kPassed;
  }
  const lab::RunRequest request = request_from(lab, texts, options, console);
  const bool colour = console.colour(chosen("--color", texts.run.color, kColours));
  const bool json_to_stdout = texts.run.json == "-";
  const bool has_sizes = draws_sizes(lab, texts);
  const auto sizes = has_sizes ? lab::sizes_from(lab, texts.sizes) : std::vector<std::int64_t>();
  std::optional<OutputFile> file;  // opened before the run, which may take long
  if (texts.run.json && !json_to_stdout) file.emplace(*texts.run.json);

  const PageFile page(texts.run.html, lab.name);

  lab::Result result = lab::run_lab(lab, request);
  if (has_sizes)
    lab::add_times_by_size(
        lab, request, sizes, [&lab](const lab::RunRequest& at) { return lab::run_lab(lab, at); }, result);
  if (texts.run.profile) add_own_counters(result, console);
  if (texts.run.recorded) add_recorded_times(result, lab.name);
  console.clear_progress();
  const report::ReadSource read = [&](const lab::Row& row) { return source_of(row, request); };

  if (file) file->write(report::json_text(result, report::this_tool()));
  if (json_to_stdout)
    console.print(report::json_text(result, report::this_tool()));
  else
    console.print(shown(result, texts.run,
                        {.colour = colour, .width = console.width, .wording = console.wording}, read));
  if (texts.lines && !json_to_stdout) print_lines(result, request, colour, console);
  if (page.is_asked_for()) page.write(report::result_page(result, read, console.wording), console);
  return exit_code(result);
}

}  // namespace

lab::RunRequest lab_request(const lab::Lab& lab, const Words& words, const Console& console) {
  LabTexts texts;
  LabOptions options(lab.options);
  read_words(lab.name, options.rows() + options_of_every_lab(lab, texts), words);
  return request_from(lab, texts, options, console);
}

Verb lab_verb(const lab::Lab& lab) {
  auto declare = [&lab] {
    auto texts = std::make_shared<LabTexts>();
    auto options = std::make_shared<LabOptions>(lab.options);
    return Declaration{
        options->rows() + options_of_every_lab(lab, *texts) + Options{profiled_option(texts->run)},
        [&lab, texts, options](const Console& to) { return run(lab, *texts, *options, to); }};
  };
  return {.name = lab.name,
          .alias = lab.alias,
          .summary = lab.title,
          .examples = lab.examples,
          .declare = declare,
          .more_help = fmt::format("Stages: {}\n", joined(lab.stages, ", "))};
}

}  // namespace cudalab::cli
