#include "vgpu/checks/line_marks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "vgpu/levels.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

Mark mark_of(std::uint32_t thread, std::uint32_t lane) {
  const std::uint32_t number = thread + (lane >> kLaneShift);
  return static_cast<Mark>(number - (number >= kMarkThreads ? kMarkThreads : 0) + 1);
}

// All ones if the value is 0, by arithmetic: GCC 12 does not vectorize the loops below with comparisons.
[[gnu::always_inline]] inline Mark ones_if_zero(std::uint32_t value) {
  const auto mark = static_cast<Mark>(value);
  const auto sign = static_cast<Mark>(mark | static_cast<Mark>(0u - mark));  // its highest bit: not 0
  return static_cast<Mark>((sign >> 15) - 1u);
}
[[gnu::always_inline]] inline Mark choose(Mark mask, Mark yes, Mark no) {
  return static_cast<Mark>((yes & mask) | (no & ~mask));
}

// The mark after an access, and whether the access conflicts (not 0).
struct Change {
  Mark after;
  Mark conflict;
};
[[gnu::always_inline]] inline Change read_mark(Mark mark, Mark mine) {
  const Mark is_untouched = ones_if_zero(mark), is_mine = ones_if_zero((mark & kMarkWho) ^ mine),
             is_unwritten = ones_if_zero(mark & kMarkWritten), is_reduced = ones_if_zero(mark ^ kMarkReduced);
  const Mark touched = choose(static_cast<Mark>(is_mine | ~is_unwritten), mark, kMarkManyReaders);
  return {choose(is_untouched, mine, touched), static_cast<Mark>(~(is_unwritten | is_mine) | is_reduced)};
}
[[gnu::always_inline]] inline Change write_mark(Mark mark, Mark mine) {
  const Mark is_untouched = ones_if_zero(mark), is_mine = ones_if_zero((mark & kMarkWho) ^ mine);
  return {static_cast<Mark>(mine | kMarkWritten), static_cast<Mark>(~(is_untouched | is_mine))};
}
[[gnu::always_inline]] inline Change reduce_mark(Mark mark, Mark) {
  return {kMarkReduced, static_cast<Mark>(~(ones_if_zero(mark) | ones_if_zero(mark ^ kMarkReduced)))};
}
template <Marking kMarking>
[[gnu::always_inline]] inline Change change_by(Mark mark, Mark mine) {
  if constexpr (kMarking == Marking::kRead) return read_mark(mark, mine);
  if constexpr (kMarking == Marking::kWrite) return write_mark(mark, mine);
  return reduce_mark(mark, mine);
}
struct Seen {
  bool conflict, change;
};

// The marks of the 32 granules of a line. In an access, the mark of an untouched granule is 0.
using Line = std::array<Mark, LineMarks::kInLine>;

// The loops over a line have no early exit and a fixed length, so the compiler can vectorize them.
template <Marking kMarking>
[[gnu::always_inline]] inline Seen mark_all(Mark* __restrict marks, const Mark* __restrict own) {
  Mark conflict = 0, differs = 0;
  for (std::size_t g = 0; g < LineMarks::kInLine; ++g) {
    const Mark mark = marks[g], is_touched = static_cast<Mark>(~ones_if_zero(own[g]));
    const Change change = change_by<kMarking>(mark, own[g]);
    const Mark after = choose(is_touched, change.after, mark);
    conflict |= static_cast<Mark>(change.conflict & is_touched);
    differs |= static_cast<Mark>(mark ^ after);
    marks[g] = after;
  }
  return {conflict != 0, differs != 0};
}

CUDALAB_EACH_LEVEL Seen mark_line(Marking marking, Mark* marks, const Mark* own) {
  if (marking == Marking::kRead) return mark_all<Marking::kRead>(marks, own);
  if (marking == Marking::kWrite) return mark_all<Marking::kWrite>(marks, own);
  return mark_all<Marking::kReduction>(marks, own);
}

// ThreadSanitizer would report a read without the lock as a race.
#ifdef __SANITIZE_THREAD__
constexpr bool kLooksFirst = false;
#else
constexpr bool kLooksFirst = true;
#endif

