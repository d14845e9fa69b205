// The verb `cudalab step`: steps through one warp of a kernel, printed as text or on a full screen.

#include <algorithm>
#include <climits>
#include <optional>
#include <set>

#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/step_target.h"
#include "cli/terminal/full_screen.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/formats/trace_json.h"
#include "report/tool.h"
#include "report/warp/trace_text.h"
#include "vgpu/warp_shape.h"
#include "vgpu/warp_trace.h"

namespace cudalab::cli {

// Steps through a launch on a full screen; assigns an action to each key.

namespace {

struct ScreenStart {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  bool at_hazard = false;  // start at the first hazard of the launch
  std::set<int> lines;     // start at the first moment that executes one of them
  bool colour = true;
  std::string message;  // shown at the start
};

using session::Moment;

using report::ScreenView;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view each : split(text, '\n')) {
    std::string line(each);
    for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t'))
      line.replace(tab, 1, std::string(4 - tab % 4, ' '));
    lines.push_back(harmless_line(line));
  }
  return lines;
}

class StepScreen {
 public:
  StepScreen(TargetLaunch& launch, const ScreenStart& start, const Console& console)
      : walk_(session::walked(launch.view)), source_(lines_of(launch.source)), wording_(console.wording) {
    walk_.go_to(start.block, start.warp);  // reports errors before the screen opens
    screen_.emplace(console, start.colour, "--trace prints lines instead");
    state_.wording = wording_;
    state_.message = start.message;
    if (start.at_hazard) to_hazard();
    if (!start.lines.empty())
      went(walk_.to_lines(start.lines), wording_.say(msg::step_breakpoint_not_reached()));
  }

  void run() {
    while (!left_) {
      screen_->draw(report::draw_screen(walk_, source_, state_, screen_->size()));
      const int key = screen_->read_key();
      if (key == kKeyNone) continue;
      state_.message.clear();
      if (state_.is_asking)
        answer(key);
      else
        press(key);
    }
  }

 private:
  struct Key {
    int key;
    void (StepScreen::*act)();
  };
  static const std::vector<Key>& keys();

  void press(int key) {
    const auto found = std::ranges::find(keys(), key, &Key::key);
    if (found != keys().end()) (this->*found->act)();
  }

  // ---- navigation ---------------------------------------------------------------------------------------
  void went(bool found, const std::string& otherwise) {
    state_.access = state_.scroll = 0;
    if (!found) state_.message = otherwise;
  }
  void forward() { went(walk_.forward(), wording_.say(msg::step_at_end())); }
  void back() { went(walk_.back(), wording_.say(msg::step_at_beginning())); }
  void begin() { walk_.to_begin(), went(true, ""); }
  void end() { walk_.to_end(), went(true, ""); }
  static bool is_barrier(const Moment& moment) { return moment.is_barrier; }
  static bool parts(const Moment& moment) { return moment.parts; }
  void next_barrier() { went(walk_.forward_to(is_barrier), wording_.say(msg::step_no_barrier_after())); }
  void last_barrier() { went(walk_.back_to(is_barrier), wording_.say(msg::step_no_barrier_before())); }
  void next_divergence() { went(walk_.forward_to(parts), wording_.say(msg::step_no_divergence_after())); }
  void last_divergence() { went(walk_.back_to(parts), wording_.say(msg::step_no_divergence_before())); }
  void to_hazard() { went(walk_.to_hazard(), wording_.say(msg::step_no_hazard())); }
  void next_warp() { walk_.other_warp(1), went(true, ""); }
  void last_warp() { walk_.other_warp(-1), went(true, ""); }
  void next_block() { walk_.other_block(1), went(true, ""); }
  void last_block() { walk_.other_block(-1), went(true, ""); }

  // ---- views --------------------------------------------------------------------------------------------
  void next_view() {
    state_.view = static_cast<ScreenView>((static_cast<int>(state_.view) + 1) % report::kScreenViews);
    state_.scroll = 0;
  }
  void next_access() { ++state_.access; }
  void scroll_down() { ++state_.scroll; }
  void scroll_up() { state_.scroll -= state_.scroll > 0; }
  void page_down() { state_.scroll += kPage; }
  void page_up() { state_.scroll -= std::min(state_.scroll, kPage); }
  void leave() { left_ = true; }

