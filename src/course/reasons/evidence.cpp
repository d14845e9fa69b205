// Compares the accesses of a wrong kernel with those of the solution, and ranks the differences.
#include "course/reasons/evidence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "messages/course.h"
#include "messages/vgpu.h"

namespace cudalab::course {
namespace {

using Counts = std::vector<std::uint32_t>;
using Elements = std::vector<std::size_t>;  // ascending

std::uint64_t sum_of(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

Elements elements_where(std::size_t size, const std::function<bool(std::size_t)>& holds) {
  Elements elements;
  for (std::size_t i = 0; i < size; ++i)
    if (holds(i)) elements.push_back(i);
  return elements;
}

bool is_run(const Elements& elements) { return elements.back() - elements.front() + 1 == elements.size(); }

// Elements such as "128 to 255 of every 256": a run that repeats at the same distance, at least twice.
struct RepeatedRun {
  std::size_t first = 0, last = 0, period = 0;
};

std::optional<RepeatedRun> repeated_run(const Elements& elements) {
  std::size_t length = 1;
  while (length < elements.size() && elements[length] == elements[0] + length) ++length;
  if (length == elements.size()) return std::nullopt;
  const std::size_t period = elements[length] - elements[0];
  if (elements[0] + length > period) return std::nullopt;
  for (std::size_t i = length; i < elements.size(); ++i)
    if (elements[i] != elements[i - length] + period) return std::nullopt;
  return RepeatedRun{elements[0], elements[0] + length - 1, period};
}

}  // namespace

std::uint32_t count_at(const Counts& counts, std::size_t element) {
  return element < counts.size() ? counts[element] : 0;
}

Message remainders_in_words(std::size_t period, std::size_t first, std::size_t last) {
  if (first == last) return msg::elements_every(period, first);
  return msg::elements_runs(period, first, last);
}

Message elements_in_words(const std::vector<std::size_t>& elements) {
  if (elements.size() == 1) return msg::elements_one(elements.front());
  if (is_run(elements)) return msg::elements_run(elements.front(), elements.back());
  if (const auto runs = repeated_run(elements))
    return remainders_in_words(runs->period, runs->first, runs->last);
  return msg::elements_scattered(elements.size(), elements.front());
}

namespace {

const BufferUse* same_buffer(std::span<const BufferUse> uses, const BufferUse& like) {
  const auto same = [&like](const BufferUse& use) {
    return use.name == like.name && use.space == like.space;
  };
  const auto found = std::ranges::find_if(uses, same);
  return found == uses.end() ? nullptr : &*found;
}

// The line with the most accesses of these kinds.
std::optional<SourceLine> line_of(const BufferUse& use, std::initializer_list<AccessKind> kinds) {
  const BufferUse::Line* best = nullptr;
  for (const BufferUse::Line& line : use.lines)
    if (std::ranges::find(kinds, line.kind) != kinds.end() && (!best || line.accesses > best->accesses))
      best = &line;
  return best && best->where.line > 0 ? std::optional(best->where) : std::nullopt;
}
std::optional<SourceLine> line_of_stores(const BufferUse& use) {
  return line_of(use, {AccessKind::kStore, AccessKind::kAtomic, AccessKind::kReduction});
}

}  // namespace

std::optional<SourceLine> line_of_loads(const BufferUse& use) { return line_of(use, {AccessKind::kLoad}); }

namespace {

// Other names are descriptions, such as "the dynamic shared memory".
bool is_identifier(const std::string& name) { return name.find(' ') == std::string::npos; }

}  // namespace

Argument called(const std::string& buffer) {
  if (is_identifier(buffer)) return Code{buffer};
  return buffer == "the dynamic shared memory" ? Argument(msg::place_dynamic_shared()) : Argument(buffer);
}

namespace {

class Differences {
 public:
  Differences(std::span<const BufferUse> found, std::span<const BufferUse> wanted)
      : found_(found), wanted_(wanted) {}

  std::vector<Reason> reasons() {
    for (const BufferUse& wanted : wanted_) {
      if (wanted.space != MemorySpace::kGlobal) continue;
      const BufferUse none{.name = wanted.name, .space = wanted.space, .element_bytes = wanted.element_bytes};
      const BufferUse* found = same_buffer(found_, wanted);
      const bool is_input = sum_of(wanted.stores) + sum_of(wanted.updates) == 0;
      if (is_input)
        look_at_input(found ? *found : none, wanted);
      else
        look_at_output(found ? *found : none, wanted);
    }
    look_at_shared_arrays();
    std::ranges::stable_sort(reasons_, {}, &Ranked::rank);
    std::vector<Reason> best;
    for (std::size_t i = 0; i < std::min(reasons_.size(), kMostReasons); ++i)
      best.push_back({reasons_[i].sentence(reasons_[i].buffers), reasons_[i].line});
    return best;
  }

