#include "vgpu/time/cache_replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kMostWarps = 1024;

// DRAM is read in units of 64 bytes (2 sectors).
std::uint32_t pairs_of(std::uint32_t sectors) {
  const std::uint32_t even = (sectors | sectors >> 1) & 0b0101;
  return even | even << 1;
}

// Number of set bits among four; each hex digit of the constant holds one of the 16 results.
int sectors_in(std::uint32_t sectors) { return static_cast<int>(0x4332322132212110ull >> (4 * sectors) & 7); }

// Probability that an event of probability `one` occurs `times` times in a row.
double probability_of_all(double one, double times) {
  return one == 0 || one == 1 || times == 1 ? one : std::pow(one, times);
}

// Encodes time and block of a touch in one sortable number. From the highest bit: the block's wave (set of
// blocks resident together), the clock, the block's index in its wave.
class Moments {
 public:
  explicit Moments(const CacheShapes& shapes)
      : of_turn_(std::uint64_t{shapes.multiprocessors} * shapes.resident_blocks),
        place_bits_(std::bit_width(of_turn_ - 1)) {}

  std::uint64_t first_of(std::uint64_t block) const {
    return block / of_turn_ << (place_bits_ + kClockBits) | block % of_turn_;
  }
  std::uint64_t at(std::uint64_t first, std::uint32_t clock) const {
    return first | std::uint64_t{clock} << place_bits_;
  }
  std::uint64_t when(std::uint64_t moment) const { return moment >> place_bits_; }
  std::uint32_t block_of(std::uint64_t moment) const {
    const std::uint64_t place = moment & ((std::uint64_t{1} << place_bits_) - 1);
    return static_cast<std::uint32_t>((moment >> (place_bits_ + kClockBits)) * of_turn_ + place);
  }
  int place_bits() const { return place_bits_; }

 private:
  static constexpr int kClockBits = 32;
  std::uint64_t of_turn_;
  int place_bits_;
};

struct ReplayedTouch {
  std::uint64_t moment = 0;
  TouchedLine touched;
};

// A few successive requests of one site that have lines in the sample.
struct RecentRequests {
  double requests = 0;
  std::array<double, 3> lines{};  // by source: L1, L2, DRAM
  // Pairs of lines of one request, and those pairs of which both lines come from this source.
  double pairs = 0;
  std::array<double, 3> same{};
};

// Reused from launch to launch: allocating fresh memory takes as long as the replay.
struct ReplayMemory {
  std::vector<ReplayedTouch> events, sorted;
  std::vector<LineCache> l1, requests;
  LineCache l2;
  std::vector<RecentRequests> recent;  // by site
};

class Replay {
 public:
  Replay(const CacheShapes& shapes, int level, std::size_t touches, std::span<const double> lines_of_request,
         const std::vector<bool>& ahead_of_stores, ReplayMemory& memory)
      : moments_(shapes),
        multiprocessors_(shapes.multiprocessors),
        l2_parts_(shapes.l2_parts),
        l1_(memory.l1),
        requests_(memory.requests),
        l2_(memory.l2),
        lines_of_request_(lines_of_request),
        ahead_of_stores_(ahead_of_stores),
        is_whole_(level == 0),
        memory_(memory) {
    memory_.recent.assign(lines_of_request.size(), {});
    l2_.begin(static_cast<std::size_t>(shapes.l2_lines >> level));
    l2_.reserve(touches);
    traffic_.of_site.resize(lines_of_request.size());
    traffic_.slowest_of_warp.resize(kMostWarps);
    constexpr std::size_t kNeighbours = 4, kRemembered = 256;
    requests_.resize((shapes.multiprocessors + kNeighbours - 1) / kNeighbours);
    for (LineCache& requests : requests_) {
      requests.begin(kRemembered >> level);
      requests.reserve(kRemembered >> level);
    }
    const double lines = static_cast<double>(shapes.l1_lines) / static_cast<double>(1u << level);
    l1_.resize(shapes.multiprocessors);
    for (std::uint32_t i = 0; i < shapes.multiprocessors; ++i) {
      const double dither = static_cast<double>(i * 0x9E3779B9u) / 4294967296.0;
      l1_[i].begin(static_cast<std::size_t>(lines + dither));
      l1_[i].reserve(touches / shapes.multiprocessors);
    }
  }