// ---- words -------------------------------------------------------------------------------------------
constexpr std::uint64_t kKind = 3, kRuled = 1, kListed = 2, kBusy = 3;
constexpr std::uint64_t kWrittenBit = 1u << 2;
constexpr int kRepeatShift = 3, kFirstShift = 6, kCountShift = 11, kWhoShift = 16, kStepShift = 31;
constexpr std::uint64_t kWhoBits = std::uint64_t{kMarkWho} << kWhoShift;
constexpr std::uint64_t kStepBits = std::uint64_t{0x7fff} << kStepShift;
constexpr std::uint64_t kRangeBits = std::uint64_t{0x3ff} << kFirstShift;  // first and count
constexpr int kMostRepeat = 4;  // its logarithm: of a line's granules

// The parts of a ruled word.
struct Rule {
  std::uint32_t first, count, repeat_shift, who, step;
  bool written;

  static Rule of(std::uint64_t word) {
    const auto bits = [word](int shift, std::uint32_t mask) {
      return static_cast<std::uint32_t>(word >> shift) & mask;
    };
    return {bits(kFirstShift, 31),     bits(kCountShift, 31) + 1, bits(kRepeatShift, 7),
            bits(kWhoShift, kMarkWho), bits(kStepShift, 0x7fff),  (word & kWrittenBit) != 0};
  }
  // Equal marks have equal words: without a step, nothing repeats.
  std::uint64_t word() const {
    const bool has_step = step != 0 && count > 1u << repeat_shift;
    return kRuled | (written ? kWrittenBit : 0) | std::uint64_t{has_step ? repeat_shift : 0} << kRepeatShift |
           std::uint64_t{first} << kFirstShift | std::uint64_t{count - 1} << kCountShift |
           std::uint64_t{who} << kWhoShift | std::uint64_t{has_step ? step : 0} << kStepShift;
  }
  Mark with_written(std::uint32_t thread) const {
    return static_cast<Mark>(thread | (written ? kMarkWritten : 0));
  }
  Mark mark(std::uint32_t in_line) const {
    if (in_line - first >= count) return 0;
    if (step == 0) return with_written(who);
    const std::uint32_t number = who - 1 + step * ((in_line - first) >> repeat_shift);
    return with_written(number % kMarkThreads + 1);
  }
};

std::uint64_t load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

MarkBlocks::Block* block_of(std::uint64_t word) {
  constexpr std::uint64_t kAddress = 0x0000'ffff'ffff'ffc0;
  return reinterpret_cast<MarkBlocks::Block*>(word & kAddress);
}

// The next name of a block: its previous name with the next version.
std::uint64_t with_next_version(std::uint64_t word) {
  constexpr int kLow = 2, kHigh = 48;
  const std::uint64_t version = (word >> kHigh << 4 | (word >> kLow & 0xf)) + 1;
  return reinterpret_cast<std::uintptr_t>(block_of(word)) | (version & 0xf) << kLow | version >> 4 << kHigh |
         kListed;
}

// The line's word if its marks follow a rule; else 0.
CUDALAB_EACH_LEVEL std::uint64_t ruled_word(const Mark* marks) {
  std::uint32_t touched = 0;
  for (std::uint32_t g = 0; g < LineMarks::kInLine; ++g) touched |= std::uint32_t{marks[g] != 0} << g;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(touched));
  const auto count = static_cast<std::uint32_t>(std::popcount(touched));
  if (count == 0 || static_cast<std::uint32_t>(std::countr_one(touched >> first)) != count) return 0;
  const Mark lead = marks[first];
  Rule rule{first, count, 0, static_cast<std::uint32_t>(lead & kMarkWho), 0, (lead & kMarkWritten) != 0};
  std::uint32_t same = 1;
  while (same < count && marks[first + same] == lead) ++same;
  if (same == count) return rule.word();
  const Mark next = marks[first + same];
  const std::uint32_t who = next & kMarkWho;
  const bool are_threads = rule.who <= kMarkThreads && who <= kMarkThreads;
  if (!are_threads || ((lead ^ next) & kMarkWritten) || !std::has_single_bit(same)) return 0;
  rule.repeat_shift = static_cast<std::uint32_t>(std::countr_zero(same));
  rule.step = who - rule.who + (who < rule.who ? kMarkThreads : 0);
  for (std::uint32_t g = same; g < count; ++g)
    if (marks[first + g] != rule.mark(first + g)) return 0;
  return rule.word();
}

