// Options that several verbs share: those of a run, `--show` for pictures and `--html` for a page.
#include "cli/options/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "cli/options/card_file.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "core/error.h"
#include "core/processes/this_process.h"
#include "core/spelling.h"
#include "core/text.h"
#include "device/cuda/profiler.h"
#include "lab/running/summary.h"
#include "messages/cli.h"
#include "report/pictures/renderers.h"
#include "report/text/layout.h"
#include "report/text/limits.h"
#include "report/text/metrics.h"

namespace cudalab::cli {

Option html_option(std::optional<std::string>& text, std::string_view what) {
  return {"--html", "[=FILE]", MayBeBare{&text, ""},
          fmt::format("write {} as an HTML page, one file that needs no network", what)};
}

PageFile::PageFile(const std::optional<std::string>& text, const std::string& name) {
  if (!text) return;
  path_ = text->empty() ? name + ".html" : *text;
  file_.emplace(path_);
}

void PageFile::write(std::string_view page, const Console& console) const {
  if (!file_) return;
  file_->write(page);
  console.remark(console.wording.say(msg::page_written(path_)));
}

std::vector<std::string> names_of_pictures() {
  std::vector<std::string> names;
  for (const report::PictureKind& kind : report::picture_kinds()) names.emplace_back(kind.name);
  return names;
}

namespace {

constexpr std::uint64_t kLastLine = 1'000'000'000;

const report::PictureKind& kind_called(const std::string& name) {
  const auto& kinds = report::picture_kinds();
  const auto found = std::ranges::find(kinds, name, &report::PictureKind::name);
  if (found != kinds.end()) return *found;
  const std::vector<std::string> names = names_of_pictures();
  throw usage_error(msg::picture_unknown(name, did_you_mean(name, names), joined(names, ", ")));
}

ShowRequest request_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  const report::PictureKind& kind = kind_called(text.substr(0, equals));
  ShowRequest request{std::string(kind.name), 0};
  if (equals == std::string::npos) return request;
  if (!kind.takes_line) throw usage_error(msg::picture_takes_no_line(text, kind.name));
  request.line = static_cast<int>(
      parse_natural(fmt::format("--show {}=LINE", kind.name).c_str(), text.substr(equals + 1), kLastLine));
  return request;
}

}  // namespace

Option show_option(std::vector<std::string>& texts) {
  return {"--show", " PICTURE[=LINE]", &texts,
          fmt::format("draw `{}`, of a source line where the picture shows one; separate several with commas",
                      joined(names_of_pictures(), ", "))};
}

std::vector<ShowRequest> show_requests_from(const std::vector<std::string>& texts) {
  std::vector<ShowRequest> requests;
  for (const std::string& text : texts)
    for (const std::string_view one : split(text, ',')) requests.push_back(request_from(std::string(one)));
  return requests;
}

bool asks_for(std::string_view kind, const std::vector<std::string>& texts) {
  return std::ranges::any_of(show_requests_from(texts),
                             [kind](const ShowRequest& request) { return request.kind == kind; });
}

bool need_recording(const std::vector<ShowRequest>& requests) {
  return std::ranges::any_of(
      requests, [](const ShowRequest& request) { return kind_called(request.kind).needs_record; });
}

std::string pictures_text(const std::vector<ShowRequest>& requests, const lab::Result& result,
                          const report::ReadSource& read, const report::TableStyle& style) {
  std::string text;
  for (const ShowRequest& request : requests) {
    const auto shown = report::pictures_of(request.kind, request.line, result, read);
    for (const report::ShownPicture& one : shown) {
      report::Picture picture = one.picture;
      picture.row = one.row;
      text += "\n" + report::picture_text(picture, style);
    }
    if (shown.empty())
      text += "\n" +
              report::wrap(style.wording.say(report::why_no_picture(request.kind, request.line, result)),
                           static_cast<std::size_t>(style.width), 0) +
              "\n";
  }
  return text;
}

namespace {

constexpr std::uint64_t kMostSamples = 10'000;

constexpr Named<bool> kPredictions[]{{"on", true}, {"off", false}};

// The standards that every supported compiler accepts.
constexpr std::array<std::string_view, 5> kStandards{"c++03", "c++11", "c++14", "c++17", "c++20"};

}  // namespace

