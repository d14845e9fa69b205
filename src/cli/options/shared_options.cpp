// The options that several verbs have, each once, and what those of a run make of it.
#include "cli/options/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/options/card_file.h"
#include "cli/options/choices.h"
#include "cli/options/lab_options.h"
#include "cli/options/show_option.h"
#include "cli/profile.h"
#include "core/error.h"
#include "report/text/roofline.h"

namespace cudalab::cli {
namespace {

constexpr std::uint64_t kMostSamples = 10'000;

constexpr Named<bool> kPredictions[]{{"on", true}, {"off", false}};

// What both compilers know.
constexpr std::array<std::string_view, 5> kStandards{"c++03", "c++11", "c++14", "c++17", "c++20"};

}  // namespace

Option device_option(std::string& text, std::string_view what_runs) {
  return {"--device", " " + alternatives(device::kDeviceNames), &text,
          fmt::format("where {}; auto takes the GPU if there is one", what_runs)};
}

Option check_option(RunTexts& texts, std::string_view watched) {
  return {"--check", " " + alternatives(device::kCheckNames), &texts.check,
          fmt::format("what the virtual GPU watches {} for", watched)};
}

Option max_steps_option(RunTexts& texts, std::string_view stopped) {
  return {
      "--max-steps", " N", &texts.max_steps,
      fmt::format("{} after so many warp instructions; 0: only a block that never ends is stopped", stopped)};
}

Option repeat_option(RunTexts& texts, std::string_view timed) {
  return {"--repeat", " N", &texts.repeat,
          fmt::format("timed samples {}; 0, the default: until the spread is small", timed)};
}

Option json_option(RunTexts& texts) {
  return {"--json", "[=FILE]", MayBeBare{&texts.json, "-"},
          "print JSON instead of the table, or write it to FILE beside the table"};
}

Option profile_option(bool& is_wanted) {
  return {"--profile", "", &is_wanted,
          "let Nsight Compute count on a GPU, as the virtual GPU does by itself"};
}

Option card_option(std::string& text) {
  return {"--card", " NAME|FILE", &text,
          "the card that the virtual GPU stands for; default h200, `cudalab cards` lists them"};
}

Option predict_option(std::string& text) {
  return {"--predict", " " + alternatives(kPredictions), &text,
          "how long that card would take, on the virtual GPU"};
}

bool prediction_from(const std::string& text) { return chosen("--predict", text, kPredictions); }

Option roofline_option(RunTexts& texts) {
  return {"--roofline", "", &texts.roofline, "show how near the kernels come to what that card can do"};
}

Option verbose_option(RunTexts& texts) {
  return {"--verbose", "", &texts.verbose, "more columns: occupancy, and how long the virtual GPU took"};
}

Option profiled_option(RunTexts& texts) { return {kProfiled, "", &texts.profiled, "", ""}; }

Option color_option(std::string& text, std::string_view coloured) {
  return {"--color", " " + alternatives(kColours), &text,
          fmt::format("{}; auto: only on a terminal", coloured)};
}

Option seed_option(std::string& text, std::string_view by_default) {
  return {"--seed", " N", &text, fmt::format("what the inputs are made from; {}", by_default)};
}

Option answers_option(std::string& text) {
  return {"--answers", " FILE", &text, "take the answers from FILE, one a line"};
}

Options compiler_options(CompilerTexts& texts) {
  return {{"--compiler", " " + alternatives(compile::kCompilerNames), &texts.compiler,
           "what makes its PTX; auto: nvcc where the file holds host code and nvcc is installed, else NVRTC"},
          {"--include", " DIR", &texts.includes, "a folder to search for headers; may be repeated"},
          {"--std", " STANDARD", &texts.standard, "its C++: c++11, c++14, c++17 (the default) or c++20"}};
}

compile::CompilerChoice compiler_choice_from(const CompilerTexts& texts) {
  compile::CompilerChoice choice;
  choice.compiler = chosen("--compiler", texts.compiler, compile::kCompilerNames);
  choice.include_directories = texts.includes;
  choice.standard = texts.standard;
  std::error_code ignored;
  for (const std::string& folder : texts.includes)
    if (!std::filesystem::is_directory(folder, ignored))
      throw usage_error("--include {}: there is no such folder", folder);
  const bool is_known = std::find(kStandards.begin(), kStandards.end(), texts.standard) != kStandards.end();
  if (!texts.standard.empty() && !is_known)
    throw usage_error("--std takes {}, not `{}`", joined(kStandards, ", "), texts.standard);
  return choice;
}

std::optional<vgpu::Card> card_from(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return vgpu::card_of(described_card(text));
}

lab::RunSettings heard_on(const Console& console) {
  lab::RunSettings settings;
  settings.progress = [&console](const std::string& text) { console.show_progress(text); };
  settings.remark = [&console](const std::string& text) { console.remark_between(text); };
  return settings;
}

lab::RunSettings settings_from(const RunTexts& texts, const Console& console) {
  lab::RunSettings settings = heard_on(console);
  settings.device = chosen("--device", texts.device, device::kDeviceNames);
  settings.card = card_from(texts.card);
  if (settings.card && settings.device == device::DeviceChoice::kGpu)
    throw usage_error("--card is the card that the virtual GPU stands for; leave out --device gpu");
  settings.predict = prediction_from(texts.predict);
  settings.checks = chosen("--check", texts.check, device::kCheckNames);
  settings.max_steps = parse_natural("--max-steps", texts.max_steps, UINT64_MAX);
  settings.repeat = static_cast<int>(parse_natural("--repeat", texts.repeat, kMostSamples));
  settings.profiled = texts.profiled;
  settings.record = texts.html || need_recording(show_requests_from(texts.show));
  return settings;
}

std::string shown(const lab::Result& result, const RunTexts& texts, report::TableStyle style,
                  const report::ReadSource& read) {
  style.verbose = texts.verbose;
  std::string text = report::table_text(result, style);
  if (texts.roofline) text += "\n" + report::roofline_text(result, style);
  return text + pictures_text(show_requests_from(texts.show), result, read, style);
}

ExitCode exit_code(const lab::Result& result) {
  if (result.stopped) return ExitCode::kStopped;
  if (result.verdict == lab::Verdict::kPass) return ExitCode::kPassed;
  return result.verdict == lab::Verdict::kFail ? ExitCode::kFailed : ExitCode::kUnavailable;
}

}  // namespace cudalab::cli
