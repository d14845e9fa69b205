// Options that several verbs share: those of a run, `--show` for pictures and `--html` for a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output_file.h"
#include "compile/compiler.h"
#include "lab/lab.h"
#include "lab/result.h"
#include "report/pictures/show.h"
#include "report/text/table.h"

namespace cudalab::cli {

// `--html[=FILE]`: writes a page in addition to the printed output.

Option html_option(std::optional<std::string>& text, std::string_view what = "the result and its pictures");

// Opened before the run, which may take long: a wrong path is reported early. Does nothing without
// --html.
class PageFile {
 public:
  // `name` is the default file name without its extension: "transpose" for transpose.html. Throws
  // Error(kUsage) if the file cannot be written.
  PageFile(const std::optional<std::string>& text, const std::string& name);
  bool is_asked_for() const { return file_.has_value(); }
  // Writes the page and prints its path.
  void write(std::string_view page, const Console& console) const;

 private:
  std::string path_;
  std::optional<OutputFile> file_;
};

// `--show PICTURE[=LINE],…`: parses the requested pictures of a result, and draws them.

struct ShowRequest {
  std::string kind;
  int line = 0;  // source line; 0: chosen by the program
};

Option show_option(std::vector<std::string>& texts);
std::vector<std::string> names_of_pictures();

// Throws Error(kUsage) with a list of the pictures.
std::vector<ShowRequest> show_requests_from(const std::vector<std::string>& texts);

bool asks_for(std::string_view kind, const std::vector<std::string>& texts);

// True if a picture needs data that the virtual GPU records only on request.
bool need_recording(const std::vector<ShowRequest>& requests);

// The pictures in order, each after an empty line; a sentence in place of a picture that cannot be drawn.
std::string pictures_text(const std::vector<ShowRequest>& requests, const lab::Result& result,
                          const report::ReadSource& read, const report::TableStyle& style);

// Options that several verbs share, and the settings that result from them.

// The maximum of `--jobs`.
inline constexpr std::uint64_t kMostJobs = 256;

// The options of commands that run kernels.
struct RunTexts {
  std::string device = "auto", check = "all", max_steps = "0", repeat = "0", color = "auto";
  std::string card, predict = "on";
  std::optional<std::string> json;  // a path, or "-" for standard output
  bool profile = false, profiled = false;
  bool verbose = false, roofline = false, recorded = false;
  std::vector<std::string> show;    // pictures
  std::string metrics;              // names in Nsight Compute's notation, or "help"
  std::optional<std::string> html;  // a page: its path, or an empty text for the default path
};

// Options for compiling a user's own file.
struct CompilerTexts {
  std::string compiler = "auto", standard, compat;
  std::vector<std::string> includes;
};

// The second argument completes the help text: a lab runs many kernels, `run` only one.
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
Option metrics_option(RunTexts& texts);
// True for `--metrics help`, which lists the metrics and runs nothing.
bool asks_for_metrics_help(const RunTexts& texts);
// Throws Error(kUsage) for an unknown metric.
std::vector<std::string> metrics_from(const RunTexts& texts);
Option card_option(std::string& text);
Option profiled_option(RunTexts& texts);  // set when --profile runs the command again under the profiler

Option color_option(std::string& text, std::string_view coloured);
Option seed_option(std::string& text, std::string_view by_default);
Option answers_option(std::string& text);

Options compiler_options(CompilerTexts& texts);
// Throws Error(kUsage) for an unknown compiler or standard, or a missing include folder.
compile::CompilerChoice compiler_choice_from(const CompilerTexts& texts);

// The built-in GPU of that name, or the one that the file at that path describes; empty for an empty text.
// Throws Error(kUsage).
std::optional<vgpu::Card> card_from(const std::string& text);

// Sends progress and remarks to the console, which must outlive the settings.
lab::RunSettings heard_on(const Console& console);
// The same, with the values of the options. Throws Error(kUsage).
lab::RunSettings settings_from(const RunTexts& texts, const Console& console);

// The table of a result, followed by the other requested outputs. `read` provides source text for pictures.
std::string shown(const lab::Result& result, const RunTexts& texts, report::TableStyle style,
                  const report::ReadSource& read);

// `--profile`: runs this command again under Nsight Compute.

// The option that marks the second run.
inline constexpr const char* kProfiled = "--profiled";

// Adds Nsight Compute's counters to a GPU's result. A result of the virtual GPU already has counters and is
// left unchanged. Throws Error(kUnavailable) if Nsight Compute is missing or may not read the counters.
void add_own_counters(lab::Result& result, const Console& console);

// The exit code for a finished run.
ExitCode exit_code(const lab::Result& result);

}  // namespace cudalab::cli
