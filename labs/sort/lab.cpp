// The sort lab: comparison sorts (bitonic, merges of sorted runs) and radix sorts of unsigned keys.
#include "lab/lab.h"

#include <algorithm>
#include <bit>

#include "messages/lab_sort.h"

namespace cudalab::lab::sort {
namespace {

constexpr std::uint32_t kCopyBlock = 256, kWide = 4;        // of 0_copy.cu
constexpr std::uint32_t kPairBlock = 256;                   // of 1_bitonic.cu: a thread per pair
constexpr std::uint32_t kTile = 1024;                       // keys per tile of the bitonic stages
constexpr std::uint32_t kMergeBlock = 256, kMergeEach = 4;  // of 4_merge.cu
constexpr std::uint32_t kRadixBlock = 256, kRadixEach = 8;  // of 6_radix.cu and 7_radix_local.cu
constexpr std::uint32_t kSumsBlock = 1024, kSumsEach = 8;   // of the block that scans the counts
constexpr std::uint32_t kBestEach = 8, kBestDigit = 8, kBestRadix = 1 << kBestDigit;  // of 8_radix_best.cu
constexpr std::uint32_t kRadixTile = kRadixBlock * kRadixEach, kBestTile = kBestRadix * kBestEach;

// ---- on the CPU --------------------------------------------------------------------------------------

// Each thread sorts a part. Then pairs of sorted runs are merged until one run is left.
void sort_on_cpu(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, int threads) {
  const std::size_t part = std::max<std::size_t>((in.size() + threads - 1) / threads, 1);
  const auto at = [&](std::size_t run) {
    return out.begin() + static_cast<std::ptrdiff_t>(std::min(run * part, in.size()));
  };
  const auto parts = static_cast<std::size_t>(threads);
  std::ranges::copy(in, out.begin());
#pragma omp parallel for num_threads(threads)
  for (std::size_t run = 0; run < parts; ++run) std::sort(at(run), at(run + 1));
  for (std::size_t length = 1; length < parts; length *= 2) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t run = 0; run < parts; run += 2 * length)
      std::inplace_merge(at(run), at(run + length), at(run + 2 * length));
  }
}

// ---- on the device -----------------------------------------------------------------------------------

std::vector<std::uint32_t> keys_of(const LabRun& run, std::size_t n) {
  const std::int64_t largest = (std::int64_t{1} << run.options().integer("bits")) - 1;
  return random_integers<std::uint32_t>(n, run.random("keys"), 0, largest);
}

struct SortLab {
  LabRun& run;
  std::uint32_t n, bits = static_cast<std::uint32_t>(run.options().integer("bits")),
                   digit = static_cast<std::uint32_t>(run.options().integer("digit"));
  std::uint32_t tiles = ceil_div(n, kRadixTile), best_tiles = ceil_div(n, kBestTile);
  ArrayOf<std::uint32_t>& in = run.input<std::uint32_t>("in", keys_of(run, n));
  ArrayOf<std::uint32_t>& out = run.output<std::uint32_t>("out", n);
  ArrayOf<std::uint32_t>& other = run.scratch<std::uint32_t>("other", n);  // for the passes in between
  std::size_t digits_of_tiles = std::max<std::size_t>(std::size_t{tiles} << digit, 4 * kBestRadix);
  ArrayOf<std::uint32_t>& counts = run.scratch<std::uint32_t>("counts", digits_of_tiles);
  ArrayOf<std::uint32_t>& places = run.scratch<std::uint32_t>("places", digits_of_tiles);
  ArrayOf<std::uint32_t>& starts = run.scratch<std::uint32_t>("starts", 4 * kBestRadix);
  ArrayOf<std::uint64_t>& states = run.scratch<std::uint64_t>(
      "states", run.wants("radix-best") ? std::size_t{best_tiles} * kBestRadix : 1);
  ArrayOf<std::uint64_t>& started = run.scratch<std::uint64_t>("started", 1);
  std::vector<std::uint32_t> sorted{};  // the expected result, computed when first needed

  Work work() const { return {.bytes = 2.0 * n * sizeof(std::uint32_t)}; }

  Check check() {
    if (sorted.empty()) {
      sorted.assign(in.host().begin(), in.host().end());
      std::ranges::sort(sorted);
    }
    return same_bits<std::uint32_t>(out.host(), sorted);
  }

