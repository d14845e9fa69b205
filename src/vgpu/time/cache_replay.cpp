#include "vgpu/time/cache_replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kNobody = ~0u;
constexpr std::size_t kMostWarps = 1024;

// The least recently used line leaves. Lines have four sectors, each there or not, written or not.
class Cache {
 public:
  struct Line {
    std::uint64_t number = 0;
    std::uint32_t before = kNobody, after = kNobody;  // in the order of use
    std::uint8_t valid = 0, dirty = 0;
    std::uint8_t source = 0;             // of what came last: 1: the L2, 2: DRAM
    std::uint64_t asked_at = 0;          // when it was asked for
    std::uint64_t asked_by = 0;          // which warp
    std::array<std::uint8_t, 2> here{};  // sectors that a half of the L2 has
  };
  explicit Cache(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  Line* find(std::uint64_t number) {
    const auto found = places_.find(number);
    if (found == places_.end()) return nullptr;
    unlink(found->second);
    link_first(found->second);
    return &lines_[found->second];
  }
  bool is_full() const { return places_.size() >= capacity_; }
  // The line that had to leave for it is put into `left`; its number stays 0 where none had to.
  Line& insert(std::uint64_t number, Line& left) {
    std::uint32_t place;
    if (is_full()) {
      place = last_;
      left = lines_[place];
      places_.erase(left.number);
      unlink(place);
    } else {
      place = static_cast<std::uint32_t>(lines_.size());
      lines_.emplace_back();
    }
    lines_[place] = {};
    lines_[place].number = number;
    places_[number] = place;
    link_first(place);
    return lines_[place];
  }

 private:
  void unlink(std::uint32_t place) {
    const Line& line = lines_[place];
    (line.before == kNobody ? first_ : lines_[line.before].after) = line.after;
    (line.after == kNobody ? last_ : lines_[line.after].before) = line.before;
  }
  void link_first(std::uint32_t place) {
    lines_[place].before = kNobody;
    lines_[place].after = first_;
    if (first_ != kNobody) lines_[first_].before = place;
    first_ = place;
    if (last_ == kNobody) last_ = place;
  }

  std::size_t capacity_;
  std::vector<Line> lines_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::uint32_t first_ = kNobody, last_ = kNobody;
};

// DRAM is read in 64 bytes.
std::uint32_t pairs_of(std::uint32_t sectors) {
  const std::uint32_t even = (sectors | sectors >> 1) & 0b0101;
  return even | even << 1;
}

int sectors_in(std::uint32_t sectors) { return std::popcount(sectors); }

struct ReplayedTouch {
  std::uint64_t when = 0;  // turn of the block on its multiprocessor, clock
  std::uint32_t block = 0;
  std::uint32_t multiprocessor = 0;
  TouchedLine touched;
};

class Replay {
 public:
  Replay(const CacheShapes& shapes, int level, std::span<const double> lines_of_request)
      : l2_(static_cast<std::size_t>(shapes.l2_lines >> level)),
        lines_of_request_(lines_of_request),
        is_whole_(level == 0) {
    traffic_.of_site.resize(lines_of_request.size());
    traffic_.slowest_of_warp.resize(kMostWarps);
    constexpr std::size_t kNeighbours = 4, kRemembered = 256;
    for (std::size_t i = 0; i < (shapes.multiprocessors + kNeighbours - 1) / kNeighbours; ++i)
      requests_.emplace_back(kRemembered >> level);
    const double lines = static_cast<double>(shapes.l1_lines) / static_cast<double>(1u << level);
    for (std::uint32_t i = 0; i < shapes.multiprocessors; ++i) {
      const double dither = static_cast<double>(i * 0x9E3779B9u) / 4294967296.0;
      l1_.emplace_back(static_cast<std::size_t>(lines + dither));
    }
  }

  void touch(const ReplayedTouch& event) {
    const TouchedLine& at = event.touched;
    block_ = event.block;
    when_ = event.when;
    asker_ = std::uint64_t{event.block} << 10 | at.warp;
    const bool is_local = at.line >= kFirstLocalLine;
    switch (static_cast<Touch>(at.touch)) {
      case Touch::kLoad: return load(event.multiprocessor, at);
      case Touch::kLoadPastL1:
        traffic_.loads += sectors_in(at.sectors);
        return note(at, read_over_crossbar(event.multiprocessor, at.line, at.sectors));
      case Touch::kStore:
        traffic_.stores += sectors_in(at.sectors);
        return is_local ? store_local(event.multiprocessor, at) : store(at);
      case Touch::kAtomic:
        note(at, read_l2(event.multiprocessor, at.line, at.sectors));
        l2_.find(at.line)->dirty |= at.sectors;
        return;
    }
  }
  Traffic& traffic() {
    end_request();
    for (const auto& [asker, recent] : recent_)
      if (recent.requests > 0) add_recent(recent);
    return traffic_;
  }

