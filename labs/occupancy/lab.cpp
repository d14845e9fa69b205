// The occupancy lab: how much work must be in flight to hide a latency, and whether it comes from many warps,
// from independent instructions of one thread, or from wide accesses.
#include "lab/lab.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "messages/lab_occupancy.h"

namespace cudalab::lab::occupancy {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kThreads = 256;  // per block, where a stage does not say otherwise
constexpr std::uint32_t kMostThreadsOfBlock = 1024;
constexpr std::size_t kWide = 4;                  // elements per 16-byte access
constexpr std::uint32_t kEach = 8;                // elements per thread of 5_coarse.cu
constexpr std::size_t kSharedBytes = 100 * 1024;  // per block of `shared-limited`
constexpr std::uint32_t kFullWarps = 64;          // per SM, if the device does not say
constexpr std::uint32_t kTileX = 32, kTileY = 8;  // threads per block of the matrix stages
constexpr std::uint32_t kMostTilesAcross = 16;    // blocks side by side in a matrix
constexpr std::uint32_t kChainWarps = 4;          // per SM: one for each of its schedulers
constexpr float kFactor = 1.5F;                   // of `scale`
constexpr float kAddend = -1.9F;                  // x * x - 1.9 stays within [-1.9, 1.9]
constexpr std::int64_t kMostSwept = 64;           // warps per SM
constexpr const char* kUsualSweep = "1,2,4,8,16,32,64";

// A kernel as the sweep sees it: the loads that a thread has in flight, and their width.
struct Flight {
  std::string_view name, file;
  std::uint32_t loads;
  std::uint32_t bytes;  // per load
};
constexpr Flight kOneLoad{"one load", "1_grid_stride.cu", 1, 4}, kTwoLoads{"2 loads", "2_loads.cu", 2, 4},
    kFourLoads{"4 loads", "2_loads.cu", 4, 4}, kOneWide{"one of 16 bytes", "3_wide.cu", 1, 16},
    kFourWide{"4 of 16 bytes", "3_wide.cu", 4, 16};
constexpr std::array<Flight, 3> kCurves{kOneLoad, kFourLoads, kFourWide};

// The values of --sweep: numbers and ranges FIRST:LAST between commas.
std::vector<std::uint32_t> parse_sweep(const std::string& text) {
  std::vector<std::uint32_t> values;
  const char *at = text.data(), *end = at + text.size();
  for (bool is_range = false; at <= end; ++at) {
    std::uint32_t value = 0;
    const auto [stop, status] = std::from_chars(at, end, value);
    const bool is_bad = status != std::errc{} || value < 1 || value > kMostSwept ||
                        (is_range && value < values.back()) ||
                        (stop != end && *stop != ',' && (*stop != ':' || is_range));
    if (is_bad) throw usage_error(msg::swept_warps_malformed(text, kMostSwept));
    while (is_range && values.back() + 1 < value) values.push_back(values.back() + 1);
    if (values.empty() || values.back() != value) values.push_back(value);
    is_range = stop != end && *stop == ':';
    at = stop;
  }
  return values;
}

// ---- on the CPU --------------------------------------------------------------------------------------

CUDALAB_EACH_LEVEL void iterate(const float* in, float* out, std::size_t count, std::int64_t steps) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i];
  for (std::int64_t step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < count; ++i) out[i] = std::fma(out[i], out[i], kAddend);
}

// A piece stays in the cache for all steps.
void iterate_on_cpu(std::span<const float> in, std::span<float> out, std::int64_t steps, int threads) {
  constexpr std::size_t kPiece = 1024;
#pragma omp parallel for num_threads(threads)
  for (std::size_t first = 0; first < in.size(); first += kPiece)
    iterate(&in[first], &out[first], std::min(kPiece, in.size() - first), steps);
}

// ---- on the device -----------------------------------------------------------------------------------

struct OccupancyLab {
  LabRun& run;
  std::size_t rows = static_cast<std::size_t>(run.options().integer("rows"));
  std::size_t columns = static_cast<std::size_t>(run.options().integer("cols"));
  std::uint32_t warps = static_cast<std::uint32_t>(run.options().integer("warps"));
  std::int64_t steps = run.options().integer("steps");
  std::size_t n = rows * columns;
  std::size_t points = static_cast<std::size_t>(run.options().integer("points"));
  ArrayOf<float>& in = run.random_input<float>("in", n);
  ArrayOf<float>& out = run.output<float>("out", n);
  std::vector<float> scaled{}, iterated{};  // expected results, computed when first needed