  // The array that pass number `pass` of `passes` writes: they alternate, and the last one writes `out`.
  const device::Buffer& target(std::uint32_t pass, std::uint32_t passes) {
    return (passes - pass) % 2 == 1 ? out.device() : other.device();
  }
  const device::Buffer& source(std::uint32_t pass, std::uint32_t passes) {
    return pass == 0 ? in.device() : target(pass - 1, passes);
  }

  void cpu_version() {
    run.cpu({.run = [this](int threads) { sort_on_cpu(in.host(), out.host(), threads); }});
  }

  void copies() {
    if (run.wants("copy")) run.copy_ceiling(std::size_t{n} * sizeof(std::uint32_t));
    run.kernel({.name = "copy",
                .kind = RowKind::kCeiling,
                .file = "0_copy.cu",
                .defines = {{"BLOCK", kCopyBlock}},
                .launch = {"copy",
                           {.grid = {ceil_div(n, kWide * kCopyBlock)}, .block = {kCopyBlock}},
                           {in.device(), out.device(), n}},
                .check = [this] { return same_bits<std::uint32_t>(out.host(), in.host()); }});
  }

  // All steps in global memory. The first one also moves the keys from `in` to `out`.
  void bitonic(Gpu& gpu) {
    const std::uint32_t keys = std::bit_ceil(std::max(n, 2U));
    const LaunchSpec spec{.grid = {ceil_div(keys / 2, kPairBlock)}, .block = {kPairBlock}};
    const auto step = [&](const device::Buffer& from, std::uint32_t distance, std::uint32_t mask) {
      gpu.launch({"compare_exchange", spec, {from, out.device(), distance, mask, n}});
    };
    step(in.device(), 1, 1);
    for (std::uint32_t run_length = 4; run_length <= keys; run_length *= 2) {
      step(out.device(), run_length / 2, run_length - 1);
      for (std::uint32_t distance = run_length / 4; distance > 0; distance /= 2)
        step(out.device(), distance, distance);
    }
  }

  // Tiles are sorted; then each merge makes its far steps in global memory, and the others in one launch.
  void bitonic_by_tiles(Gpu& gpu, std::uint32_t block) {
    const LaunchSpec by_tile{.grid = {ceil_div(n, kTile)}, .block = {block}};
    gpu.launch({"sort_tiles", by_tile, {in.device(), out.device(), n}});
    const std::uint32_t keys = std::bit_ceil(n);
    const auto far = [&](std::uint32_t distance, std::uint32_t mask) {
      gpu.launch({"exchange_far",
                  {.grid = {ceil_div(keys / 2, block)}, .block = {block}},
                  {out.device(), distance, mask, n}});
    };
    for (std::uint32_t run_length = 2 * kTile; run_length <= keys; run_length *= 2) {
      far(run_length / 2, run_length - 1);
      for (std::uint32_t distance = run_length / 4; distance >= kTile; distance /= 2) far(distance, distance);
      gpu.launch({"merge_tiles", by_tile, {out.device(), n}});
    }
  }

  void merge(Gpu& gpu) {
    const auto passes = static_cast<std::uint32_t>(std::bit_width(ceil_div(n, kTile) - 1)) + 1;
    gpu.launch({"sort_tiles",
                {.grid = {ceil_div(n, kTile)}, .block = {kTile}},
                {in.device(), target(0, passes), n}});
    for (std::uint32_t pass = 1; pass < passes; ++pass)
      gpu.launch({"merge_runs",
                  {.grid = {ceil_div(n, kMergeBlock * kMergeEach)}, .block = {kMergeBlock}},
                  {source(pass, passes), target(pass, passes), kTile << (pass - 1), n}});
  }

