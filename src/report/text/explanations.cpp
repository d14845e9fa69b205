// Explains the numbers of a row in sentences. Pure functions; a cause is named only if it accounts for the
// count.
#include "report/text/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>

#include "core/text.h"
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

constexpr std::uint32_t kWarp = vgpu::kWarpSize;
constexpr std::size_t kLinesMentioned = 2;  // a kind, worst first

double per_request(std::uint64_t count, const LineAccess& access) {
  return access.requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(access.requests);
}

double cost(const LineAccess& access) { return per_request(access.transactions, access); }
double fewest(const LineAccess& access) { return per_request(access.fewest_transactions, access); }
bool is_wasteful(const LineAccess& access) { return cost(access) > fewest(access) * kWorthMentioning; }
std::uint64_t waste(const LineAccess& access) {
  return access.transactions - std::min(access.transactions, access.fewest_transactions);
}

std::string plural_of(AccessKind kind, const Wording& wording) {
  switch (kind) {
    case AccessKind::kLoad: return wording.say<"loads">();
    case AccessKind::kStore: return wording.say<"stores">();
    case AccessKind::kAtomic: return wording.say<"atomics">();
    case AccessKind::kReduction: break;
  }
  return wording.say<"reductions">();
}

// Subject and verb: languages differ in how these go together.
std::string neighbours(AccessKind kind, const Wording& wording) {
  if (kind == AccessKind::kLoad) return wording.say<"neighbouring threads read">();
  return kind == AccessKind::kStore ? wording.say<"neighbouring threads write">()
                                    : wording.say<"neighbouring threads update">();
}

std::string all_threads(AccessKind kind, const Wording& wording) {
  if (kind == AccessKind::kLoad) return wording.say<"all threads of a warp read">();
  return kind == AccessKind::kStore ? wording.say<"all threads of a warp write">()
                                    : wording.say<"all threads of a warp update">();
}

// "4 sectors": the number is written already.
std::string sectors(const std::string& number, const Wording& wording) {
  return wording.count<"{} sector", "{} sectors">(number);
}

std::string place(const SourceLine& where) {
  if (where.file.empty()) return "";
  std::size_t slash = where.file.rfind('/');
  std::string name = slash == std::string::npos ? where.file : where.file.substr(slash + 1);
  return fmt::format(" ({}:{})", name, where.line);
}

std::string bytes_used(const LineAccess& access, const Wording& wording) {
  double used = static_cast<double>(access.distinct_bytes) / static_cast<double>(access.transactions);
  if (used >= vgpu::kSectorBytes * 0.99) return "";
  return wording.count<", and {} of a sector's 32 bytes is used", ", and {} of a sector's 32 bytes are used">(
      significant(used));
}

// Lanes of a warp that stand in one row of the block, where rows divide a warp evenly; else the whole warp.
int lanes_in_a_row(std::uint32_t block_width) {
  return static_cast<int>(block_width > 0 && block_width < kWarp && kWarp % block_width == 0 ? block_width
                                                                                             : kWarp);
}

std::string one_address(const LineAccess& access, const Wording& wording) {
  return wording.say<"{} one address">(all_threads(access.kind, wording));
}

std::string cause_in_global_memory(const LineAccess& access, std::uint32_t block_width,
                                   const Wording& wording) {
  if (!access.lane_stride_bytes)
    return wording.say<"the threads of a warp go to addresses without a common distance">();
  std::int64_t stride = std::abs(*access.lane_stride_bytes);
  if (stride == 0) return one_address(access, wording);
  const std::string who = neighbours(access.kind, wording);
  if (stride != access.bytes_per_lane)
    return wording.say<"{} addresses {} apart">(who, distance(static_cast<double>(stride)));
  int row = lanes_in_a_row(block_width);
  std::string whole =
      row == static_cast<int>(kWarp) ? wording.say<"a warp">() : wording.say<"a row of {} threads">(row);
  return wording.say<"{} neighbouring elements, but {} does not begin and end where sectors do">(who, whole);
}