  // ---- entering a line number ---------------------------------------------------------------------------
  void ask_for_line() {
    typed_.clear();
    state_.is_asking = true;
    state_.message = question();
  }
  void answer(int key) {
    if (key == kKeyEscape || key == 'q') {
      state_.is_asking = false;
    } else if (key == kKeyEnter) {
      state_.is_asking = false;
      go_to_line();
    } else {
      if (key == kKeyBackspace && !typed_.empty()) typed_.pop_back();
      if (key >= '0' && key <= '9' && typed_.size() < kMostDigits) typed_ += static_cast<char>(key);
      state_.message = question() + typed_;
    }
  }
  void go_to_line() {
    if (typed_.empty()) return;
    const int line = std::stoi(typed_);
    const session::Walk::Wanted is_there = [&](const Moment& moment) {
      return moment.where.line == line && moment.where.file == walk_.launch().file;
    };
    if (walk_.forward_to(is_there)) return went(true, "");
    went(walk_.back_to(is_there), "");
    if (!walk_.moment() || !is_there(*walk_.moment()))
      state_.message = wording_.say(msg::step_line_not_executed(line));
  }

  static constexpr std::size_t kPage = 10, kMostDigits = 7;
  std::string question() const { return wording_.say(msg::step_line_prompt()); }

  session::Walk walk_;
  std::vector<std::string> source_;
  Wording wording_;
  report::ScreenState state_;
  std::optional<FullScreen> screen_;
  std::string typed_;
  bool left_ = false;
};

const std::vector<StepScreen::Key>& StepScreen::keys() {
  static const std::vector<Key> table{
      {kKeyRight, &StepScreen::forward},
      {' ', &StepScreen::forward},
      {'n', &StepScreen::forward},
      {'l', &StepScreen::forward},
      {kKeyLeft, &StepScreen::back},
      {kKeyBackspace, &StepScreen::back},
      {'p', &StepScreen::back},
      {'h', &StepScreen::back},
      {kKeyHome, &StepScreen::begin},
      {'0', &StepScreen::begin},
      {kKeyEnd, &StepScreen::end},
      {'$', &StepScreen::end},
      {'b', &StepScreen::next_barrier},
      {'B', &StepScreen::last_barrier},
      {'d', &StepScreen::next_divergence},
      {'D', &StepScreen::last_divergence},
      {'z', &StepScreen::to_hazard},
      {'g', &StepScreen::ask_for_line},
      {'w', &StepScreen::next_warp},
      {'W', &StepScreen::last_warp},
      {'k', &StepScreen::next_block},
      {'K', &StepScreen::last_block},
      {'v', &StepScreen::next_view},
      {'a', &StepScreen::next_access},
      {kKeyDown, &StepScreen::scroll_down},
      {kKeyUp, &StepScreen::scroll_up},
      {kKeyPageDown, &StepScreen::page_down},
      {kKeyPageUp, &StepScreen::page_up},
      {'q', &StepScreen::leave},
  };
  return table;
}

// Returns when the user quits. Throws Error(kUnavailable) if there is no screen.
void step_on_screen(TargetLaunch& launch, const ScreenStart& start, const Console& console) {
  StepScreen(launch, start, console).run();
}

constexpr std::uint64_t kMostSteps = 1'000'000;  // per trace: each takes about 400 bytes and up to 32 values

struct StepTexts {
  TargetTexts target;
  std::string block, warp, breakpoints, from = "0", steps = "10000";
  bool at_hazard = false, trace = false, instructions = false;
  std::string color = "auto";
  std::optional<std::string> json;

  bool wants_lines() const { return trace || instructions || json; }
};

