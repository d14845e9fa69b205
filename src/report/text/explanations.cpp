// Explains the numbers of a row in sentences. Pure functions; a cause is named only if it accounts for the
// count.
#include "report/text/explanations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>

#include "core/text.h"
#include "messages/report.h"
#include "report/text/insight.h"
#include "report/text/limits.h"
#include "report/text/values.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/warp_shape.h"

namespace cudalab::report {

using vgpu::kBanks;
constexpr int kWordBytes = vgpu::kBankBytes;

BankPattern bank_pattern(std::int64_t stride_bytes, int bytes_per_lane, int lanes) {
  std::array<std::set<std::int64_t>, kBanks> words_of_bank;
  for (int lane = 0; lane < lanes; ++lane) {
    std::int64_t first = lane * std::abs(stride_bytes);
    for (std::int64_t byte = first; byte < first + bytes_per_lane; byte += kWordBytes)
      words_of_bank[static_cast<std::size_t>(byte / kWordBytes % kBanks)].insert(byte / kWordBytes);
  }
  BankPattern pattern{.lanes = lanes};
  for (const auto& words : words_of_bank) {
    pattern.banks += !words.empty();
    pattern.passes = std::max(pattern.passes, static_cast<int>(words.size()));
  }
  return pattern;
}

namespace {
double per_request(std::uint64_t count, const LineAccess& access) {
  return access.requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(access.requests);
}
}  // namespace

double cost_of(const LineAccess& access) { return per_request(access.transactions, access); }
double minimum_of(const LineAccess& access) { return per_request(access.fewest_transactions, access); }

bool is_misaligned(const LineAccess& access) {
  return access.lane_stride_bytes && std::abs(*access.lane_stride_bytes) == access.bytes_per_lane;
}

namespace {

constexpr std::uint32_t kWarp = vgpu::kWarpSize;
constexpr std::size_t kLinesMentioned = 2;  // lines mentioned per access kind, worst first

double cost(const LineAccess& access) { return cost_of(access); }
double fewest(const LineAccess& access) { return minimum_of(access); }
bool is_wasteful(const LineAccess& access) { return cost(access) > fewest(access) * kWorthMentioning; }
std::uint64_t waste(const LineAccess& access) {
  return access.transactions - std::min(access.transactions, access.fewest_transactions);
}

Message plural_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad: return msg::accesses_loads();
    case AccessKind::kStore: return msg::accesses_stores();
    case AccessKind::kAtomic: return msg::accesses_atomics();
    case AccessKind::kReduction: break;
  }
  return msg::accesses_reductions();
}

// Subject and verb together, because languages combine them differently.
Message neighbours(AccessKind kind) {
  if (kind == AccessKind::kLoad) return msg::neighbours_read();
  return kind == AccessKind::kStore ? msg::neighbours_write() : msg::neighbours_update();
}

Message all_threads(AccessKind kind) {
  if (kind == AccessKind::kLoad) return msg::all_threads_read();
  return kind == AccessKind::kStore ? msg::all_threads_write() : msg::all_threads_update();
}

Message with_place(Message sentence, const SourceLine& where) {
  return where.file.empty() ? sentence : msg::explain_at_line(std::move(sentence), where);
}

Message with_bytes_used(Message sentence, const LineAccess& access) {
  const double used = static_cast<double>(access.distinct_bytes) / static_cast<double>(access.transactions);
  if (used >= vgpu::kSectorBytes * 0.99) return sentence;
  return msg::explain_bytes_used(std::move(sentence), significant(used), vgpu::kSectorBytes);
}

// The lanes of a warp in one row of the block, if the block's width divides a warp evenly; else the whole
// warp.
int lanes_in_a_row(std::uint32_t block_width) {
  return static_cast<int>(block_width > 0 && block_width < kWarp && kWarp % block_width == 0 ? block_width
                                                                                             : kWarp);
}

Message one_address(const LineAccess& access) { return msg::cause_one_address(all_threads(access.kind)); }

