// The read-offset lab: C[i] = A[i + offset] + B[i + offset], where the offset alone decides how many sectors
// a warp touches.
#include "lab/lab.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace cudalab::lab::read_offset {
namespace {

constexpr std::size_t kSectorBytes = 32;
constexpr std::size_t kWidestAccess = 16;    // bytes that one thread moves in one access
constexpr std::uint32_t kWideThreads = 256;  // of a block of 0_wide.cu
constexpr std::size_t kBarLength = 40;       // characters of the longest bar
constexpr std::size_t kMostRows = 4096;      // of a sweep

// ---- --sweep A:B[:STEP] ------------------------------------------------------------------------------

struct Sweep {
  std::size_t first = 0, last = 0, step = 1;
  std::size_t rows() const { return (last - first) / step + 1; }
};

Sweep parse_sweep(const std::string& text) {
  std::vector<std::size_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  for (bool more = true; more;) {
    std::size_t number = 0;
    const auto [stop, status] = std::from_chars(at, end, number);
    if (status != std::errc{}) break;
    numbers.push_back(number);
    more = stop != end && *stop == ':';
    at = more ? stop + 1 : stop;
  }
  const bool is_range = at == end && (numbers.size() == 2 || numbers.size() == 3);
  if (!is_range || numbers[0] > numbers[1] || (numbers.size() == 3 && numbers[2] == 0))
    throw usage_error("--sweep is {}; give first and last offset and a step, as in 0:128 or 0:128:8", text);
  const Sweep sweep{numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1};
  if (sweep.rows() > kMostRows)
    throw usage_error("--sweep {} makes {} rows; {} are the most, so choose a larger step", text,
                      sweep.rows(), kMostRows);
  return sweep;
}

// ---- what a sweep found ------------------------------------------------------------------------------

// One offset of a sweep: sectors a request where the device counts, GB/s where it measures time.
struct Point {
  std::size_t offset;
  double sectors = 0, percent = 0, gb_s = 0;
  bool is_predicted = false;  // gb_s
};

std::string bar(double value, double longest) {
  const double share = longest > 0 ? value / longest : 0;
  return std::string(static_cast<std::size_t>(std::lround(share * kBarLength)), '#');
}

double most(const std::vector<Point>& points, double Point::*member) {
  double found = 0;
  for (const Point& point : points) found = std::max(found, point.*member);
  return found;
}
double least(const std::vector<Point>& points, double Point::*member) {
  double found = most(points, member);
  for (const Point& point : points) found = std::min(found, point.*member);
  return found;
}

std::vector<std::string> bars_of_sectors(const std::vector<Point>& points) {
  std::vector<std::string> lines;
  const double longest = most(points, &Point::sectors);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {:.2f} sectors, {:6.2f} % of their bytes used", point.offset,
                                bar(point.sectors, longest), kBarLength, point.sectors, point.percent));
  return lines;
}

// The lines of offsets that touch more sectors than the best ones.
std::vector<std::size_t> costly(const std::vector<Point>& points) {
  std::vector<std::size_t> lines;
  const double fewest = least(points, &Point::sectors);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].sectors > fewest + 0.01) lines.push_back(i);
  return lines;
}

const char* mark(const Point& point) { return point.is_predicted ? "~" : ""; }

std::vector<std::string> bars_of_rates(const std::vector<Point>& points) {
  std::vector<std::string> lines;
  const double longest = most(points, &Point::gb_s);
  for (const Point& point : points)
    lines.push_back(fmt::format("{:>8}  {:<{}}  {}{:.4g} GB/s", point.offset, bar(point.gb_s, longest),
                                kBarLength, mark(point), point.gb_s));
  return lines;
}

// The shortest distance after which the sectors a request repeat; 0 where the sweep does not show it twice.
std::size_t period_of(const std::vector<Point>& points) {
  const auto tenths = [](const Point& point) { return std::lround(point.sectors * 10); };
  for (std::size_t distance = 1; 2 * distance <= points.size(); ++distance) {
    bool repeats = true;
    for (std::size_t i = 0; i + distance < points.size(); ++i)
      repeats &= tenths(points[i]) == tenths(points[i + distance]);
    if (repeats) return points[distance].offset - points[0].offset;
  }
  return 0;
}

