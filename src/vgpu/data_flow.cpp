#include "vgpu/data_flow.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <ranges>
#include <span>

#include "vgpu/value_taps.h"

namespace cudalab::vgpu {
namespace {

using Word32 = std::uint32_t;
using Image = std::vector<std::vector<std::byte>>;  // the contents of all allocations

struct Replacement {
  std::size_t allocation = 0, word = 0;
  Word32 value = 0;
};

Word32 word_in(const std::vector<std::byte>& bytes, std::size_t word) {
  Word32 value = 0;
  std::memcpy(&value, bytes.data() + word * sizeof value, sizeof value);
  return value;
}

class FlowExperiment {
 public:
  FlowExperiment(VirtualGpu& gpu, const LoadedModule& module, const LaunchRequest& request,
                 const FlowRequest& wanted)
      : gpu_(gpu),
        module_(module),
        request_(request),
        wanted_(wanted),
        spans_(gpu.allocations()),
        before_(contents()),
        random_(wanted.seed) {
    request_.taps = &taps_;
    request_.options.checks = Checks::kNone;
    request_.options.predict = request_.options.record = false;
    request_.options.pace = nullptr;
  }

  DataFlow find() {
    taps_.record();
    after_ = run({});
    if (!after_ || taps_.is_overfull()) return {};
    find_inputs();
    if (inputs_.empty()) return {};
    std::size_t count = kMany;
    Round many = round_of(count);
    while (many.together.changed == 0 && count * kMore <= kMost) many = round_of(count *= kMore);
    if (many.together.is_mostly_carried()) return {many.together, by_statement_with_fewer(many, count)};
    // An output that depends on several of the words is carried only if all of them are.
    DataFlow flow;
    for (std::size_t i = 0; i < kRounds; ++i) {
      const Round few = round_of(count / kRounds);
      flow.add({few.together, by_statement(few)});
    }
    if (!flow.together.is_mostly_carried()) flow.together = of_single_words();
    return flow;
  }

 private:
  // More words are replaced where the kernel uses few of its inputs.
  static constexpr std::size_t kMany = 32, kMore = 16, kMost = kMany * kMore * kMore;
  static constexpr std::size_t kRounds = 8, kFurtherRounds = 4, kMostQuestions = 64;

  Image contents() const {
    Image image;
    for (const MemorySpan& span : spans_) gpu_.read(span.address, image.emplace_back(span.bytes));
    return image;
  }

  void write(const Replacement& change, Word32 value) {
    gpu_.write(spans_[change.allocation].address + change.word * sizeof value,
               std::as_bytes(std::span(&value, 1)));
  }

  // Memory after the launch with these inputs; empty if the kernel does not reach its end.
  std::optional<Image> run(const std::vector<Replacement>& changes) {
    std::optional<Image> after;
    gpu_.rehearse([&] {
      for (const Replacement& change : changes) write(change, change.value);
      if (gpu_.launch(module_, request_).completed) after = contents();
      // A rehearsal does not restore constant memory.
      for (const Replacement& change : changes)
        write(change, word_in(before_[change.allocation], change.word));
    });
    return after;
  }

  // What the kernel leaves as it was, and what is written completely.
  void find_inputs() {
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (spans_[i].bytes >= 2 * sizeof(std::uint64_t) && before_[i] == (*after_)[i] &&
          gpu_.unwritten(spans_[i].address, spans_[i].bytes).empty())
        inputs_.push_back(i);
  }

  // A word of an input gets the value of another, which is therefore valid. The halves of a wider element
  // stay halves of the same kind.
  std::optional<Replacement> replacement() {
    const std::size_t input = inputs_[random_() % inputs_.size()];
    const std::vector<std::byte>& bytes = before_[input];
    const std::size_t words = bytes.size() / sizeof(Word32), word = random_() % words;
    constexpr int kAttempts = 16;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::size_t other = (random_() % words & ~std::size_t{1}) | (word & 1);
      if (other < words && word_in(bytes, other) != word_in(bytes, word))
        return Replacement{input, word, word_in(bytes, other)};
    }
    return std::nullopt;
  }

  std::vector<Replacement> replacements(std::size_t count) {
    std::vector<Replacement> changes;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto change = replacement()) changes.push_back(*change);
    return changes;
  }

  std::optional<Image> own_values(const std::vector<Replacement>& changes) {
    taps_.replay({});
    return run(changes);
  }
  std::optional<Image> values_of_before(const std::vector<Replacement>& changes,
                                        std::vector<bool> statements) {
    taps_.replay(std::move(statements));
    return run(changes);
  }