// ---- shared memory -----------------------------------------------------------------------------------

std::string words_apart(const LineAccess& access, const Wording& wording) {
  std::int64_t stride = std::abs(*access.lane_stride_bytes);
  if (stride == 0) return one_address(access, wording);
  const std::string who = neighbours(access.kind, wording);
  if (stride == access.bytes_per_lane) return wording.say<"{} neighbouring elements">(who);
  if (stride % 4 == 0) return wording.say<"{} words {} apart">(who, stride / 4);
  return wording.say<"{} {} apart">(who, distance(static_cast<double>(stride)));
}

std::string banks_of(const BankPattern& pattern, int words_a_lane, const Wording& wording) {
  if (pattern.passes == 1) return wording.say<"(address/4) % 32 differs among {} lanes">(pattern.lanes);
  if (pattern.banks == words_a_lane)
    return wording.say<"(address/4) % 32 is the same bank for all {} lanes">(pattern.lanes);
  return wording.say<"(address/4) % 32 takes only {} for {}">(
      wording.count<"{} value", "{} values">(pattern.banks),
      wording.count<"{} lane", "{} lanes">(pattern.lanes));
}

std::string rows_in_a_warp(int row, double passes_found, double passes_of_one_row, const Wording& wording) {
  if (row == static_cast<int>(kWarp)) return "";
  const std::uint32_t rows = kWarp / static_cast<std::uint32_t>(row);
  return passes_found > passes_of_one_row * kWorthMentioning
             ? wording.say<"; the warp holds {} rows of {} threads, which meet in some banks">(rows, row)
             : wording.say<"; the warp holds {} rows of {} threads, which do not disturb each other">(rows,
                                                                                                      row);
}

std::string width_note(const LineAccess& access, const Wording& wording) {
  int together = vgpu::lanes_served_together(access.bytes_per_lane);
  if (together == static_cast<int>(kWarp)) return "";
  return wording.say<"{}-byte values go {} lanes at a time; ">(access.bytes_per_lane, together);
}

