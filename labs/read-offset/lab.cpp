// The read-offset lab: C[i] = A[i + offset] + B[i + offset]. The offset alone decides how many sectors a warp
// touches.
#include "lab/lab.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "messages/lab_read_offset.h"
#include "sweep.h"

namespace cudalab::lab::read_offset {
namespace {

constexpr std::size_t kWidestAccess = 16;      // bytes that one thread moves in one access
constexpr std::uint32_t kWideThreads = 256;    // threads per block of 0_wide.cu and 3b_realigned.cu
constexpr std::size_t kEach = 4;               // elements per thread of 3a_several.cu
constexpr std::size_t kMostBlocksInY = 65535;  // limit of a grid (CUDA C++ Programming Guide, table 30)

// ---- messages ------------------------------------------------------------------------------------------

// A program that repeats its kernel measures L2 if the arrays stay in L2 between launches.
Message sentence_on_l2(double bytes, std::size_t l2_bytes) {
  const double megabytes = bytes / 1e6, l2_megabytes = static_cast<double>(l2_bytes) / 1e6;
  return bytes <= static_cast<double>(l2_bytes) ? msg::note_arrays_fit_l2(megabytes, l2_megabytes)
                                                : msg::note_arrays_exceed_l2(megabytes, l2_megabytes);
}

// ---- the lab -----------------------------------------------------------------------------------------

template <class T>
struct ReadOffset {
  LabRun& run;
  std::size_t n;
  std::size_t offset = static_cast<std::size_t>(run.options().integer("offset"));
  std::uint32_t block = static_cast<std::uint32_t>(run.options().integer("block"));
  std::size_t stride = static_cast<std::size_t>(run.options().integer("stride"));
  std::size_t range = static_cast<std::size_t>(run.options().integer("range"));
  std::string type = cuda_name(run.options().text("type"));
  ArrayOf<T>& a = run.random_input<T>("A", n);
  ArrayOf<T>& b = run.random_input<T>("B", n);
  ArrayOf<T>& c = run.output<T>("C", n);
  std::vector<T> expected = std::vector<T>(n);

  // element(i): the index of A and B whose elements C[i] adds. If it is empty, C[i] must keep its initial
  // value.
  template <class Element>
  Check check_by(const Element& element) {
    for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (const std::optional<std::size_t> k = element(i))
          expected[i] = a.host()[*k] + b.host()[*k];
        else
          std::memset(&expected[i], kPoison<T>, sizeof(T));
    });
    return same_bits<T>(c.host(), expected);
  }
  Check check(std::size_t shift) {
    return check_by([this, shift](std::size_t i) { return shifted(i, shift); });
  }
  std::optional<std::size_t> shifted(std::size_t i, std::size_t shift) const {
    return i + shift < n ? std::optional(i + shift) : std::nullopt;
  }

  Work work(std::size_t shift) const {
    const auto count = static_cast<double>(n - shift);
    return {.bytes = 3 * count * sizeof(T), .flops = count};
  }

  void cpu(int threads) {
    const std::size_t count = n - offset;
    const T *from_a = a.host().data() + offset, *from_b = b.host().data() + offset;
    T* to = c.host().data();
#pragma omp parallel for num_threads(threads)
    for (std::size_t i = 0; i < count; ++i) to[i] = from_a[i] + from_b[i];
  }

  void wide() {
    if (run.wants("wide")) run.copy_ceiling(n * sizeof(T));
    const std::size_t wide = kWidestAccess / sizeof(T);
    run.kernel({.name = "wide",
                .kind = RowKind::kCeiling,
                .file = "0_wide.cu",
                .defines = {{"TYPE", type}, {"WIDE", wide}},
                .launch = {.kernel = "add",
                           .spec = {.grid = {ceil_div(n, wide * kWideThreads)}, .block = {kWideThreads}},
                           .arguments = {a.device(), b.device(), c.device(), n}},
                .check = [this] { return check(0); },
                .work = work(0)});
  }