 private:
  // Facts that leave no other explanation come first, possible consequences last.
  enum Rank { kUntouched, kUnneededKind, kMissing, kReplaced, kRepeated, kUnread };
  using Sentence = std::function<Message(Argument buffers)>;
  struct Ranked {
    Rank rank;
    std::string about;  // the fact in English, without buffers: equal for the same fact about another buffer
    Argument::List buffers;
    Sentence sentence;
    std::optional<SourceLine> line;
  };
  // Merges the same fact about several buffers into one reason.
  void add(Rank rank, const BufferUse& buffer, Sentence sentence, std::optional<SourceLine> line = {}) {
    const std::string about = sentence("").text();
    for (Ranked& known : reasons_)
      if (known.rank == rank && known.about == about && known.line == line)
        return known.buffers.push_back(called(buffer.name));
    reasons_.push_back({rank, about, {called(buffer.name)}, std::move(sentence), std::move(line)});
  }

  // Access counts are comparable only if both kernels use elements of the same width.
  static bool are_comparable(const BufferUse& found, const BufferUse& wanted) {
    return found.element_bytes == wanted.element_bytes || found.element_bytes == 0;
  }

  void look_at_input(const BufferUse& found, const BufferUse& wanted) {
    if (sum_of(found.stores) + sum_of(found.updates) > 0)
      add(kUnneededKind, wanted, msg::evidence_writes_input, line_of_stores(found));
    if (sum_of(wanted.loads) == 0) return;
    if (sum_of(found.loads) == 0) return add(kUntouched, wanted, msg::evidence_never_read);
    if (!are_comparable(found, wanted)) return;
    const std::size_t size = std::max(found.loads.size(), wanted.loads.size());
    const Elements missing = elements_where(
        size, [&](std::size_t i) { return count_at(wanted.loads, i) > 0 && count_at(found.loads, i) == 0; });
    if (!missing.empty()) return look_at_missing_input(found, wanted, missing);
    look_at_repeated_input(found, wanted);
  }

  void look_at_missing_input(const BufferUse& found, const BufferUse& wanted, const Elements& missing) {
    const std::size_t size = std::max(found.loads.size(), wanted.loads.size());
    const Elements read = elements_where(size, [&](std::size_t i) { return count_at(found.loads, i) > 0; });
    const Elements needed =
        elements_where(size, [&](std::size_t i) { return count_at(wanted.loads, i) > 0; });
    const bool reads_others =
        std::ranges::any_of(read, [&](std::size_t i) { return count_at(wanted.loads, i) == 0; });
    if (reads_others)
      return add(
          kMissing, wanted,
          [=](Argument buffers) {
            return msg::evidence_reads_others(elements_in_words(read), buffers, elements_in_words(needed));
          },
          line_of_loads(found));
    const auto sentence = [=](Argument buffers) {
      return msg::evidence_unread(elements_in_words(missing), buffers, missing.size(), needed.size());
    };
    add(kMissing, wanted, sentence, line_of_loads(found));
  }

  // Reports repeated reads only if the solution reads each element once: other algorithms may have good
  // reasons to read more often.
  void look_at_repeated_input(const BufferUse& found, const BufferUse& wanted) {
    const auto once = [&](std::size_t i) { return count_at(wanted.loads, i) <= 1; };
    if (!elements_where(wanted.loads.size(), [&](std::size_t i) { return !once(i); }).empty()) return;
    const Elements repeated =
        elements_where(found.loads.size(), [&](std::size_t i) { return count_at(found.loads, i) > 1; });
    if (repeated.empty()) return;
    const std::uint32_t times = count_at(found.loads, repeated.front());
    if (std::ranges::any_of(repeated, [&](std::size_t i) { return count_at(found.loads, i) != times; }))
      return add(
          kRepeated, wanted,
          [=](Argument buffers) {
            return msg::evidence_read_repeatedly(elements_in_words(repeated), buffers);
          },
          line_of_loads(found));
    const auto sentence = [=](Argument buffers) {
      return msg::evidence_read_times(elements_in_words(repeated), buffers, times);
    };
    add(kRepeated, wanted, sentence, line_of_loads(found));
  }