// The same for a line whose marks are listed. Such a line seldom follows a rule again, except that all marks
// become equal, for example after many threads have read everything.
std::uint64_t uniform_word(const Mark* marks) {
  constexpr std::size_t kLast = LineMarks::kInLine - 1;
  if (marks[0] == 0 || marks[0] != marks[kLast] || marks[0] != marks[kLast / 2]) return 0;
  if (std::memcmp(marks, marks + 1, kLast * sizeof *marks) != 0) return 0;
  const Rule rule{0, LineMarks::kInLine,
                  0, static_cast<std::uint32_t>(marks[0] & kMarkWho),
                  0, (marks[0] & kMarkWritten) != 0};
  return rule.word();
}

// The word of a part of a row if nothing else touches the line; 0 if its lanes follow no rule. `done`:
// granules of the row before the part.
std::uint64_t word_of_part(Marking marking, const MarkedRow& row, std::uint64_t done, std::uint64_t in_line,
                           std::uint64_t count) {
  const std::uint64_t rest = kRuled | (marking == Marking::kWrite ? kWrittenBit : 0) |
                             in_line << kFirstShift | (count - 1) << kCountShift;
  if (marking == Marking::kReduction) return rest | std::uint64_t{kMarkReduced} << kWhoShift;
  if (marking == Marking::kRead && row.is_shared) return rest | std::uint64_t{kMarkManyReaders} << kWhoShift;
  const std::uint64_t repeat = std::uint64_t{1} << row.run.repeat_shift;
  if (!row.run.is_regular || (row.run.step != 0 && done % repeat != 0)) return 0;
  const std::uint64_t word = rest | std::uint64_t{mark_of(row.thread, row.lanes[done])} << kWhoShift;
  if (row.run.step == 0 || count <= repeat) return word;
  const auto step = static_cast<std::uint64_t>(row.run.step + (row.run.step < 0 ? int{kMarkThreads} : 0));
  return word | std::uint64_t{row.run.repeat_shift} << kRepeatShift | step << kStepShift;
}

bool holds_threads(std::uint64_t word) { return (word & kWhoBits) >> kWhoShift <= kMarkThreads; }

// The line's word after an access whose own word is `mine`, in the most frequent cases without a conflict;
// otherwise 0.
[[gnu::always_inline]] inline std::uint64_t quick_change(Marking marking, std::uint64_t before,
                                                         std::uint64_t mine) {
  if (before == 0) return mine;
  if ((before & kKind) != kRuled) return 0;
  if ((before | kWrittenBit) == (mine | kWrittenBit)) return before | mine;  // the same threads
  const Rule line = Rule::of(before), own = Rule::of(mine);
  const bool contains = own.first >= line.first && own.first + own.count <= line.first + line.count;
  const bool is_uniform = (before & kStepBits) == 0 && !((before ^ mine) & ~kRangeBits);
  if (is_uniform && contains) return before;
  const bool follows = own.first == line.first + line.count;
  if (is_uniform && follows) return before + (std::uint64_t{own.count} << kCountShift);
  if (follows && own.count == 1 && line.written == own.written && line.repeat_shift == 0 &&
      line.who <= kMarkThreads && own.who <= kMarkThreads) {
    const std::uint32_t step = own.who - line.who + (own.who < line.who ? kMarkThreads : 0);
    if (line.count == 1) return Rule{line.first, 2, 0, line.who, step, line.written}.word();
    if (line.step != 0 && (std::uint64_t{line.step} * line.count) % kMarkThreads == step)
      return before + (std::uint64_t{1} << kCountShift);
  }
  if (marking != Marking::kRead || line.written) return 0;
  if (line.who == kMarkManyReaders) return contains ? before : 0;
  // Both words describe the same granules, touched by different threads. If their steps are equal, the
  // threads differ in every granule.
  if (!((before ^ mine) & ~kWhoBits) && holds_threads(before) && holds_threads(mine))
    return (before & kRangeBits) | kRuled | std::uint64_t{kMarkManyReaders} << kWhoShift;
  return 0;
}