  void prepare(const ReplayedTouch& soon, const ReplayedTouch& next) const {
    l1_[multiprocessor_of(soon)].fetch_slot(soon.touched.line);
    l2_.fetch_slot(soon.touched.line);
    l1_[multiprocessor_of(next)].fetch_line(next.touched.line);
    l2_.fetch_line(next.touched.line);
  }
  void touch(const ReplayedTouch& event) {
    const TouchedLine& at = event.touched;
    block_ = moments_.block_of(event.moment);
    when_ = moments_.when(event.moment);
    asker_ = std::uint64_t{block_} << 10 | at.warp;
    site_ = &traffic_.of_site[at.site];
    const int sectors = sectors_in(at.sectors);
    site_->asked += sectors;
    const std::uint32_t multiprocessor = block_ % multiprocessors_;
    switch (static_cast<Touch>(at.touch)) {
      case Touch::kLoad: traffic_.loads += sectors; return load(multiprocessor, at);
      case Touch::kLoadPastL1:
        traffic_.loads += sectors;
        return note(at, read_over_crossbar(multiprocessor, at.line, at.sectors));
      case Touch::kStore: traffic_.stores += sectors; return store(multiprocessor, at);
      case Touch::kAtomic: return update(multiprocessor, at);
    }
  }
  Traffic& traffic() {
    end_request();
    for (std::size_t site = 0; site < memory_.recent.size(); ++site)
      if (memory_.recent[site].requests > 0) add_recent(site, memory_.recent[site]);
    return traffic_;
  }

 private:
  // A warp waits for its slowest line. Lines outside the sample are assumed to come from each source as often
  // as the sampled lines at about the same time.
  void add_recent(std::size_t number, const RecentRequests& recent) {
    SiteHits& site = traffic_.of_site[number];
    const double sum = recent.lines[0] + recent.lines[1] + recent.lines[2];
    const double lines = std::max(lines_of_request_[number], sum / recent.requests);
    const double all_in_l1 = probability_of_all(recent.lines[0] / sum, independent(recent, sum, lines, 0));
    const double none_in_dram =
        probability_of_all(1 - recent.lines[2] / sum, independent(recent, sum, lines, 2));
    site.l1 += recent.requests * all_in_l1;
    site.l2 += recent.requests * (none_in_dram - all_in_l1);
    site.dram += recent.requests * (1 - none_in_dram);
    site.dram_lines += recent.requests * lines * recent.lines[2] / sum;
  }

  // Lines of one request often come from the same source, for example when each lane walks through its own
  // row. Returns the number of independent lines that is equivalent; 1 if all lines always share a source.
  static double independent(const RecentRequests& recent, double sum, double lines, std::size_t from) {
    const double one = recent.lines[from] / sum;
    if (recent.pairs <= 0 || one <= 0 || one >= 1) return lines;
    const double both = recent.same[from] / recent.pairs;
    return std::pow(lines, 1 - std::clamp((both - one * one) / (one - one * one), 0.0, 1.0));
  }

  void end_request() {
    if (request_lines_ == 0) return;
    if (slowest_ == 2) traffic_.slowest_of_warp[request_.warp] += 1;
    if (is_whole_) {
      SiteHits& site = traffic_.of_site[request_.site];
      (slowest_ == 2 ? site.dram : slowest_ == 1 ? site.l2 : site.l1) += 1;
      site.dram_lines += lines_from_[2];
    } else {
      add_to_recent();
    }
    request_lines_ = slowest_ = 0;
    lines_from_ = {};
  }

  void add_to_recent() {
    constexpr double kRow = 16;
    RecentRequests& recent = memory_.recent[request_.site];
    recent.requests += 1;
    for (std::size_t from = 0; from < lines_from_.size(); ++from) {
      recent.lines[from] += lines_from_[from];
      recent.same[from] += lines_from_[from] * (lines_from_[from] - 1);
    }
    recent.pairs += static_cast<double>(request_lines_) * (request_lines_ - 1);
    if (recent.requests < kRow) return;
    add_recent(request_.site, recent);
    recent = {};
  }

  // The source that the warp waits for.
  struct Served {
    int l2 = 0, dram = 0;
  };