  FlowShare compare(const std::optional<Image>& changed, const std::optional<Image>& held) const {
    FlowShare share;
    if (!changed) return share;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (std::ranges::find(inputs_, i) != inputs_.end()) continue;
      for (std::size_t word = 0; word < before_[i].size() / sizeof(Word32); ++word) {
        const Word32 was = word_in((*after_)[i], word);
        if (word_in((*changed)[i], word) == was) continue;
        ++share.changed;
        share.carried += held && word_in((*held)[i], word) == was ? 1 : 0;
      }
    }
    return share;
  }

  // A launch with some words replaced, and what the tapped statements carried of that.
  struct Round {
    std::vector<Replacement> changes;
    std::optional<Image> changed;
    FlowShare together;
  };

  Round round_of(std::size_t count) {
    Round round{replacements(count), {}, {}};
    round.changed = own_values(round.changes);
    round.together = compare(round.changed, values_of_before(round.changes, exchanging()));
    return round;
  }

  // All statements but those that yield each lane's own value.
  std::vector<bool> exchanging() const {
    std::vector<bool> statements(wanted_.statements);
    for (std::size_t i = 0; i < statements.size(); ++i) statements[i] = !taps_.yields_own_values(i);
    return statements;
  }

  // Asks about the statements that have carried nothing in earlier rounds (`known`; empty: about all).
  std::vector<FlowShare> by_statement(const Round& round, std::vector<FlowShare> known = {}) {
    if (round.together.carried == 0) return known;
    known.resize(wanted_.statements);
    const std::size_t at_once = (wanted_.statements + kMostQuestions - 1) / kMostQuestions;
    for (std::size_t from = 0; from < wanted_.statements; from += at_once) {
      const std::size_t end = std::min(wanted_.statements, from + at_once);
      const auto seems_idle = [&](std::size_t i) { return this->seems_idle(known, i); };
      const auto asked = std::views::iota(from, end);
      if (std::ranges::none_of(asked, seems_idle)) continue;
      const FlowShare share = share_of(round, from, end);
      for (const std::size_t i : asked)
        if (seems_idle(i)) known[i].add(share);
    }
    return known;
  }

  // Whether more rounds may show that the statement carries something.
  bool seems_idle(const std::vector<FlowShare>& known, std::size_t statement) const {
    return known[statement].carried == 0 && !taps_.yields_own_values(statement);
  }

  // Of a round, through the statements from `from` to `end`.
  FlowShare share_of(const Round& round, std::size_t from, std::size_t end) {
    std::vector<bool> statements(wanted_.statements);
    std::fill(statements.begin() + static_cast<std::ptrdiff_t>(from),
              statements.begin() + static_cast<std::ptrdiff_t>(end), true);
    FlowShare share = compare(round.changed, values_of_before(round.changes, statements));
    if (share.carried > 0) return share;
    // Statements that carry only together: what comes through without these.
    statements.flip();
    const FlowShare others = compare(round.changed, values_of_before(round.changes, std::move(statements)));
    share.carried = round.together.carried - std::min(round.together.carried, others.carried);
    return share;
  }

  // An output that depends on many of the words, as the sum of a large block does, goes through no single
  // step of a tree. So further rounds replace about one word for each output that changed.
  std::vector<FlowShare> by_statement_with_fewer(const Round& many, std::size_t count) {
    std::vector<FlowShare> shares = by_statement(many);
    const std::size_t few = std::clamp<std::size_t>(many.together.changed, 1, count / 4);
    const auto has_idle = [&] {
      return std::ranges::any_of(std::views::iota(std::size_t{0}, shares.size()),
                                 [&](std::size_t i) { return seems_idle(shares, i); });
    };
    for (std::size_t i = 0; i < kFurtherRounds && has_idle(); ++i)
      shares = by_statement(round_of(few), std::move(shares));
    return shares;
  }

  // Where every output depends on many inputs, as a histogram's bins do: one word at a time. Counts rounds.
  FlowShare of_single_words() {
    FlowShare rounds;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::vector<Replacement> change = replacements(1);
      const FlowShare share = compare(own_values(change), values_of_before(change, exchanging()));
      rounds.changed += share.changed > 0 ? 1 : 0;
      rounds.carried += share.is_mostly_carried() ? 1 : 0;
    }
    return rounds;
  }

  VirtualGpu& gpu_;
  const LoadedModule& module_;
  LaunchRequest request_;
  const FlowRequest& wanted_;
  const std::vector<MemorySpan> spans_;
  const Image before_;
  std::optional<Image> after_;
  std::vector<std::size_t> inputs_;
  ValueTaps taps_;
  std::mt19937_64 random_;
};

}  // namespace

void DataFlow::add(const DataFlow& other) {
  together.add(other.together);
  by_statement.resize(std::max(by_statement.size(), other.by_statement.size()));
  for (std::size_t i = 0; i < other.by_statement.size(); ++i) by_statement[i].add(other.by_statement[i]);
}

DataFlow data_flow(VirtualGpu& gpu, const LoadedModule& module, const LaunchRequest& request,
                   const FlowRequest& wanted) {
  return FlowExperiment(gpu, module, request, wanted).find();
}

}  // namespace cudalab::vgpu