Option device_option(std::string& text, std::string_view what_runs) {
  return {"--device", " " + alternatives(device::kDeviceNames), &text,
          fmt::format("the device on which {}; auto: the GPU if there is one", what_runs)};
}

Option check_option(RunTexts& texts, std::string_view watched) {
  return {"--check", " " + alternatives(kCheckNames), &texts.check,
          fmt::format("the checks of the virtual GPU on {}", watched)};
}

Option max_steps_option(RunTexts& texts, std::string_view stopped) {
  return {"--max-steps", " N", &texts.max_steps,
          fmt::format("{} after N warp instructions; 0: stop only a block that never ends", stopped)};
}

Option repeat_option(RunTexts& texts, std::string_view timed) {
  return {"--repeat", " N", &texts.repeat,
          fmt::format("the number of timed samples {}; default 0: until the spread is small", timed)};
}

Option json_option(RunTexts& texts) {
  return {"--json", "[=FILE]", MayBeBare{&texts.json, "-"},
          "print JSON instead of the table, or write it to FILE beside the table"};
}

Option profile_option(bool& is_wanted) {
  return {"--profile", "", &is_wanted, "let Nsight Compute read the counters of a GPU"};
}

Option card_option(std::string& text) {
  return {"--card", " NAME|FILE", &text,
          "the GPU that the virtual GPU models; default h200, `cudalab cards` lists all models"};
}

Option predict_option(std::string& text) {
  return {"--predict", " " + alternatives(kPredictions), &text,
          "predict times on that GPU, with the virtual GPU"};
}

bool prediction_from(const std::string& text) { return chosen("--predict", text, kPredictions); }

Option roofline_option(RunTexts& texts) {
  return {"--roofline", "", &texts.roofline, "show how close the kernels come to the limits of that GPU"};
}

Option verbose_option(RunTexts& texts) {
  return {"--verbose", "", &texts.verbose,
          "show all CPU versions and a second table: occupancy, bytes, speedups, interpreter time"};
}

Option metrics_option(RunTexts& texts) {
  return {"--metrics", " NAME,...", &texts.metrics,
          "counters under the names of Nsight Compute; `--metrics help` lists them"};
}

bool asks_for_metrics_help(const RunTexts& texts) { return texts.metrics == "help"; }

namespace {

// Up to kMost names that contain the word; if there are none, the most similar name.
std::string near_metrics(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> near;
  for (const std::string& name : names)
    if (near.size() < kMost && name.find(word) != std::string::npos) near.push_back(name);
  if (near.empty())
    if (std::string one = nearest(word, names); !one.empty()) near.push_back(std::move(one));
  return joined(near, ", ");
}

}  // namespace

std::vector<std::string> metrics_from(const RunTexts& texts) {
  std::vector<std::string> chosen;
  if (texts.metrics.empty() || asks_for_metrics_help(texts)) return chosen;
  const std::vector<std::string> known = report::metric_names();
  for (const std::string_view each : split(texts.metrics, ',')) {
    const std::string name(each);
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = near_metrics(name, known);
      throw usage_error(near.empty() ? msg::metric_unknown(name) : msg::metric_unknown_near(name, near));
    }
    chosen.push_back(name);
  }
  return chosen;
}

Option profiled_option(RunTexts& texts) { return {kProfiled, "", &texts.profiled, "", ""}; }

Option color_option(std::string& text, std::string_view coloured) {
  return {"--color", " " + alternatives(kColours), &text,
          fmt::format("{}; auto: only on a terminal", coloured)};
}

Option seed_option(std::string& text, std::string_view by_default) {
  return {"--seed", " N", &text, fmt::format("the seed of the random inputs; {}", by_default)};
}

Option answers_option(std::string& text) {
  return {"--answers", " FILE", &text, "read the answers from FILE, one per line"};
}

Options compiler_options(CompilerTexts& texts) {
  return {
      {"--compiler", " " + alternatives(compile::kCompilerNames), &texts.compiler,
       "the compiler; auto: nvcc if the file contains host code and nvcc is installed, else NVRTC"},
      {"--include", " DIR", &texts.includes, "a folder to search for headers; may be repeated"},
      {"--std", " STANDARD", &texts.standard, "the C++ standard: c++11, c++14, c++17 (the default) or c++20"},
      {"--compat", " FEATURE", &texts.compat,
       "texture-references: compile programs that use texture references, which CUDA 12 removed"}};
}