std::string sentence_on_period(const std::vector<Point>& points, const Sweep& sweep,
                               std::size_t element_bytes) {
  const std::size_t period = period_of(points), bytes = period * element_bytes;
  if (period == 0) return "This sweep is too short, or too near the end of the arrays, to show a period.";
  if (period == sweep.step && bytes % kSectorBytes == 0)
    return fmt::format(
        "All offsets of this sweep cost the same: they are {} bytes apart, whole sectors. Sweep in steps of "
        "1 to "
        "see a period.",
        bytes);
  if (period == sweep.step)
    return "All offsets of this sweep cost the same. Sweep over more of them to see a period.";
  return fmt::format("The sectors a request repeat every {} elements: {} x {} bytes = {} bytes{}.", period,
                     period, element_bytes, bytes, bytes == kSectorBytes ? ", one sector" : "");
}

std::string sentence_on_times(const std::vector<Point>& points) {
  return fmt::format(
      "The slowest offset moves {0}{1:.4g} GB/s, the fastest {0}{2:.4g}. A warp's extra sector is the one "
      "that its neighbour needs too: it comes from a cache, and memory delivers it once.",
      mark(points.front()), least(points, &Point::gb_s), most(points, &Point::gb_s));
}

const char* const kNoTimesHere =
    "On a card the times hardly move, although the sectors do: a warp's extra sector is the one that its "
    "neighbour needs too, so it comes from a cache, and memory delivers it once. An H200 moved 3,180, 3,122, "
    "3,116 and 3,160 GB/s at the offsets 0, 1, 11 and 128 (2^27 floats).";

// ---- the lab -----------------------------------------------------------------------------------------

template <class T>
struct ReadOffset {
  LabRun& run;
  std::size_t n;
  std::size_t offset = static_cast<std::size_t>(run.options().integer("offset"));
  std::uint32_t block = static_cast<std::uint32_t>(run.options().integer("block"));
  std::string type = cuda_name(run.options().text("type"));
  ArrayOf<T>& a = run.random_input<T>("A", n);
  ArrayOf<T>& b = run.random_input<T>("B", n);
  ArrayOf<T>& c = run.output<T>("C", n);
  std::vector<T> expected = std::vector<T>(n);

  // The last `shift` elements of C are nobody's: they must keep what they were filled with.
  Check check(std::size_t shift) {
    for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t written = std::clamp(n - shift, begin, end);
      for (std::size_t i = begin; i < written; ++i) expected[i] = a.host()[i + shift] + b.host()[i + shift];
      std::memset(expected.data() + written, kPoison<T>, (end - written) * sizeof(T));
    });
    return same_bits<T>(c.host(), expected);
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
                           .grid = {ceil_div(n, wide * kWideThreads)},
                           .block = {kWideThreads},
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
                       .grid = {ceil_div(n, block)},
                       .block = {block},
                       .arguments = {a.device(), b.device(), c.device(), n, shift}},
            .check = [this, shift] { return check(shift); },
            .work = work(shift),
            .measure =
                [](Row& row) {
                  if (row.counters)
                    row.extra.emplace_back("bytes_used_percent",
                                           row.counters->value_or_zero(Counter::kGlobalLoadBytesPercent));
                }};
  }

  // Runs a stage. How much of the sectors' bytes it used is shown as a column of its own.
  std::optional<Point> measure(const KernelStage& stage, std::size_t shift) {
    Row* row = run.kernel(stage);
    if (!row) return std::nullopt;
    row->in_figure = stage.stage == "sweep";
    Point point{shift};
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

  void sweep(const Sweep& range, const std::string& file) {
    std::vector<Point> points;
    for (std::size_t shift = range.first; shift <= range.last; shift += range.step)
      if (auto point = measure(stage(fmt::format("offset-{}", shift), "sweep", file, shift), shift))
        points.push_back(*point);
    if (most(points, &Point::sectors) > 0) {
      run.figure("Sectors that a load request touches, by offset", bars_of_sectors(points), costly(points));
      run.note(sentence_on_period(points, range, sizeof(T)));
      run.note(kNoTimesHere);
    }
    if (most(points, &Point::gb_s) > 0) {
      const bool is_predicted = points.front().is_predicted;
      run.figure(is_predicted ? "Bytes that a card would move in a second, by offset"
                              : "Bytes moved in a second, by offset",
                 bars_of_rates(points));
      run.note(sentence_on_times(points));
    }
  }
};