Message cause_in_global_memory(const LineAccess& access, std::uint32_t block_width) {
  if (!access.lane_stride_bytes) return msg::cause_no_common_distance();
  std::int64_t stride = std::abs(*access.lane_stride_bytes);
  if (stride == 0) return one_address(access);
  if (stride != access.bytes_per_lane)
    return msg::cause_addresses_apart(neighbours(access.kind), worded_distance(static_cast<double>(stride)));
  int row = lanes_in_a_row(block_width);
  return msg::cause_elements_shifted(
      neighbours(access.kind), row == static_cast<int>(kWarp) ? msg::group_warp() : msg::group_row(row));
}

// ---- shared memory -----------------------------------------------------------------------------------

Message words_apart(const LineAccess& access) {
  std::int64_t stride = std::abs(*access.lane_stride_bytes);
  if (stride == 0) return one_address(access);
  const Message who = neighbours(access.kind);
  if (stride == access.bytes_per_lane) return msg::words_neighbouring(who);
  if (stride % 4 == 0) return msg::words_apart(who, stride / 4);
  return msg::words_distance_apart(who, worded_distance(static_cast<double>(stride)));
}

Message banks_of(const BankPattern& pattern, int words_a_lane) {
  if (pattern.passes == 1) return msg::banks_differ(pattern.lanes);
  if (pattern.banks == words_a_lane) return msg::banks_same(pattern.lanes);
  return msg::banks_few(pattern.lanes, pattern.banks);
}

Message with_rows_in_a_warp(Message cause, int row, double passes_found, double passes_of_one_row) {
  if (row == static_cast<int>(kWarp)) return cause;
  const std::uint32_t rows = kWarp / static_cast<std::uint32_t>(row);
  return passes_found > passes_of_one_row * kWorthMentioning
             ? msg::cause_rows_meet(std::move(cause), rows, row)
             : msg::cause_rows_apart(std::move(cause), rows, row);
}

Message with_width(Message cause, const LineAccess& access) {
  int together = vgpu::lanes_served_together(access.bytes_per_lane);
  if (together == static_cast<int>(kWarp)) return cause;
  return msg::cause_wide_values(access.bytes_per_lane, together, std::move(cause));
}

// The cause of the counted wavefronts; no message if the stride alone does not explain it.
Message cause_in_banks(const LineAccess& access, std::uint32_t block_width) {
  if (!access.lane_stride_bytes) return {};
  int together = vgpu::lanes_served_together(access.bytes_per_lane), row = lanes_in_a_row(block_width);
  BankPattern pattern =
      bank_pattern(*access.lane_stride_bytes, access.bytes_per_lane, std::min(together, row));
  double of_one_row = static_cast<double>(pattern.passes) * kWarp / together;
  bool explained = pattern.passes > 1 || row < together;
  if (!explained || cost(access) * kWorthMentioning < of_one_row) return {};
  int words_a_lane = std::max(1, access.bytes_per_lane / 4);
  Message cause = msg::cause_in_banks(words_apart(access), banks_of(pattern, words_a_lane));
  if (row < together) cause = with_rows_in_a_warp(std::move(cause), row, cost(access), of_one_row);
  return with_width(std::move(cause), access);
}

// ---- a whole row -------------------------------------------------------------------------------------

std::vector<LineAccess> accesses_in(const lab::Row& row, MemorySpace space) {
  std::vector<LineAccess> found;
  for (const LineAccess& access : row.accesses)
    if (access.space == space && access.requests > 0) found.push_back(access);
  std::stable_sort(found.begin(), found.end(),
                   [](const LineAccess& a, const LineAccess& b) { return waste(a) > waste(b); });
  return found;
}

}  // namespace

// A load by a single thread of each warp that is a large part of all loads: it touches few sectors and wastes
// most of each.
bool is_lonely(const LineAccess& access, const std::vector<LineAccess>& all) {
  std::uint64_t requests = 0;
  for (const LineAccess& other : all)
    if (other.kind == access.kind) requests += other.requests;
  return access.kind == AccessKind::kLoad && access.lanes == access.requests &&
         access.requests > requests / 4;
}