  std::uint32_t multiprocessors() const { return std::max(1U, run.device().multiprocessors); }
  std::uint32_t full_warps() const {
    const std::optional<vgpu::Card>& card = run.device().card;
    return card ? card->max_threads_per_multiprocessor / kWarp : kFullWarps;
  }

  // As many blocks per SM as that number of warps needs, each of the same size. An odd number above a block's
  // maximum is rounded up.
  LaunchSpec with_warps(std::uint32_t per_multiprocessor) const {
    const std::uint32_t blocks = ceil_div(std::size_t{per_multiprocessor} * kWarp, kMostThreadsOfBlock);
    return {.grid = {blocks * multiprocessors()}, .block = {ceil_div(per_multiprocessor, blocks) * kWarp}};
  }

  Shape shape() const { return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}; }
  Work scale_work() const { return {2.0 * static_cast<double>(n) * sizeof(float), static_cast<double>(n)}; }

  Check check_scale() {
    if (scaled.empty())
      for (const float value : in.host()) scaled.push_back(kFactor * value);
    return same_bits<float>(out.host(), scaled, shape());
  }

  // ---- the array: loads in flight

  // Warps that an SM holds at once: as many as its resources allow, if the grid has that many.
  static double resident_warps(const Row& row, std::uint32_t multiprocessors) {
    const Occupancy& occupancy = row.prediction->occupancy;
    const double warps_of_block = std::ceil(static_cast<double>(row.spec.block.volume()) / kWarp);
    const double blocks = std::ceil(static_cast<double>(row.spec.grid.volume()) / multiprocessors);
    return std::min(static_cast<double>(occupancy.blocks), blocks) * warps_of_block;
  }

  // Fills the lab's columns. `bytes`: what a thread of this file's kernel has in flight; 0: no loads. How
  // much a user's own kernel has in flight is unknown.
  std::function<void(Row&)> measure_flight(const std::string& file, double bytes) const {
    const std::string text = run.source(file);  // begins with a line #line
    const std::string hash = digest(std::string_view(text).substr(text.find('\n') + 1));
    return [hash, bytes, multiprocessors = multiprocessors()](Row& row) {
      if (!row.prediction) return;
      const double warps = resident_warps(row, multiprocessors);
      row.extra.emplace_back("resident_warps", warps);
      if (bytes > 0 && row.source_hash == hash)
        row.extra.emplace_back("bytes_in_flight", warps * kWarp * bytes);
    };
  }

  KernelStage scale(std::string name, const std::string& file, LaunchSpec spec, double bytes) {
    return {.name = std::move(name),
            .file = file,
            .launch = {"scale", spec, {in.device(), out.device(), n, kFactor}},
            .check = [this] { return check_scale(); },
            .work = scale_work(),
            .measure = measure_flight(file, bytes)};
  }

  KernelStage looped(std::string name, const Flight& flight, std::uint32_t per_multiprocessor) {
    KernelStage made = scale(std::move(name), std::string(flight.file), with_warps(per_multiprocessor),
                             static_cast<double>(flight.loads) * flight.bytes);
    made.defines = {{"LOADS", flight.loads}};
    return made;
  }

  KernelStage one_per_thread(std::string name, std::uint32_t block, std::size_t shared_bytes = 0) {
    return scale(std::move(name), "4_one_per_thread.cu",
                 {.grid = {ceil_div(n, block)}, .block = {block}, .dynamic_shared_bytes = shared_bytes},
                 sizeof(float));
  }

  KernelStage coarse() {
    KernelStage made = scale("coarse", "5_coarse.cu",
                             {.grid = {ceil_div(n, std::size_t{kThreads} * kEach)}, .block = {kThreads}},
                             kEach * sizeof(float));
    made.defines = {{"BLOCK", kThreads}, {"EACH", kEach}};
    return made;
  }

  // ---- the matrix: which index is threadIdx.x

  // A grid that fills the GPU once, at most kMostTilesAcross blocks wide. `across`: the size that x counts.
  LaunchSpec of_tiles(std::size_t across, std::size_t down) const {
    const std::uint32_t blocks = multiprocessors() * (full_warps() * kWarp / kThreads);
    const std::uint32_t wide = std::min(ceil_div(across, kTileX), kMostTilesAcross);
    const std::uint32_t high = std::min(ceil_div(down, kTileY), ceil_div(blocks, wide));
    return {.grid = {wide, high}, .block = {kTileX, kTileY}};
  }

  KernelStage matrix(std::string name, const std::string& file, LaunchSpec spec, double bytes) {
    KernelStage made = scale(std::move(name), file, spec, bytes);
    made.launch.arguments = {in.device(), out.device(), static_cast<int>(rows), static_cast<int>(columns),
                             kFactor};
    return made;
  }

  KernelStage stage(std::string_view name) {
    if (name == "few-warps") return looped("few-warps", kOneLoad, warps);
    if (name == "more-warps") return looped("more-warps", kOneLoad, full_warps());
    if (name == "loads-2") return looped("loads-2", kTwoLoads, warps);
    if (name == "loads-4") return looped("loads-4", kFourLoads, warps);
    if (name == "wide") return looped("wide", kOneWide, warps);
    if (name == "wide-4") return looped("wide-4", kFourWide, warps);
    if (name == "block-32") return one_per_thread("block-32", 32);
    if (name == "block-256") return one_per_thread("block-256", 256);
    if (name == "block-1024") return one_per_thread("block-1024", 1024);
    if (name == "shared-limited")
      return one_per_thread("shared-limited", kThreads,
                            std::min(kSharedBytes, run.device().max_shared_per_block_optin));
    if (name == "coarse") return coarse();
    if (name == "by-rows") return matrix("by-rows", "6_by_rows.cu", of_tiles(columns, rows), sizeof(float));
    return matrix("by-columns", "7_by_columns.cu", of_tiles(rows, columns), sizeof(float));
  }

  void copies() {
    if (run.wants("copy")) run.copy_ceiling(n * sizeof(float));
    KernelStage copy =
        scale("copy", "0_copy.cu", {.grid = {ceil_div(n, kWide * kThreads)}, .block = {kThreads}},
              kWide * sizeof(float));
    copy.kind = RowKind::kCeiling;
    copy.launch = {"copy", copy.launch.spec, {in.device(), out.device(), n}};
    copy.check = [this] { return same_bits<float>(out.host(), in.host(), shape()); };
    copy.work = Work{scale_work().bytes, 0};
    run.kernel(copy);
  }

  void cpu_versions() {
    run.cpu({.name = "scale",
             .run =
                 [this](int threads) {
                   const float* from = in.host().data();
                   float* to = out.host().data();
#pragma omp parallel for num_threads(threads)
                   for (std::size_t i = 0; i < n; ++i) to[i] = kFactor * from[i];
                 },
             .check = [this] { return check_scale(); },
             .work = scale_work()});
  }

  // ---- the sweep: rate against warps per SM

  // GB/s of loads and stores by Little's law: the bytes in flight arrive once per latency. The launch
  // overhead comes on top, because it is part of every time here. Empty if the device's latency is unknown.
  std::optional<double> rate_by_law(const Flight& flight, std::uint32_t per_multiprocessor) const {
    const std::optional<vgpu::Card>& card = run.device().card;
    if (!card || card->dram_latency_clocks <= 0) return std::nullopt;
    const double nanoseconds = card->dram_latency_clocks / card->clock_mhz * 1000;
    const double bytes =
        static_cast<double>(multiprocessors()) * per_multiprocessor * kWarp * flight.loads * flight.bytes;
    const double rate = std::min(2 * bytes / nanoseconds, card->dram_gb_per_second);  // as many are stored
    const double of_problem = scale_work().bytes;
    return of_problem / (of_problem / rate + card->launch_us * 1000);
  }

  static std::optional<double> rate_of(const Row& row) {
    if (row.time_ms) return row.useful_bytes / (row.time_ms->median * 1e6);
    if (row.prediction) return row.useful_bytes / (row.prediction->ms * 1e6);
    return std::nullopt;
  }

  // One curve of the sweep: its rates, and those of the law.
  struct Curve {
    std::vector<std::optional<double>> rates, by_law;
    bool is_predicted = false;
  };

  Curve measure_curve(const Flight& flight, std::span<const std::uint32_t> swept) {
    Curve curve;
    for (const std::uint32_t per_multiprocessor : swept) {
      KernelStage made = looped(fmt::format("sweep-{}x{}-{}", flight.loads, flight.bytes, per_multiprocessor),
                                flight, per_multiprocessor);
      made.stage = "sweep";
      Row* row = run.kernel(made);
      if (!row) return {};
      row->in_figure = true;
      curve.is_predicted |= !row->time_ms && row->prediction;
      curve.rates.push_back(rate_of(*row));
      curve.by_law.push_back(rate_by_law(flight, per_multiprocessor));
    }
    return curve;
  }

  static void add_curve(Chart& chart, std::string name, std::span<const std::uint32_t> swept,
                        const std::vector<std::optional<double>>& rates) {
    ChartCurve curve{std::move(name), {}};
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (rates[i]) curve.points.emplace_back(swept[i], *rates[i]);
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  }

  void sweep(std::vector<std::uint32_t> swept) {
    std::erase_if(swept, [this](std::uint32_t value) { return value > full_warps(); });
    auto chart = std::make_shared<Chart>();
    chart->x = {"warps per SM", "", true};
    chart->y = {"GB/s", "", true};
    std::vector<std::string> lines{fmt::format("{:>12}", "warps per SM")};
    for (const std::uint32_t value : swept) lines.push_back(fmt::format("{:>12}", value));
    bool is_predicted = false;
    for (const Flight& flight : kCurves) {
      const Curve curve = measure_curve(flight, swept);
      is_predicted |= curve.is_predicted;
      lines[0] += fmt::format("  {:>15} {:>7}", flight.name, "law");
      const auto cell = [](std::optional<double> rate, const char* mark) {
        return rate ? fmt::format("{}{:.4g}", mark, *rate) : std::string("-");
      };
      for (std::size_t i = 0; i < curve.rates.size(); ++i)
        lines[i + 1] += fmt::format("  {:>15} {:>7}", cell(curve.rates[i], curve.is_predicted ? "~" : ""),
                                    cell(curve.by_law[i], ""));
      add_curve(*chart, std::string(flight.name), swept, curve.rates);
      add_curve(*chart, std::string(flight.name) + ", law", swept, curve.by_law);
    }
    run.figure(is_predicted ? msg::title_sweep_predicted() : msg::title_sweep(), std::move(lines)).chart =
        chart;
    if (run.device().card) run.note(msg::note_law());
  }
};