// Why the found number of passes is what it is, or an empty text where the distance alone does not show it.
std::string cause_in_banks(const LineAccess& access, std::uint32_t block_width, const Wording& wording) {
  if (!access.lane_stride_bytes) return "";
  int together = vgpu::lanes_served_together(access.bytes_per_lane), row = lanes_in_a_row(block_width);
  BankPattern pattern =
      bank_pattern(*access.lane_stride_bytes, access.bytes_per_lane, std::min(together, row));
  double of_one_row = static_cast<double>(pattern.passes) * kWarp / together;
  bool explained = pattern.passes > 1 || row < together;
  if (!explained || cost(access) * kWorthMentioning < of_one_row) return "";
  int words_a_lane = std::max(1, access.bytes_per_lane / 4);
  return wording.say<"{}{}, so {}{}">(
      width_note(access, wording), words_apart(access, wording), banks_of(pattern, words_a_lane, wording),
      row < together ? rows_in_a_warp(row, cost(access), of_one_row, wording) : "");
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

// A load that a single thread of each warp makes, and a good part of all loads: its sectors are few, and
// nearly empty.
bool is_lonely(const LineAccess& access, const std::vector<LineAccess>& all) {
  std::uint64_t requests = 0;
  for (const LineAccess& other : all)
    if (other.kind == access.kind) requests += other.requests;
  return access.kind == AccessKind::kLoad && access.lanes == access.requests &&
         access.requests > requests / 4;
}

// A kernel that was stopped has no output to check.
bool ran_to_its_end(const lab::Row& row) { return row.verdict != lab::Verdict::kFail || row.check; }

// One thread of each warp, so that there is nothing to coalesce.
bool is_by_single_lanes(const LineAccess& access) { return access.lanes == access.requests; }

bool any_wasteful(const std::vector<LineAccess>& accesses, AccessKind kind) {
  return std::any_of(accesses.begin(), accesses.end(),
                     [kind](const LineAccess& access) { return access.kind == kind && is_wasteful(access); });
}

// "4" where all lines of a kind cost the same a request, "1 to 4" where they do not; empty without any.
std::string costs(const std::vector<LineAccess>& accesses, AccessKind kind, const Wording& wording) {
  double least = INFINITY, most = 0;
  for (const LineAccess& access : accesses)
    if (access.kind == kind) least = std::min(least, cost(access)), most = std::max(most, cost(access));
  if (most == 0) return "";
  std::string low = significant(least), high = significant(most);
  return low == high ? low : wording.say<"{} to {}">(low, high);
}

// " for 4 bytes a thread", where all lines have one width.
std::string width_of(const std::vector<LineAccess>& accesses, const Wording& wording) {
  int width = accesses.front().bytes_per_lane;
  bool one_width = std::all_of(accesses.begin(), accesses.end(),
                               [width](const LineAccess& access) { return access.bytes_per_lane == width; });
  return one_width ? wording.count<" for {} byte a thread", " for {} bytes a thread">(width) : "";
}

// What single threads do is no merit of their warp's.
void praise_coalescing(const std::vector<LineAccess>& all, std::vector<std::string>& sentences,
                       const Wording& wording) {
  std::vector<LineAccess> accesses;
  std::ranges::remove_copy_if(all, std::back_inserter(accesses), is_by_single_lanes);
  auto praise = [&](std::string_view what, const std::string& cost) {
    sentences.push_back(wording.say<"{} are coalesced: {} a request, the fewest possible{}">(
        what, sectors(cost, wording), width_of(accesses, wording)));
  };
  std::string loads = costs(accesses, AccessKind::kLoad, wording),
              stores = costs(accesses, AccessKind::kStore, wording);
  bool any_lonely =
      std::any_of(all.begin(), all.end(), [&](const LineAccess& access) { return is_lonely(access, all); });
  bool good_loads = !loads.empty() && !any_wasteful(accesses, AccessKind::kLoad) && !any_lonely;
  bool good_stores = !stores.empty() && !any_wasteful(accesses, AccessKind::kStore);
  if (good_loads && good_stores && loads == stores) return praise(wording.say<"loads and stores">(), loads);
  if (good_loads) praise(wording.say<"loads">(), loads);
  if (good_stores) praise(wording.say<"stores">(), stores);
}

template <class Explain>
void complain(const std::vector<LineAccess>& accesses, std::vector<std::string>& sentences,
              Explain&& explain_one) {
  std::size_t mentioned = 0;
  for (const LineAccess& access : accesses) {
    std::optional<std::string> sentence = explain_one(access);
    if (sentence && mentioned++ < kLinesMentioned) sentences.push_back(*sentence);
  }
}

std::string ratio_clause(double time, const lab::Row& before, const Wording& wording) {
  double ratio = *measured_ms(before) / time;
  if (ratio >= 0.98 && ratio <= 1.02) return wording.say<"as fast as {}">(before.name);
  if (ratio > 1) return wording.say<"{} times as fast as {}">(significant(ratio), before.name);
  return wording.say<"takes {} times as long as {}">(significant(1 / ratio), before.name);
}

// Operations for each byte from which on arithmetic is what a kernel is about: cards do some ten for each
// byte that they move.
constexpr double kArithmeticIntensity = 8;

// "moves 1707 GB/s", "computes 39134 GFLOP/s"
std::string rate_of(const lab::Row& row, const Wording& wording) {
  if (row.gflop_s && row.useful_flops > kArithmeticIntensity * row.useful_bytes)
    return wording.say<"computes {} GFLOP/s">(significant(*row.gflop_s));
  return wording.say<"moves {} GB/s">(significant(*row.gb_s));
}

// Where two amounts of work are one: a kernel that leaves out the edge of an array does the same job.
bool is_about(double a, double b) { return std::abs(a - b) <= 0.01 * std::max(a, b); }

// What only rows of one job may be compared by is their time. Where nobody said how much work a row does, no
// other row is known to do the same.
bool do_the_same(const lab::Row& a, const lab::Row& b) {
  const bool is_known = a.useful_bytes + a.useful_flops > 0;
  const bool as_many_results = !a.check || !b.check || a.check->compared == b.check->compared;
  return is_known && as_many_results && is_about(a.useful_bytes, b.useful_bytes) &&
         is_about(a.useful_flops, b.useful_flops);
}

// A kernel is compared with the last kernel before it that does the same, a CPU version with the first.
const lab::Row* compared_with(const std::vector<lab::Row>& rows, std::size_t index) {
  const lab::Row* found = nullptr;
  for (std::size_t i = 0; i < index; ++i) {
    if (rows[i].kind != rows[index].kind || !rows[i].time_ms || !do_the_same(rows[i], rows[index])) continue;
    if (found == nullptr || !is_cpu(rows[index])) found = &rows[i];
  }
  return found;
}

std::string explain_lonely(const LineAccess& access, const Wording& wording) {
  const std::string bytes = significant(cost(access) * vgpu::kSectorBytes);
  const int taken = access.bytes_per_lane;
  return (cost(access) > 1
              ? wording.say<"one thread of each warp loads alone: of the {} bytes of a request's sectors it "
                            "takes {}">(bytes, taken)
              : wording.say<
                    "one thread of each warp loads alone: of the {} bytes of a request's sector it takes {}">(
                    bytes, taken)) +
         place(access.where);
}

// Constant memory gives out one address at a time.
std::optional<std::string> explain_constant(const LineAccess& access, const Wording& wording) {
  if (access.requests == 0 || cost(access) <= kWorthMentioning) return std::nullopt;
  return wording.count<
             "constant loads are served one address after the other: the threads of a warp ask for {} "
             "different address, where one for all would take one turn",
             "constant loads are served one address after the other: the threads of a warp ask for {} "
             "different addresses, where one for all would take one turn">(significant(cost(access))) +
         place(access.where);
}

}  // namespace