namespace {}  // namespace

// Whether the kernel completed. A kernel that was stopped has no output to check.
bool ran_to_its_end(const lab::Row& row) { return row.verdict != lab::Verdict::kFail || row.check; }

namespace {

// Accesses by one thread per warp, or of all threads of a warp to one address, have nothing to coalesce.
bool has_nothing_to_coalesce(const LineAccess& access) {
  return access.lanes == access.requests || is_of_one_address(access);
}

bool any_wasteful(const std::vector<LineAccess>& accesses, AccessKind kind) {
  return std::any_of(accesses.begin(), accesses.end(),
                     [kind](const LineAccess& access) { return access.kind == kind && is_wasteful(access); });
}

// "4" if all lines of a kind have the same cost per request, else "1 to 4"; empty without accesses.
std::optional<Argument> costs(const std::vector<LineAccess>& accesses, AccessKind kind) {
  double least = INFINITY, most = 0;
  for (const LineAccess& access : accesses)
    if (access.kind == kind) least = std::min(least, cost(access)), most = std::max(most, cost(access));
  if (most == 0) return std::nullopt;
  const std::string low = significant(least), high = significant(most);
  return low == high ? Argument(low) : Argument(msg::range_of_numbers(low, high));
}

// Adds the access width if all lines have the same.
Message coalesced(Message what, Argument cost, const std::vector<LineAccess>& accesses) {
  const int width = accesses.front().bytes_per_lane;
  const bool is_one_width = std::all_of(accesses.begin(), accesses.end(), [width](const LineAccess& access) {
    return access.bytes_per_lane == width;
  });
  return is_one_width ? msg::explain_coalesced_width(std::move(what), std::move(cost), width)
                      : msg::explain_coalesced(std::move(what), std::move(cost));
}

void praise_coalescing(const std::vector<LineAccess>& all, std::vector<Message>& sentences) {
  std::vector<LineAccess> accesses;
  std::ranges::remove_copy_if(all, std::back_inserter(accesses), has_nothing_to_coalesce);
  const auto loads = costs(accesses, AccessKind::kLoad), stores = costs(accesses, AccessKind::kStore);
  bool any_lonely =
      std::any_of(all.begin(), all.end(), [&](const LineAccess& access) { return is_lonely(access, all); });
  bool good_loads = loads && !any_wasteful(accesses, AccessKind::kLoad) && !any_lonely;
  bool good_stores = stores && !any_wasteful(accesses, AccessKind::kStore);
  if (good_loads && good_stores && *loads == *stores)
    return sentences.push_back(coalesced(msg::accesses_loads_and_stores(), *loads, accesses));
  if (good_loads) sentences.push_back(coalesced(msg::accesses_loads(), *loads, accesses));
  if (good_stores) sentences.push_back(coalesced(msg::accesses_stores(), *stores, accesses));
}

template <class Explain>
void complain(const std::vector<LineAccess>& accesses, std::vector<Message>& sentences,
              Explain&& explain_one) {
  std::size_t mentioned = 0;
  for (const LineAccess& access : accesses) {
    std::optional<Message> sentence = explain_one(access);
    if (sentence && mentioned++ < kLinesMentioned) sentences.push_back(*sentence);
  }
}

Message ratio_clause(double time, const lab::Row& before) {
  double ratio = *measured_ms(before) / time;
  if (ratio >= 0.98 && ratio <= 1.02) return msg::time_same(before.name);
  if (ratio > 1) return msg::time_faster(significant(ratio), before.name);
  return msg::time_longer(significant(1 / ratio), before.name);
}

// The arithmetic intensity (operations per byte) from which a kernel is described by its arithmetic rate.
// GPUs perform about ten operations per byte that they move.
constexpr double kArithmeticIntensity = 8;

// "moves 1707 GB/s", "computes 39134 GFLOP/s"
Message rate_of(const lab::Row& row) {
  if (row.gflop_s && row.useful_flops > kArithmeticIntensity * row.useful_bytes)
    return msg::rate_computes(significant(*row.gflop_s));
  return msg::rate_moves(significant(*row.gb_s));
}

// Whether two amounts of work count as equal: a kernel may leave out the edge of an array.
bool is_about(double a, double b) { return std::abs(a - b) <= 0.01 * std::max(a, b); }

}  // namespace

