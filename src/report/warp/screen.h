// The screen of `cudalab step` as lines of text with a meaning for each part: what a terminal draws in
// colours. A pure function of where the walk is.
//
//   title       kernel, block, warp, step
//   source      with the line that was just executed
//   lanes       which of the 32 take part
//   detail      of that line: its request with addresses and values; its instructions; the variables, or
//               registers; or shared memory
//   warps       who waits where
//   message     a hazard, or an answer
//   keys
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "report/warp/walk.h"

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
  std::size_t access = 0;  // of the moment's
  std::size_t scroll = 0;  // rows of the detail
  std::string message;     // below everything
  Wording wording{};       // the reader's language
  bool is_asking = false;  // the message is a question; what is typed stands behind it
};

struct ScreenSize {
  std::size_t columns = 80, rows = 24;
};

// As many lines as the screen has rows, none wider than it. `source`: the lines of the launch's file.
std::vector<ScreenLine> draw_screen(Walk& walk, const std::vector<std::string>& source,
                                    const ScreenState& state, const ScreenSize& size);

std::string plain_text(const ScreenLine& line);

// The accesses of a moment, in the order of its steps.
struct MomentAccess {
  const vgpu::WarpStep* step;
  const vgpu::TracedAccess* access;
};
std::vector<MomentAccess> accesses_of(const vgpu::WarpTrace& trace, const Moment& moment);

}  // namespace cudalab::report
