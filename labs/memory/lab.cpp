// The memory lab: the kinds of memory, their scopes and lifetimes, and on a GPU their latencies and
// bandwidths.
#include "lab/lab.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "messages/lab_memory.h"

namespace cudalab::lab::memory {
namespace {

using Word = std::uint32_t;

constexpr std::size_t kLine = 128 / sizeof(Word);                // minimum step of a walk, in words
constexpr std::size_t kSmall = 512;                              // words in local, shared and constant memory
constexpr std::size_t kL1Words = 16 * 1024 / sizeof(Word);       // fits into the L1 of every GPU
constexpr std::size_t kL2Walk = 4 * 1024 * 1024 / sizeof(Word);  // fits into every L2, but into no L1
constexpr std::size_t kL2Read = 16 * 1024 * 1024 / sizeof(Word);
constexpr float kAddend = -1.9f;  // x * x - 1.9 does not converge and stays within [-1.9, 1.9]
constexpr std::uint32_t kBlock = 256;
constexpr std::size_t kWideWords = 4;  // words that a thread reads in one access

// ---- walks -------------------------------------------------------------------------------------------

// One cycle through every `spacing`-th word, in random order (Sattolo's algorithm). The other words are
// random.
std::vector<Word> random_cycle(std::size_t words, std::size_t spacing, std::uint64_t stream) {
  const std::size_t stops = words / spacing;
  std::vector<Word> order(stops);
  std::iota(order.begin(), order.end(), Word{0});
  for (std::size_t i = stops; i-- > 1;) std::swap(order[i], order[random_bits(stream, i) % i]);
  std::vector<Word> next = random_values<Word>(words, stream + 1);
  for (std::size_t i = 0; i < stops; ++i) next[i * spacing] = static_cast<Word>(order[i] * spacing);
  return next;
}

Word walk(std::span<const Word> next, std::uint64_t steps) {
  Word at = 0;
  for (std::uint64_t step = 0; step < steps; ++step) at = next[at];
  return at;
}

Word sum_of(std::span<const Word> values, int threads) {
  Word sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i];
  return sum;
}

// ---- the table of kinds ------------------------------------------------------------------------------

struct Kind {
  std::string_view name, declared, seen_by, lies, lives, measured_as;
  double vgpu::Card::*latency = nullptr;  // in cycles; the file of a GPU model may contain it
};
constexpr Kind kKinds[] = {
    {"register", "float x;", "one thread", "SM", "the thread", "latency-register"},
    {"local", "float x[100];", "one thread", "device, cached", "the thread", "latency-local",
     &vgpu::Card::l1_latency_clocks},
    {"shared", "__shared__ float x[100];", "a block", "SM", "the block", "latency-shared",
     &vgpu::Card::shared_latency_clocks},
    {"global", "cudaMalloc, __device__", "all threads, host", "device, cached", "until freed",
     "latency-global", &vgpu::Card::dram_latency_clocks},
    {"constant", "__constant__ float x[100];", "all threads, to read", "device, own cache", "the program",
     "latency-constant", &vgpu::Card::constant_latency_clocks},
    {"texture", "cudaTextureObject_t", "all threads, to read", "device, cached", "until freed",
     "latency-texture", &vgpu::Card::texture_latency_clocks},
};

constexpr const char* kCostLine = "{:19} {:>20} {:>12}";
constexpr const char* kKindLine = "{:9} {:27} {}";
constexpr const char* kPlaceLine = "{:9} {:18} {:14} {}";

// ---- on the device -----------------------------------------------------------------------------------

struct Measured {
  std::string name;
  std::optional<double> cycles, gb_s;
};

struct MemoryLab {
  LabRun& run;
  std::uint32_t steps = static_cast<std::uint32_t>(run.options().integer("steps"));
  std::uint32_t rounds = static_cast<std::uint32_t>(run.options().integer("rounds"));
  std::size_t words = static_cast<std::size_t>(run.options().integer("mib")) * (1 << 20) / sizeof(Word);
  ArrayOf<Word>& large = run.input<Word>("large", random_cycle(words, kLine, run.random("large")));
  ArrayOf<Word>& small = run.input<Word>("small", random_cycle(kSmall, 1, run.random("small")));
  ArrayOf<Word>& last = run.output<Word>("last", 1);
  ArrayOf<Word>& sum = run.result<Word>("sum");
  std::uint32_t blocks = static_cast<std::uint32_t>(run.options().integer("blocks"));
  ArrayOf<Word>& sum_of_thread = run.scratch<Word>("sum_of_thread", std::size_t{blocks} * kBlock);
  ArrayOf<std::int64_t>& cycles = run.scratch<std::int64_t>("cycles", 1);
  std::span<const Word> large_values = large.host(), small_values = small.host();
  device::Texture texture{};
  std::vector<Measured> measured{};