  void radix(Gpu& gpu) {
    const std::uint32_t passes = ceil_div(bits, digit), entries = tiles << digit;
    const LaunchSpec by_tile{.grid = {tiles}, .block = {kRadixBlock}};
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      const device::Buffer& from = source(pass, passes);
      gpu.launch({"count_digits", by_tile, {from, counts.device(), pass * digit, n}});
      gpu.launch(
          {"scan_counts", {.grid = {1}, .block = {kSumsBlock}}, {counts.device(), places.device(), entries}});
      gpu.launch({"scatter", by_tile, {from, target(pass, passes), places.device(), pass * digit, n}});
    }
  }

  void radix_best(Gpu& gpu) {
    const std::uint32_t passes = ceil_div(bits, kBestDigit);
    const LaunchSpec by_tile{.grid = {best_tiles}, .block = {kBestRadix}};
    gpu.fill(states, 0);
    gpu.fill(started, 0);
    gpu.launch({"count_digits", by_tile, {in.device(), counts.device(), n}, {&counts}});
    gpu.launch(
        {"scan_digits", {.grid = {passes}, .block = {kBestRadix}}, {counts.device(), starts.device()}});
    for (std::uint32_t pass = 0; pass < passes; ++pass)
      gpu.launch({"sort_digit",
                  by_tile,
                  {source(pass, passes), target(pass, passes), starts.device(), states.device(),
                   started.device(), pass, n}});
  }

  KernelStage stage(std::string_view name) {
    if (name == "bitonic")
      return {.name = "bitonic",
              .file = "1_bitonic.cu",
              .defines = {{"BLOCK", kPairBlock}},
              .body = [this](Gpu& gpu) { bitonic(gpu); }};
    if (name == "bitonic-shared")
      return {.name = "bitonic-shared",
              .file = "2_bitonic_shared.cu",
              .defines = {{"BLOCK", kTile / 2}},
              .body = [this](Gpu& gpu) { bitonic_by_tiles(gpu, kTile / 2); }};
    if (name == "bitonic-shuffle")
      return {.name = "bitonic-shuffle",
              .file = "3_bitonic_shuffle.cu",
              .defines = {{"TILE", kTile}},
              .body = [this](Gpu& gpu) { bitonic_by_tiles(gpu, kTile); }};
    if (name == "merge")
      return {.name = "merge",
              .file = "4_merge.cu",
              .defines = {{"BLOCK", kMergeBlock}, {"EACH", kMergeEach}, {"TILE", kTile}},
              .preamble = run.source("3_bitonic_shuffle.cu"),
              .body = [this](Gpu& gpu) { merge(gpu); }};
    if (name == "radix-best")
      return {.name = "radix-best",
              .file = "8_radix_best.cu",
              .defines = {{"PASSES", ceil_div(bits, kBestDigit)}, {"EACH", kBestEach}},
              .body = [this](Gpu& gpu) { radix_best(gpu); },
              .blocks_wait = true};
    return {.name = std::string(name),
            .file = name == "radix" ? "6_radix.cu" : "7_radix_local.cu",
            .defines = {{"BLOCK", kRadixBlock},
                        {"EACH", kRadixEach},
                        {"DIGIT", digit},
                        {"SUMS_BLOCK", kSumsBlock},
                        {"SUMS_EACH", kSumsEach}},
            .preamble = run.source("5_digits.cu"),
            .body = [this](Gpu& gpu) { radix(gpu); }};
  }
};

constexpr std::string_view kSorts[] = {"bitonic", "bitonic-shared", "bitonic-shuffle", "merge",
                                       "radix",   "radix-local",    "radix-best"};

void sort(LabRun& run) {
  const auto n = static_cast<std::uint32_t>(run.options().integer("n"));
  const double bytes = static_cast<double>(n) * sizeof(std::uint32_t);
  run.require_memory(4 * bytes, 4 * bytes, "--n");
  SortLab lab{run, n};
  run.set_work(lab.work());
  run.set_check([&lab] { return lab.check(); });
  lab.cpu_version();
  lab.copies();
  std::optional<std::string_view> first;
  for (const std::string_view name : kSorts) {
    if (!run.wants(name)) continue;
    run.kernel(lab.stage(name));
    if (!first) first = name;
  }
  run.users_kernel(lab.stage(first.value_or("bitonic")));  // in the place of the first requested stage
}

const RegisterLab registered{Lab{
    .name = "sort",
    .alias = {},
    .title = "Sort",
    .teaches = "sorting networks, merge paths, radix sort",
    .examples = {"cudalab sort", "cudalab sort --stage bitonic,bitonic-shared,bitonic-shuffle,merge",
                 "cudalab sort --stage radix,radix-local --n 524288",
                 "cudalab sort --stage merge,radix-best --bits 8"},
    .stages = {"cpu", "copy", "bitonic", "bitonic-shared", "bitonic-shuffle", "merge", "radix", "radix-local",
               "radix-best"},
    .options = {integer("n", "number of keys", 1 << 17, 1 << 26, 1, 1 << 28),
                integer("bits", "bits of a key", 32, 1, 32),
                integer("digit", "bits of a digit in radix and radix-local", 4, 1, 8)},
    .next = {{msg::next_few_bits, "--stage merge,radix-best --bits 8"},
             {msg::next_larger_digits, "--stage radix,radix-local --digit 8"}},
    .run = sort,
}};

}  // namespace
}  // namespace cudalab::lab::sort
