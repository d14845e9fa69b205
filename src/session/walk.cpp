// Walks through a warp's moments by re-running windows of its steps, and finds other warps, barriers and
// hazards.
#include "session/walk.h"

#include <algorithm>
#include <utility>

#include "vgpu/warp_shape.h"

namespace cudalab::session {
namespace {

// Steps of the largest window while a walk passes through it; a step takes about 1 KB.
constexpr std::uint64_t kMostGrown = 1u << 16;

std::uint64_t turned(std::uint64_t number, int distance, std::uint64_t count) {
  const auto by = static_cast<std::uint64_t>(distance < 0 ? -distance : distance) % count;
  return distance < 0 ? (number + count - by) % count : (number + by) % count;
}

}  // namespace

WalkedLaunch walked(device::LaunchView& view) {
  return {view.kernel(),
          view.file(),
          view.spec(),
          [&view](const vgpu::TraceRequest& wanted) { return view.trace(wanted); },
          [&view] { return view.rehearse().hazards; },
          view.defines()};
}

std::set<int> lines_with_code(const std::vector<vgpu::ListedInstruction>& listing, const std::string& file) {
  std::set<int> lines;
  const auto add = [&](const SourceLine& where) {
    if (where.line > 0 && where.file == file) lines.insert(where.line);
  };
  for (const vgpu::ListedInstruction& each : listing) {
    add(each.code.where);
    std::ranges::for_each(each.code.inlined_at, add);
  }
  return lines;
}

Walk::Walk(WalkedLaunch launch, std::uint64_t window) : launch_(std::move(launch)), window_(window) {}

void Walk::load(const vgpu::TraceRequest& wanted) {
  trace_ = launch_.trace(wanted);
  first_ = wanted.first;
  moments_ = moments_of(trace_, launch_.file);
  at_ = 0;
  variables_.reset();
  shared_at_.reset();
}

void Walk::go_to(const Dim3& block, std::uint32_t warp) { load({block, warp, 0, window_}); }

void Walk::other_warp(int distance) {
  const std::uint64_t warps = vgpu::warps_of(launch_.spec.block);
  go_to(trace_.block, static_cast<std::uint32_t>(turned(trace_.warp, distance, warps)));
}

void Walk::other_block(int distance) {
  const std::uint64_t number = linear_index(launch_.spec.grid, trace_.block);
  go_to(position_in(launch_.spec.grid, turned(number, distance, launch_.spec.grid.volume())), trace_.warp);
}

void Walk::reload() {
  if (moments_.empty()) return;
  const std::uint64_t step = trace_.steps[moments_[at_].first].number;
  load({trace_.block, trace_.warp, first_, window_});
  if (moments_.empty()) {  // the warp now ends before the window
    to_begin();
    to_end();
    return;
  }
  go_to_step(step);
}

void Walk::go_to_step(std::uint64_t step) {
  while (at_ + 1 < moments_.size() && trace_.steps[moments_[at_ + 1].first].number <= step) ++at_;
}

// ---- windows -------------------------------------------------------------------------------------------
// A window may begin and end at any step. A moment that a window's end cuts is whole in neither window.
//
// Each window is recorded by running the warp from its first step on. A walk through many windows therefore
// doubles their size, up to kMostGrown, so its time does not grow with the square of the steps.

bool Walk::next_window() {
  if (trace_.ended || trace_.steps.empty()) return false;
  vgpu::WarpTrace before = trace_;
  const std::size_t at = at_;
  load({trace_.block, trace_.warp, trace_.steps.back().number + 1, grown_});
  if (!moments_.empty()) return true;
  before.ended = true;  // the next window is empty
  return_to(before, at);
  return false;
}

void Walk::return_to(const vgpu::WarpTrace& trace, std::size_t at) {
  trace_ = trace;
  variables_.reset();
  first_ = trace_.steps.front().number;
  moments_ = moments_of(trace_, launch_.file);
  at_ = at;
}

bool Walk::previous_window() {
  if (first_ == 0) return false;
  const std::uint64_t first = first_ - std::min(first_, grown_);
  load({trace_.block, trace_.warp, first, first_ - first});
  at_ = moments_.size() - 1;
  return true;
}

// ---- moments -------------------------------------------------------------------------------------------

bool Walk::forward() {
  if (at_ + 1 < moments_.size()) return ++at_, true;
  return next_window();
}

bool Walk::back() {
  if (at_ > 0) return --at_, true;
  return previous_window();
}

void Walk::grow() { grown_ = std::min(2 * grown_, std::max(window_, kMostGrown)); }

// Keeps only a window around the position, after a walk through larger ones.
void Walk::settle() {
  grown_ = window_;
  if (moments_.empty() || trace_.steps.size() <= window_) return;
  const std::uint64_t step = trace_.steps[moments_[at_].first].number;
  load({trace_.block, trace_.warp, std::max(first_, step - std::min(step, window_ / 2)), window_});
  go_to_step(step);
}

void Walk::to_begin() { load({trace_.block, trace_.warp, 0, window_}); }

void Walk::to_end() {
  while (next_window()) grow();
  if (!moments_.empty()) at_ = moments_.size() - 1;
  settle();
}

bool Walk::forward_to(const Wanted& wanted) {
  return walk_to(
      wanted, [this] { return forward(); }, [this] { return at_ + 1 >= moments_.size(); });
}

bool Walk::back_to(const Wanted& wanted) {
  return walk_to(
      wanted, [this] { return back(); }, [this] { return at_ == 0; });
}

bool Walk::walk_to(const Wanted& wanted, const std::function<bool()>& step,
                   const std::function<bool()>& leaves_window) {
  vgpu::WarpTrace before;  // the trace to return to if another window is loaded
  const std::size_t at = at_;
  const std::uint64_t first = first_;
  while (true) {
    const bool leaves = leaves_window();
    if (leaves && first_ == first) before = trace_;
    if (!step()) break;
    if (leaves) grow();
    if (wanted(moments_[at_])) return settle(), true;
  }
  grown_ = window_;
  if (first_ == first)
    at_ = at;
  else
    return_to(before, at);
  return false;
}

bool Walk::to_hazard() {
  const Wanted has_hazard = [](const Moment& moment) { return moment.has_hazard; };
  if (forward_to(has_hazard)) return true;
  if (!hazards_) hazards_ = launch_.hazards();
  const auto other = std::ranges::find_if(*hazards_, [&](const Hazard& hazard) {
    return hazard.block != trace_.block || vgpu::warp_of(launch_.spec.block, hazard.thread) != trace_.warp;
  });
  if (other == hazards_->end()) return false;
  go_to(other->block, vgpu::warp_of(launch_.spec.block, other->thread));
  if (moment() && moment()->has_hazard) return true;
  // Only the run of the whole launch finds a hazard between blocks; in that case go to its line.
  if (!forward_to(has_hazard)) forward_to([&](const Moment& moment) { return moment.where == other->where; });
  return true;
}

bool Walk::to_lines(const std::set<int>& lines, std::uint64_t from) {
  const Wanted is_there = [&](const Moment& moment) {
    return trace_.steps[moment.first].number >= from && moment.where.file == launch_.file &&
           lines.contains(moment.where.line);
  };
  const auto is_in_this_warp = [&] { return (moment() && is_there(*moment())) || forward_to(is_there); };
  const Dim3 block = trace_.block;
  const std::uint32_t warp = trace_.warp;
  load({block, warp, from, window_});
  if (is_in_this_warp()) return true;
  const std::uint64_t blocks = launch_.spec.grid.volume(), first = linear_index(launch_.spec.grid, block);
  const auto warps = static_cast<std::uint32_t>(vgpu::warps_of(launch_.spec.block));
  from = 0;
  for (std::uint64_t at = first; at < blocks; ++at)
    for (std::uint32_t each = at == first ? warp + 1 : 0; each < warps; ++each) {
      go_to(position_in(launch_.spec.grid, at), each);
      if (is_in_this_warp()) return true;
    }
  go_to(block, warp);
  return false;
}

std::vector<KnownValue> Walk::variables_after(std::size_t step) {
  if (!variables_ || !variables_->can_read(trace_, step)) variables_.emplace(trace_);
  return variables_->at(step);
}

const std::vector<std::byte>& Walk::shared() {
  const std::uint64_t step = last_step().number;
  if (shared_at_ == step) return shared_;
  shared_ = launch_.trace({trace_.block, trace_.warp, step, 1}).shared;
  shared_at_ = step;
  return shared_;
}

}  // namespace cudalab::session