  // ---- latency: one thread that follows a chain of dependent steps

  Check check_last(Word right) { return same_bits<Word>(last.host(), {&right, 1}); }

  // A kernel that stores the cycles of its steps in addition to its result.
  KernelStage one_walk(std::string name, std::string file, std::vector<device::Argument> arguments,
                       Word right, std::span<const Word> constants = {}) {
    arguments.insert(arguments.end(), {last.device(), cycles.device()});
    const KernelLaunch launch{"chase", {{1}, {32}}, std::move(arguments)};
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"LENGTH", kSmall}, {"ADDEND", fmt::format("({}f)", kAddend)}},
            .body =
                [this, launch, constants](Gpu& gpu) {
                  if (!constants.empty()) gpu.set_variable<Word>("next", constants);
                  gpu.launch(launch);
                  gpu.download(cycles);
                },
            .check = [this, right] { return check_last(right); },
            .work = Work{},
            .measure =
                [this](Row& row) {
                  row.measures_latency = true;
                  if (row.time_ms) row.extra.emplace_back("latency_cycles", cycles_a_step());
                }};
  }

  double cycles_a_step() const { return static_cast<double>(cycles.host()[0]) / steps; }

  void latency(const KernelStage& stage) {
    const Row* row = run.kernel(stage);
    if (row && row->time_ms) measured.push_back({stage.name, row->extra.back().second, {}});
  }

  void register_latency() {
    float right = 0;
    for (std::uint32_t step = 0; step < steps; ++step) right = std::fma(right, right, kAddend);
    latency(one_walk("latency-register", "1_register.cu", {Word{0}, steps}, std::bit_cast<Word>(right)));
  }

  void small_latencies() {
    const Word right = walk(small_values, steps);
    latency(one_walk("latency-local", "2_local.cu", {small.device(), Word{0}, steps}, right));
    latency(one_walk("latency-shared", "3_shared.cu", {small.device(), Word{0}, steps}, right));
    latency(one_walk("latency-constant", "4_constant.cu", {Word{0}, steps}, right, small_values));
    texture = run.textures().create_texture(
        LinearTexels{small.device().address(), device::texel_format(ScalarType::kU32), kSmall});
    latency(one_walk("latency-texture", "9_texture.cu", {texture.value(), Word{0}, steps}, right));
  }

  void cached_latency(const std::string& name, std::size_t size) {
    if (!run.wants(name)) return;
    if (!run.device().measures_time && !run.predicted_card())
      return run.skip(name, RowKind::kKernel, msg::caches_show_in_times());
    ArrayOf<Word>& next = run.input<Word>(name, random_cycle(size, kLine, run.random(name)));
    const auto stops = static_cast<std::uint32_t>(size / kLine);
    latency(one_walk(name, "5_global.cu", {next.device(), Word{0}, stops, steps},
                     walk(next.host(), std::uint64_t{stops} + steps)));
  }

  KernelStage walk_in_global_memory() {
    return one_walk("latency-global", "5_global.cu", {large.device(), Word{0}, Word{0}, steps},
                    walk(large_values, steps));
  }

  // ---- bandwidth: all threads of a full GPU

  void bandwidth(std::string name, std::string file, std::vector<device::Argument> arguments, Word right,
                 double bytes, bool on_chip, std::span<const Word> constants = {}) {
    arguments.emplace_back(sum_of_thread.device());
    const KernelLaunch launch{"read", {{blocks}, {kBlock}}, std::move(arguments)};
    const auto gb_s = [&](const Row& of) { return bytes / of.time_ms->median / 1e6; };
    const Row* row = run.kernel({.name = name,
                                 .file = std::move(file),
                                 .defines = {{"LENGTH", kSmall}},
                                 .body =
                                     [&](Gpu& gpu) {
                                       if (!constants.empty()) gpu.set_variable<Word>("values", constants);
                                       gpu.launch(launch);
                                       sum.host()[0] = sum_of(gpu.download(sum_of_thread), 1);
                                     },
                                 .check =
                                     [&] {
                                       return same_bits<Word>(sum.host(), {&right, 1});
                                     },
                                 .work = Work{on_chip ? 0 : bytes, 0},
                                 .measure =
                                     [&](Row& measured_row) {
                                       if (on_chip && measured_row.time_ms)
                                         measured_row.extra.emplace_back("on_chip_gb_s", gb_s(measured_row));
                                     }});
    if (row && row->time_ms) measured.push_back({std::move(name), {}, gb_s(*row)});
  }

  double threads() const { return static_cast<double>(blocks) * kBlock; }

  void global_bandwidth() {
    if (run.wants("bandwidth-global")) run.copy_ceiling(words / 2 * sizeof(Word));
    bandwidth("bandwidth-global", "6_read_global.cu", {large.device(), words / kWideWords, Word{1}},
              sum_of(large_values, static_cast<int>(run.host().threads)),
              static_cast<double>(words) * sizeof(Word), false);
  }

  void l2_bandwidth() {
    const std::size_t part = std::min(words, kL2Read);
    bandwidth("bandwidth-l2", "6_read_global.cu", {large.device(), part / kWideWords, rounds},
              rounds * sum_of(large_values.subspan(0, part), 1),
              static_cast<double>(part) * sizeof(Word) * rounds, true);
  }

  // Each thread reads the whole array `rounds` times.
  void shared_bandwidth() {
    const auto reads = static_cast<std::uint32_t>(rounds * (kSmall / kWideWords));
    const Word of_a_thread = rounds * sum_of(small_values, 1);
    bandwidth("bandwidth-shared", "7_read_shared.cu", {small.device(), reads}, blocks * kBlock * of_a_thread,
              threads() * reads * kWideWords * sizeof(Word), true);
  }

  void constant_bandwidth() {
    const Word of_a_thread = rounds * sum_of(small_values, 1);
    bandwidth("bandwidth-constant", "8_read_constant.cu", {rounds}, blocks * kBlock * of_a_thread,
              threads() * rounds * kSmall * sizeof(Word), true, small_values);
  }

  // ---- on the CPU

  void cpu_versions() {
    const Word right = walk(large_values, steps);
    run.cpu({.name = "walk",
             .run =
                 [&](int threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
                   for (int thread = 0; thread < threads; ++thread) {
                     const Word end = walk(large_values, steps);
                     if (thread == 0) last.host()[0] = end;
                   }
                 },
             .check = [&] { return check_last(right); },
             .work = Work{}});
    const Word total = std::accumulate(large_values.begin(), large_values.end(), Word{0});
    run.cpu({.name = "read",
             .run = [&](int threads) { sum.host()[0] = sum_of(large_values, threads); },
             .check =
                 [&] {
                   return same_bits<Word>(sum.host(), {&total, 1});
                 },
             .work = Work{static_cast<double>(words) * sizeof(Word), 0}});
  }

  // ---- output

  // The measured latency, or else the latency in the file of the GPU model whose times are predicted.
  std::string latency_of(const Kind& kind) const {
    for (const Measured& row : measured)
      if (row.name == kind.measured_as) return fmt::format("{:.0f} cycles", *row.cycles);
    const vgpu::Card* card = run.predicted_card();
    if (!card) return "not assessed";
    return kind.latency && card->*kind.latency > 0 ? fmt::format("{:.0f} cycles", card->*kind.latency) : "-";
  }

  // The known latency and bandwidth of each kind of memory on the modelled GPU. These are not times of the
  // lab's kernels.
  std::vector<std::string> known_costs(const vgpu::Card& card) const {
    const double clocks_per_us = card.clock_mhz, all = card.multiprocessors * clocks_per_us * 1e-3;
    struct Cost {
      std::string_view kind;
      double latency_clocks, gb_s;
    };
    const Cost costs[] = {
        {"shared", card.shared_latency_clocks, card.l1_bytes_per_clock * all},
        {"constant", card.constant_latency_clocks, 0},
        {"L1 (local, global)", card.l1_latency_clocks, card.l1_bytes_per_clock * all},
        {"L2 (local, global)", card.l2_latency_clocks, card.l2_bytes_per_clock * clocks_per_us * 1e-3},
        {"texture", card.texture_latency_clocks, 0},
        {"global", card.dram_latency_clocks, card.dram_gb_per_second},
    };
    std::vector<std::string> lines{fmt::format(kCostLine, "kind", "latency", "whole GPU")};
    for (const Cost& cost : costs) {
      if (cost.latency_clocks == 0) continue;  // the file of the GPU model does not contain it
      lines.push_back(fmt::format(kCostLine, cost.kind,
                                  fmt::format("{:.0f} cycles, {:.3g} ns", cost.latency_clocks,
                                              cost.latency_clocks / clocks_per_us * 1e3),
                                  cost.gb_s > 0 ? fmt::format("{:.0f} GB/s", cost.gb_s) : "-"));
    }
    return lines;
  }

  void show() {
    std::vector<std::string> kinds{fmt::format(kKindLine, "kind", "declared as", "seen by")},
        places{fmt::format(kPlaceLine, "kind", "where it is", "lifetime", "latency")};
    for (const Kind& kind : kKinds) {
      kinds.push_back(fmt::format(kKindLine, kind.name, kind.declared, kind.seen_by));
      places.push_back(fmt::format(kPlaceLine, kind.name, kind.lies, kind.lives, latency_of(kind)));
    }
    run.figure(msg::title_kinds_of_memory(), std::move(kinds));
    run.figure(msg::title_places_of_memory(), std::move(places));
    if (const vgpu::Card* card = run.predicted_card())
      run.figure(msg::title_costs_of_memory(card->name), known_costs(*card));
    else if (!run.device().measures_time)
      run.note(msg::note_no_clock());
  }
};

