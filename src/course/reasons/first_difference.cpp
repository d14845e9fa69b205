#include "course/reasons/first_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "messages/course.h"
#include "vgpu/warp_shape.h"

namespace cudalab::course {
namespace {

using Event = AccessEvent;
using Events = std::vector<const Event*>;  // in the order of execution

// What two events of different histories have in common if they are the same operation on the same buffer.
struct Operation {
  Event::Kind kind{};
  std::string buffer;  // empty for shuffles
  MemorySpace space{};
  friend auto operator<=>(const Operation&, const Operation&) = default;
};

// A byte in memory. `block` is 0 for global memory.
struct Place {
  std::string buffer;
  MemorySpace space{};
  std::uint32_t launch = 0, block = 0;
  std::uint64_t byte = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// Equal up to the rounding errors of a sum in another order, if the bits are floating-point numbers.
template <class Number>
bool are_close(Number a, Number b, Number share) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

bool are_alike(const Event& a, const Event& b) {
  if (a.value == b.value) return true;
  // As floating-point numbers, small integers are denormal, where the bound rounds to 0.
  if (a.bytes == 4)
    return are_close(std::bit_cast<float>(static_cast<std::uint32_t>(a.value)),
                     std::bit_cast<float>(static_cast<std::uint32_t>(b.value)), 1e-5f);
  if (a.bytes == 8) return are_close(std::bit_cast<double>(a.value), std::bit_cast<double>(b.value), 1e-10);
  return false;
}

class History {
 public:
  explicit History(const AccessHistory& history) : history_(history) {
    for (const Event& event : history.events) {
      threads_[{event.launch, event.block, event.thread}].push_back(&event);
      if (is_store(event)) stores_[place_of(event)].push_back(&event);
    }
  }

  const std::map<Place, Events>& stores() const { return stores_; }
  const Events& stores_to(const Place& place) const {
    static const Events kNone;
    const auto found = stores_.find(place);
    return found == stores_.end() ? kNone : found->second;
  }
  // The stores to the place of this load before it; none: the value is from before the launch.
  std::span<const Event* const> stores_before(const Event& load) const {
    const Events& all = stores_to(place_of(load));
    return {all.begin(), std::ranges::lower_bound(all, &load)};
  }
  // The events of a thread before an event, which may be another thread's.
  std::span<const Event* const> before(const Event& end, std::uint32_t thread) const {
    const auto found = threads_.find({end.launch, end.block, thread});
    if (found == threads_.end()) return {};
    const Events& all = found->second;
    return {all.begin(), std::ranges::lower_bound(all, &end)};
  }

  // All events of the thread that executed an event, which may be of another history.
  std::span<const Event* const> of_thread(const Event& like) const {
    const auto found = threads_.find({like.launch, like.block, like.thread});
    return found == threads_.end() ? std::span<const Event* const>() : found->second;
  }

  // The first event of any thread with this operation; null if there is none.
  const Event* first_of(const Operation& operation) const {
    const auto found = std::ranges::find(history_.events, operation,
                                         [this](const Event& event) { return operation_of(event); });
    return found == history_.events.end() ? nullptr : &*found;
  }

  Operation operation_of(const Event& event) const {
    if (event.kind == Event::kShuffle) return {event.kind, "", {}};
    const AccessHistory::Buffer& buffer = history_.buffers[event.buffer];
    return {event.kind, buffer.name, buffer.space};
  }
  Place place_of(const Event& event) const {
    const AccessHistory::Buffer& buffer = history_.buffers[event.buffer];
    const bool is_shared = buffer.space == MemorySpace::kShared;
    return {buffer.name, buffer.space, is_shared ? event.launch : 0, is_shared ? event.block : 0,
            event.element * event.bytes};
  }
  SourceLine line_of(const Event& event) const { return history_.lines[event.line]; }
  Argument element(const Event& event) const {
    return Element{history_.buffers[event.buffer].name, {static_cast<std::int64_t>(event.element)}};
  }
  Argument thread(const Event& event) const { return thread(event, event.thread); }
  // The thread that computed the value: of a shuffle, the lane that it came from.
  Argument origin(const Event& event) const {
    return thread(event, event.kind == Event::kShuffle ? event.element : event.thread);
  }
  Dim3 block_of(const Event& event) const {
    return position_in(history_.launches[event.launch].grid, event.block);
  }
  Argument block(const Event& event) const { return BlockIndex{block_of(event)}; }

 private:
  Argument thread(const Event& event, std::uint64_t index) const {
    return ThreadIndex{position_in(history_.launches[event.launch].block, index)};
  }