  LineCache::Line& l2_line(std::uint64_t number) {
    if (LineCache::Line* line = l2_.find(number)) return *line;
    LineCache::Line left;
    if (!l2_.is_full()) traffic_.flushed += 4;
    LineCache::Line& line = l2_.insert(number, left);
    traffic_.dram_writes += sectors_in(left.dirty);
    return line;
  }

  // Requests of neighbouring SMs for the same line at about the same time are merged into one L2 request.
  Served read_over_crossbar(std::uint32_t multiprocessor, std::uint64_t number, std::uint32_t sectors) {
    LineCache& requests = requests_[multiprocessor % requests_.size()];
    LineCache::Line left;
    LineCache::Line* known = requests.find(number);
    LineCache::Line& line = known ? *known : requests.insert(number, left);
    const std::uint32_t missing = sectors & ~line.valid;
    line.valid |= sectors;
    Served served = missing ? read_l2(multiprocessor, number, missing) : Served{};
    if (served.dram) line.asked_at = when_ + 1, line.asked_by = asker_;
    if (missing != sectors) (is_on_its_way(line) ? served.dram : served.l2) += 1;
    return served;
  }

  bool is_on_its_way(const LineCache::Line& line) const {
    return line.asked_at && line.asked_by != asker_ && when_ + 1 - line.asked_at < kOnItsWay;
  }

