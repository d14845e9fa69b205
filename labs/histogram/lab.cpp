// The histogram lab: histograms and prefix sums, where threads must update values that other threads also
// update.
#include "lab/lab.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "messages/lab_histogram.h"

namespace cudalab::lab::histogram {
namespace {

constexpr std::uint32_t kEach = 8;           // keys per thread of 2_shared.cu and 3_per_warp.cu
constexpr std::uint32_t kScanEach = 32;      // elements per thread of 10a_look_back.cu
constexpr std::uint32_t kSumsBlock = 1024;   // threads per block of scan_sums in 11_offsets.cu
constexpr std::uint32_t kOffsetBlock = 256;  // threads per block of add_offsets
constexpr std::uint32_t kMostSummand = 100;  // largest element of the scanned array

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

// Two passes over the elements, like the kernels with offsets: first the sums of all parts, then a scan of
// each part that starts at its offset.
void scan_on_cpu(Values in, Counts out, int threads) {
  std::vector<std::uint32_t> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    std::uint32_t sum = 0;
    for (const std::uint32_t value : part_of(in, part, threads)) sum += value;
    before[static_cast<std::size_t>(part) + 1] = sum;
  }
  for (std::size_t part = 1; part < before.size(); ++part) before[part] += before[part - 1];
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Values own = part_of(in, part, threads);
    std::uint32_t sum = before[static_cast<std::size_t>(part)];
    std::uint32_t* to = out.data() + (own.data() - in.data());
    for (const std::uint32_t value : own) {
      *to++ = sum;
      sum += value;
    }
  }
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

struct Scan {
  LabRun& run;
  std::size_t n;
  std::uint32_t block, blocks = ceil_div(n, block);
  ArrayOf<std::uint32_t>& in =
      run.input<std::uint32_t>("in", random_integers<std::uint32_t>(n, run.random("in"), 0, kMostSummand));
  ArrayOf<std::uint32_t>& out = run.output<std::uint32_t>("out", n);
  ArrayOf<std::uint32_t>& of_block = run.scratch<std::uint32_t>("of_block", blocks);
  ArrayOf<std::uint64_t>& states = run.scratch<std::uint64_t>("states", blocks);
  ArrayOf<std::uint64_t>& started = run.scratch<std::uint64_t>("started", 1);
  std::vector<std::uint32_t> expected = scanned();

  std::vector<std::uint32_t> scanned() const {
    std::vector<std::uint32_t> sums(n);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sums[i] = sum;
      sum += in.host()[i];
    }
    return sums;
  }

  Check check() { return same_bits<std::uint32_t>(out.host(), expected); }
  Work work() const { return {.bytes = 2.0 * static_cast<double>(n) * sizeof(std::uint32_t)}; }

  void cpu_version() {
    run.cpu({.name = "scan",
             .run = [this](int threads) { scan_on_cpu(in.host(), out.host(), threads); },
             .check = [this] { return check(); },
             .work = work()});
  }

  KernelStage stage(std::string name, std::string file) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", block}, {"SUMS_BLOCK", kSumsBlock}},
            .preamble = run.source("11_offsets.cu"),
            .check = [this] { return check(); },
            .work = work(),
            .measure = show_atomics};
  }

  // Blocks scan their own elements, one block scans the blocks' sums, and all blocks add the sums before
  // them.
  KernelStage by_blocks(std::string name, std::string file, std::uint32_t each = 1) {
    KernelStage made = stage(std::move(name), std::move(file));
    // Offsets are added to out, so a second run on the same out would add them twice.
    made.accumulates = true;
    made.body = [this, of_one = block * each](Gpu& gpu) {
      const std::uint32_t count = ceil_div(n, of_one);
      gpu.launch({.kernel = "scan",
                  .spec = {.grid = {count}, .block = {block}},
                  .arguments = {in.device(), out.device(), of_block.device(), n}});
      gpu.launch({.kernel = "scan_sums",
                  .spec = {.grid = {1}, .block = {kSumsBlock}},
                  .arguments = {of_block.device(), count}});
      gpu.launch({.kernel = "add_offsets",
                  .spec = {.grid = {ceil_div(n, kOffsetBlock)}, .block = {kOffsetBlock}},
                  .arguments = {out.device(), of_block.device(), of_one, n}});
    };
    return made;
  }

  // A single pass: each block scans its own elements and looks back at earlier blocks for its offset.
  KernelStage by_looking_back(std::string name, std::string file, std::uint32_t each) {
    KernelStage made = stage(std::move(name), std::move(file));
    made.preamble.clear();
    made.blocks_wait = true;
    made.defines = {{"BLOCK", block}, {"EACH", each}};
    made.body = [this, of_one = std::size_t{block} * each](Gpu& gpu) {
      gpu.fill(states, 0);
      gpu.fill(started, 0);
      gpu.launch({.kernel = "scan",
                  .spec = {.grid = {ceil_div(n, of_one)}, .block = {block}},
                  .arguments = {in.device(), out.device(), states.device(), started.device(), n}});
    };
    return made;
  }

  void stages() {
    run.kernel(by_blocks("hillis-steele", "6_hillis_steele.cu"));
    run.kernel(by_blocks("blelloch", "7_blelloch.cu", 2));
    run.kernel(by_blocks("padded", "8_padded.cu", 2));
    run.kernel(by_blocks("shuffle", "9_shuffle.cu"));
    run.kernel(by_looking_back("single-pass", "10_single_pass.cu", 1));
    run.kernel(by_looking_back("look-back", "10a_look_back.cu", kScanEach));
  }
};

// ---- the lab -----------------------------------------------------------------------------------------

void require_power_of_two(std::uint32_t block) {
  if (!std::has_single_bit(block)) throw usage_error(msg::block_no_power_of_two(block));
}

void histogram(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const auto block = static_cast<std::uint32_t>(run.options().integer("block"));
  const auto bins = static_cast<std::uint32_t>(run.options().integer("bins"));
  require_power_of_two(block);
  const double bytes = 3.0 * static_cast<double>(n) * sizeof(std::uint32_t);
  run.require_memory(bytes * 1.1, bytes * 2, "--n");

  Histogram counting{run, n, block, bins};
  Scan scanning{run, n, block};
  counting.cpu_version();
  scanning.cpu_version();
  counting.stages();
  scanning.stages();
  run.users_kernel(counting.shared());
}

const RegisterLab registered{Lab{
    .name = "histogram",
    .alias = {},
    .title = "Histogram and scan",
    .teaches = "atomics, privatization, prefix sums",
    .examples = {"cudalab histogram", "cudalab histogram --keys one",
                 "cudalab histogram --keys skewed --bins 64", "cudalab histogram --stage blelloch,padded"},
    .stages = {"cpu", "global", "shared", "per-warp", "match", "ballot", "hillis-steele", "blelloch",
               "padded", "shuffle", "single-pass", "look-back"},
    .options = {integer("n", "number of keys, and of elements to scan", 1 << 20, 1 << 27, 1, 1'000'000'000),
                integer("bins", "bins of the histogram", 256, 1, 1024),
                integer("block", "threads per block, a power of two", 256, 32, 1024),
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