Options step_options(StepTexts& texts) {
  return target_options(texts.target) + Options{color_option(texts.color, "colour the screen")} +
         in_group("Which warp",
                  {{"--block", " X[,Y[,Z]]", &texts.block, "the block; default 0,0,0"},
                   {"--warp", " W", &texts.warp, "the warp of the block; default 0"},
                   {"--hazard", "", &texts.at_hazard, "the block and the warp of the launch's first hazard"},
                   {"--break", " LINE[,LINE...]", &texts.breakpoints,
                    "the first warp, from this one on, that executes one of these lines"}}) +
         in_group(
             "Lines instead of a screen",
             {{"--trace", "", &texts.trace, "print the warp's steps, one source line per line"},
              {"--instructions", "", &texts.instructions, "also print each instruction and its registers"},
              {"--from", " N", &texts.from, "start at the warp's N-th instruction; default 0"},
              {"--steps", " N", &texts.steps, "the number of instructions; default 10000"},
              {"--json", "[=FILE]", MayBeBare{&texts.json, "-"},
               "write the trace as JSON to FILE, or to standard output"}});
}

// A note for code that was compiled for debugging; otherwise empty.
std::string note_on(bool for_debugger, const Wording& wording) {
  if (!for_debugger) return "";
  return wording.say(msg::step_compiled_for_debugging());
}

vgpu::TraceRequest request_from(const StepTexts& texts) {
  vgpu::TraceRequest wanted;
  if (!texts.block.empty()) wanted.block = shape_from("--block", texts.block, 0);
  if (!texts.warp.empty())
    wanted.warp = static_cast<std::uint32_t>(parse_natural("--warp", texts.warp, UINT32_MAX));
  wanted.first = parse_natural("--from", texts.from, UINT64_MAX);
  wanted.most = parse_natural("--steps", texts.steps, kMostSteps);
  if (wanted.most == 0) throw usage_error(msg::steps_out_of_range(kMostSteps));
  return wanted;
}

// Moves to the first hazard of the whole launch, and prints which one it is.
void go_to_hazard(device::LaunchView& view, vgpu::TraceRequest& wanted, const Console& console) {
  const LaunchResult result = view.rehearse();
  console.clear_progress();
  if (result.hazards.empty()) return console.remark("no hazard was found in this launch");
  const Hazard& hazard = result.hazards.front();
  wanted.block = hazard.block;
  wanted.warp = vgpu::warp_of(view.spec().block, hazard.thread);
  console.remark(console.wording.say(msg::step_hazard_at(hazard.where.file, hazard.where.line, hazard.what,
                                                         coordinates(hazard.block), wanted.warp)));
}

std::set<int> lines_from(const std::string& text) {
  std::set<int> lines;
  if (text.empty()) return lines;
  for (const std::string_view line : split(text, ','))
    lines.insert(static_cast<int>(parse_natural("--break", line, INT_MAX)));
  return lines;
}

// Breakpoints at lines without code are moved to the next line with code, as debuggers do.
std::set<int> lines_to_stop_at(const std::set<int>& wanted, device::LaunchView& view,
                               const Console& console) {
  std::set<int> lines;
  if (wanted.empty()) return lines;
  const vgpu::WarpTrace trace = view.trace({.most = 1, .lists_module = true});
  const std::set<int> with_code = session::lines_with_code(trace.listing, view.file());
  for (const int line : wanted) {
    const auto next = with_code.lower_bound(line);
    if (next != with_code.end())
      lines.insert(*next);
    else
      console.remark(console.wording.say(msg::step_breakpoint_without_code(view.file(), line)));
  }
  return lines;
}

// Moves to the first warp that executes one of the lines, and prints which one it is. The trace begins at the
// line if the requested steps of that warp do not include it.
void go_to_lines(device::LaunchView& view, const std::set<int>& lines, vgpu::TraceRequest& wanted,
                 const Console& console) {
  session::Walk walk(session::walked(view));
  walk.go_to(wanted.block, wanted.warp);
  const bool is_found = walk.to_lines(lines, wanted.first);
  console.clear_progress();
  if (!is_found) return console.remark(console.wording.say(msg::step_breakpoint_not_reached()));
  const std::uint64_t step = walk.trace().steps[walk.moment()->first].number;
  if (walk.trace().block != wanted.block || walk.trace().warp != wanted.warp) wanted.first = 0;
  if (step - wanted.first >= wanted.most) wanted.first = step;
  wanted.block = walk.trace().block;
  wanted.warp = walk.trace().warp;
  const SourceLine& where = walk.moment()->where;
  console.remark(console.wording.say(
      msg::step_breakpoint_at(where.file, where.line, coordinates(wanted.block), wanted.warp)));
}