compile::CompilerChoice compiler_choice_from(const CompilerTexts& texts) {
  compile::CompilerChoice choice;
  choice.compiler = chosen("--compiler", texts.compiler, compile::kCompilerNames);
  choice.include_directories = texts.includes;
  choice.standard = texts.standard;
  constexpr const char* kTextureReferences = "texture-references";
  choice.has_texture_references = texts.compat == kTextureReferences;
  if (!texts.compat.empty() && !choice.has_texture_references)
    throw usage_error(msg::option_not_a_choice("--compat", kTextureReferences, texts.compat));
  std::error_code ignored;
  for (const std::string& folder : texts.includes)
    if (!std::filesystem::is_directory(folder, ignored))
      throw usage_error(msg::include_folder_missing(folder));
  const bool is_known = std::find(kStandards.begin(), kStandards.end(), texts.standard) != kStandards.end();
  if (!texts.standard.empty() && !is_known)
    throw usage_error(msg::option_not_a_choice("--std", joined(kStandards, ", "), texts.standard));
  return choice;
}

std::optional<vgpu::Card> card_from(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return vgpu::card_of(described_card(text));
}

lab::RunSettings heard_on(const Console& console) {
  lab::RunSettings settings;
  settings.progress = [&console](const Message& text) { console.show_progress(console.wording.say(text)); };
  settings.remark = [&console](const Message& text) { console.remark_between(console.wording.say(text)); };
  return settings;
}

lab::RunSettings settings_from(const RunTexts& texts, const Console& console) {
  lab::RunSettings settings = heard_on(console);
  settings.device = chosen("--device", texts.device, device::kDeviceNames);
  settings.card = card_from(texts.card);
  if (settings.card && settings.device == device::DeviceChoice::kGpu) throw usage_error(msg::card_with_gpu());
  metrics_from(texts);  // report a wrong name before anything runs
  settings.launch.predict = prediction_from(texts.predict);
  settings.launch.checks = chosen("--check", texts.check, kCheckNames);
  settings.launch.max_steps = parse_natural("--max-steps", texts.max_steps, UINT64_MAX);
  settings.repeat = static_cast<int>(parse_natural("--repeat", texts.repeat, kMostSamples));
  settings.profiled = texts.profiled;
  settings.launch.record = texts.html || need_recording(show_requests_from(texts.show));
  return settings;
}

std::string shown(const lab::Result& result, const RunTexts& texts, report::TableStyle style,
                  const report::ReadSource& read) {
  style.verbose = texts.verbose;
  style.read = read;
  std::string text = report::table_text(result, style);
  if (texts.roofline) text += "\n" + report::roofline_text(result, style);
  if (const auto metrics = metrics_from(texts); !metrics.empty())
    text += "\n" + report::metrics_text(result, metrics);
  return text + pictures_text(show_requests_from(texts.show), result, read, style);
}

ExitCode exit_code(const lab::Result& result) {
  if (result.stopped) return ExitCode::kStopped;
  if (result.verdict == lab::Verdict::kPass) return ExitCode::kPassed;
  if (result.verdict == lab::Verdict::kFail) return ExitCode::kFailed;
  return lab::is_experiment(result) ? ExitCode::kPassed : ExitCode::kUnavailable;
}

namespace {

// This process's command line with --profiled instead of --profile. The second run's output is ignored, and
// it gets no --json=FILE, which would write the file twice.
std::vector<std::string> command_to_profile() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    if (word.starts_with("--json=")) continue;
    words.push_back(word == "--profile" ? kProfiled : word);
  }
  if (words.empty()) throw unavailable_error(msg::profile_needs_proc());
  words.front() = this_program().string();
  return words;
}

}  // namespace

void add_own_counters(lab::Result& result, const Console& console) {
  if (result.device_kind == "virtual" || result.verdict == lab::Verdict::kFail) return;
  console.show_progress("running again under Nsight Compute");
  lab::add_profile(result, device::profile(command_to_profile()));
}

}  // namespace cudalab::cli
