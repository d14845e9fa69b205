// Options that several verbs have: those of a run, `--show` for pictures and `--html` for a page.
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

// `--html[=FILE]`: the page that a verb writes beside what it prints.

Option html_option(std::optional<std::string>& text, std::string_view what = "the result and its pictures");

// Opened before the work, which may be long; nothing where no page is asked for.
class PageFile {
 public:
  // `name`: what the file is called where the option gives no name: "transpose" for transpose.html. Throws
  // Error(kUsage) where it cannot be written.
  PageFile(const std::optional<std::string>& text, const std::string& name);
  bool is_asked_for() const { return file_.has_value(); }
  // And says where it is.
  void write(std::string_view page, const Console& console) const;

 private:
  std::string path_;
  std::optional<OutputFile> file_;
};

// `--show PICTURE[=LINE],…`: which pictures of a result are asked for, and drawing them.

struct ShowRequest {
  std::string kind;
  int line = 0;  // of the source; 0: the program chooses
};

Option show_option(std::vector<std::string>& texts);
std::vector<std::string> names_of_pictures();

// Throws Error(kUsage) that lists the pictures there are.
std::vector<ShowRequest> show_requests_from(const std::vector<std::string>& texts);

bool asks_for(std::string_view kind, const std::vector<std::string>& texts);

// Whether some need what the virtual GPU only keeps on request.
bool need_recording(const std::vector<ShowRequest>& requests);

// One after the other, each with an empty line before it; a sentence for what cannot be drawn.
std::string pictures_text(const std::vector<ShowRequest>& requests, const lab::Result& result,
                          const report::ReadSource& read, const report::TableStyle& style);

// The options that several verbs have, each once, and what those of a run make of it.

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
  std::string metrics;              // names in Nsight Compute's form, or "help"
  std::optional<std::string> html;  // a page: its file, or an empty name
};

// How a user's own file is compiled.
struct CompilerTexts {
  std::string compiler = "auto", standard, compat;
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
Option metrics_option(RunTexts& texts);
// "help" lists the metrics and runs nothing.
bool asks_for_metrics_help(const RunTexts& texts);
// Throws Error(kUsage) for a name that no metric has.
std::vector<std::string> metrics_from(const RunTexts& texts);
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

// `--profile`: this command once more under Nsight Compute.

// The option that the command is run again with.
inline constexpr const char* kProfiled = "--profiled";

// Fills the counters of a result from a GPU; leaves one from the virtual GPU, which counts by itself, as it
// is. Throws Error(kUnavailable) where Nsight Compute is missing or may not read the counters.
void add_own_counters(lab::Result& result, const Console& console);

// What a finished run ends the program with.
ExitCode exit_code(const lab::Result& result);

}  // namespace cudalab::cli