void memory(LabRun& run) {
  const double bytes = static_cast<double>(run.options().integer("mib")) * (1 << 20);
  run.require_memory(bytes + 2 * sizeof(Word) * kL2Read, 2 * bytes, "--mib");
  MemoryLab lab{run};
  lab.cpu_versions();
  lab.register_latency();
  lab.small_latencies();
  lab.cached_latency("latency-l1", kL1Words);
  lab.cached_latency("latency-l2", kL2Walk);
  lab.latency(lab.walk_in_global_memory());
  lab.global_bandwidth();
  lab.l2_bandwidth();
  lab.shared_bandwidth();
  lab.constant_bandwidth();
  lab.show();
  run.users_kernel(lab.walk_in_global_memory());
}

const RegisterLab registered{Lab{
    .name = "memory",
    .alias = {},
    .title = "Kinds of memory",
    .teaches = "scope, lifetime, latency, bandwidth",
    .words = {"kind",
              "declared as",
              "seen by",
              "where it is",
              "lifetime",
              "latency",
              "whole GPU",
              "register",
              "local",
              "shared",
              "global",
              "constant",
              "texture",
              "one thread",
              "a block",
              "all threads, host",
              "all threads, to read",
              "SM",
              "device, cached",
              "device, own cache",
              "the thread",
              "the block",
              "until freed",
              "the program",
              "L1 (local, global)",
              "L2 (local, global)",
              "1 cycles",
              "1 cycles, 1 ns"},
    .examples = {"cudalab memory", "cudalab memory --stage latency-shared,latency-global",
                 "cudalab memory --mib 64"},
    .stages = {"cpu", "latency-register", "latency-local", "latency-shared", "latency-constant",
               "latency-texture", "latency-l1", "latency-l2", "latency-global", "bandwidth-global",
               "bandwidth-l2", "bandwidth-shared", "bandwidth-constant"},
    .options = {integer("mib", "MiB of the large array in global memory", 2, 512, 1, 16'000),
                integer("steps", "loads of a chain; each address is the result of the load before", 2000,
                        32'768, 1, 100'000'000),
                integer("blocks", "blocks of 256 threads in the bandwidth kernels", 32, 1056, 1, 1 << 20),
                integer("rounds", "passes over L2, shared and constant memory", 1, 64, 1, 100'000)},
    .columns = {{"latency_cycles", msg::column_latency}, {"on_chip_gb_s", msg::column_on_chip}},
    .next = {{msg::next_larger_array, "--mib 64"}},
    .run = memory,
}};

}  // namespace
}  // namespace cudalab::lab::memory