  const AccessHistory& history_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Events> threads_;
  std::map<Place, Events> stores_;
};

// Where an operation goes: the byte in its buffer, or the distance of the other lane.
std::int64_t target_of(const Event& event) {
  if (event.kind != Event::kShuffle) return static_cast<std::int64_t>(event.element * event.bytes);
  return static_cast<std::int64_t>(event.element) - static_cast<std::int64_t>(event.thread);
}

// Two computations of the same value: the events of the thread that computed it, in both kernels.
struct Computation {
  std::span<const Event*const> found, wanted;
  // What was computed, as messages name it, and the store or shuffle by which the value left the thread.
  Argument value;
  const Event *end_found = nullptr, *end_wanted = nullptr;
};

class FirstDifference {
 public:
  FirstDifference(const AccessHistory& found, const AccessHistory& wanted, const TraceWarp& trace)
      : found_(found), wanted_(wanted), trace_(trace) {}

  std::optional<Reason> reason() {
    // The first differing element of each buffer. The buffer that the solution stores to first comes first:
    // a later one may hold a time.
    const Events *found = nullptr, *wanted = nullptr;
    std::string last;
    for (const auto& [place, stores] : wanted_.stores()) {
      if (place.space != MemorySpace::kGlobal || (found && place.buffer == last)) continue;
      const Events& own = found_.stores_to(place);
      if (own.empty() || own.back()->bytes != stores.back()->bytes || are_alike(*own.back(), *stores.back()))
        continue;
      last = place.buffer;
      if (!wanted || stores.back() < wanted->back()) found = &own, wanted = &stores;
    }
    return found ? reason_of_stores(*found, *wanted) : std::nullopt;
  }

 private:
  // The chain of threads that hand on a wrong value is at most this long; longer ones are no reason a
  // person would follow.
  static constexpr int kMostSteps = 64;

  using Sequences = std::map<Operation, Events>;
  static Sequences sequences_of(const History& history, std::span<const Event* const> events) {
    Sequences sequences;
    for (const Event* event : events) sequences[history.operation_of(*event)].push_back(event);
    return sequences;
  }

  // A place that is stored to several times: the first value that differs.
  std::optional<Reason> reason_of_stores(const Events& found, const Events& wanted) {
    if (found.size() != wanted.size())
      return found.back()->kind == Event::kUpdate ? other_number_of_updates(found, wanted)
                                                  : reason_of_value(*found.back(), *wanted.back());
    std::size_t i = 0;
    while (are_alike(*found[i], *wanted[i])) ++i;
    return reason_of_value(*found[i], *wanted[i]);
  }

  // Kernels may combine values before they update the result, so the number alone says nothing. It does if
  // the result has grown by the same factor.
  std::optional<Reason> other_number_of_updates(const Events& found, const Events& wanted) const {
    const double factor = static_cast<double>(found.size()) / static_cast<double>(wanted.size());
    const Event &last = *found.back(), &right = *wanted.back();
    const auto grew = [factor](double a, double b) { return b != 0 && are_close(a, factor * b, 1e-5); };
    const bool is_in_proportion =
        grew(static_cast<double>(last.value), static_cast<double>(right.value)) ||
        (last.bytes == 4 && grew(std::bit_cast<float>(static_cast<std::uint32_t>(last.value)),
                                 std::bit_cast<float>(static_cast<std::uint32_t>(right.value)))) ||
        (last.bytes == 8 && grew(std::bit_cast<double>(last.value), std::bit_cast<double>(right.value)));
    if (!is_in_proportion) return std::nullopt;
    return Reason{msg::difference_updates(found_.element(last), found.size(), wanted.size()),
                  found_.line_of(last)};
  }

  std::optional<Reason> reason_of_value(const Event& found, const Event& wanted) {
    return reason_of({found_.before(found, found.thread), wanted_.before(wanted, wanted.thread),
                      found_.element(found), &found, &wanted});
  }

  // The earliest difference between two computations.
  struct Difference {
    enum Kind { kTarget, kCount, kValue } kind{};
    const Event *found = nullptr, *wanted = nullptr;
    std::size_t count_found = 0, count_wanted = 0;  // of kCount
  };