  KernelStage stage(std::string name, std::string stage_name, std::string file, std::size_t shift) {
    return {.name = std::move(name),
            .stage = std::move(stage_name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"BLOCK", block}, {"LOAD", "__ld" + run.options().text("cache")}},
            .launch = {.kernel = "read_offset",
                       .spec = {.grid = {ceil_div(n, block)}, .block = {block}},
                       .arguments = {a.device(), b.device(), c.device(), n, shift}},
            .check = [this, shift] { return check(shift); },
            .work = work(shift),
            .measure = show_bytes_used};
  }

  KernelStage plain(std::string stage_name, std::size_t shift) {
    const std::string file = run.options().given("cache") ? "2_cached.cu" : "1_read_offset.cu";
    return stage(fmt::format("offset-{}", shift), std::move(stage_name), file, shift);
  }

  KernelStage several(std::string name, std::size_t shift) {
    KernelStage made = stage(std::move(name), "several", "3a_several.cu", shift);
    made.launch.spec.grid = {ceil_div(n, block * kEach)};
    return made;
  }

  KernelStage realigned(std::string name, std::size_t shift) {
    const std::size_t wide = kWidestAccess / sizeof(T);
    KernelStage made = stage(std::move(name), "realigned", "3b_realigned.cu", shift);
    made.defines = {{"TYPE", type}, {"WIDE", wide}};
    made.launch.spec.grid = {ceil_div(n, wide * kWideThreads)};
    made.launch.spec.block = {kWideThreads};
    return made;
  }

  static void show_bytes_used(Row& row) {
    if (row.counters)
      row.extra.emplace_back("bytes_used_percent",
                             row.counters->value_or_zero(Counter::kGlobalLoadBytesPercent));
  }

  // Runs a stage. An extra column shows the share of the sectors' bytes that the stage used.
  std::optional<Point> measure(const KernelStage& stage, std::size_t value, bool in_figure = false) {
    Row* row = run.kernel(stage);
    if (!row) return std::nullopt;
    row->in_figure = in_figure;
    Point point{value};
    if (row->counters) {
      const double requests = row->counters->value_or_zero(Counter::kGlobalLoadRequests);
      const double sectors = row->counters->value_or_zero(Counter::kGlobalLoadSectors);
      point.sectors = requests > 0 ? sectors / requests : 0;
      point.percent = row->counters->value_or_zero(Counter::kGlobalLoadBytesPercent);
    }
    if (row->time_ms) point.gb_s = row->useful_bytes / (row->time_ms->median * 1e6);
    if (!row->time_ms && row->prediction) {
      point.gb_s = row->useful_bytes / (row->prediction->ms * 1e6);
      point.is_predicted = true;
    }
    return point;
  }

  void sweep(const Sweep& range) {
    const std::vector<Point> points =
        sweep_of(range, [this](std::size_t shift) { return plain("sweep", shift); });
    if (most(points, &Point::sectors) > 0) {
      run.note(sentence_on_period(points, range, sizeof(T)));
      run.note(msg::note_times_on_a_card());
    }
    if (most(points, &Point::gb_s) > 0) run.note(sentence_on_times(points));
    run.note(sentence_on_l2(3.0 * static_cast<double>(n * sizeof(T)), run.device().l2_bytes));
  }

  std::shared_ptr<const Chart> chart_of(const char* what, ChartAxis y, const std::vector<Point>& points,
                                        double Point::*value) const {
    auto chart = std::make_shared<Chart>();
    chart->x = {what, "elements"};
    chart->y = std::move(y);
    ChartCurve& curve = chart->curves.emplace_back();
    for (const Point& point : points)
      curve.points.emplace_back(static_cast<double>(point.value), point.*value);
    return chart;
  }

  // Runs the stages that compensate for the offset, at each offset of the sweep.
  void sweep_cures(const Sweep& range) {
    if (run.wants("several"))
      sweep_of(range, [this](std::size_t shift) { return several(fmt::format("several-{}", shift), shift); });
    if (run.wants("realigned"))
      sweep_of(range,
               [this](std::size_t shift) { return realigned(fmt::format("realigned-{}", shift), shift); });
  }

  template <class StageAt>
  std::vector<Point> sweep_of(const Sweep& range, const StageAt& stage_at) {
    std::vector<Point> points;
    for (const std::size_t shift : range.values)
      if (auto point = measure(stage_at(shift), shift, true)) points.push_back(*point);
    show("offset", points);
    return points;
  }

  // Bars that do not start at 0 say so.
  static Message title_with_start(Message title, double start, const char* unit) {
    if (start == 0) return title;
    return msg::title_bars_from(std::move(title), fmt::format("{}{}", start, unit));
  }

  void show(const char* what, const std::vector<Point>& points) {
    if (most(points, &Point::sectors) > 0)
      run.figure(
             title_with_start(msg::title_touched_sectors(what), start_of_bars(points, &Point::sectors), ""),
             bars_of_sectors(points), costly(points))
          .chart = chart_of(what, {"sectors per request", ""}, points, &Point::sectors);
    if (most(points, &Point::gb_s) > 0)
      run.figure(title_with_start(points.front().is_predicted ? msg::title_bytes_predicted(what)
                                                              : msg::title_bytes_moved(what),
                                  start_of_bars(points, &Point::gb_s), " GB/s"),
                 bars_of_rates(points))
          .chart = chart_of(what, {"requested bytes", "GB/s"}, points, &Point::gb_s);
  }

  // ---- other patterns than an offset ----

  // `computed`: the number of elements of C that the stage computes.
  KernelStage pattern_stage(std::string name, std::string stage_name, std::string file,
                            std::size_t computed) {
    return {.name = std::move(name),
            .stage = std::move(stage_name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"RANGE", range}},
            .work = work(n - computed),
            .measure = show_bytes_used};
  }

  KernelStage stride_stage(std::string stage_name, std::size_t by, std::size_t shift) {
    const std::string name =
        shift == 0 ? fmt::format("stride-{}", by) : fmt::format("stride-{}-offset-{}", by, shift);
    const std::size_t round = n / by, computed = round * by;
    KernelStage made =
        pattern_stage(name, std::move(stage_name), "4_stride.cu", computed - std::min(shift, computed));
    made.launch = {
        .kernel = "read_stride",
        .spec = {.grid = {ceil_div(round, block), static_cast<std::uint32_t>(by)}, .block = {block}},
        .arguments = {a.device(), b.device(), c.device(), n, round, by, shift}};
    made.check = [this, by, shift] {
      return check_by([this, by, shift](std::size_t i) { return strided(i, n, by, shift); });
    };
    return made;
  }

  void gather() {
    if (!run.wants("gather")) return;
    const std::vector<std::uint32_t> order = random_order(n, run.random("index"));
    ArrayOf<std::uint32_t>& index = run.input<std::uint32_t>("index", order);
    KernelStage made = pattern_stage("gather", "gather", "5_gather.cu", n);
    made.work->bytes += static_cast<double>(n * sizeof(std::uint32_t));
    made.launch = {.kernel = "gather",
                   .spec = {.grid = {ceil_div(n, block)}, .block = {block}},
                   .arguments = {a.device(), b.device(), c.device(), n, index.device()}};
    made.check = [&] {
      return check_by([&](std::size_t i) { return std::optional<std::size_t>(order[i]); });
    };
    run.kernel(made);
  }

  void ranges() {
    KernelStage made = pattern_stage(fmt::format("ranges-{}", range), "ranges", "6_ranges.cu", n);
    made.launch = {.kernel = "read_ranges",
                   .spec = {.grid = {ceil_div(ceil_div(n, range), block)}, .block = {block}},
                   .arguments = {a.device(), b.device(), c.device(), n}};
    made.check = [this] { return check(0); };
    run.kernel(made);
  }

  void strides(const Sweep& range) {
    std::vector<Point> points;
    for (const std::size_t by : range.values)
      if (auto point = measure(stride_stage("strides", by, 0), by, true)) points.push_back(*point);
    show("stride", points);
  }

  Pattern pattern_of_stride(std::string name, std::size_t by, std::size_t shift) const {
    const std::size_t round = n / by, threads = std::size_t{ceil_div(round, block)} * block;
    return {std::move(name), threads * by, 1, block,
            [=, *this](std::size_t thread, std::size_t) -> std::optional<std::size_t> {
              const std::size_t x = thread % threads;
              return x < round ? strided(thread / threads * round + x, n, by, shift) : std::nullopt;
            }};
  }

  std::vector<Pattern> patterns() const {
    std::vector<Pattern> all;
    const auto add = [&](std::string_view stage_name, Pattern pattern) {
      if (run.wants(stage_name)) all.push_back(std::move(pattern));
    };
    const auto by_offset = [this](std::string name, std::size_t shift) {
      return Pattern{std::move(name), n, 1, block,
                     [=, *this](std::size_t thread, std::size_t) { return shifted(thread, shift); }};
    };
    add("aligned", by_offset("aligned", 0));
    add("offset", by_offset(fmt::format("offset-{}", offset), offset));
    add("stride", pattern_of_stride(fmt::format("stride-{}", stride), stride, 0));
    add("both", pattern_of_stride(fmt::format("stride-{}-offset-{}", stride, offset), stride, offset));
    add("ranges",
        {fmt::format("ranges-{}", range), ceil_div(n, range), range, block,
         [=, *this](std::size_t thread, std::size_t step) { return shifted(thread * range, step); }});
    return all;
  }

  void show_lines() {
    if (const std::vector<Pattern> all = patterns(); all.size() > 1) {
      run.figure(msg::title_sectors_and_lines(), lines_of_touched(all, sizeof(T)));
      run.note(msg::note_on_lines());
    }
  }
};

