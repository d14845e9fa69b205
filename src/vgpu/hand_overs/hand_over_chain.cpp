#include "vgpu/hand_overs/hand_over_chain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace cudalab::vgpu {
namespace {

// A point in time, and the critical path to it.
struct Moment {
  double clock = 0;
  HandOverPath path;
};

struct Later {
  bool operator()(const Moment& one, const Moment& other) const { return one.clock > other.clock; }
};

void add(HandOverPath& to, const HandOverPath& path, double times) {
  for (std::size_t source = 0; source < kSources; ++source) to.waits[source] += times * path.waits[source];
  to.hand_overs += times * path.hand_overs;
  to.swaps += times * path.swaps;
  to.retries += times * path.retries;
  to.hops += times * path.hops;
  to.queue += times * path.queue;
  to.starts += times * path.starts;
}

// Interval during which a word is owned, until the next requester can have it. A requester takes the first
// free interval that is long enough, because blocks take a lock in any order.
struct Taken {
  Moment until;
  std::uint32_t block = 0;
};
class TakenTimes {
 public:
  // Start of the first free interval of this length, not before `from`; and the owner before it.
  std::pair<double, const Taken*> first_gap(double from, double length) const {
    const Taken* before = nullptr;
    auto next = taken_.upper_bound(from);
    if (next != taken_.begin()) {
      const auto& [begin, end] = *std::prev(next);
      if (end.until.clock > from) from = end.until.clock, before = &end;
    }
    for (; next != taken_.end() && next->first < from + length; ++next)
      from = next->second.until.clock, before = &next->second;
    return {from, before};
  }
  void take(double from, const Taken& until) {
    const auto after = taken_.upper_bound(from);
    if (after == taken_.begin() || std::prev(after)->second.until.clock < from) {
      taken_.emplace_hint(after, from, until);
      return;
    }
    Taken& before = std::prev(after)->second;
    const bool is_same = before.block == until.block;
    before = until;
    if (!is_same) before.block = HandOver::kNone;
  }

 private:
  std::map<double, Taken> taken_;  // by start time; key to `until` is owned
};

// A polling wait.
struct Asking {
  std::uint32_t event = 0;
  std::uint64_t part = 0;  // L2 part
  double from = 0, to = 0, clocks = 0;
};

// By event: cycles for one round of all polls of the same L2 part at the time of the event.
std::vector<double> rounds_of(std::span<const Asking> askings, std::size_t events) {
  struct Change {
    std::uint64_t part;
    double when, clocks;
    const Asking* ends;
  };
  std::vector<Change> changes;
  for (const Asking& asking : askings) {
    changes.push_back({asking.part, asking.from, asking.clocks, nullptr});
    changes.push_back({asking.part, asking.to, -asking.clocks, &asking});
  }
  std::ranges::sort(changes, {},
                    [](const Change& one) { return std::tuple(one.part, one.when, one.ends != nullptr); });
  std::vector<double> rounds(events);
  double now = 0;
  std::uint64_t part = ~0ull;
  for (const Change& change : changes) {
    if (std::exchange(part, change.part) != change.part) now = 0;
    if (change.ends) rounds[change.ends->event] = now;
    now += change.clocks;
  }
  return rounds;
}

class Chain {
 public:
  // `rounds`: result of rounds_of() for a previous chain without it; may be empty.
  Chain(const HandOverTrace& trace, std::span<const Waits> of_basic_block, std::span<const Waits> of_round,
        const HandOverClocks& clocks, std::uint64_t places, double blocks, std::span<const double> rounds)
      : trace_(trace),
        clocks_(clocks),
        rounds_(rounds),
        places_(places),
        beside_(std::max(1.0, std::min(blocks, static_cast<double>(places)) / std::max(trace.blocks(), 1u))),
        begun_(trace.blocks()),
        published_(trace.events().size()),
        releases_(trace.events().size(), HandOver::kNone),
        taken_(trace.words()),
        served_(trace.words()) {
    for (const Section& section : trace.sections()) add_section(section, of_basic_block);
    for (const Waits& waits : of_round) add_retry(waits);
    find_releases();
  }

  void run() {
    for (const std::uint32_t number : order()) {
      const HandOver& event = trace_.events()[number];
      Moment& now = moment_of(event);
      go_on(now, event);
      if (event.takes) take(event, number, now);
      if (event.kind == HandOver::Kind::kPublish) publish(event, number, now);
      if (event.kind == HandOver::Kind::kWait) {
        const double from = now.clock;
        wait(event, now);
        if (now.clock > from) note_asking(event, number, from, now.clock);
      }
      if (Moment& last = begun_[event.block].last; now.clock >= last.clock) last = now;
      if (event.kind == HandOver::Kind::kEnd) end(event.block, now);
    }
  }

