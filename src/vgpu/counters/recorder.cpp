// Keeps the first requests and the worst request of each site, and merges what the host threads kept.
#include "vgpu/counters/recorder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "vgpu/counters/access_costs.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

std::uint64_t executed(const Warp& warp) { return static_cast<std::uint64_t>(warp.clock - warp.budget); }

std::uint64_t window_of(MemorySpace space) {
  if (space == MemorySpace::kShared) return kSharedWindow;
  return space == MemorySpace::kLocal ? kLocalWindow : 0;
}

// A lane that reads an inactive lane gets its own value, as in opcodes/warp.level.cpp.
LaneExchange exchange_of(const ValueStep& step, const Warp& warp) {
  LaneExchange exchange{warp.exec, {}, ExchangeKind::kShuffle};
  const auto *distance = lanes_at<const std::uint32_t>(warp, step.distance),
             *clamp = lanes_at<const std::uint32_t>(warp, step.clamp);
  for (std::uint32_t lane = 0; lane < kRecordedLanes; ++lane) {
    const std::uint32_t from = source_lane(step.mode, lane, distance[lane], clamp[lane]);
    exchange.from[lane] = static_cast<std::uint8_t>(warp.exec >> from & 1 ? from : lane);
  }
  return exchange;
}

std::uint64_t value_of(const LaneQuestion& question, const Warp& warp, std::size_t lane) {
  if (question.is_wide) return lanes_at<const std::uint64_t>(warp, question.value)[lane];
  return lanes_at<const std::uint32_t>(warp, question.value)[lane];
}

// The first active lane with the same mask and, for a match, the same value.
std::size_t first_of_group(const LaneQuestion& question, const Warp& warp, std::size_t lane) {
  const auto* masks = lanes_at<const std::uint32_t>(warp, question.mask);
  for (std::size_t first = 0; first < lane; ++first) {
    if (!(warp.exec >> first & 1) || masks[first] != masks[lane]) continue;
    if (question.kind != ExchangeKind::kMatch ||
        value_of(question, warp, first) == value_of(question, warp, lane))
      return first;
  }
  return lane;
}

LaneExchange answers_to(const LaneQuestion& question, const Warp& warp) {
  LaneExchange exchange{warp.exec, {}, question.kind};
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane) {
    if (!(warp.exec >> lane & 1)) continue;
    const bool is_vote = question.kind == ExchangeKind::kVote;
    const std::size_t answer = is_vote ? *lanes_at<const std::uint32_t>(warp, question.value) >> lane & 1
                                       : first_of_group(question, warp, lane);
    exchange.from[lane] = static_cast<std::uint8_t>(answer);
  }
  return exchange;
}

// Sites of one source line that LineAccess counts together, in source order.
using LineKey = std::tuple<std::string, int, MemorySpace, AccessKind, int>;

}  // namespace

Recorder::Numbered Recorder::numbered(const Warp& warp, const SiteInfo& info, const Pattern& pattern,
                                      std::uint64_t base) {
  Numbered made{warp.block->number, requests_++, {}};
  WarpRequest& request = made.request;
  request.block = warp.block->index;
  request.warp = warp.index;
  request.lanes = pattern.active;
  request.bytes_per_lane = info.counted_bytes();
  request.transactions = pattern.transactions;
  request.fewest = pattern.fewest;
  const std::uint64_t from = base - window_of(class_of(info.kind).space);
  for (std::size_t lane = 0; lane < kRecordedLanes; ++lane)
    if (request.has(lane)) request.address[lane] = from + static_cast<std::uint64_t>(pattern.offset[lane]);
  return made;
}

Recorder::Recorder(const Launch& launch, NameAt name_at)
    : program_(launch.program), name_at_(name_at), sites_(launch.program->sites.size()) {
  const LaunchOptions& options = launch.request->options;
  if (options.record_uses) uses_.emplace(launch);
  if (options.history && launch.cluster.volume() == 1) history_.emplace(launch, *options.history, name_at);
}

// A load of 0 counted bytes is merged into another load, which is recorded instead.
void Recorder::add(const Warp& warp, const SiteState& state, const Pattern& pattern, std::uint64_t base) {
  const SiteInfo& info = *state.info;
  if (uses_) uses_->add(info, pattern, base);
  if (history_) history_->add(warp, info, pattern, base);
  if (info.counted_bytes() == 0 || pattern.active == 0) return;
  Site& site = sites_[static_cast<std::size_t>(&state - warp.sites)];
  const bool is_early = site.first.size() < kRecordedRequests,
             is_worst = !site.worst || pattern.transactions > site.worst->request.transactions;
  if (!is_early && !is_worst) return;
  const Numbered made = numbered(warp, info, pattern, base);
  if (is_early) site.first.push_back(made);
  if (is_worst) site.worst = made;
}

void Recorder::add_texels(const Warp& warp, const SiteInfo& site, const Pattern& pattern,
                          std::uint64_t base) {
  if (history_) history_->add(warp, site, pattern, base);
}