void choose_stages(LabRun& run) {
  const bool sweeps = !run.options().text("sweep").empty(), chooses_cache = run.options().given("cache");
  if (sweeps)
    run.default_stages({"cpu", "wide", "sweep"});
  else if (!run.options().text("strides").empty())
    run.default_stages({"cpu", "wide", "strides"});
  else if (chooses_cache)
    run.default_stages({"cpu", "wide", "aligned", "offset", "cached"});
  else
    run.default_stages({"cpu", "wide", "aligned", "offset", "shared", "several", "realigned", "stride",
                        "both", "gather", "ranges"});
}

void require_offset_within(std::size_t offset, std::size_t n, std::string_view option) {
  if (offset >= n) throw usage_error(msg::offset_leaves_nothing(option, offset, n));
}

Sweep sweep_of(const LabRun& run, const std::string& stage, const std::string& option,
               const std::string& example) {
  const std::string& text = run.options().text(option);
  if (!text.empty()) return parse_sweep("--" + option, text);
  if (run.wants(stage)) throw usage_error(msg::stage_needs_numbers(stage, option, example));
  return {.values = {0}};
}

void require_stride_within(std::size_t stride, std::size_t n, std::string_view option) {
  if (stride == 0 || stride > n || stride > kMostBlocksInY)
    throw usage_error(msg::stride_out_of_range(option, stride, n, std::min(n, kMostBlocksInY)));
}