  std::span<const Asking> askings() const { return askings_; }
  std::span<const Asking> tries() const { return tries_; }  // of compare-and-swap loops, on any word
  const Moment& last() const { return last_; }
  const Moment& half() const { return half_; }  // when half of the blocks had ended
  std::uint32_t ended() const { return ended_; }

 private:
  struct Begun {
    bool has_begun = false;
    Moment start, last;          // `last`: latest moment of its warps
    std::uint32_t barriers = 0;  // reached by some warp
    Moment before_barrier;       // `last` at the time when the first warp reached the current barrier
    std::vector<Moment> warps;
    std::vector<bool> is_known;
  };
  struct SectionTime {
    Waits waits{};
    double clock = 0;
  };

  // The interpreter's order. If blocks only interact by compare-and-swap loops, their warps take turns: after
  // changing a word, a warp's next attempt comes after those of the other warps.
  std::vector<std::uint32_t> order() const {
    const std::span<const HandOver> events = trace_.events();
    std::vector<std::uint32_t> numbers(events.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    const bool only_changes = std::ranges::all_of(numbers, [&](std::uint32_t number) {
      return events[number].kind != HandOver::Kind::kPublish || is_change(number);
    });
    if (!only_changes) return numbers;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> of_warp;
    std::vector<std::uint32_t> turns(events.size()), last(trace_.blocks());
    for (const std::uint32_t number : numbers) {
      const HandOver& event = events[number];
      std::uint32_t& turn = of_warp[{event.block, event.warp}];
      if (event.kind == HandOver::Kind::kEnd)
        turn = last[event.block];
      else if (!event.goes_on && event.kind == HandOver::Kind::kPublish)
        ++turn;
      turns[number] = turn;
      last[event.block] = std::max(last[event.block], turn);
    }
    std::ranges::stable_sort(numbers, {}, [&](std::uint32_t number) {
      return std::pair(events[number].block / places_, turns[number]);
    });
    return numbers;
  }

  void add_section(const Section& section, std::span<const Waits> of_basic_block) {
    SectionTime& time = sections_.emplace_back();
    for (const auto& [basic_block, times] : section)
      for (std::size_t source = 0; source < kSources && basic_block < of_basic_block.size(); ++source)
        time.waits[source] += times * of_basic_block[basic_block][source];
    time.clock = clocks_of(time.waits, clocks_.latencies);
  }

  // Excludes the atomic itself, which is added separately.
  void add_retry(Waits waits) {
    waits[static_cast<std::size_t>(Source::kAtomic)] = 0;
    rounds_again_.push_back({waits, clocks_of(waits, clocks_.latencies)});
  }

  Moment& moment_of(const HandOver& event) {
    Begun& block = begun_[event.block];
    if (!block.has_begun) begin(block, event.block);
    if (block.warps.size() <= event.warp) {
      block.warps.resize(event.warp + std::size_t{1});
      block.is_known.resize(event.warp + std::size_t{1});
    }
    Moment& now = block.warps[event.warp];
    if (!block.is_known[event.warp]) now = block.start, block.is_known[event.warp] = true;
    join(block, event, now);
    return now;
  }

  // After a barrier, a warp continues when the last warp has reached it.
  static void join(Begun& block, const HandOver& event, Moment& now) {
    if (event.barriers > block.barriers) {
      block.barriers = event.barriers;
      block.before_barrier = block.last;
    }
    if (event.barriers == block.barriers && block.before_barrier.clock > now.clock)
      now = block.before_barrier;
  }

  void begin(Begun& block, std::uint32_t index) {
    block.has_begun = true;
    if (index < places_ || free_.empty()) {
      block.start.clock = clocks_.dispatch * index;
      block.start.path.waits[0] = block.start.clock;
    } else {
      block.start = free_.top();
      free_.pop();
      block.start.clock += clocks_.start;
      block.start.path.starts += 1;
    }
    block.last = block.start;
  }

  void go_on(Moment& now, const HandOver& event) const {
    const SectionTime& section = sections_[event.section];
    now.clock += section.clock;
    for (std::size_t source = 0; source < kSources; ++source) now.path.waits[source] += section.waits[source];
  }

  void end(std::uint32_t index, const Moment& now) {
    free_.push(now);
    if (now.clock >= last_.clock) last_ = now;
    if (++ended_ == (trace_.blocks() + 1) / 2) half_ = last_;
    begun_[index] = {};
    begun_[index].has_begun = true;
  }

  // A hand-over counts from the store on. For an atomic whose result is used, the section already includes
  // its latency, so that is subtracted. Atomics on one word are serialized.
  void publish(const HandOver& event, std::uint32_t number, Moment& now) {
    published_[number] = now;
    if (!event.answers) return;
    Moment& issued = published_[number];
    issued.clock -= clocks_.latencies[static_cast<std::size_t>(Source::kAtomic)];
    issued.path.waits[static_cast<std::size_t>(Source::kAtomic)] -= 1;
    const double wait = served_[event.word].first_gap(issued.clock, clocks_.served).first - issued.clock;
    for (Moment* moment : {&issued, &now}) moment->clock += wait, moment->path.queue += wait;
    Taken served{issued, HandOver::kNone};
    served.until.clock += clocks_.served;
    served_[event.word].take(issued.clock, served);
  }

  // Matches each event that takes a word (a lock) with the block's next store to the word, which releases it.
  void find_releases() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> takers;  // by block and word
    for (std::uint32_t number = 0; number < trace_.events().size(); ++number) {
      const HandOver& event = trace_.events()[number];
      if (event.kind != HandOver::Kind::kPublish) continue;
      if (event.takes) {
        takers[{event.block, event.word}] = number;
      } else if (const auto taker = takers.find({event.block, event.word}); taker != takers.end()) {
        releases_[taker->second] = number;
        releases_[number] = taker->second;
        takers.erase(taker);
      }
    }
  }