 private:
  // A few requests of a warp in a row, from one site, of which the sample has some lines.
  struct RecentRequests {
    std::uint32_t site = 0;
    double requests = 0;
    std::array<double, 3> lines{};  // from the L1, the L2, DRAM
  };

  // A warp waits for the slowest of its lines. Of those that are not in the sample as many come from each
  // place as of the others at about that time.
  void add_recent(const RecentRequests& recent) {
    SiteHits& site = traffic_.of_site[recent.site];
    const double sum = recent.lines[0] + recent.lines[1] + recent.lines[2];
    const double lines = std::max(lines_of_request_[recent.site], sum / recent.requests);
    const double all_in_l1 = std::pow(recent.lines[0] / sum, lines);
    const double none_in_dram = std::pow(1 - recent.lines[2] / sum, lines);
    site.l1 += recent.requests * all_in_l1;
    site.l2 += recent.requests * (none_in_dram - all_in_l1);
    site.dram += recent.requests * (1 - none_in_dram);
  }

  void end_request() {
    if (request_lines_ == 0) return;
    if (slowest_ == 2) traffic_.slowest_of_warp[request_.warp] += 1;
    if (is_whole_) {
      SiteHits& site = traffic_.of_site[request_.site];
      (slowest_ == 2 ? site.dram : slowest_ == 1 ? site.l2 : site.l1) += 1;
    } else {
      add_to_recent();
    }
    request_lines_ = slowest_ = 0;
    lines_from_ = {};
  }

  void add_to_recent() {
    constexpr double kRow = 8;
    RecentRequests& recent =
        recent_[(std::uint64_t{request_block_} << 10 | request_.warp) << 26 | request_.site];
    recent.site = request_.site;
    recent.requests += 1;
    for (std::size_t from = 0; from < lines_from_.size(); ++from) recent.lines[from] += lines_from_[from];
    if (recent.requests < kRow) return;
    add_recent(recent);
    recent = {.site = recent.site};
  }

  // What it waits for.
  struct Served {
    int l2 = 0, dram = 0;
  };

  Cache::Line& l2_line(std::uint64_t number) {
    if (Cache::Line* line = l2_.find(number)) return *line;
    Cache::Line left;
    if (!l2_.is_full()) traffic_.flushed += 4;
    Cache::Line& line = l2_.insert(number, left);
    traffic_.dram_writes += sectors_in(left.dirty);
    return line;
  }

  // Neighbouring multiprocessors that ask for the same at about the same time are served by one request.
  Served read_over_crossbar(std::uint32_t multiprocessor, std::uint64_t number, std::uint32_t sectors) {
    Cache& requests = requests_[multiprocessor % requests_.size()];
    Cache::Line left;
    Cache::Line* known = requests.find(number);
    Cache::Line& line = known ? *known : requests.insert(number, left);
    const std::uint32_t missing = sectors & ~line.valid;
    line.valid |= static_cast<std::uint8_t>(sectors);
    Served served = missing ? read_l2(multiprocessor, number, missing) : Served{};
    if (served.dram) line.asked_at = when_ + 1, line.asked_by = asker_;
    if (missing != sectors) (is_on_its_way(line) ? served.dram : served.l2) += 1;
    return served;
  }

  bool is_on_its_way(const Cache::Line& line) const {
    return line.asked_at && line.asked_by != asker_ && when_ + 1 - line.asked_at < kOnItsWay;
  }

  // Each half of the L2 serves half of the multiprocessors: what only the other one has takes about as long
  // as what DRAM has, and so does what came from there with its neighbour.
  Served read_l2(std::uint32_t multiprocessor, std::uint64_t number, std::uint32_t sectors) {
    Cache::Line& line = l2_line(number);
    const std::uint32_t missing = sectors & ~line.valid, fetched = pairs_of(missing);
    std::uint8_t& here = line.here[multiprocessor % requests_.size() % 2];
    const bool is_far = (sectors & ~here) != 0, is_coming = is_on_its_way(line);
    if (missing) line.asked_at = when_ + 1, line.asked_by = asker_;
    line.valid |= static_cast<std::uint8_t>(sectors | fetched);
    here |= static_cast<std::uint8_t>(sectors);
    traffic_.l2_reads += sectors_in(sectors);
    traffic_.dram_reads += sectors_in(fetched);
    return missing || is_far || is_coming ? Served{0, 1} : Served{1, 0};
  }

