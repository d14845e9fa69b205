// The screen of `cudalab step` as lines of text in which each part has a tone; a terminal draws the tones as
// colours. A pure function of the walk's position.
//
//   title       kernel, block, warp, step
//   source      the source, with the line that was just executed marked
//   lanes       the lanes that take part
//   detail      of that line: its request with addresses and values; its instructions; the variables, or
//               registers; or shared memory
//   warps       which warps wait, and where
//   message     a hazard, or an answer
//   keys
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "session/walk.h"

namespace cudalab::report {

enum class ScreenTone { kPlain, kTitle, kCurrent, kFaint, kGood, kBad, kBank };  // kBank + 0 … kBankTones - 1
inline constexpr int kBankTones = 6;

struct ScreenSpan {
  std::string text;
  ScreenTone tone = ScreenTone::kPlain;
  friend bool operator==(const ScreenSpan&, const ScreenSpan&) = default;
};
using ScreenLine = std::vector<ScreenSpan>;

enum class ScreenView { kRequest, kInstructions, kVariables, kShared };
inline constexpr int kScreenViews = 4;

struct ScreenState {
  ScreenView view = ScreenView::kRequest;
  std::size_t access = 0;  // index of the shown access of the moment
  std::size_t scroll = 0;  // hidden rows at the top of the detail
  std::string message;     // shown below everything
  Wording wording{};       // the reader's language
  bool is_asking = false;  // the message is a question, followed by what the user types
};

struct ScreenSize {
  std::size_t columns = 80, rows = 24;
};

// As many lines as the screen has rows, none wider than the screen. `source`: the lines of the launch's file.
std::vector<ScreenLine> draw_screen(session::Walk& walk, const std::vector<std::string>& source,
                                    const ScreenState& state, const ScreenSize& size);

std::string plain_text(const ScreenLine& line);

// The accesses of a moment, in the order of its steps.
struct MomentAccess {
  const vgpu::WarpStep* step;
  const vgpu::TracedAccess* access;
};
std::vector<MomentAccess> accesses_of(const vgpu::WarpTrace& trace, const session::Moment& moment);

}  // namespace cudalab::report
