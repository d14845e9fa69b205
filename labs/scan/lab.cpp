// The scan lab: prefix sums of a block and of a long array, and two of their uses: stream compaction and
// segmented scan.
#include "lab/lab.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>

#include "messages/lab_scan.h"

namespace cudalab::lab::scan {
namespace {

constexpr std::uint32_t kCopyThreads = 256, kCopyEach = 4;  // of 0_copy.cu
constexpr std::uint32_t kScanEach = 32;                     // elements per thread of 7_look_back.cu
constexpr std::uint32_t kCompactEach = 16;  // elements per thread of 9_compact_warp.cu and 11_compact_best.cu
constexpr std::uint32_t kSumsBlock = 1024;  // threads of the block that scans the sums of all blocks
constexpr std::uint32_t kOffsetBlock = 256;  // threads per block of add_offsets in 5_offsets.cu
constexpr std::uint32_t kMostSummand = 100;  // largest element of the scanned array
constexpr int kMostMagnitude = 100;          // largest magnitude of an element in compaction

// ---- inputs ------------------------------------------------------------------------------------------

// `percent` of the elements are positive, the others are zero or negative.
std::vector<int> signed_values(std::size_t n, std::uint64_t percent, std::uint64_t stream) {
  std::vector<int> values(n);
  for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t bits = random_bits(stream, i);
      const int magnitude = static_cast<int>((bits >> 32) % kMostMagnitude);
      values[i] = bits % 100 < percent ? magnitude + 1 : -magnitude;
    }
  });
  return values;
}

// An element begins a segment with probability 1 / length.
std::vector<std::uint8_t> segment_flags(std::size_t n, std::uint64_t length, std::uint64_t stream) {
  std::vector<std::uint8_t> flags(n);
  for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) flags[i] = random_bits(stream, i) % length == 0;
  });
  return flags;
}

// ---- on the CPU --------------------------------------------------------------------------------------

struct Part {
  std::size_t begin, end;
};

Part part_of(std::size_t n, int part, int parts) {
  const std::size_t length = (n + parts - 1) / static_cast<std::size_t>(parts);
  const std::size_t begin = std::min(n, length * static_cast<std::size_t>(part));
  return {begin, std::min(n, begin + length)};
}

// Two passes over the elements, as in the kernels with offsets: first the sums of all parts, then a scan of
// each part that starts at its offset.
void scan_on_cpu(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, int threads) {
  std::vector<std::uint32_t> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    std::uint32_t sum = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) sum += in[i];
    before[static_cast<std::size_t>(part) + 1] = sum;
  }
  for (std::size_t part = 1; part < before.size(); ++part) before[part] += before[part - 1];
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    std::uint32_t sum = before[static_cast<std::size_t>(part)];
    for (std::size_t i = own.begin; i < own.end; ++i) {
      out[i] = sum;
      sum += in[i];
    }
  }
}

// The same two passes. The sum of a part is the number of elements that it keeps.
std::uint32_t compact_on_cpu(std::span<const int> in, std::span<int> out, int threads) {
  std::vector<std::uint32_t> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    std::uint32_t kept = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) kept += in[i] > 0;
    before[static_cast<std::size_t>(part) + 1] = kept;
  }
  for (std::size_t part = 1; part < before.size(); ++part) before[part] += before[part - 1];
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    std::size_t place = before[static_cast<std::size_t>(part)];
    for (std::size_t i = own.begin; i < own.end; ++i)
      if (in[i] > 0) out[place++] = in[i];
  }
  return before.back();
}

// The same two passes. The sum of a part begins at its last flag, and ends the sums of all parts before it if
// it has one.
void scan_segments_on_cpu(std::span<const std::uint32_t> in, std::span<const std::uint8_t> flags,
                          std::span<std::uint32_t> out, int threads) {
  struct Sum {
    std::uint32_t sum = 0;
    bool has_flag = false;
  };
  std::vector<Sum> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    Sum of_part;
    for (std::size_t i = own.begin; i < own.end; ++i)
      of_part = flags[i] ? Sum{in[i], true} : Sum{of_part.sum + in[i], of_part.has_flag};
    before[static_cast<std::size_t>(part) + 1] = of_part;
  }
  for (std::size_t part = 1; part < before.size(); ++part)
    if (!before[part].has_flag) before[part].sum += before[part - 1].sum;
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    const Part own = part_of(in.size(), part, threads);
    std::uint32_t sum = before[static_cast<std::size_t>(part)].sum;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      if (flags[i]) sum = 0;
      out[i] = sum;
      sum += in[i];
    }
  }
}