  // Each part of the L2 serves its share of the SMs. Data held only by another part takes about as long as
  // DRAM. So does the first read of a sector that came from DRAM only as the neighbour of a requested one (64
  // bytes).
  Served read_l2(std::uint32_t multiprocessor, std::uint64_t number, std::uint32_t sectors) {
    LineCache::Line& line = l2_line(number);
    const std::uint32_t missing = sectors & ~line.valid, fetched = pairs_of(missing);
    const std::uint32_t asked_of_part = sectors << (multiprocessor % requests_.size() % l2_parts_ * kSectors);
    const bool is_far = (asked_of_part & ~line.here) != 0, is_coming = is_on_its_way(line);
    if (missing) line.asked_at = when_ + 1, line.asked_by = asker_;
    line.valid |= sectors | fetched;
    line.here |= asked_of_part;
    site_->l2_reads += sectors_in(sectors);
    site_->dram_reads += sectors_in(fetched);
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

  LineCache::Line& l1_line(std::uint32_t multiprocessor, std::uint64_t number) {
    LineCache& l1 = l1_[multiprocessor];
    if (LineCache::Line* line = l1.find(number)) return *line;
    LineCache::Line left;
    return l1.insert(number, left);
  }

  void load(std::uint32_t multiprocessor, const TouchedLine& at) {
    LineCache::Line& line = l1_line(multiprocessor, at.line);
    const std::uint32_t lacking = ahead_of_stores_[at.site] ? 0 : lacking_part(line, at.part),
                        missing = at.sectors & (~line.valid | lacking);
    line.valid |= at.sectors;
    if (line.parts != 0) for_each_sector(missing, [&](int shift) { set_part(line, shift, kWholeSectors); });
    Served served = missing ? read_over_crossbar(multiprocessor, at.line, missing) : Served{};
    if (missing) {
      line.source = served.dram ? 2 : 1;
      line.asked_at = when_ + 1, line.asked_by = asker_;
    } else if (is_on_its_way(line)) {  // a hit on data in flight
      (line.source == 2 ? served.dram : served.l2) = 1;
    }
    note(at, served);
  }

  void write_l2(std::uint64_t number, std::uint32_t sectors) {
    LineCache::Line& line = l2_line(number);
    line.valid |= sectors;
    line.dirty |= sectors;
    line.here |= sectors | sectors << kSectors;
    traffic_.l2_writes += sectors_in(sectors);
  }
  // After a store to part of a sector, the L1 holds that part but no longer the rest. (Measured: a load of
  // the stored word hits; a load of another word of the sector takes as long as an L2 access.)
  template <class Visit>
  static void for_each_sector(std::uint32_t sectors, const Visit& visit) {
    for (; sectors; sectors &= sectors - 1) visit(kPartBits * std::countr_zero(sectors));
  }
  static std::uint32_t part_of(const LineCache::Line& line, int shift) { return line.parts >> shift & 15; }
  static void set_part(LineCache::Line& line, int shift, std::uint32_t part) {
    line.parts = ((line.parts & ~(std::uint64_t{15} << shift)) | std::uint64_t{part} << shift) & 0xffff;
  }
  // Sectors of which the line holds another part than `part`. A sector with several stored words counts as
  // holding the part.
  static std::uint32_t lacking_part(const LineCache::Line& line, std::uint32_t part) {
    std::uint32_t sectors = 0;
    if (line.parts == 0) return sectors;
    for_each_sector(15, [&](int shift) {
      const std::uint32_t there = part_of(line, shift);
      if (there != kWholeSectors && there != kSomeWords && there != part) sectors |= 1u << shift / kPartBits;
    });
    return sectors;
  }
  static void store_in_l1(LineCache::Line& line, const TouchedLine& at) {
    if (at.part == kWholeSectors && line.parts == 0) return;
    for_each_sector(at.sectors & line.valid, [&](int shift) {
      const std::uint32_t there = part_of(line, shift);
      const bool is_first = there == kWholeSectors || there == at.part || at.part == kWholeSectors;
      set_part(line, shift, is_first ? at.part : kSomeWords);
    });
  }
  // A store allocates an L1 line for local memory only.
  void store(std::uint32_t multiprocessor, const TouchedLine& at) {
    const bool is_local = at.line >= kFirstLocalLine;
    LineCache::Line* line = is_local ? &l1_line(multiprocessor, at.line) : l1_[multiprocessor].find(at.line);
    if (is_local) line->valid |= at.sectors;
    if (line) store_in_l1(*line, at);
    if (LineCache::Line* asked = requests_[multiprocessor % requests_.size()].find(at.line))
      asked->valid &= ~at.sectors & 15;
    site_->brought += sectors_in(at.sectors & ~l2_line(at.line).valid);
    write_l2(at.line, at.sectors);
  }
  void update(std::uint32_t multiprocessor, const TouchedLine& at) {
    site_->brought += sectors_in(at.sectors & ~l2_line(at.line).valid);
    note(at, read_l2(multiprocessor, at.line, at.sectors));
    l2_.find(at.line)->dirty |= at.sectors;
  }

  std::uint32_t multiprocessor_of(const ReplayedTouch& event) const {
    return moments_.block_of(event.moment) % multiprocessors_;
  }

  static constexpr int kSectors = 4;  // of a line
  static constexpr int kPartBits = 4;
  Moments moments_;
  std::uint32_t multiprocessors_, l2_parts_;
  std::vector<LineCache>&l1_, &requests_;  // `requests_`: one per group of neighbouring SMs
  LineCache& l2_;
  TouchedLine request_{};
  // Approximate number of instructions between a load and the use of its result.
  static constexpr std::uint64_t kOnItsWay = 8;
  std::uint64_t when_ = 0, asker_ = 0;
  std::uint32_t block_ = 0, request_block_ = 0;
  SiteHits* site_ = nullptr;  // site of the current touch
  int request_lines_ = 0, slowest_ = 0;
  std::array<double, 3> lines_from_{};
  std::span<const double> lines_of_request_;
  const std::vector<bool>& ahead_of_stores_;
  bool is_whole_;  // every line is in the sample
  ReplayMemory& memory_;
  Traffic traffic_;
};

// Radix sort by time, stable, alternating between the two buffers. Digits that are equal in all events are
// skipped.
std::span<const ReplayedTouch> sorted_by_time(std::span<ReplayedTouch> events,
                                              std::span<ReplayedTouch> sorted, int place_bits) {
  constexpr int kDigitBits = 11, kDigits = 1 << kDigitBits;
  std::uint64_t differing = 0;
  for (const ReplayedTouch& event : events) differing |= event.moment ^ events.front().moment;
  for (int shift = place_bits; shift < 64 && differing >> shift != 0; shift += kDigitBits) {
    if ((differing >> shift & (kDigits - 1)) == 0) continue;
    const auto digit_of = [shift](const ReplayedTouch& event) {
      return event.moment >> shift & (kDigits - 1);
    };
    std::array<std::size_t, kDigits + 1> begins{};
    for (const ReplayedTouch& event : events) ++begins[digit_of(event) + 1];
    for (std::size_t digit = 1; digit <= kDigits; ++digit) begins[digit] += begins[digit - 1];
    for (const ReplayedTouch& event : events) sorted[begins[digit_of(event)]++] = event;
    std::swap(events, sorted);
  }
  return events;
}

struct BlockOfTrace {
  const AccessTrace* trace;
  const TracedBlock* block;
};

// Each host thread took its blocks mostly in order; only blocks that wait for other blocks were resumed
// later.
std::vector<BlockOfTrace> blocks_in_order(std::span<AccessTrace* const> traces) {
  const auto number_of = [](const BlockOfTrace& one) { return one.block->number; };
  std::vector<BlockOfTrace> blocks;
  for (const AccessTrace* trace : traces) {
    const auto own = static_cast<std::ptrdiff_t>(blocks.size());
    for (const TracedBlock& block : trace->blocks())
      if (!trace->lines_of(block).empty()) blocks.push_back({trace, &block});
    if (!std::ranges::is_sorted(blocks.begin() + own, blocks.end(), {}, number_of))
      std::ranges::stable_sort(blocks.begin() + own, blocks.end(), {}, number_of);
    std::ranges::inplace_merge(blocks, blocks.begin() + own, {}, number_of);
  }
  return blocks;
}

std::span<const ReplayedTouch> touches_in_order(std::span<AccessTrace* const> traces, const Moments& moments,
                                                int level, ReplayMemory& memory) {
  const std::uint64_t mask = sampling_mask(level);
  std::size_t most = 0, count = 0;
  for (const AccessTrace* trace : traces) most += trace->lines().size();
  if (memory.events.size() < most) memory.events.resize(most), memory.sorted.resize(most);
  for (const auto& [trace, block] : blocks_in_order(traces)) {
    const std::uint64_t first = moments.first_of(block->number);
    for (const TouchedLine& at : trace->lines_of(*block)) {
      // Overwrites the previous event if that is not sampled.
      memory.events[count] = {moments.at(first, at.clock), at};
      count += is_sampled(at.line, mask);
    }
  }
  return sorted_by_time({memory.events.data(), count}, {memory.sorted.data(), count}, moments.place_bits());
}

// Maximum number of replayed touches: a fraction of the executed instructions, so a prediction takes a
// fraction of the interpretation time, but enough touches for accurate hit rates.
std::size_t most_touches(std::span<AccessTrace* const> traces) {
  constexpr double kInstructionsOfTouch = 96, kFewest = 1 << 13;
  double instructions = 0;
  for (const AccessTrace* trace : traces) instructions += trace->balance().instructions;
  return static_cast<std::size_t>(
      std::clamp<double>(instructions / kInstructionsOfTouch, kFewest, kMostTouches));
}

int level_of_replay(std::span<AccessTrace* const> traces) {
  int level = 0;
  std::vector<std::span<const TouchedLine>> touches;
  for (const AccessTrace* trace : traces) {
    level = std::max(level, trace->level());
    touches.push_back(trace->lines());
  }
  return sample_level(touches, level, most_touches(traces));
}

void replay_all(std::span<const ReplayedTouch> events, Replay& replay) {
  constexpr std::size_t kSoon = 16, kNext = 8;
  for (std::size_t i = 0; i < events.size(); ++i) {
    replay.prepare(events[std::min(i + kSoon, events.size() - 1)],
                   events[std::min(i + kNext, events.size() - 1)]);
    replay.touch(events[i]);
  }
}

}  // namespace

Traffic replay(std::span<AccessTrace* const> traces, const CacheShapes& shapes,
               std::span<const double> lines_of_request, const std::vector<bool>& ahead_of_stores) {
  const int level = level_of_replay(traces);
  thread_local ReplayMemory memory;
  const std::span<const ReplayedTouch> touches = touches_in_order(traces, Moments(shapes), level, memory);
  Replay replay(shapes, level, touches.size(), lines_of_request, ahead_of_stores, memory);
  replay_all(touches, replay);
  Traffic& traffic = replay.traffic();
  const double scale = static_cast<double>(1u << level);
  for (double* amount :
       {&traffic.loads, &traffic.stores, &traffic.l2_writes, &traffic.dram_writes, &traffic.flushed})
    *amount *= scale;
  return std::move(traffic);
}

}  // namespace cudalab::vgpu