// Times are compared only between rows that do the same work. A row with unknown work is compared with no
// other.
bool do_the_same(const lab::Row& a, const lab::Row& b) {
  const bool is_known = a.useful_bytes + a.useful_flops > 0;
  const bool as_many_results = !a.check || !b.check || a.check->compared == b.check->compared;
  return is_known && as_many_results && is_about(a.useful_bytes, b.useful_bytes) &&
         is_about(a.useful_flops, b.useful_flops);
}

namespace {

// A kernel is compared with the nearest kernel before it that does the same work, a CPU version with the
// first.
const lab::Row* compared_with(const std::vector<lab::Row>& rows, std::size_t index) {
  const lab::Row* found = nullptr;
  for (std::size_t i = 0; i < index; ++i) {
    if (rows[i].kind != rows[index].kind || !rows[i].time_ms || !do_the_same(rows[i], rows[index])) continue;
    if (found == nullptr || !is_cpu(rows[index])) found = &rows[i];
  }
  return found;
}

Message explain_lonely(const LineAccess& access) {
  const std::string bytes = significant(cost(access) * vgpu::kSectorBytes);
  return with_place(cost(access) > 1 ? msg::explain_lonely_sectors(access.bytes_per_lane, bytes)
                                     : msg::explain_lonely_sector(access.bytes_per_lane, bytes),
                    access.where);
}

// Constant memory delivers one address at a time.
std::optional<Message> explain_constant(const LineAccess& access) {
  if (access.requests == 0 || cost(access) <= kWorthMentioning) return std::nullopt;
  return with_place(msg::explain_constant_addresses(significant(cost(access))), access.where);
}

}  // namespace

Message cause_of_sectors(const LineAccess& access, std::uint32_t block_width) {
  return with_bytes_used(cause_in_global_memory(access, block_width), access);
}

Message cause_of_wavefronts(const LineAccess& access, std::uint32_t block_width) {
  Message cause = cause_in_banks(access, block_width);
  return cause.empty() ? msg::cause_several_words_of_bank() : cause;
}

std::optional<Message> explain_global(const LineAccess& access, std::uint32_t block_width) {
  if (access.requests == 0 || !is_wasteful(access)) return std::nullopt;
  return with_place(msg::explain_sectors(plural_of(access.kind), significant(cost(access)),
                                         significant(fewest(access)), cause_of_sectors(access, block_width)),
                    access.where);
}

std::optional<Message> explain_shared(const LineAccess& access, std::uint32_t block_width) {
  if (access.requests == 0 || !is_wasteful(access)) return std::nullopt;
  return with_place(
      msg::explain_passes(plural_of(access.kind), significant(cost(access)), significant(fewest(access)),
                          cause_of_wavefronts(access, block_width)),
      access.where);
}

std::vector<Message> explain_accesses(const lab::Row& row) {
  std::vector<Message> sentences;
  if (!ran_to_its_end(row)) return sentences;  // its counters stopped at an arbitrary point
  complain(accesses_in(row, MemorySpace::kConstant), sentences, explain_constant);
  std::vector<LineAccess> global = accesses_in(row, MemorySpace::kGlobal);
  praise_coalescing(global, sentences);
  complain(global, sentences, [&](const LineAccess& access) -> std::optional<Message> {
    if (is_lonely(access, global)) return explain_lonely(access);
    return explain_global(access, row.spec.block.x);
  });
  std::vector<LineAccess> shared = accesses_in(row, MemorySpace::kShared);
  std::size_t before = sentences.size();
  complain(shared, sentences,
           [&](const LineAccess& access) { return explain_shared(access, row.spec.block.x); });
  if (!shared.empty() && sentences.size() == before) sentences.push_back(msg::explain_no_bank_conflicts());
  return sentences;
}