report::TracedLaunch described(const TargetLaunch& launch, const std::set<int>& breakpoints) {
  return {launch.view.kernel(), launch.view.file(), launch.number, launch.view.spec(), breakpoints};
}

std::string heading(const TargetLaunch& launch, const vgpu::WarpTrace& trace, bool for_debugger,
                    const Wording& wording) {
  return wording.say(msg::step_title(launch.view.kernel(), launch.view.file(), coordinates(trace.block),
                                     trace.warp, vgpu::warps_of(launch.view.spec().block))) +
         "\n" + (for_debugger ? note_on(true, wording) + "\n" : "");
}

void print_trace(const StepTexts& texts, TargetLaunch& launch, const std::optional<OutputFile>& file,
                 const Console& console) {
  vgpu::TraceRequest wanted = request_from(texts);
  const std::set<int> lines = lines_to_stop_at(lines_from(texts.breakpoints), launch.view, console);
  if (texts.at_hazard) go_to_hazard(launch.view, wanted, console);
  if (!lines.empty()) go_to_lines(launch.view, lines, wanted, console);
  const vgpu::WarpTrace trace = launch.view.trace(wanted);
  console.clear_progress();
  const std::string json =
      texts.json ? report::trace_json_text(trace, described(launch, lines), report::this_tool()) : "";
  if (file) file->write(json);
  if (texts.json == "-") return console.print(json);
  console.print(heading(launch, trace, texts.target.for_debugger, console.wording) +
                report::trace_text(trace, {launch.view.file(), launch.source, launch.view.defines()},
                                   texts.instructions, console.wording));
}

ExitCode step(const StepTexts& texts, const Console& console) {
  std::optional<OutputFile> file;
  if (texts.json && *texts.json != "-") file.emplace(*texts.json);
  request_from(texts);  // report errors before anything runs
  const std::set<int> lines = lines_from(texts.breakpoints);
  if (texts.at_hazard && !lines.empty()) throw usage_error(msg::step_hazard_or_breakpoint());
  TargetTexts target = texts.target;
  target.prints = texts.wants_lines();
  const bool colour = console.colour(chosen("--color", texts.color, kColours));
  const auto show = [&](TargetLaunch& launch) {
    if (texts.wants_lines()) return print_trace(texts, launch, file, console);
    console.clear_progress();
    const vgpu::TraceRequest wanted = request_from(texts);
    step_on_screen(launch,
                   {wanted.block, wanted.warp, texts.at_hazard, lines_to_stop_at(lines, launch.view, console),
                    colour, note_on(texts.target.for_debugger, console.wording)},
                   console);
  };
  look_into_launch(target, console, {.at_launch = [&](TargetLaunch& launch) {
                     show(launch);
                     return device::ProgramNext{};
                   }});
  return ExitCode::kPassed;
}

}  // namespace

Verb step_verb() {
  return {.name = "step",
          .alias = "",
          .summary = "step through one warp of a kernel, line by line: lanes, addresses, values, barriers",
          .examples = {"cudalab step transpose --stage naive", "cudalab step transpose --stage naive --trace",
                       "cudalab step padded-tile --block 0,1 --warp 2 --trace",
                       "cudalab step program.cu --launch reduce --debug -- 1000",
                       "cudalab step saxpy.cu --trace -- --kernel saxpy --grid 4 --block 256 --arg f32:2 "
                       "--arg buf:f32:1000:iota --arg buf:f32:1000:random --arg i32:1000"},
          .declare = with_options(step_options, step),
          .more_help =
              "Steps follow the optimized code, as the tables do: a line may occur several times, or\n"
              "not at all. The kernel always runs on the virtual GPU.\n"};
}

}  // namespace cudalab::cli