void choose_stages(LabRun& run) {
  const bool sweeps = !run.options().text("sweep").empty(), chooses_cache = run.options().given("cache");
  if (sweeps)
    run.default_stages({"cpu", "wide", "sweep"});
  else if (chooses_cache)
    run.default_stages({"cpu", "wide", "aligned", "offset", "cached"});
  else
    run.default_stages({"cpu", "wide", "aligned", "offset", "realigned"});
}

void require_offset_within(std::size_t offset, std::size_t n, std::string_view option) {
  if (offset >= n)
    throw usage_error("{} reaches offset {}, and with --n {} nothing is left to add; make it smaller", option,
                      offset, n);
}

template <class T>
void read_offset(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const std::string& range = run.options().text("sweep");
  const bool needs_offset =
      run.wants("cpu") || run.wants("offset") || run.wants("cached") || run.wants("realigned");
  if (run.wants("sweep") && range.empty())
    throw usage_error("--stage sweep needs offsets to sweep over; add --sweep 0:128");
  const Sweep sweep = range.empty() ? Sweep{} : parse_sweep(range);
  if (needs_offset)
    require_offset_within(static_cast<std::size_t>(run.options().integer("offset")), n, "--offset");
  require_offset_within(sweep.last, n, "--sweep");
  const double bytes = static_cast<double>(n) * sizeof(T);
  run.require_memory(3 * bytes, 4 * bytes, "--n");

  ReadOffset<T> lab{run, n};
  const std::size_t offset = lab.offset;
  const std::string swept_file = run.options().given("cache") ? "2_cached.cu" : "1_read_offset.cu";
  const KernelStage plain = lab.stage(fmt::format("offset-{}", offset), "offset", "1_read_offset.cu", offset);
  run.cpu({.run = [&](int threads) { lab.cpu(threads); },
           .check = [&] { return lab.check(offset); },
           .work = lab.work(offset)});
  lab.wide();
  lab.measure(lab.stage("aligned", "aligned", "1_read_offset.cu", 0), 0);
  lab.measure(plain, offset);
  lab.measure(lab.stage("cached-" + run.options().text("cache"), "cached", "2_cached.cu", offset), offset);
  lab.measure(lab.stage("realigned", "realigned", "3_realigned.cu", offset), offset);
  if (run.wants("sweep")) lab.sweep(sweep, swept_file);
  run.users_kernel(plain);
}

const RegisterLab registered{Lab{
    .name = "read-offset",
    .alias = "readOffset",
    .title = "Read with an offset",
    .teaches = "alignment, sectors, cached loads",
    .order = 20,
    .examples = {"cudalab read-offset", "cudalab read-offset --offset 11",
                 "cudalab read-offset --sweep 0:128", "cudalab read-offset --offset 11 --cache cg"},
    .stages = {"cpu", "wide", "aligned", "offset", "cached", "realigned", "sweep"},
    .options = {integer("n", "elements of each array", 1 << 20, 1 << 27, 1, 4'000'000'000),
                integer("offset", "elements that the reads are shifted by", 11, 0, 4'000'000'000),
                integer("block", "threads of a block", 512, 1, 1024),
                text("sweep", "offsets to go through, FIRST:LAST or FIRST:LAST:STEP", ""),
                choice("cache", "load through the caches of all levels (ca), or through L2 alone (cg)", "ca",
                       {"ca", "cg"}),
                choice("type", "type of an element", "f32", {"f32", "f64"})},
    .run =
        [](LabRun& run) {
          choose_stages(run);
          with_real_type(run.options().text("type"),
                         [&](auto tag) { read_offset<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::read_offset