void show_atomics(Row& row) {
  if (!row.counters) return;
  row.extra.emplace_back("global_atomic_requests",
                         row.counters->value_or_zero(Counter::kGlobalReductionRequests) +
                             row.counters->value_or_zero(Counter::kGlobalAtomicRequests));
}

// ---- scans -------------------------------------------------------------------------------------------

struct ScanLab {
  LabRun& run;
  std::size_t n;
  std::uint32_t block, blocks = ceil_div(n, block);
  bool has_segments = run.wants("segmented") || run.wants("cpu");
  std::vector<std::uint8_t> drawn_flags =
      segment_flags(has_segments ? n : 1, static_cast<std::uint64_t>(run.options().integer("segment")),
                    run.random("flags"));
  ArrayOf<std::uint32_t>& in =
      run.input<std::uint32_t>("in", random_integers<std::uint32_t>(n, run.random("in"), 0, kMostSummand));
  ArrayOf<std::uint8_t>& flags = run.input<std::uint8_t>("flags", drawn_flags);
  ArrayOf<std::uint32_t>& out = run.output<std::uint32_t>("out", n);
  ArrayOf<std::uint32_t>& of_block = run.scratch<std::uint32_t>("of_block", blocks);
  ArrayOf<std::uint32_t>& open = run.scratch<std::uint32_t>("open", has_segments ? blocks : 1);
  ArrayOf<std::uint32_t>& before = run.scratch<std::uint32_t>("before", has_segments ? blocks : 1);
  ArrayOf<std::uint64_t>& states = run.scratch<std::uint64_t>("states", blocks);
  ArrayOf<std::uint64_t>& started = run.scratch<std::uint64_t>("started", 1);
  std::vector<std::uint32_t> sums{}, segment_sums{};  // expected results, computed when first needed

  double bytes() const { return 2.0 * static_cast<double>(n) * sizeof(std::uint32_t); }
  Work work() const { return {.bytes = bytes()}; }
  Work work_of_segments() const { return {.bytes = bytes() + static_cast<double>(n)}; }

  Check check() {
    if (sums.empty()) {
      sums.resize(n);
      std::exclusive_scan(in.host().begin(), in.host().end(), sums.begin(), 0U);
    }
    return same_bits<std::uint32_t>(out.host(), sums);
  }

  Check check_segments() {
    if (segment_sums.empty()) {
      segment_sums.resize(n);
      for (std::size_t i = 1; i < n; ++i)
        if (!flags.host()[i]) segment_sums[i] = segment_sums[i - 1] + in.host()[i - 1];
    }
    return same_bits<std::uint32_t>(out.host(), segment_sums);
  }

  void cpu_versions() {
    run.cpu({.name = "scan",
             .run = [this](int threads) { scan_on_cpu(in.host(), out.host(), threads); },
             .check = [this] { return check(); },
             .work = work()});
    run.cpu(
        {.name = "segmented",
         .run = [this](int threads) { scan_segments_on_cpu(in.host(), flags.host(), out.host(), threads); },
         .check = [this] { return check_segments(); },
         .work = work_of_segments()});
  }

  void copies() {
    if (run.wants("copy")) run.copy_ceiling(n * sizeof(std::uint32_t));
    run.kernel({.name = "copy",
                .kind = RowKind::kCeiling,
                .file = "0_copy.cu",
                .launch = {"copy",
                           {.grid = {ceil_div(n, kCopyEach * kCopyThreads)}, .block = {kCopyThreads}},
                           {in.device(), out.device(), n}},
                .check = [this] { return same_bits<std::uint32_t>(out.host(), in.host()); },
                .work = work()});
  }

  KernelStage base(std::string name, std::string file) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", block}, {"SUMS_BLOCK", kSumsBlock}},
            .check = [this] { return check(); },
            .work = work(),
            .measure = show_atomics};
  }

  // Blocks scan their own elements, one block scans the blocks' sums, and all blocks add the sums before
  // them.
  KernelStage by_blocks(std::string name, std::string file, std::uint32_t each = 1) {
    KernelStage made = base(std::move(name), std::move(file));
    made.preamble = run.source("5_offsets.cu");
    made.accumulates = true;  // offsets are added to out, so a second run on the same out adds them twice
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
    KernelStage made = base(std::move(name), std::move(file));
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

  KernelStage of_segments() {
    KernelStage made = base("segmented", "12_segmented.cu");
    made.check = [this] { return check_segments(); };
    made.work = work_of_segments();
    made.accumulates = true;
    made.body = [this](Gpu& gpu) {
      gpu.launch(
          {.kernel = "scan_segments",
           .spec = {.grid = {blocks}, .block = {block}},
           .arguments = {in.device(), flags.device(), out.device(), of_block.device(), open.device(), n}});
      gpu.launch({.kernel = "scan_blocks",
                  .spec = {.grid = {1}, .block = {kSumsBlock}},
                  .arguments = {of_block.device(), open.device(), before.device(), blocks}});
      gpu.launch({.kernel = "add_before",
                  .spec = {.grid = {blocks}, .block = {block}},
                  .arguments = {out.device(), before.device(), open.device(), n}});
    };
    return made;
  }

  KernelStage stage(std::string_view name) {
    if (name == "hillis-steele") return by_blocks("hillis-steele", "1_hillis_steele.cu");
    if (name == "blelloch") return by_blocks("blelloch", "2_blelloch.cu", 2);
    if (name == "padded") return by_blocks("padded", "3_padded.cu", 2);
    if (name == "shuffle") return by_blocks("shuffle", "4_shuffle.cu");
    if (name == "single-pass") return by_looking_back("single-pass", "6_single_pass.cu", 1);
    if (name == "look-back") return by_looking_back("look-back", "7_look_back.cu", kScanEach);
    return of_segments();
  }
};