bool needs_offset(const LabRun& run) {
  for (const char* stage : {"cpu", "offset", "cached", "shared", "several", "realigned", "both"})
    if (run.wants(stage)) return true;
  return false;
}

template <class T>
void read_offset(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const Sweep sweep = sweep_of(run, "sweep", "sweep", "0:128");
  const Sweep strides = sweep_of(run, "strides", "strides", "1:32");
  if (needs_offset(run))
    require_offset_within(static_cast<std::size_t>(run.options().integer("offset")), n, "--offset");
  require_offset_within(sweep.last(), n, "--sweep");
  if (run.wants("stride") || run.wants("both"))
    require_stride_within(static_cast<std::size_t>(run.options().integer("stride")), n, "--stride");
  if (run.wants("strides"))
    for (const std::size_t stride : strides.values) require_stride_within(stride, n, "--strides");
  const double bytes = static_cast<double>(n) * sizeof(T);
  const double of_index = run.wants("gather") ? static_cast<double>(n * sizeof(std::uint32_t)) : 0;
  run.require_memory(3 * bytes + of_index, 4 * bytes + 2 * of_index, "--n");

  ReadOffset<T> lab{run, n};
  const std::size_t offset = lab.offset;
  const KernelStage plain = lab.stage(fmt::format("offset-{}", offset), "offset", "1_read_offset.cu", offset);
  run.cpu({.run = [&](int threads) { lab.cpu(threads); },
           .check = [&] { return lab.check(offset); },
           .work = lab.work(offset)});
  lab.wide();
  lab.measure(lab.stage("aligned", "aligned", "1_read_offset.cu", 0), 0);
  lab.measure(plain, offset);
  lab.measure(lab.stage("cached-" + run.options().text("cache"), "cached", "2_cached.cu", offset), offset);
  lab.measure(lab.stage("shared", "shared", "3_shared.cu", offset), offset);
  if (!run.wants("sweep")) {
    lab.measure(lab.several("several", offset), offset);
    lab.measure(lab.realigned("realigned", offset), offset);
  }
  if (run.wants("stride")) run.kernel(lab.stride_stage("stride", lab.stride, 0));
  if (run.wants("both")) run.kernel(lab.stride_stage("both", lab.stride, offset));
  lab.gather();
  lab.ranges();
  lab.show_lines();
  if (run.wants("sweep")) {
    lab.sweep(sweep);
    lab.sweep_cures(sweep);
  }
  if (run.wants("strides")) lab.strides(strides);
  run.users_kernel(plain);
}