std::optional<std::string> explain_global(const LineAccess& access, std::uint32_t block_width,
                                          const Wording& wording) {
  if (access.requests == 0 || !is_wasteful(access)) return std::nullopt;
  return wording.say<"{} touch {} a request where {} would do: {}">(
             plural_of(access.kind, wording), sectors(significant(cost(access)), wording),
             significant(fewest(access)), cause_in_global_memory(access, block_width, wording)) +
         bytes_used(access, wording) + place(access.where);
}

std::optional<std::string> explain_shared(const LineAccess& access, std::uint32_t block_width,
                                          const Wording& wording) {
  if (access.requests == 0 || !is_wasteful(access)) return std::nullopt;
  std::string cause = cause_in_banks(access, block_width, wording);
  if (cause.empty())
    cause = wording.say<"several lanes want different words of one bank, (address/4) % 32">();
  const std::string passes = wording.count<"{} pass", "{} passes">(significant(cost(access)));
  return wording.say<"shared {} take {} a request where {} would do: {}">(
             plural_of(access.kind, wording), passes, significant(fewest(access)), cause) +
         place(access.where);
}

std::vector<std::string> explain_accesses(const lab::Row& row, const Wording& wording) {
  std::vector<std::string> sentences;
  if (!ran_to_its_end(row)) return sentences;  // its counters stopped somewhere
  complain(accesses_in(row, MemorySpace::kConstant), sentences,
           [&](const LineAccess& access) { return explain_constant(access, wording); });
  std::vector<LineAccess> global = accesses_in(row, MemorySpace::kGlobal);
  praise_coalescing(global, sentences, wording);
  complain(global, sentences, [&](const LineAccess& access) -> std::optional<std::string> {
    if (is_lonely(access, global)) return explain_lonely(access, wording);
    return explain_global(access, row.block.x, wording);
  });
  std::vector<LineAccess> shared = accesses_in(row, MemorySpace::kShared);
  std::size_t before = sentences.size();
  complain(shared, sentences,
           [&](const LineAccess& access) { return explain_shared(access, row.block.x, wording); });
  if (!shared.empty() && sentences.size() == before)
    sentences.push_back(wording.say<"shared memory has no bank conflicts">());
  return sentences;
}