  // The time from taking a word to releasing it.
  SectionTime held(std::uint32_t taker) const {
    SectionTime time;
    const HandOver& event = trace_.events()[taker];
    for (std::uint32_t number = taker + 1; releases_[taker] != HandOver::kNone && number <= releases_[taker];
         ++number) {
      const HandOver& next = trace_.events()[number];
      if (next.block != event.block || next.warp != event.warp) continue;
      for (std::size_t source = 0; source < kSources; ++source)
        time.waits[source] += sections_[next.section].waits[source];
      time.clock += sections_[next.section].clock;
    }
    return time;
  }

  // Whether the event belongs to a compare-and-swap loop, which never releases the word.
  bool is_change(std::uint32_t number) const {
    return trace_.events()[number].takes && releases_[number] == HandOver::kNone;
  }

  void take(const HandOver& event, std::uint32_t number, Moment& now) {
    if (is_change(number))
      change(event, number, now);
    else
      hold(event, number, now);
  }

  // Taking a lock: owners are serialized.
  void hold(const HandOver& event, std::uint32_t number, Moment& now) {
    const SectionTime hold = held(number);
    const double queue = queue_at(number, clocks_.atomic_hop), length = hold.clock + clocks_.swap + queue;
    const double arrived = now.clock;
    const auto [from, before] = taken_[event.word].first_gap(arrived, length);
    if (before && from > arrived && before->block != event.block) now = before->until;
    note_asking(event, number, arrived, now.clock);
    Moment until = now;
    until.clock += length;
    until.path.queue += queue;
    for (std::size_t source = 0; source < kSources; ++source) until.path.waits[source] += hold.waits[source];
    until.path.swaps += 1;
    taken_[event.word].take(now.clock, {until, event.block});
  }

  // Changing a word that other blocks change, too, in compare-and-swap loops. After each change, the next
  // successful request must queue behind the requests of all other blocks.
  void change(const HandOver& event, std::uint32_t number, Moment& now) {
    const SectionTime again =
        event.asks_in < rounds_again_.size() ? rounds_again_[event.asks_in] : SectionTime{};
    const double lanes = (event.lanes - 1) * clocks_.swap_lane, alone = clocks_.retry + lanes + again.clock;
    HandOverPath next{.waits = again.waits, .retries = 1, .queue = lanes + queue_at(number, alone)};
    const double length = beside_ * (clocks_.retry + again.clock + next.queue);
    if (!event.goes_on) request_ = now;
    const auto [from, before] = taken_[event.word].first_gap(request_.clock, length);
    Moment until = before && from > request_.clock ? before->until : request_;
    const double begin = until.clock;
    note_asking(event, number, request_.clock, begin);
    if (begin > now.clock) now = until;
    until.clock += length;
    add(until.path, next, beside_);  // this change, and those of the untraced blocks
    taken_[event.word].take(begin, {until, event.block});
  }