// ---- stream compaction -------------------------------------------------------------------------------

enum class Order { kKept, kAny };

struct CompactLab {
  LabRun& run;
  std::size_t n;
  std::uint32_t block, blocks = ceil_div(n, block);
  ArrayOf<int>& in = run.input<int>(
      "values",
      signed_values(n, static_cast<std::uint64_t>(run.options().integer("positive")), run.random("values")));
  ArrayOf<int>& out = run.output<int>("kept", n);
  ArrayOf<std::uint32_t>& count = run.output<std::uint32_t>("count", 1);
  ArrayOf<std::uint32_t>& of_block = run.scratch<std::uint32_t>("kept by each block", blocks);
  ArrayOf<std::uint32_t>& before = run.scratch<std::uint32_t>("kept before each block", blocks);
  ArrayOf<std::uint64_t>& states = run.scratch<std::uint64_t>("states of compaction", blocks);
  ArrayOf<std::uint64_t>& started = run.scratch<std::uint64_t>("started blocks", 1);
  std::vector<int> expected = compacted();

  std::vector<int> compacted() const {
    std::vector<int> kept;
    std::ranges::copy_if(in.host(), std::back_inserter(kept), [](int value) { return value > 0; });
    return kept;
  }

  Work work() const { return {.bytes = static_cast<double>(n + expected.size()) * sizeof(int)}; }

  // The elements beyond the count may be anything. In any order, the sorted elements must be right.
  Check check(Order order) {
    std::vector<int> right = expected, found(out.host().begin(), out.host().begin() + std::ssize(expected));
    if (order == Order::kAny) {
      std::ranges::sort(right);
      std::ranges::sort(found);
    }
    Check check = same_bits<int>(found, right);
    ++check.compared;  // the count
    if (const std::uint32_t kept = count.host()[0]; kept != expected.size()) {
      ++check.mismatches;
      check.patterns = {msg::wrong_kept_count(kept, expected.size())};
    }
    return check;
  }

  void cpu_versions() {
    run.cpu({.name = "compact",
             .run = [this](int threads) { count.host()[0] = compact_on_cpu(in.host(), out.host(), threads); },
             .check = [this] { return check(Order::kKept); },
             .work = work()});
  }

  KernelStage base(std::string name, std::string file, Order order, std::uint32_t each = 1) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", block}, {"EACH", each}, {"SUMS_BLOCK", kSumsBlock}},
            .check = [this, order] { return check(order); },
            .work = work(),
            .measure = show_atomics};
  }

  KernelStage by_atomics(std::string name, std::string file, std::uint32_t each = 1) {
    KernelStage made = base(std::move(name), std::move(file), Order::kAny, each);
    made.blocks_wait = true;  // a sample of the blocks would leave places empty, so all of them run
    made.launch = {"compact",
                   {.grid = {ceil_div(n, std::size_t{block} * each)}, .block = {block}},
                   {in.device(), out.device(), count.device(), n},
                   {&count}};
    return made;
  }

  KernelStage by_scan() {
    KernelStage made = base("compact-scan", "10_compact_scan.cu", Order::kKept);
    made.body = [this](Gpu& gpu) {
      gpu.launch({.kernel = "count_kept",
                  .spec = {.grid = {blocks}, .block = {block}},
                  .arguments = {in.device(), of_block.device(), n}});
      gpu.launch({.kernel = "scan_counts",
                  .spec = {.grid = {1}, .block = {kSumsBlock}},
                  .arguments = {of_block.device(), before.device(), blocks}});
      gpu.launch({.kernel = "write_kept",
                  .spec = {.grid = {blocks}, .block = {block}},
                  .arguments = {in.device(), out.device(), before.device(), count.device(), n}});
    };
    return made;
  }

  KernelStage by_looking_back() {
    KernelStage made = base("compact-best", "11_compact_best.cu", Order::kKept, kCompactEach);
    made.blocks_wait = true;
    made.body = [this](Gpu& gpu) {
      gpu.fill(states, 0);
      gpu.fill(started, 0);
      gpu.launch(
          {.kernel = "compact",
           .spec = {.grid = {ceil_div(n, std::size_t{block} * kCompactEach)}, .block = {block}},
           .arguments = {in.device(), out.device(), count.device(), states.device(), started.device(), n}});
    };
    return made;
  }

  KernelStage stage(std::string_view name) {
    if (name == "compact-atomic") return by_atomics("compact-atomic", "8_compact_atomic.cu");
    if (name == "compact-warp") return by_atomics("compact-warp", "9_compact_warp.cu", kCompactEach);
    if (name == "compact-scan") return by_scan();
    return by_looking_back();
  }
};

