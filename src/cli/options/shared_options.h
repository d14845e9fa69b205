// The options that several verbs have, each once, and what those of a run make of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "compile/compiler.h"
#include "lab/result.h"
#include "lab/run_settings.h"
#include "report/pictures/show.h"
#include "report/text/table.h"

namespace cudalab::cli {

// What `--jobs` takes at most.
inline constexpr std::uint64_t kMostJobs = 256;

// What the commands that run kernels take.
struct RunTexts {
  std::string device = "auto", check = "all", max_steps = "0", repeat = "0", color = "auto";
  std::string card, predict = "on";
  std::optional<std::string> json;  // a file, or "-" for standard output
  bool profile = false, profiled = false;
  bool verbose = false, roofline = false, recorded = false;
  std::vector<std::string> show;    // pictures
  std::optional<std::string> html;  // a page: its file, or an empty name
};

// How a user's own file is compiled.
struct CompilerTexts {
  std::string compiler = "auto", standard;
  std::vector<std::string> includes;
};

// A lab runs many kernels, `run` one: the second argument is the part of the help that differs.
Option device_option(std::string& text, std::string_view what_runs);
Option check_option(RunTexts& texts, std::string_view watched);
Option max_steps_option(RunTexts& texts, std::string_view stopped);
Option repeat_option(RunTexts& texts, std::string_view timed);
Option json_option(RunTexts& texts);
Option profile_option(bool& is_wanted);
Option predict_option(std::string& text);
bool prediction_from(const std::string& text);
Option roofline_option(RunTexts& texts);
Option verbose_option(RunTexts& texts);
Option card_option(std::string& text);
Option profiled_option(RunTexts& texts);  // what a command that is run again under a profiler gets

Option color_option(std::string& text, std::string_view coloured);
Option seed_option(std::string& text, std::string_view by_default);
Option answers_option(std::string& text);

Options compiler_options(CompilerTexts& texts);
// Throws Error(kUsage) for a compiler or a standard that there is not, and for a folder that is not there.
compile::CompilerChoice compiler_choice_from(const CompilerTexts& texts);

// The built-in card of that name, or the one that the file of that path describes; nothing of an empty text.
// Throws Error(kUsage).
std::optional<vgpu::Card> card_from(const std::string& text);

// Progress and remarks go to the console, which must outlive the settings.
lab::RunSettings heard_on(const Console& console);
// The same with what the options say. Throws Error(kUsage).
lab::RunSettings settings_from(const RunTexts& texts, const Console& console);

// The table, and below it what else the options ask for.
// `read`: for a picture of a source.
std::string shown(const lab::Result& result, const RunTexts& texts, report::TableStyle style,
                  const report::ReadSource& read);

// What a finished run ends the program with.
ExitCode exit_code(const lab::Result& result);

}  // namespace cudalab::cli