// ---- arithmetic: chains of dependent instructions ----------------------------------------------------

struct ChainLab {
  OccupancyLab& array;
  LabRun& run = array.run;
  std::size_t points = array.points;
  ArrayOf<float>& in = run.random_input<float>("first", points);
  ArrayOf<float>& out = run.output<float>("last", points);

  // A fused multiply-add counts as two operations.
  Work work() const {
    return {2.0 * static_cast<double>(points) * sizeof(float),
            2.0 * static_cast<double>(points) * static_cast<double>(array.steps)};
  }
  Check check() {
    if (array.iterated.empty()) {
      array.iterated.resize(points);
      for_pieces(points, [&](std::size_t, std::size_t begin, std::size_t end) {
        iterate(&in.host()[begin], &array.iterated[begin], end - begin, array.steps);
      });
    }
    return same_bits<float>(out.host(), array.iterated);
  }

  KernelStage of(std::string name, std::uint32_t chains, std::uint32_t per_multiprocessor) {
    return {.name = std::move(name),
            .file = "8_chain.cu",
            .defines = {{"CHAINS", chains}, {"ADDEND", fmt::format("({}f)", kAddend)}},
            .launch = {"iterate",
                       array.with_warps(per_multiprocessor),
                       {in.device(), out.device(), points, static_cast<int>(array.steps)}},
            .check = [this] { return check(); },
            .work = work(),
            .measure = array.measure_flight("8_chain.cu", 0)};
  }