void Recorder::add_fetch(const Inst* inst, const Warp& warp, const BoundTexels& texels,
                         std::array<double, 3> at) {
  if (uses_) textures_.add(warp.sites[inst->site].info->source, texels, at);
}

void Recorder::add_unknown() {
  if (history_) history_->end_early();
}

void Recorder::take_path(const Inst* from, const Warp& warp) {
  if (warp.block->number != 0) return;
  if (paths_.size() <= warp.index) paths_.resize(warp.index + 1);
  WarpPaths& way = paths_[warp.index];
  if (way.steps.empty()) way = {warp.block->index, warp.index, warp.live, {}};
  const bool is_same = !way.steps.empty() && way.steps.back().lanes == warp.active;
  if (is_same || way.steps.size() > kRecordedSteps) return;
  if (!way.steps.empty()) way.steps.back().end = executed(warp);
  way.steps.push_back({executed(warp), 0, warp.active, warp.live, line_of(warp, from)});
}

LineExchanges* Recorder::with_room_for(const Inst* inst, const Warp& warp) {
  if (warp.block->number != 0) return nullptr;
  const SourceLine where = line_of(warp, inst);
  auto line = std::ranges::find(exchanges_, where, &LineExchanges::where);
  if (line == exchanges_.end())
    line = exchanges_.insert(line, LineExchanges{where, warp.block->index, warp.index, {}});
  const bool has_room = line->warp == warp.index && line->first.size() < kRecordedExchanges;
  return has_room ? &*line : nullptr;
}

void Recorder::add_shuffle(const Inst* inst, const ValueStep& step, const Warp& warp) {
  if (history_) history_->add_shuffle(inst, step, warp);
  if (LineExchanges* line = with_room_for(inst, warp)) line->first.push_back(exchange_of(step, warp));
}

void Recorder::add_answers(const Inst* inst, const LaneQuestion& question, const Warp& warp) {
  if (LineExchanges* line = with_room_for(inst, warp)) line->first.push_back(answers_to(question, warp));
}

void Recorder::end_block(const Block& block) {
  if (history_) history_->end_block();
  if (block.number != 0) return;
  for (WarpPaths& way : paths_)
    if (!way.steps.empty() && way.steps.back().end == 0)
      way.steps.back().end = executed(block.warps[way.warp]);
}

Recording join_recordings(const Launch& launch, std::span<const Recorder* const> recorders,
                          std::uint64_t last_block) {
  using Numbered = Recorder::Numbered;
  struct Joined {
    std::vector<Numbered> first;
    std::optional<Numbered> worst;
  };
  std::map<LineKey, Joined> lines;
  Recording recording;
  for (const Recorder* recorder : recorders) {
    for (std::size_t i = 0; i < recorder->sites_.size(); ++i) {
      const Recorder::Site& site = recorder->sites_[i];
      if (site.first.empty()) continue;
      const SiteInfo& info = recorder->program_->sites[i];
      const SiteClass& kind = class_of(info.kind);
      const SourceLine& where = recorder->program_->lines[info.source];
      Joined& line = lines[{where.file, where.line, kind.space, kind.access, info.bytes_per_lane}];
      line.first.insert(line.first.end(), site.first.begin(), site.first.end());
      if (!line.worst || std::tuple(-std::int64_t{site.worst->request.transactions}, site.worst->block) <
                             std::tuple(-std::int64_t{line.worst->request.transactions}, line.worst->block))
        line.worst = site.worst;
    }
    for (const WarpPaths& way : recorder->paths_)
      if (!way.steps.empty()) recording.warps.push_back(way);
    std::ranges::copy(recorder->exchanges_, std::back_inserter(recording.exchanges));
  }
  std::ranges::sort(recording.exchanges, {},
                    [](const LineExchanges& line) { return std::pair(line.where.file, line.where.line); });
  for (auto& [key, joined] : lines) {
    const auto& [file, number, space, kind, bytes] = key;
    std::erase_if(joined.first, [&](const Numbered& one) { return one.block > last_block; });
    std::ranges::stable_sort(joined.first, {},
                             [](const Numbered& one) { return std::pair(one.block, one.number); });
    if (joined.first.empty()) continue;
    LineRequests& line = recording.lines.emplace_back(LineRequests{{file, number}, space, kind, {}, {}});
    for (std::size_t i = 0; i < std::min(joined.first.size(), kRecordedRequests); ++i)
      line.first.push_back(joined.first[i].request);
    if (joined.worst->block <= last_block) line.worst = joined.worst->request;
  }
  std::vector<const UseTally*> tallies;
  std::vector<const TextureTally*> textures;
  for (const Recorder* recorder : recorders) {
    if (recorder->uses_) tallies.push_back(&*recorder->uses_);
    textures.push_back(&recorder->textures_);
  }
  recording.uses = join_uses(launch, tallies, recorders.front()->name_at_);
  recording.textures = join_textures(launch, textures, recorders.front()->name_at_);
  return recording;
}

}  // namespace cudalab::vgpu