  // Queueing delay of a request, beyond its own latency.
  double queue_at(std::uint32_t event, double hop) const {
    return rounds_.empty() ? 0 : std::max(0.0, rounds_[event] - hop);
  }
  void note_asking(const HandOver& event, std::uint32_t number, double from, double to) {
    const double clocks = is_change(number) ? clocks_of_trying(event)
                          : event.by_atomic || event.takes
                              ? clocks_.asked_by_atomic + (event.lanes - 1) * clocks_.asked_by_lane
                              : clocks_.asked_by_load;
    askings_.push_back({number, trace_.part_of_word()[event.word], from, to, clocks * beside_});
    if (is_change(number))
      tries_.push_back({number, 0, from, to, event.lanes * clocks_.tried_anywhere * beside_});
  }

  // One word's share of the request's time.
  double clocks_of_trying(const HandOver& event) const {
    const double of_word = clocks_.tried + (event.lanes - 1) * clocks_.tried_by_lane;
    return std::max(of_word, event.words * event.lanes * clocks_.tried_by_word) / event.words;
  }

  // Advances `now` to when a poll returns the value; no change if it was available before the last poll.
  void receive(const HandOver& event, const Moment& value, Moment& now) const {
    const double hop = event.by_atomic ? clocks_.atomic_hop : clocks_.load_hop;
    if (value.clock + hop <= now.clock) return;
    now = value;
    const double queue = queue_at(static_cast<std::uint32_t>(&event - trace_.events().data()), hop);
    now.clock += (event.by_atomic ? clocks_.swap : clocks_.hand_over) + queue;
    (event.by_atomic ? now.path.swaps : now.path.hand_overs) += 1;
    now.path.queue += queue;
  }

  // With look-back: if the value found is an early one, which its block published before its own wait ended,
  // continues with the value that that block waits for.
  void wait(const HandOver& event, Moment& now) const {
    const double hop = event.by_atomic ? clocks_.atomic_hop : clocks_.load_hop;
    constexpr int kMostHops = 1 << 16;
    const HandOver* asks = &event;
    for (int hops = 0; hops < kMostHops; ++hops) {
      const HandOver* farthest = nullptr;
      bool is_final = false;
      for (const std::uint32_t number : trace_.values_of(*asks)) {
        const HandOver& value = trace_.events()[number];
        if (value.takes || releases_[number] != HandOver::kNone) continue;  // handled by take()
        const bool has_early = event.looks_back && value.earlier != HandOver::kNone;
        receive(event, published_[has_early ? value.earlier : number], now);
        if (has_early && (!farthest || value.block < farthest->block)) farthest = &value;
      }
      if (!farthest) return;
      for (const std::uint32_t number : trace_.values_of(*asks))
        is_final = is_final || published_[number].clock + hop <= now.clock;
      if (is_final) return;
      asks = &trace_.events()[farthest->wait_between];
      if (asks->values == 0) return;
      now.clock += hop;
      now.path.hops += 1;
    }
  }

  const HandOverTrace& trace_;
  const HandOverClocks& clocks_;
  std::span<const double> rounds_;
  std::uint64_t places_;
  double beside_;  // resident blocks, including untraced ones, per traced block
  std::vector<Asking> askings_, tries_;
  std::vector<SectionTime> sections_, rounds_again_;  // by section, by basic block
  std::vector<Begun> begun_;
  std::vector<Moment> published_;           // by event
  std::vector<std::uint32_t> releases_;     // for a taking event its releasing event, and vice versa
  std::vector<TakenTimes> taken_, served_;  // by word
  std::priority_queue<Moment, std::vector<Moment>, Later> free_;
  Moment request_;  // when the last request of a compare-and-swap loop arrived
  Moment last_, half_;
  std::uint32_t ended_ = 0;
};

}  // namespace

HandOverPath hand_over_path(const HandOverTrace& trace, std::span<const Waits> of_basic_block,
                            std::span<const Waits> of_round, const HandOverClocks& clocks,
                            std::uint64_t places, double blocks) {
  Chain alone(trace, of_basic_block, of_round, clocks, places, blocks, {});
  alone.run();
  std::vector<double> rounds = rounds_of(alone.askings(), trace.events().size());
  std::ranges::transform(rounds, rounds_of(alone.tries(), trace.events().size()), rounds.begin(),
                         [](double of_part, double of_card) { return std::max(of_part, of_card); });
  Chain chain(trace, of_basic_block, of_round, clocks, places, blocks, rounds);
  chain.run();
  HandOverPath path = chain.last().path;
  const double followed = chain.ended(), rest = blocks - followed,
               half = followed - std::floor((followed + 1) / 2);
  if (rest > 0 && half > 0) {
    add(path, chain.half().path, -rest / half);
    add(path, chain.last().path, rest / half);
  }
  return path;
}

}  // namespace cudalab::vgpu