  void look_at_output(const BufferUse& found, const BufferUse& wanted) {
    const auto writes = [](const BufferUse& use, std::size_t i) {
      return count_at(use.stores, i) + count_at(use.updates, i);
    };
    if (sum_of(found.stores) + sum_of(found.updates) == 0)
      return add(kUntouched, wanted, msg::evidence_never_written);
    if (sum_of(found.loads) > 0 && sum_of(wanted.loads) == 0)
      add(kUnneededKind, wanted, msg::evidence_reads_output, line_of_loads(found));
    if (!are_comparable(found, wanted)) return;
    const std::size_t size = std::max(found.stores.size(), wanted.stores.size());
    const Elements needed = elements_where(size, [&](std::size_t i) { return writes(wanted, i) > 0; });
    const Elements missing =
        elements_where(size, [&](std::size_t i) { return writes(wanted, i) > 0 && writes(found, i) == 0; });
    if (!missing.empty())
      return add(
          kMissing, wanted,
          [=](Argument buffers) {
            return msg::evidence_unwritten(elements_in_words(missing), buffers, missing.size(),
                                           needed.size());
          },
          line_of_stores(found));
    if (sum_of(wanted.updates) > 0) return look_at_updates(found, wanted);
    look_at_replaced(found, wanted);
  }

  void look_at_updates(const BufferUse& found, const BufferUse& wanted) {
    const bool replaces = std::ranges::any_of(found.stores, [](std::uint32_t n) { return n > 1; });
    if (replaces && sum_of(found.updates) == 0)
      add(kReplaced, wanted, msg::evidence_replaced, line_of_stores(found));
  }

  void look_at_replaced(const BufferUse& found, const BufferUse& wanted) {
    const Elements replaced = elements_where(found.stores.size(), [&](std::size_t i) {
      return count_at(found.stores, i) > count_at(wanted.stores, i);
    });
    if (replaced.empty() || sum_of(found.updates) > 0) return;
    const Elements kept = elements_where(found.stores.size(), [&](std::size_t i) {
      return count_at(found.stores, i) > 0 && count_at(wanted.stores, i) == 0;
    });
    if (!kept.empty())
      return add(
          kReplaced, wanted,
          [=](Argument buffers) { return msg::evidence_overwritten(elements_in_words(kept), buffers); },
          line_of_stores(found));
    const bool is_once = std::ranges::all_of(wanted.stores, [](std::uint32_t n) { return n <= 1; });
    if (!is_once) return;
    const std::uint32_t times = count_at(found.stores, replaced.front());
    const bool is_even =
        std::ranges::all_of(replaced, [&](std::size_t i) { return count_at(found.stores, i) == times; });
    const auto sentence = [=](Argument buffers) {
      return is_even ? msg::evidence_written_times(elements_in_words(replaced), buffers, times)
                     : msg::evidence_written_repeatedly(elements_in_words(replaced), buffers);
    };
    add(kReplaced, wanted, sentence, line_of_stores(found));
  }

  static Elements unread(const BufferUse& use) {
    return elements_where(use.stores.size(), [&](std::size_t i) {
      return count_at(use.stores, i) + count_at(use.updates, i) > 0 && count_at(use.loads, i) == 0;
    });
  }

  void look_at_shared_arrays() {
    const auto leaves_some = [](const BufferUse& use) {
      return use.space == MemorySpace::kShared && !unread(use).empty();
    };
    if (std::ranges::any_of(wanted_, leaves_some)) return;
    for (const BufferUse& use : found_)
      if (leaves_some(use)) {
        const Elements elements = unread(use);
        const bool is_array = is_identifier(use.name);
        if (sum_of(use.loads) == 0)
          add(kUnread, use, is_array ? msg::evidence_shared_never_read : msg::evidence_memory_never_read,
              line_of_stores(use));
        else
          add(
              kUnread, use,
              [=](Argument buffers) {
                return is_array ? msg::evidence_shared_unread(elements_in_words(elements), buffers)
                                : msg::evidence_memory_unread(elements_in_words(elements), buffers);
              },
              line_of_loads(use));
      }
  }

  std::span<const BufferUse> found_, wanted_;
  std::vector<Ranked> reasons_;
};

}  // namespace

Message in_line(const Reason& reason) {
  return reason.where ? msg::reason_in_line(reason.where->line, reason.what) : reason.what;
}

std::vector<Reason> reasons_of(std::span<const BufferUse> found, std::span<const BufferUse> wanted) {
  return Differences(found, wanted).reasons();
}

}  // namespace cudalab::course
