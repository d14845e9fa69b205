#include "cli/step_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/full_screen.h"
#include "core/text.h"
#include "core/words/split.h"

namespace cudalab::cli {
namespace {

using report::Moment;
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

report::WalkedLaunch walked(TargetLaunch& launch) {
  device::LaunchView& view = launch.view;
  return {view.kernel(),
          view.file(),
          view.grid(),
          view.block(),
          [&view](const vgpu::TraceRequest& wanted) { return view.trace(wanted); },
          [&view] { return view.rehearse().hazards; },
          view.defines()};
}

class StepScreen {
 public:
  StepScreen(TargetLaunch& launch, const ScreenStart& start, const Console& console)
      : walk_(walked(launch)), source_(lines_of(launch.source)), wording_(console.wording) {
    walk_.go_to(start.block, start.warp);  // what is wrong with it is said before there is a screen
    screen_.emplace(console, start.colour, "--trace prints lines instead");
    state_.wording = wording_;
    state_.message = start.message;
    if (start.at_hazard) to_hazard();
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

  // ---- where to -----------------------------------------------------------------------------------------
  void went(bool found, const std::string& otherwise) {
    state_.access = state_.scroll = 0;
    if (!found) state_.message = otherwise;
  }
  void forward() { went(walk_.forward(), wording_.say<"this is the end of the warp">()); }
  void back() { went(walk_.back(), wording_.say<"this is its beginning">()); }
  void begin() { walk_.to_begin(), went(true, ""); }
  void end() { walk_.to_end(), went(true, ""); }
  static bool is_barrier(const Moment& moment) { return moment.is_barrier; }
  static bool parts(const Moment& moment) { return moment.parts; }
  void next_barrier() { went(walk_.forward_to(is_barrier), wording_.say<"no further barrier">()); }
  void last_barrier() { went(walk_.back_to(is_barrier), wording_.say<"no barrier before">()); }
  void next_divergence() { went(walk_.forward_to(parts), wording_.say<"the lanes part no more">()); }
  void last_divergence() { went(walk_.back_to(parts), wording_.say<"the lanes have not parted before">()); }
  void to_hazard() { went(walk_.to_hazard(), wording_.say<"no hazard, in the whole launch">()); }
  void next_warp() { walk_.other_warp(1), went(true, ""); }
  void last_warp() { walk_.other_warp(-1), went(true, ""); }
  void next_block() { walk_.other_block(1), went(true, ""); }
  void last_block() { walk_.other_block(-1), went(true, ""); }

  // ---- what is shown ------------------------------------------------------------------------------------
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

  // ---- a line's number ----------------------------------------------------------------------------------
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
    const report::Walk::Wanted is_there = [&](const Moment& moment) {
      return moment.where.line == line && moment.where.file == walk_.launch().file;
    };
    if (walk_.forward_to(is_there)) return went(true, "");
    went(walk_.back_to(is_there), "");
    if (!walk_.moment() || !is_there(*walk_.moment()))
      state_.message = wording_.say<"this warp executes nothing of line {}">(line);
  }

  static constexpr std::size_t kPage = 10, kMostDigits = 7;
  std::string question() const { return wording_.say<"to line (Enter goes there): ">(); }

  report::Walk walk_;
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

}  // namespace

void step_on_screen(TargetLaunch& launch, const ScreenStart& start, const Console& console) {
  StepScreen(launch, start, console).run();
}

}  // namespace cudalab::cli