  std::optional<Reason> reason_of(const Computation& computation) {
    if (++steps_ > kMostSteps) return std::nullopt;
    const Sequences found = sequences_of(found_, computation.found),
                    wanted = sequences_of(wanted_, computation.wanted);
    std::vector<Difference> differences;
    std::size_t compared = 0, equal = 0;
    for (const auto& [operation, events] : found) {
      const auto other = wanted.find(operation);
      if (other == wanted.end() || is_other_order(events, other->second, found, wanted)) continue;
      if (const auto difference = first_difference_of(events, other->second, compared, equal))
        differences.push_back(*difference);
    }
    std::ranges::sort(differences, {}, &Difference::found);

    // Operations that only one of the kernels has: the work is divided in another way, unless each thread
    // reads by itself what it needs.
    const auto *lost = first_only_in(wanted, found), *added = first_only_in(found, wanted);
    const bool are_alone = is_alone(found) && is_alone(wanted);
    const bool are_alike = !lost && !added && (are_alone || 2 * equal >= compared);
    // All that both kernels load is right, so a thread that computes a wrong value tells more than the number
    // of its loads.
    const auto is_number = [](const Difference& difference) { return difference.kind == Difference::kCount; };
    const bool is_right = std::ranges::all_of(differences, is_number);
    if (is_right && (!differences.empty() || lost || added))
      if (auto reason = new_value(*computation.end_found, *computation.end_wanted)) return reason;
    for (const Difference& difference : differences) {
      auto reason = difference.kind == Difference::kValue    ? reason_of_loaded_value(difference)
                    : !are_alike                             ? std::nullopt
                    : difference.kind == Difference::kTarget ? other_target(computation, difference)
                                                             : other_count(computation, difference);
      if (reason) return reason;
    }
    if (lost && are_alone && lost->first.kind == Event::kLoad)
      return no_load(computation, lost->first, lost->second.size());
    const bool is_right_so_far = differences.empty() && !lost && !added && loads_anything(found);
    return is_right_so_far ? wrong_computation(computation) : std::nullopt;
  }

  // Stores may differ: a kernel may keep a value in a register that another one stores.
  static const Sequences::value_type* first_only_in(const Sequences& all, const Sequences& other) {
    for (const auto& each : all)
      if (each.first.kind != Event::kStore && !other.contains(each.first)) return &each;
    return nullptr;
  }
  // Whether a thread gets no values from other threads.
  static bool is_alone(const Sequences& sequences) {
    return std::ranges::none_of(sequences, [](const auto& each) {
      return each.first.kind == Event::kShuffle || each.first.space == MemorySpace::kShared;
    });
  }
  static bool loads_anything(const Sequences& sequences) {
    return std::ranges::any_of(sequences, [](const auto& each) { return each.first.kind == Event::kLoad; });
  }

  // Compares the events of one operation. Counts those that were compared and that go to the same place.
  static std::optional<Difference> first_difference_of(const Events& found, const Events& wanted,
                                                       std::size_t& compared, std::size_t& equal) {
    const std::size_t both = std::min(found.size(), wanted.size());
    compared += std::max(found.size(), wanted.size());
    std::optional<Difference> first;
    for (std::size_t i = 0; i < both; ++i) {
      const bool is_same =
          target_of(*found[i]) == target_of(*wanted[i]) && found[i]->bytes == wanted[i]->bytes;
      equal += is_same;
      if (first) continue;
      if (!is_same)
        first = Difference{Difference::kTarget, found[i], wanted[i]};
      else if (!are_alike(*found[i], *wanted[i]))
        first = Difference{Difference::kValue, found[i], wanted[i]};
    }
    if (found.size() == wanted.size() || (first && first->kind == Difference::kValue)) return first;
    // Some are left out or added if what is before and after them is the same in both.
    const auto is_same = [](const Event* a, const Event* b) { return target_of(*a) == target_of(*b); };
    const auto before =
        static_cast<std::size_t>(std::ranges::mismatch(found, wanted, is_same).in1 - found.begin());
    const auto after = static_cast<std::size_t>(
        std::mismatch(found.rbegin(), found.rend(), wanted.rbegin(), wanted.rend(), is_same).first -
        found.rbegin());
    if (before == 0 || before + after < both) return first;
    const std::size_t last = std::min(before, both) - 1;
    return Difference{Difference::kCount, found[last], wanted[last], found.size(), wanted.size()};
  }

  // Whether all loads of this kernel's thread are the solution's in another order, which changes no result
  // if every input is taken in that order.
  static bool is_other_order(const Events& found, const Events& wanted, const Sequences& all_found,
                             const Sequences& all_wanted) {
    if (!is_permutation(found, wanted)) return false;
    return std::ranges::all_of(all_found, [&](const auto& each) {
      const auto& [operation, events] = each;
      if (operation.kind != Event::kLoad || events.size() == 1) return true;
      const auto other = all_wanted.find(operation);
      return other != all_wanted.end() && is_permutation(events, other->second);
    });
  }
  // The same targets in another order.
  static bool is_permutation(const Events& found, const Events& wanted) {
    if (found.size() != wanted.size()) return false;
    std::vector<std::int64_t> a, b;
    for (const Event* event : found) a.push_back(target_of(*event));
    for (const Event* event : wanted) b.push_back(target_of(*event));
    if (a == b) return false;
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
  }