  KernelStage stage(std::string_view name) {
    if (name == "chain") return of("chain", 1, kChainWarps);
    if (name == "chain-2") return of("chain-2", 2, kChainWarps);
    if (name == "chain-4") return of("chain-4", 4, kChainWarps);
    return of("chain-warps", 1, 4 * kChainWarps);
  }

  void cpu_versions() {
    run.cpu({.name = "chain",
             .run = [this](int threads) { iterate_on_cpu(in.host(), out.host(), array.steps, threads); },
             .check = [this] { return check(); },
             .work = work()});
  }
};

// ---- stages ------------------------------------------------------------------------------------------

constexpr std::string_view kOfArray[] = {
    "few-warps", "more-warps", "loads-2",        "loads-4", "wide",    "wide-4",    "block-32",
    "block-256", "block-1024", "shared-limited", "coarse",  "by-rows", "by-columns"};
constexpr std::string_view kOfChain[] = {"chain", "chain-2", "chain-4", "chain-warps"};

void occupancy(LabRun& run) {
  const Options& options = run.options();
  const std::string& swept = options.text("sweep");
  if (!swept.empty())
    run.default_stages({"copy", "sweep"});
  else
    run.default_stages({"cpu", "copy", "few-warps", "more-warps", "loads-2", "loads-4", "wide", "wide-4",
                        "block-32", "block-256", "block-1024", "shared-limited", "coarse", "by-rows",
                        "by-columns", "chain", "chain-2", "chain-4", "chain-warps"});
  const double n =
      static_cast<double>(options.integer("rows")) * static_cast<double>(options.integer("cols"));
  const double points = static_cast<double>(options.integer("points"));
  run.require_memory(8 * (n + points), 12 * (n + points), "--rows and --cols");

  OccupancyLab array{run};
  ChainLab chains{array};
  array.cpu_versions();
  chains.cpu_versions();
  array.copies();
  std::optional<KernelStage> users;  // the user's own kernel replaces the first requested stage
  const auto stage = [&](auto& lab, std::string_view name) {
    if (!run.wants(name)) return;
    const KernelStage made = lab.stage(name);
    run.kernel(made);
    if (!users) users = made;
  };
  for (const std::string_view name : kOfArray) stage(array, name);
  for (const std::string_view name : kOfChain) stage(chains, name);
  if (run.wants("sweep")) array.sweep(parse_sweep(swept.empty() ? kUsualSweep : swept));
  run.users_kernel(users ? *users : array.stage("few-warps"));
}

