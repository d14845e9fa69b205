// The histogram lab: threads count into bins that other threads also update.
#include "lab/lab.h"

#include <algorithm>
#include <cmath>

#include "messages/lab_histogram.h"

namespace cudalab::lab::histogram {
namespace {

constexpr std::uint32_t kEach = 8;  // keys per thread of 2_shared.cu and 3_per_warp.cu
constexpr std::uint32_t kWarp = 32;

// ---- keys --------------------------------------------------------------------------------------------

// Distributions: "uniform" hits all bins equally often, "skewed" takes a random number to a power and so
// prefers the low bins, and "one" hits a single bin.
std::uint32_t key_of(const std::string& keys, std::uint64_t bits, std::uint32_t bins) {
  constexpr double kPower = 4;
  if (keys == "one") return bins / 2;
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<std::uint32_t>(bins * (keys == "skewed" ? std::pow(unit, kPower) : unit));
}

std::vector<std::uint32_t> make_keys(const std::string& kind, std::size_t n, std::uint32_t bins,
                                     std::uint64_t stream) {
  std::vector<std::uint32_t> keys(n);
  for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) keys[i] = key_of(kind, random_bits(stream, i), bins);
  });
  return keys;
}

// ---- on the CPU --------------------------------------------------------------------------------------

using Counts = std::span<std::uint32_t>;
using Values = std::span<const std::uint32_t>;

Values part_of(Values all, int part, int parts) {
  const std::size_t length = (all.size() + parts - 1) / static_cast<std::size_t>(parts);
  const std::size_t begin = std::min(all.size(), length * static_cast<std::size_t>(part));
  return all.subspan(begin, std::min(length, all.size() - begin));
}

// Privatized bins, as in 2_shared.cu: each thread counts into its own bins.
void count_on_cpu(Values keys, Counts bins, int threads) {
  std::vector<std::vector<std::uint32_t>> own(static_cast<std::size_t>(threads),
                                              std::vector<std::uint32_t>(bins.size()));
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part)
    for (const std::uint32_t key : part_of(keys, part, threads)) ++own[static_cast<std::size_t>(part)][key];
  std::fill(bins.begin(), bins.end(), 0u);
  for (const auto& counts : own)
    for (std::size_t bin = 0; bin < bins.size(); ++bin) bins[bin] += counts[bin];
}

// ---- on the device -----------------------------------------------------------------------------------

void show_atomics(Row& row) {
  if (!row.counters) return;
  const auto count = [&](Counter counter) { return row.counters->value_or_zero(counter); };
  row.extra.emplace_back("global_atomic_sectors",
                         count(Counter::kGlobalReductionSectors) + count(Counter::kGlobalAtomicSectors));
  row.extra.emplace_back("shared_atomic_passes", count(Counter::kSharedAtomicWavefronts));
}

struct Histogram {
  LabRun& run;
  std::size_t n;
  std::uint32_t block, bin_count;
  ArrayOf<std::uint32_t>& keys = run.input<std::uint32_t>(
      "keys", make_keys(run.options().text("keys"), n, bin_count, run.random("keys")));
  ArrayOf<std::uint32_t>& bins = run.output<std::uint32_t>("bins", bin_count);
  std::vector<std::uint32_t> expected = counted();

  std::vector<std::uint32_t> counted() const {
    std::vector<std::uint32_t> counts(bin_count);
    for (const std::uint32_t key : keys.host()) ++counts[key];
    return counts;
  }

  Check check() { return same_bits<std::uint32_t>(bins.host(), expected); }
  Work work() const { return {.bytes = static_cast<double>(n + bin_count) * sizeof(std::uint32_t)}; }

  void cpu_version() {
    run.cpu({.name = "histogram",
             .run = [this](int threads) { count_on_cpu(keys.host(), bins.host(), threads); },
             .check = [this] { return check(); },
             .work = work()});
  }

  KernelStage stage(std::string name, std::string file, std::uint32_t each = 1) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", block}, {"BINS", bin_count}, {"EACH", each}},
            .body =
                [this, each](Gpu& gpu) {
                  gpu.fill(bins, 0);
                  gpu.launch({.kernel = "histogram",
                              .spec = {.grid = {ceil_div(n, std::size_t{block} * each)}, .block = {block}},
                              .arguments = {keys.device(), bins.device(), n}});
                },
            .check = [this] { return check(); },
            .work = work(),
            .measure = show_atomics,
            .accumulates = true};
  }

  KernelStage shared() { return stage("shared", "2_shared.cu", kEach); }

  void stages() {
    run.kernel(stage("global", "1_global.cu"));
    run.kernel(shared());
    run.kernel(stage("per-warp", "3_per_warp.cu", kEach));
    run.kernel(stage("match", "4_match.cu"));
    run.kernel(stage("ballot", "5_ballot.cu"));
  }
};

// ---- the lab -----------------------------------------------------------------------------------------

void require_whole_warps(std::uint32_t block) {
  if (block % kWarp != 0) throw usage_error(msg::block_of_partial_warp(block));
}

void histogram(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const auto block = static_cast<std::uint32_t>(run.options().integer("block"));
  const auto bins = static_cast<std::uint32_t>(run.options().integer("bins"));
  require_whole_warps(block);
  const double bytes = static_cast<double>(n) * sizeof(std::uint32_t);
  run.require_memory(bytes * 1.1, bytes * 2, "--n");

  Histogram counting{run, n, block, bins};
  counting.cpu_version();
  counting.stages();
  run.users_kernel(counting.shared());
}

const RegisterLab registered{Lab{
    .name = "histogram",
    .alias = {},
    .title = "Histogram",
    .teaches = "atomics, privatization, contention",
    .examples = {"cudalab histogram", "cudalab histogram --keys one",
                 "cudalab histogram --keys skewed --bins 64"},
    .stages = {"cpu", "global", "shared", "per-warp", "match", "ballot"},
    .options = {integer("n", "number of keys", 1 << 20, 1 << 27, 1, 1'000'000'000),
                integer("bins", "bins of the histogram", 256, 1, 1024),
                integer("block", "threads per block, a multiple of 32", 256, 32, 1024),
                choice("keys", "all bins alike, some bins more often, or all keys in one bin", "uniform",
                       {"uniform", "skewed", "one"})},
    .check_size = {{"n", 1 << 16}},
    .columns = {{"global_atomic_sectors", msg::column_global_atomics},
                {"shared_atomic_passes", msg::column_shared_atomics}},
    .next = {{msg::next_one_key, "--keys one"}, {msg::next_fewer_bins, "--bins 64"}},
    .run = histogram,
}};

}  // namespace
}  // namespace cudalab::lab::histogram