std::optional<Message> explain_times(const lab::Row& row, const lab::Row* before) {
  Message rate, time;
  if (!is_cpu(row) && row.gb_s && row.percent_of_ceiling)
    rate = msg::rate_of_ceiling(rate_of(row), percent(*row.percent_of_ceiling));
  bool comparable = measured_ms(row) > 0 && before != nullptr && before->time_ms && !is_disturbed(row) &&
                    !is_disturbed(*before);
  if (comparable) time = ratio_clause(*measured_ms(row), *before);
  if (rate.empty() && time.empty()) return std::nullopt;
  if (rate.empty() || time.empty()) return rate.empty() ? time : rate;
  return msg::rate_and_time(rate, time);
}

namespace {

// A sentence, and the rows that it is true of.
struct Remark {
  Message sentence;
  std::vector<std::size_t> rows;
};

std::vector<Message> sentences_on(const std::vector<lab::Row>& rows, std::size_t index) {
  std::vector<Message> sentences = explain_accesses(rows[index]);
  if (auto limits = explain_limits(rows[index])) sentences.insert(sentences.begin(), *limits);
  if (auto times = explain_times(rows[index], compared_with(rows, index)))
    sentences.insert(sentences.begin(), *times);
  return sentences;
}

// A sentence that is true of several rows appears once.
std::vector<Remark> remarks_on(const std::vector<lab::Row>& rows) {
  std::vector<Remark> remarks;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Message& sentence : sentences_on(rows, i)) {
      const auto said = std::find_if(remarks.begin(), remarks.end(),
                                     [&](const Remark& remark) { return remark.sentence == sentence; });
      if (said == remarks.end())
        remarks.push_back({std::move(sentence), {i}});
      else if (said->rows.back() != i)
        said->rows.push_back(i);
    }
  return remarks;
}

// Whether `chosen` are all kernels that ran, and at least three.
bool are_all_kernels(const std::vector<std::size_t>& chosen, const std::vector<lab::Row>& rows) {
  constexpr std::size_t kSome = 3;
  const auto is_kernel = [](const lab::Row& row) { return !is_cpu(row) && !row.accesses.empty(); };
  const auto kernels = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_kernel));
  return chosen.size() >= kSome && chosen.size() == kernels &&
         std::all_of(chosen.begin(), chosen.end(), [&](std::size_t i) { return is_kernel(rows[i]); });
}

}  // namespace

std::string Explanation::heading(const Wording& wording) const {
  return is_of_all_kernels ? wording.say(msg::all_kernels()) : joined(rows);
}

std::vector<Explanation> explain(const lab::Result& result) {
  std::vector<Insight> insights = insights_of(result);
  std::ranges::stable_sort(insights, std::ranges::greater{}, &Insight::predicted_gain_ms);
  std::vector<Explanation> explanations;
  for (const Insight& insight : insights) explanations.push_back({{insight.row}, false, insight.sentences()});
  return explanations;
}

std::vector<Explanation> explain_fully(const lab::Result& result) {
  std::vector<Explanation> explanations;
  for (const Remark& remark : remarks_on(result.rows)) {
    std::vector<std::string> names;
    for (const std::size_t row : remark.rows) names.push_back(result.rows[row].name);
    const auto said = std::ranges::find(explanations, names, &Explanation::rows);
    if (said == explanations.end())
      explanations.push_back({names, are_all_kernels(remark.rows, result.rows), {remark.sentence}});
    else
      said->sentences.push_back(remark.sentence);
  }
  return explanations;
}

}  // namespace cudalab::report