std::optional<std::string> explain_times(const lab::Row& row, const lab::Row* before,
                                         const Wording& wording) {
  std::vector<std::string> clauses;
  if (!is_cpu(row) && row.gb_s && row.percent_of_ceiling)
    clauses.push_back(
        wording.say<"{}, {} of the ceiling">(rate_of(row, wording), percent(*row.percent_of_ceiling)));
  bool comparable = measured_ms(row) > 0 && before != nullptr && before->time_ms && !is_disturbed(row) &&
                    !is_disturbed(*before);
  if (comparable) clauses.push_back(ratio_clause(*measured_ms(row), *before, wording));
  if (clauses.empty()) return std::nullopt;
  return joined(clauses);
}

namespace {

// A sentence, and all the rows that it is true of.
struct Remark {
  std::string sentence;
  std::vector<std::size_t> rows;
};

std::vector<std::string> sentences_on(const std::vector<lab::Row>& rows, std::size_t index,
                                      const Wording& wording) {
  std::vector<std::string> sentences = explain_accesses(rows[index], wording);
  if (auto limits = explain_limits(rows[index], wording)) sentences.insert(sentences.begin(), *limits);
  if (auto times = explain_times(rows[index], compared_with(rows, index), wording))
    sentences.insert(sentences.begin(), *times);
  return sentences;
}

// What is true of several rows is said once.
std::vector<Remark> remarks_on(const std::vector<lab::Row>& rows, const Wording& wording) {
  std::vector<Remark> remarks;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::string& sentence : sentences_on(rows, i, wording)) {
      const auto said = std::find_if(remarks.begin(), remarks.end(),
                                     [&](const Remark& remark) { return remark.sentence == sentence; });
      if (said == remarks.end())
        remarks.push_back({std::move(sentence), {i}});
      else if (said->rows.back() != i)
        said->rows.push_back(i);
    }
  return remarks;
}

// "naive, tiled"; "all kernels" where it is true of every kernel that ran, and there are some.
std::string names_of(const std::vector<std::size_t>& chosen, const std::vector<lab::Row>& rows,
                     const Wording& wording) {
  constexpr std::size_t kSome = 3;
  const auto is_kernel = [](const lab::Row& row) { return !is_cpu(row) && !row.accesses.empty(); };
  const auto kernels = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_kernel));
  const bool are_kernels =
      std::all_of(chosen.begin(), chosen.end(), [&](std::size_t i) { return is_kernel(rows[i]); });
  if (are_kernels && chosen.size() >= kSome && chosen.size() == kernels) return wording.say<"all kernels">();
  return joined(chosen, ", ", [&](std::size_t i) { return rows[i].name; });
}

}  // namespace

std::vector<Explanation> explain(const lab::Result& result, const Wording& wording) {
  std::vector<Explanation> explanations;
  for (const Remark& remark : remarks_on(result.rows, wording)) {
    const std::string stages = names_of(remark.rows, result.rows, wording);
    const auto said = std::find_if(explanations.begin(), explanations.end(),
                                   [&](const Explanation& each) { return each.stage == stages; });
    if (said == explanations.end())
      explanations.push_back({stages, {remark.sentence}});
    else
      said->sentences.push_back(remark.sentence);
  }
  return explanations;
}

}  // namespace cudalab::report