// While the number of the thread stays below the modulus, 16 bits suffice.
CUDALAB_EACH_LEVEL void expand_rule(const Rule& rule, Mark* marks) {
  const auto first = static_cast<Mark>(rule.first), count = static_cast<Mark>(rule.count),
             step = static_cast<Mark>(rule.step), lead = rule.with_written(rule.who);
  const std::uint32_t shift = rule.repeat_shift;
  for (std::uint32_t g = 0; g < LineMarks::kInLine; ++g) {
    const auto at = static_cast<Mark>(g - first);
    const auto mark = static_cast<Mark>(lead + step * static_cast<Mark>(at >> shift));
    marks[g] = at < count ? mark : Mark{0};
  }
}

void expand_ruled(std::uint64_t word, Mark* marks) {
  if (word == 0) {
    std::fill_n(marks, LineMarks::kInLine, Mark{0});
    return;
  }
  const Rule rule = Rule::of(word);
  if (rule.step == 0 || rule.who + rule.step * ((rule.count - 1) >> rule.repeat_shift) <= kMarkThreads)
    return expand_rule(rule, marks);
  for (std::uint32_t g = 0; g < LineMarks::kInLine; ++g) marks[g] = rule.mark(g);
}

}  // namespace

void expand_marks(std::uint64_t word, std::span<Mark, LineMarks::kInLine> marks) {
  if ((word & kKind) == kListed)
    std::ranges::copy(block_of(word)->marks, marks.begin());
  else
    expand_ruled(word, marks.data());
}

// ---- blocks ------------------------------------------------------------------------------------------
MarkBlocks::Shard& MarkBlocks::own_shard() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return shards_[number % kShards];
}

std::uint64_t MarkBlocks::take() {
  constexpr std::size_t kFirstChunk = std::size_t{1} << 17, kChunk = std::size_t{1} << 22;
  Shard& shard = own_shard();
  const std::lock_guard lock(shard.mutex);
  if (!shard.spare.empty()) {
    const std::uint64_t word = shard.spare.back();
    shard.spare.pop_back();
    return word;
  }
  if (shard.next == shard.end) {
    const std::size_t bytes = shard.chunks.empty() ? kFirstChunk : kChunk;
    shard.chunks.push_back(allocate_host(bytes));
    prefer_large_pages(shard.chunks.back());
    shard.next = reinterpret_cast<Block*>(shard.chunks.back().get());
    shard.end = shard.next + bytes / sizeof(Block);
  }
  return reinterpret_cast<std::uintptr_t>(shard.next++) | kListed;
}

void MarkBlocks::give_back(std::uint64_t word) {
  Shard& shard = own_shard();
  const std::lock_guard lock(shard.mutex);
  shard.spare.push_back(with_next_version(word));
}

// ---- lines -------------------------------------------------------------------------------------------
LineMarks::LineMarks(std::uint64_t granules, bool is_alone, MarkBlocks& blocks)
    : words_((granules + kInLine - 1) / kInLine * sizeof(std::uint64_t)),
      is_alone_(is_alone),
      blocks_(&blocks) {}

void LineMarks::prefetch_listed(std::uint64_t granule) const {
  const std::uint64_t word = load(word_of(granule));
  if ((word & kKind) == kListed) __builtin_prefetch(&block_of(word)->marks[granule % kInLine]);
}

void LineMarks::prefetch(std::span<const std::uint64_t> granules) const {
  for (const std::uint64_t granule : granules) __builtin_prefetch(&word_of(granule));
  for (const std::uint64_t granule : granules) {
    touch_words(granule, granule + 1);
    prefetch_listed(granule);
  }
}