  void note(const TouchedLine& at, Served served) {
    if (at.site != request_.site || at.clock != request_.clock || at.warp != request_.warp ||
        block_ != request_block_)
      end_request();
    request_ = at;
    request_block_ = block_;
    ++request_lines_;
    const int from = served.dram ? 2 : served.l2 ? 1 : 0;
    lines_from_[static_cast<std::size_t>(from)] += 1;
    slowest_ = std::max(slowest_, from);
  }

  Cache::Line& l1_line(std::uint32_t multiprocessor, std::uint64_t number) {
    Cache& l1 = l1_[multiprocessor];
    if (Cache::Line* line = l1.find(number)) return *line;
    Cache::Line left;
    Cache::Line& line = l1.insert(number, left);
    if (left.dirty) write_l2(left.number, left.dirty);
    return line;
  }

  void load(std::uint32_t multiprocessor, const TouchedLine& at) {
    Cache::Line& line = l1_line(multiprocessor, at.line);
    const std::uint32_t missing = at.sectors & ~line.valid;
    line.valid |= static_cast<std::uint8_t>(at.sectors);
    traffic_.loads += sectors_in(at.sectors);
    Served served = missing ? read_over_crossbar(multiprocessor, at.line, missing) : Served{};
    if (missing) {
      line.source = served.dram ? 2 : 1;
      line.asked_at = when_ + 1, line.asked_by = asker_;
    } else if (is_on_its_way(line)) {  // a hit on what is still to come
      (line.source == 2 ? served.dram : served.l2) = 1;
    }
    note(at, served);
  }

  void write_l2(std::uint64_t number, std::uint32_t sectors) {
    Cache::Line& line = l2_line(number);
    line.valid |= static_cast<std::uint8_t>(sectors);
    line.dirty |= static_cast<std::uint8_t>(sectors);
    for (std::uint8_t& here : line.here) here |= static_cast<std::uint8_t>(sectors);
    traffic_.l2_writes += sectors_in(sectors);
  }
  void store(const TouchedLine& at) { write_l2(at.line, at.sectors); }
  void store_local(std::uint32_t multiprocessor, const TouchedLine& at) {
    Cache::Line& line = l1_line(multiprocessor, at.line);
    line.valid |= static_cast<std::uint8_t>(at.sectors);
    line.dirty |= static_cast<std::uint8_t>(at.sectors);
  }

  std::vector<Cache> l1_;
  std::vector<Cache> requests_;  // of neighbouring multiprocessors
  Cache l2_;
  TouchedLine request_{};
  // Instructions of a warp until it needs what it loads, about.
  static constexpr std::uint64_t kOnItsWay = 8;
  std::uint64_t when_ = 0, asker_ = 0;
  std::uint32_t block_ = 0, request_block_ = 0;
  int request_lines_ = 0, slowest_ = 0;
  std::array<double, 3> lines_from_{};
  std::span<const double> lines_of_request_;
  bool is_whole_;  // every line is in the sample
  std::unordered_map<std::uint64_t, RecentRequests> recent_;
  Traffic traffic_;
};

std::vector<ReplayedTouch> events_of(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
                                     int level) {
  constexpr int kClockBits = 32;
  const std::uint64_t mask = (1ull << level) - 1;
  std::vector<ReplayedTouch> events;
  for (const AccessTrace* trace : traces)
    for (const TracedBlock& block : trace->blocks()) {
      const std::uint64_t turn = block.number / shapes.multiprocessors / shapes.resident_blocks;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const TouchedLine& at = trace->lines()[i];
        if (!is_sampled(at.line, mask)) continue;
        events.push_back({turn << kClockBits | at.clock, static_cast<std::uint32_t>(block.number),
                          static_cast<std::uint32_t>(block.number % shapes.multiprocessors), at});
      }
    }
  std::stable_sort(events.begin(), events.end(), [](const ReplayedTouch& a, const ReplayedTouch& b) {
    return a.when != b.when ? a.when < b.when : a.block < b.block;
  });
  return events;
}

}  // namespace

Traffic replay(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
               std::span<const double> lines_of_request) {
  int level = 0;
  for (const AccessTrace* trace : traces) level = std::max(level, trace->level());
  Replay replay(shapes, level, lines_of_request);
  for (const ReplayedTouch& event : events_of(traces, shapes, level)) replay.touch(event);
  Traffic& traffic = replay.traffic();
  const double scale = static_cast<double>(1u << level);
  for (double* amount : {&traffic.loads, &traffic.stores, &traffic.l2_reads, &traffic.l2_writes,
                         &traffic.dram_reads, &traffic.dram_writes, &traffic.flushed})
    *amount *= scale;
  return std::move(traffic);
}

}  // namespace cudalab::vgpu