const RegisterLab registered{Lab{
    .name = "occupancy",
    .alias = {},
    .title = "Occupancy and latency hiding",
    .teaches = "Little's law, resident warps, independent loads, wide loads, grid-stride loops",
    .words = {"warps per SM", "law", "one load", "4 loads", "4 of 16 bytes", "one load, law", "4 loads, law",
              "4 of 16 bytes, law"},
    .examples = {"cudalab occupancy", "cudalab occupancy --sweep 1,2,4,8,16,32,64",
                 "cudalab occupancy --stage copy,few-warps,loads-4,wide-4 --warps 8",
                 "cudalab occupancy --stage block-32,block-256,shared-limited --verbose",
                 "cudalab occupancy --stage chain,chain-2,chain-4,chain-warps"},
    .stages = {"cpu",        "copy",     "few-warps", "more-warps", "loads-2",        "loads-4", "wide",
               "wide-4",     "block-32", "block-256", "block-1024", "shared-limited", "coarse",  "by-rows",
               "by-columns", "chain",    "chain-2",   "chain-4",    "chain-warps",    "sweep"},
    .options = {integer("rows", "rows of the matrix; the array has ROWS x COLS elements", 1024, 16'384, 1,
                        65'536),
                integer("cols", "columns of the matrix", 2048, 8192, 1, 131'072),
                integer("warps", "resident warps per SM (few-warps, loads-2, loads-4, wide, wide-4)", 4, 1,
                        32),
                integer("points", "values that iterate (chain stages)", 65'536, 1'048'576, 1, 100'000'000),
                integer("steps", "steps per value (chain stages)", 1024, 1, 1'000'000),
                text("sweep", "warps per SM of a sweep with three kernels: FIRST:LAST or A,B,C", "")},
    .sizes = {"rows", "cols"},
    .check_size = {{"rows", 200}, {"cols", 200}, {"points", 5000}},
    .columns = {{"resident_warps", msg::column_resident_warps},
                {"bytes_in_flight", msg::column_bytes_in_flight}},
    .next = {{msg::next_sweep, "--sweep 1,2,4,8,16,32,64"},
             {msg::next_more_warps, "--stage copy,few-warps,loads-4,wide-4 --warps 16"}},
    .run = occupancy,
}};

}  // namespace
}  // namespace cudalab::lab::occupancy