const RegisterLab registered{Lab{
    .name = "read-offset",
    .alias = "readOffset",
    .title = "Read with an offset",
    .teaches = "alignment, strides, sectors, cached loads",
    .words = {"sectors,", "lines,", "% used"},
    .examples = {"cudalab read-offset", "cudalab read-offset --offset 11",
                 "cudalab read-offset --sweep 0:128", "cudalab read-offset --sweep 0,11,128",
                 "cudalab read-offset --sweep 0:16 --stage wide,sweep,several,realigned",
                 "cudalab read-offset --strides 1:32", "cudalab read-offset --offset 11 --cache cg"},
    .stages = {"cpu", "wide", "aligned", "offset", "cached", "shared", "several", "realigned", "stride",
               "both", "gather", "ranges", "sweep", "strides"},
    .options = {integer("n", "elements of each array", 1 << 20, 1 << 27, 1, 4'000'000'000),
                integer("offset", "shift of the reads, in elements", 11, 0, 4'000'000'000),
                integer("block", "threads per block", 512, 1, 1024),
                integer("stride", "distance between the elements of adjacent threads (stride, both)", 2, 1,
                        kMostBlocksInY),
                integer("range", "consecutive elements per thread (ranges)", 32, 1, 4096),
                text("sweep", "offsets of a sweep: FIRST:LAST, FIRST:LAST:STEP or A,B,C", ""),
                text("strides", "strides of a sweep, in the same form", ""),
                choice("cache", "cache loads at all levels (ca), or only in L2 (cg)", "ca", {"ca", "cg"}),
                choice("type", "element type", "f32", {"f32", "f64"})},
    .check_size = {{"n", 1 << 16}},
    .columns = {{"bytes_used_percent", msg::column_bytes_used}},
    .next = {{msg::next_offsets, "--sweep 0:32"}, {msg::next_strides, "--strides 1:32"}},
    .run =
        [](LabRun& run) {
          choose_stages(run);
          with_real_type(run.options().text("type"),
                         [&](auto tag) { read_offset<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::read_offset