// ---- the lab -----------------------------------------------------------------------------------------

constexpr std::string_view kScans[] = {"hillis-steele", "blelloch",    "padded",
                                       "shuffle",       "single-pass", "look-back"};
constexpr std::string_view kCompactions[] = {"compact-atomic", "compact-warp", "compact-scan",
                                             "compact-best"};

bool wants_any(const LabRun& run, std::span<const std::string_view> stages) {
  return std::ranges::any_of(stages, [&](std::string_view stage) { return run.wants(stage); });
}

void require_power_of_two(std::uint32_t block) {
  if (!std::has_single_bit(block)) throw usage_error(msg::block_no_power_of_two(block));
}

void scan(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const auto block = static_cast<std::uint32_t>(run.options().integer("block"));
  require_power_of_two(block);
  const bool cpu = run.wants("cpu"), compacts = wants_any(run, kCompactions) || cpu;
  const bool scans =
      wants_any(run, kScans) || run.wants("segmented") || run.wants("copy") || cpu || !compacts;
  const double arrays = 2.3 * (scans + compacts), bytes = static_cast<double>(n) * sizeof(std::uint32_t);
  run.require_memory(arrays * bytes, 2 * arrays * bytes, "--n");

  std::optional<ScanLab> scanning;
  std::optional<CompactLab> compacting;
  if (scans) scanning.emplace(run, n, block);
  if (compacts) compacting.emplace(run, n, block);
  if (scanning) scanning->cpu_versions();
  if (compacting) compacting->cpu_versions();

  std::optional<KernelStage> users;  // the user's own kernel replaces the first requested stage
  const auto stage = [&](auto& lab, std::string_view name) {
    if (!run.wants(name)) return;
    const KernelStage made = lab.stage(name);
    run.kernel(made);
    if (!users) users = made;
  };
  if (scanning) {
    scanning->copies();
    for (const std::string_view name : kScans) stage(*scanning, name);
  }
  if (compacting)
    for (const std::string_view name : kCompactions) stage(*compacting, name);
  if (scanning) stage(*scanning, "segmented");
  if (!users) users = scanning ? scanning->stage("hillis-steele") : compacting->stage("compact-scan");
  run.users_kernel(*users);
}

const RegisterLab registered{Lab{
    .name = "scan",
    .alias = {},
    .title = "Scan and compaction",
    .teaches = "prefix sums, look-back, stream compaction",
    .examples = {"cudalab scan", "cudalab scan --stage blelloch,padded",
                 "cudalab scan --stage compact-atomic,compact-warp,compact-scan,compact-best --positive 10",
                 "cudalab scan --stage shuffle,segmented --segment 8"},
    .stages = {"cpu", "copy", "hillis-steele", "blelloch", "padded", "shuffle", "single-pass", "look-back",
               "compact-atomic", "compact-warp", "compact-scan", "compact-best", "segmented"},
    .options = {integer("n", "number of elements", 1 << 20, 1 << 27, 1, 1'000'000'000),
                integer("block", "threads per block, a power of two", 256, 32, 1024),
                integer("positive", "percent of the elements that compaction keeps", 50, 0, 100),
                integer("segment", "mean length of the segments", 100, 1, 1'000'000'000)},
    .check_size = {{"n", 1 << 16}},
    .columns = {{"global_atomic_requests", msg::column_atomic_requests}},
    .next = {{msg::next_fewer_kept,
              "--stage compact-atomic,compact-warp,compact-scan,compact-best --positive 10"},
             {msg::next_short_segments, "--stage shuffle,segmented --segment 8"}},
    .run = scan,
}};

}  // namespace
}  // namespace cudalab::lab::scan