  // A load or shuffle of the right place has another value: looks where it comes from. A store of another
  // value is itself the end of a computation.
  std::optional<Reason> reason_of_loaded_value(const Difference& difference) {
    const Event &found = *difference.found, &wanted = *difference.wanted;
    if (is_store(found)) return reason_of_value(found, wanted);
    if (found.kind == Event::kShuffle) {
      const auto from = static_cast<std::uint32_t>(found.element);
      return reason_of({found_.before(found, from),
                        wanted_.before(wanted, static_cast<std::uint32_t>(wanted.element)),
                        msg::difference_exchanged_value(found_.line_of(found).line), &found, &wanted});
    }
    const auto stored = found_.stores_before(found), right = wanted_.stores_before(wanted);
    if (right.empty()) return std::nullopt;
    if (auto reason = misplaced_store(stored, *right.back())) return reason;
    if (stored.empty()) return std::nullopt;
    if (stored.size() != right.size() && found.thread == wanted.thread)
      return Reason{msg::difference_stores(found_.thread(found), found_.block(found), found_.element(found),
                                           stored.size(), right.size()),
                    found_.line_of(found)};
    if (stored.back()->thread != right.back()->thread) return std::nullopt;  // a step of another kind
    return reason_of_value(*stored.back(), *right.back());
  }

  // The store that should have written a loaded element: the same thread's store with the same number, if it
  // goes to another element.
  std::optional<Reason> misplaced_store(std::span<const Event* const> stored, const Event& wanted) {
    if (!stored.empty() && stored.back()->thread == wanted.thread) return std::nullopt;
    const Operation operation = wanted_.operation_of(wanted);
    const Events right = stores_of_thread(wanted_, wanted, operation),
                 own = stores_of_thread(found_, wanted, operation);
    const auto number = static_cast<std::size_t>(std::ranges::find(right, &wanted) - right.begin());
    if (own.size() != right.size() || number >= own.size() ||
        target_of(*own[number]) == target_of(*right[number]) || own[number]->bytes != wanted.bytes)
      return std::nullopt;
    const Event& other = *own[number];
    return Reason{msg::difference_stored(found_.thread(other), found_.block(other), found_.element(other),
                                         wanted_.element(wanted)),
                  found_.line_of(other)};
  }
  // The stores of the thread of `like` to its buffer.
  static Events stores_of_thread(const History& history, const Event& like, const Operation& operation) {
    Events stores;
    for (const Event* event : history.of_thread(like))
      if (history.operation_of(*event) == operation) stores.push_back(event);
    return stores;
  }

  std::optional<Reason> wrong_computation(const Computation& computation) const {
    const Event& end = *computation.end_found;
    if (auto reason = new_value(end, *computation.end_wanted)) return reason;
    return Reason{msg::difference_computation(found_.origin(end), found_.block(end), computation.value),
                  found_.line_of(end)};
  }

  std::optional<Reason> new_value(const Event& found, const Event& wanted) const {
    const auto warps = trace_(found.launch, found_.block_of(found), found.thread / vgpu::kWarpSize);
    if (!warps) return std::nullopt;
    return first_new_value(*warps, {found, found_.line_of(found)}, {wanted, wanted_.line_of(wanted)});
  }

  std::optional<Reason> other_target(const Computation& computation, const Difference& difference) const {
    const Event &found = *difference.found, &wanted = *difference.wanted;
    const Argument thread = found_.thread(found), block = found_.block(found);
    const SourceLine line = found_.line_of(found);
    if (found.kind == Event::kShuffle)
      return Reason{msg::difference_lane(thread, block, found.element % 32, wanted.element % 32), line};
    if (is_store(found))
      return Reason{msg::difference_stored(thread, block, found_.element(found), wanted_.element(wanted)),
                    line};
    return Reason{msg::difference_loaded(computation.value, thread, block, found_.element(found),
                                         wanted_.element(wanted)),
                  line};
  }

  std::optional<Reason> no_load(const Computation& computation, const Operation& operation,
                                std::size_t wanted) const {
    const Event& end = *computation.end_found;
    const Event* elsewhere = found_.first_of(operation);
    return Reason{msg::difference_count(computation.value, found_.origin(end), found_.block(end), 0u,
                                        called(operation.buffer), wanted),
                  found_.line_of(elsewhere ? *elsewhere : end)};
  }

  std::optional<Reason> other_count(const Computation& computation, const Difference& difference) const {
    const Event& found = *difference.found;
    if (found.kind != Event::kLoad) return std::nullopt;
    return Reason{msg::difference_count(computation.value, found_.thread(found), found_.block(found),
                                        difference.count_found, called(found_.operation_of(found).buffer),
                                        difference.count_wanted),
                  found_.line_of(found)};
  }

  History found_, wanted_;
  const TraceWarp& trace_;
  int steps_ = 0;
};

}  // namespace

std::optional<Reason> first_difference(const AccessHistory& found, const AccessHistory& wanted,
                                       const TraceWarp& trace) {
  if (!found.is_complete || !wanted.is_complete || found.launches.size() != wanted.launches.size())
    return std::nullopt;
  return FirstDifference(found, wanted, trace).reason();
}

}  // namespace cudalab::course
