// `cudalab step`: looks into one warp of a kernel, line by line.
#include <fmt/format.h>

#include <optional>

#include "cli/options/choices.h"
#include "cli/options/lab_options.h"
#include "cli/options/shared_options.h"
#include "cli/step_screen.h"
#include "cli/step_target.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "report/formats/trace_json.h"
#include "report/tool.h"
#include "report/warp/trace_text.h"
#include "vgpu/warp_shape.h"

namespace cudalab::cli {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000;  // in one trace: some 400 bytes each, and 32 values

struct StepTexts {
  TargetTexts target;
  std::string block, warp, from = "0", steps = "10000";
  bool at_hazard = false, trace = false, instructions = false;
  std::string color = "auto";
  std::optional<std::string> json;

  bool wants_lines() const { return trace || instructions || json; }
};

Options step_options(StepTexts& texts) {
  return target_options(texts.target) + Options{color_option(texts.color, "colours on the screen")} +
         in_group("Which warp", {{"--block", " X[,Y[,Z]]", &texts.block, "the block; default 0,0,0"},
                                 {"--warp", " W", &texts.warp, "the warp of the block; default 0"},
                                 {"--hazard", "", &texts.at_hazard,
                                  "the block and the warp of the first hazard that the whole launch has"}}) +
         in_group("Lines instead of a screen",
                  {{"--trace", "", &texts.trace, "print what the warp does, a line of the source a line"},
                   {"--instructions", "", &texts.instructions,
                    "the same with each instruction, and its registers"},
                   {"--from", " N", &texts.from, "from the warp's N-th instruction on; default 0"},
                   {"--steps", " N", &texts.steps, "that many instructions; default 10000"},
                   {"--json", "[=FILE]", MayBeBare{&texts.json, "-"},
                    "write the trace as JSON to FILE, or to standard output"}});
}

// What is said of code that was compiled for a debugger; of any other nothing.
std::string note_on(bool for_debugger, const Wording& wording) {
  if (!for_debugger) return "";
  return wording.say<"compiled with -G, as for a debugger: its counts are not those of the tables">();
}

vgpu::TraceRequest request_from(const StepTexts& texts) {
  vgpu::TraceRequest wanted;
  if (!texts.block.empty()) wanted.block = shape_from("--block", texts.block, 0);
  if (!texts.warp.empty())
    wanted.warp = static_cast<std::uint32_t>(parse_natural("--warp", texts.warp, UINT32_MAX));
  wanted.first = parse_natural("--from", texts.from, UINT64_MAX);
  wanted.most = parse_natural("--steps", texts.steps, kMostSteps);
  if (wanted.most == 0) throw usage_error("--steps takes 1 to {}", kMostSteps);
  return wanted;
}

// Where the first hazard of the whole launch is, which is said.
void go_to_hazard(device::LaunchView& view, vgpu::TraceRequest& wanted, const Console& console) {
  const LaunchResult result = view.rehearse();
  console.clear_progress();
  if (result.hazards.empty()) return console.remark("no hazard was found in this launch");
  const Hazard& hazard = result.hazards.front();
  wanted.block = hazard.block;
  wanted.warp = vgpu::warp_of(view.block(), hazard.thread);
  console.remark(console.wording.say<"{}:{}: {} (block {}, warp {})">(
      hazard.where.file, hazard.where.line, console.wording.say(hazard.what), coordinates(hazard.block),
      wanted.warp));
}

report::TracedLaunch described(const TargetLaunch& launch) {
  return {launch.view.kernel(), launch.view.file(), launch.number, launch.view.grid(), launch.view.block()};
}

std::string heading(const TargetLaunch& launch, const vgpu::WarpTrace& trace, bool for_debugger,
                    const Wording& wording) {
  return wording.say<"{} of {}, block {}, warp {} of {}">(launch.view.kernel(), launch.view.file(),
                                                          coordinates(trace.block), trace.warp,
                                                          vgpu::warps_of(launch.view.block())) +
         "\n" + (for_debugger ? note_on(true, wording) + "\n" : "");
}

void print_trace(const StepTexts& texts, TargetLaunch& launch, const std::optional<OutputFile>& file,
                 const Console& console) {
  vgpu::TraceRequest wanted = request_from(texts);
  if (texts.at_hazard) go_to_hazard(launch.view, wanted, console);
  const vgpu::WarpTrace trace = launch.view.trace(wanted);
  console.clear_progress();
  const std::string json =
      texts.json ? report::trace_json_text(trace, described(launch), report::this_tool()) : "";
  if (file) file->write(json);
  if (texts.json == "-") return console.print(json);
  console.print(heading(launch, trace, texts.target.for_debugger, console.wording) +
                report::trace_text(trace, {launch.view.file(), launch.source, launch.view.defines()},
                                   texts.instructions, console.wording));
}

ExitCode step(const StepTexts& texts, const Console& console) {
  std::optional<OutputFile> file;
  if (texts.json && *texts.json != "-") file.emplace(*texts.json);
  request_from(texts);  // what is wrong with it is said before anything runs
  TargetTexts target = texts.target;
  target.prints = texts.wants_lines();
  const bool colour = console.colour(chosen("--color", texts.color, kColours));
  look_into_launch(target, console, [&](TargetLaunch& launch) {
    if (texts.wants_lines()) return print_trace(texts, launch, file, console);
    console.clear_progress();
    const vgpu::TraceRequest wanted = request_from(texts);
    step_on_screen(launch,
                   {wanted.block, wanted.warp, texts.at_hazard, colour,
                    note_on(texts.target.for_debugger, console.wording)},
                   console);
  });
  return ExitCode::kPassed;
}

}  // namespace

Verb step_verb() {
  return {.name = "step",
          .alias = "",
          .summary = "look into one warp of a kernel, line by line: lanes, addresses, values, barriers",
          .examples = {"cudalab step transpose --stage naive", "cudalab step transpose --stage naive --trace",
                       "cudalab step padded-tile --block 0,1 --warp 2 --trace",
                       "cudalab step program.cu --launch reduce --debug -- 1000",
                       "cudalab step saxpy.cu --trace -- --kernel saxpy --grid 4 --block 256 --arg f32:2 "
                       "--arg buf:f32:1000:iota --arg buf:f32:1000:random --arg i32:1000"},
          .declare = with_options(step_options, step),
          .more_help =
              "What is stepped through is the optimised code that the tables count: a line may come several "
              "times,\n"
              "or not at all. It always runs on the virtual GPU.\n"};
}

}  // namespace cudalab::cli