bool LineMarks::replace(std::uint64_t& word, std::uint64_t before, std::uint64_t after) const {
  if (!is_alone_)
    return __atomic_compare_exchange_n(&word, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  word = after;
  return true;
}

// Returns whether the access is finished; in that case there was no conflict.
bool LineMarks::touch_quickly(std::uint64_t& word, Marking marking, std::uint64_t mine) const {
  const std::uint64_t before = load(word), after = quick_change(marking, before, mine);
  return after == before ? after != 0 : after != 0 && replace(word, before, after);
}

bool LineMarks::change(std::uint64_t& word, Marking marking, const Mark* own) const {
  alignas(64) Line marks;
  for (;;) {
    const std::uint64_t before = load(word);
    if (before == kBusy) {
      std::this_thread::yield();
      continue;
    }
    if ((before & kKind) == kListed) {
      bool is_done = false;
      const bool conflict = change_listed(word, before, marking, own, is_done);
      if (is_done) return conflict;
      continue;
    }
    expand_ruled(before, marks.data());
    const Seen seen = mark_line(marking, marks.data(), own);
    if (!seen.change) return seen.conflict;
    if (const std::uint64_t after = ruled_word(marks.data())) {
      if (replace(word, before, after)) return seen.conflict;
      continue;
    }
    const std::uint64_t listed = blocks_->take();
    block_of(listed)->marks = marks;
    if (replace(word, before, listed)) return seen.conflict;
    blocks_->give_back(listed);
  }
}

bool LineMarks::change_listed(std::uint64_t& word, std::uint64_t before, Marking marking, const Mark* own,
                              bool& is_done) const {
  Line& marks = block_of(before)->marks;
  if (kLooksFirst && !is_alone_) {
    alignas(64) Line copy = marks;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (load(word) != before) return false;
    const Seen seen = mark_line(marking, copy.data(), own);
    is_done = !seen.change;
    if (is_done) return seen.conflict;
  }
  if (!replace(word, before, kBusy)) return false;
  const Seen seen = mark_line(marking, marks.data(), own);
  const std::uint64_t after = seen.change ? uniform_word(marks.data()) : 0;
  __atomic_store_n(&word, after ? after : before, __ATOMIC_RELEASE);
  if (after) blocks_->give_back(before);
  is_done = true;
  return seen.conflict;
}

// Returns whether the access of one granule is finished, and then sets `conflict`.
template <Marking kMarking>
[[gnu::always_inline]] inline bool LineMarks::touch_one(std::uint64_t& word, std::uint64_t in_line, Mark mine,
                                                        bool& conflict) const {
  constexpr std::uint64_t kSettled =
      kRuled | (LineMarks::kInLine - 1) << kCountShift |
      std::uint64_t{kMarking == Marking::kRead ? kMarkManyReaders : kMarkReduced} << kWhoShift;
  const std::uint64_t before = load(word);
  if (kMarking != Marking::kWrite && before == kSettled) return true;
  if (before == kBusy || !kLooksFirst) return false;
  if ((before & kKind) == kListed) {
    Line& marks = block_of(before)->marks;
    Mark& mark = marks[in_line];
    const Mark seen = __atomic_load_n(&mark, __ATOMIC_ACQUIRE);
    if (!is_alone_ && load(word) != before) return false;
    Change change = change_by<kMarking>(seen, mine);
    if (change.after == seen && !change.conflict) return true;
    if (!is_alone_) {
      if (!replace(word, before, kBusy)) return false;
      change = change_by<kMarking>(mark, mine);
    }
    mark = change.after;
    conflict |= change.conflict != 0;
    const bool may_be_uniform = change.after == marks[(in_line + 1) % kInLine];
    const std::uint64_t after = may_be_uniform ? uniform_word(marks.data()) : 0;
    if (after || !is_alone_) __atomic_store_n(&word, after ? after : before, __ATOMIC_RELEASE);
    if (after) blocks_->give_back(before);
    return true;
  }
  const std::uint64_t own = kRuled | (kMarking == Marking::kWrite ? kWrittenBit : 0) |
                            in_line << kFirstShift |
                            std::uint64_t{kMarking == Marking::kReduction ? kMarkReduced : mine} << kWhoShift;
  if (before == 0) return replace(word, before, own);
  const Mark mark = Rule::of(before).mark(static_cast<std::uint32_t>(in_line));
  const Change change = change_by<kMarking>(mark, mine);
  if (change.after == mark && !change.conflict) return true;
  const std::uint64_t after = quick_change(kMarking, before, own);
  return after != 0 && after != before && replace(word, before, after);
}

// The marks that a part of a row leaves on an untouched line, without the written bit.
void LineMarks::expand_part(const MarkedRow& row, std::uint64_t done, std::uint64_t in_line,
                            std::uint64_t count, std::uint64_t ruled, Mark* own) {
  if (ruled != 0) return expand_ruled(ruled & ~kWrittenBit, own);
  std::fill_n(own, kInLine, Mark{0});
  for (std::uint64_t g = 0; g < count; ++g) own[in_line + g] = mark_of(row.thread, row.lanes[done + g]);
}

bool LineMarks::touch_row(Marking marking, const MarkedRow& row) const {
  touch_words(row.at, row.at + row.count);
  bool conflict = false;
  for (std::uint64_t done = 0, count = 0; done < row.count; done += count) {
    const std::uint64_t in_line = (row.at + done) % kInLine;
    count = std::min(row.count - done, kInLine - in_line);
    std::uint64_t& word = word_of(row.at + done);
    const std::uint64_t mine = word_of_part(marking, row, done, in_line, count);
    if (mine != 0 && touch_quickly(word, marking, mine)) continue;
    alignas(64) Line own;
    expand_part(row, done, in_line, count, mine, own.data());
    conflict |= change(word, marking, own.data());
  }
  return conflict;
}

// First loads all words without branching on any of them, so the host loads them, and the marks and data
// needed next, in parallel.
template <Marking kMarking>
bool LineMarks::touch_scattered(const Footprint& footprint, std::uint64_t first, std::uint32_t thread,
                                const std::byte* host, int granule_shift) const {
  const std::size_t count = footprint.granule.size();
  const auto data =
      reinterpret_cast<std::uintptr_t>(host);  // 0: unknown; a prefetch of no memory does nothing
  bool conflict = false;
  for (std::size_t from = 0; from < count; from += kWarpSize) {
    const std::size_t lanes = std::min<std::size_t>(kWarpSize, count - from);
    std::array<std::uint64_t, kWarpSize> at;
    std::array<Mark, kWarpSize> mine;
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::int64_t granule = footprint.granule[from + i];
      __builtin_prefetch(
          reinterpret_cast<const void*>(data + (static_cast<std::uint64_t>(granule) << granule_shift)));
      at[i] = first + static_cast<std::uint64_t>(granule);
      __builtin_prefetch(&word_of(at[i]));
      touch_words(at[i], at[i] + 1);
      const std::uint32_t lane = footprint.lane[from + i];
      mine[i] = lane != footprint.other[from + i] ? kMarkManyReaders : mark_of(thread, lane);
    }
    for (std::size_t i = 0; i < lanes; ++i) prefetch_listed(at[i]);
    for (std::size_t i = 0; i < lanes; ++i) {
      std::uint64_t& word = word_of(at[i]);
      if (touch_one<kMarking>(word, at[i] % kInLine, mine[i], conflict)) continue;
      alignas(64) Line own{};
      own[at[i] % kInLine] = mine[i];
      conflict |= change(word, kMarking, own.data());
    }
  }
  return conflict;
}

bool LineMarks::touch_each(Marking marking, const Footprint& footprint, std::uint64_t first,
                           std::uint32_t thread, const std::byte* host, int granule_shift) const {
  if (marking == Marking::kRead)
    return touch_scattered<Marking::kRead>(footprint, first, thread, host, granule_shift);
  if (marking == Marking::kWrite)
    return touch_scattered<Marking::kWrite>(footprint, first, thread, host, granule_shift);
  return touch_scattered<Marking::kReduction>(footprint, first, thread, host, granule_shift);
}

Mark LineMarks::mark(std::uint64_t granule) const {
  std::array<Mark, kInLine> marks;
  expand_marks(word_of(granule), marks);
  return marks[granule % kInLine];
}

}  // namespace cudalab::vgpu
