// The norm lab: the length of a vector as the square root of a dot product, and how to avoid overflow and
// underflow of the squares.
#include "lab/lab.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "messages/lab_norm.h"

namespace cudalab::lab::norm {
namespace {

constexpr std::size_t kWidestAccess = 16;    // bytes that one thread moves in one access
constexpr std::uint32_t kBestBlock = 512;    // threads per block of 3_best.cu
constexpr std::uint32_t kBestAhead = 4;      // loads that a thread has in flight
constexpr std::uint32_t kBestRounds = 4;     // how many times a thread issues kBestAhead loads
constexpr std::uint32_t kBestSums = 3;       // separate sums for small, ordinary and big elements
constexpr std::size_t kCpuPiece = 1 << 16;   // elements per unit of work of a CPU thread
constexpr std::uint64_t kWarpSteps = 5;      // additions that a term goes through within a warp of 32
constexpr std::uint32_t kSumBlock = 256;     // threads per block of 5_sum_tree.cu
constexpr std::size_t kSumStep = 16;         // factor between consecutive lengths in the figure of sums
constexpr std::uint64_t kRootRoundings = 8;  // of the square roots, of combining sums, and of the reference

// Binary exponents that the lab works with. Squares of elements near 2^far overflow, those near 2^-far
// underflow. 3_best.cu multiplies elements above 2^big by 2^-shrink and elements below 2^-small by 2^grow.
// All squares, and sums of 2^30 of them, then stay far from both ends of the range.
template <class T>
struct Exponents;
template <>
struct Exponents<float> {
  static constexpr int far = 100, big = 32, shrink = 80, small = 50, grow = 100;
};
template <>
struct Exponents<double> {
  static constexpr int far = 600, big = 400, shrink = 600, small = 400, grow = 600;
};

// The exponent of a power of two near the largest element. Dividing by a power of two is exact.
template <class T>
int exponent_near(T largest) {
  constexpr int least = std::numeric_limits<T>::min_exponent, most = std::numeric_limits<T>::max_exponent - 2;
  return largest == 0 ? 0 : std::clamp(std::ilogb(largest), least, most);
}

// ---- on the CPU --------------------------------------------------------------------------------------

// Works on chunks of a fixed size, so the order of additions and the result do not depend on the number of
// threads.
template <class T, class OfPiece>
std::vector<T> by_pieces(std::size_t count, int threads, const OfPiece& of_piece) {
  std::vector<T> found(ceil_div(count, kCpuPiece));
#pragma omp parallel for num_threads(threads)
  for (std::size_t piece = 0; piece < found.size(); ++piece)
    found[piece] = of_piece(piece * kCpuPiece, std::min((piece + 1) * kCpuPiece, count));
  return found;
}

template <class T>
T largest_of(std::span<const T> x) {
  T most = 0;
#pragma omp simd reduction(max : most)
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i]));
  return most;
}

// The algorithm of 2_scaled.cu: find the largest element, then add scaled squares.
template <class T>
T norm_on_cpu(std::span<const T> x, int threads) {
  const std::vector<T> largest = by_pieces<T>(x.size(), threads, [&](std::size_t begin, std::size_t end) {
    return largest_of(x.subspan(begin, end - begin));
  });
  const int exponent = exponent_near(*std::max_element(largest.begin(), largest.end()));
  const T factor = std::ldexp(T{1}, -exponent);
  const std::vector<T> sums = by_pieces<T>(x.size(), threads, [&](std::size_t begin, std::size_t end) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = begin; i < end; ++i) sum += (x[i] * factor) * (x[i] * factor);
    return sum;
  });
  T sum = 0;
  for (const T of_piece : sums) sum += of_piece;
  return std::ldexp(std::sqrt(sum), exponent);
}

template <class T>
double exact_norm(std::span<const T> x) {
  const auto all_threads = static_cast<int>(piece_count(x.size()));
  const std::vector<T> largest = by_pieces<T>(x.size(), all_threads, [&](std::size_t begin, std::size_t end) {
    return largest_of(x.subspan(begin, end - begin));
  });
  const int exponent = exponent_near(*std::max_element(largest.begin(), largest.end()));
  const double factor = std::ldexp(1.0, -exponent);
  const std::vector<double> parts =
      by_pieces<double>(x.size(), all_threads, [&](std::size_t begin, std::size_t end) {
        return accurate_squares(x.subspan(begin, end - begin), factor);
      });
  AccurateSum sum;
  for (const double part : parts) sum.add(part);
  return std::ldexp(std::sqrt(sum.value()), exponent);
}

// Squares are positive, so after k roundings the relative error of their sum is at most gamma_k. The root of
// 1 + d differs from 1 by at most d/2 + d^2/2.
template <class T>
Allowed norm_bound(std::uint64_t roundings, double norm) {
  const double of_sum = gamma<T>(roundings);
  return {{norm * (of_sum / 2 * (1 + of_sum) + gamma<T>(kRootRoundings))},
          msg::bound_norm(roundings, std::numeric_limits<T>::digits, kRootRoundings, norm)};
}

// ---- on the device -----------------------------------------------------------------------------------

// The norm of one vector. The experiment runs every stage on vectors of ordinary, huge and tiny elements.
template <class T>
struct Norm {
  LabRun& run;
  std::string kind;  // "ordinary", "huge" or "tiny"
  std::size_t n;
  ArrayOf<T>& partial;
  ArrayOf<T>& result;
  std::uint32_t blocks, best_rounds, best_blocks;
  std::uint32_t block = static_cast<std::uint32_t>(run.options().integer("block"));
  bool is_ordinary = kind == "ordinary";
  std::string suffix = is_ordinary ? "" : "-" + kind;
  std::string type = cuda_name(run.options().text("type"));
  ArrayOf<T>& x = run.input<T>("x" + suffix, elements());
  double expected = exact_norm<T>(x.host());

  std::vector<T> elements() const {
    const int exponent = is_ordinary ? 0 : kind == "huge" ? Exponents<T>::far : -Exponents<T>::far;
    std::vector<T> values = run.drawn<T>("x", n);
    for (T& value : values) value = std::ldexp(value, exponent);
    return values;
  }

  std::function<Check()> check(std::uint64_t roundings) {
    return [this, roundings] {
      return within<T, double>(result.host(), std::span(&expected, 1), norm_bound<T>(roundings, expected));
    };
  }

  void cpu_version() {
    const std::uint64_t additions = std::min(n, kCpuPiece) + ceil_div(n, kCpuPiece);
    run.cpu({.name = is_ordinary ? "" : kind,
             .run = [this](int threads) { result.host()[0] = norm_on_cpu<T>(x.host(), threads); },
             .check = check(1 + additions)});
  }

  double sum_of(std::span<const T> parts) const {
    double sum = 0;
    for (const T part : parts) sum += part;
    return sum;
  }

  // Roundings of a block's sum, which is a tree, and of the host's sum, which uses double.
  std::uint64_t roundings() const { return 1 + additions_in_a_tree(block) + roundings_on_host(blocks); }
  std::uint64_t roundings_on_host(std::uint32_t count) const {
    return sizeof(T) < sizeof(double) ? 2 : additions_one_by_one(count);
  }

  KernelStage stage(std::string name, std::string file, std::function<void(Gpu&)> body) {
    return {.name = name + suffix,
            .stage = name,
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"BLOCK", block}},
            .body = std::move(body)};
  }

  KernelLaunch launch_of(std::string kernel) {
    return {.kernel = std::move(kernel),
            .spec = {.grid = {blocks}, .block = {block}},
            .arguments = {x.device(), partial.device(), n}};
  }

  KernelStage naive() {
    return stage("naive", "1_naive.cu", [this](Gpu& gpu) {
      gpu.launch(launch_of("squares"));
      result.host()[0] = static_cast<T>(std::sqrt(sum_of(gpu.download(partial).first(blocks))));
    });
  }

  KernelStage scaled() {
    KernelStage made = stage("scaled", "2_scaled.cu", [this](Gpu& gpu) {
      gpu.launch(launch_of("largest"));
      const std::span<const T> largest = gpu.download(partial).first(blocks);
      const int exponent = exponent_near(*std::max_element(largest.begin(), largest.end()));
      KernelLaunch squares = launch_of("squares");
      squares.arguments.emplace_back(std::ldexp(T{1}, -exponent));
      gpu.launch(squares);
      const double sum = sum_of(gpu.download(partial).first(blocks));
      result.host()[0] = static_cast<T>(std::ldexp(std::sqrt(sum), exponent));
    });
    made.check = check(roundings());
    return made;
  }

  // A power of two as a literal of the element type.
  std::string power(int exponent) const { return fmt::format("(({})0x1p{})", type, exponent); }

  T put_together(std::span<const T> sums) const {
    double small = 0, ordinary = 0, big = 0;
    for (std::size_t i = 0; i < sums.size(); i += kBestSums) {
      small += sums[i];
      ordinary += sums[i + 1];
      big += sums[i + 2];
    }
    const double of_small = std::ldexp(std::sqrt(small), -Exponents<T>::grow);
    const double of_big = std::ldexp(std::sqrt(big), Exponents<T>::shrink);
    return static_cast<T>(std::hypot(of_big, std::hypot(std::sqrt(ordinary), of_small)));
  }

  KernelStage best() {
    KernelStage made = stage("best", "3_best.cu", [this](Gpu& gpu) {
      KernelLaunch squares = launch_of("squares");
      squares.spec.grid = {best_blocks};
      squares.spec.block = {kBestBlock};
      gpu.launch(squares);
      result.host()[0] = put_together(gpu.download(partial).first(std::size_t{kBestSums} * best_blocks));
    });
    const std::size_t wide = kWidestAccess / sizeof(T);
    made.defines = {{"TYPE", type},
                    {"BLOCK", kBestBlock},
                    {"WIDE", wide},
                    {"AHEAD", kBestAhead},
                    {"ROUNDS", best_rounds},
                    {"BIG", power(Exponents<T>::big)},
                    {"SHRINK", power(-Exponents<T>::shrink)},
                    {"SMALL", power(-Exponents<T>::small)},
                    {"GROW", power(Exponents<T>::grow)}};
    const std::uint64_t of_thread = kBestAhead * kBestRounds * wide;
    made.check = check(1 + of_thread + 1 + 2 * kWarpSteps + roundings_on_host(best_blocks));
    return made;
  }

  // With huge and tiny elements, the naive kernel fails on purpose. Its row shows the result without a
  // verdict.
  void naive_row() {
    KernelStage made = naive();
    if (is_ordinary) made.check = check(roundings());
    Row* row = run.kernel(made);
    if (!row || is_ordinary || row->verdict == Verdict::kFail) return;
    row->is_experiment = true;
    row->reason = kind == "huge" ? msg::naive_overflows(result.host()[0], expected, Exponents<T>::far)
                                 : msg::naive_underflows(result.host()[0], expected, -Exponents<T>::far);
  }

  void users_kernel() {
    KernelStage like = naive();
    like.check = check(roundings());
    run.users_kernel(like);
  }
};

// ---- five ways to add ----------------------------------------------------------------------------------

// The distance between adjacent numbers of type T near `value`.
template <class T>
double ulp_at(double value) {
  return std::ldexp(1.0, std::ilogb(value) - (std::numeric_limits<T>::digits - 1));
}

// The sum of squares of the first elements of a vector, for several lengths. The kernels differ in the order
// of additions and in how they compensate rounding errors.
template <class T>
struct Sums {
  struct Way {
    std::string name, file;
    std::uint32_t threads = 1;
    std::uint64_t additions = 0;  // maximum number of additions that a square goes through in the longest sum
    std::uint64_t roundings = 0;  // number of roundings that the error bound assumes
    std::vector<double> ulps{};   // error of each length's sum, computed by the lab's own kernel
  };

  LabRun& run;
  std::size_t most = std::min(static_cast<std::size_t>(run.options().integer("summed")),
                              static_cast<std::size_t>(run.options().integer("n")));
  ArrayOf<T>& x = run.random_input<T>("summed", most);
  ArrayOf<T>& device_sum = run.scratch<T>("sum_on_device", 1);
  ArrayOf<T>& sum = run.result<T>("sum");
  std::vector<std::size_t> lengths = lengths_up_to(most);
  std::vector<double> exact = exact_sums();
  std::vector<double> found_ulps{};  // errors of the latest kernel

  static std::vector<std::size_t> lengths_up_to(std::size_t most) {
    std::vector<std::size_t> lengths;
    for (std::size_t length = kSumStep; length < most; length *= kSumStep) lengths.push_back(length);
    lengths.push_back(most);
    return lengths;
  }

  std::vector<double> exact_sums() const {
    std::vector<double> sums;
    for (const std::size_t length : lengths) sums.push_back(accurate_squares(x.host().first(length), 1));
    return sums;
  }

  // The error of Kahan's sum is two roundings plus n times the square of one (Higham, equation 4.8).
  std::vector<Way> ways() const {
    const std::uint64_t in_a_row = additions_one_by_one(most), of_pairs = 2 * additions_in_a_tree(most) + 1;
    const std::uint64_t of_tree = ceil_div(most, kSumBlock) + additions_in_a_tree(kSumBlock);
    std::vector<Way> all{{"naive", "4_sum_naive.cu", 1, in_a_row, 1 + in_a_row},
                         {"tree", "5_sum_tree.cu", kSumBlock, of_tree, 1 + of_tree},
                         {"pairwise", "6_sum_pairwise.cu", 1, of_pairs, 1 + of_pairs},
                         {"kahan", "7_sum_kahan.cu", 1, in_a_row, 4}};
    if (sizeof(T) < sizeof(double)) all.push_back({"double", "8_sum_double.cu", 1, in_a_row, 2});
    return all;
  }

  KernelStage stage(Way& way) {
    KernelStage made{.name = "sum-" + way.name,
                     .file = way.file,
                     .defines = {{"TYPE", cuda_name(run.options().text("type"))}, {"BLOCK", kSumBlock}}};
    made.body = [this, threads = way.threads](Gpu& gpu) {
      found_ulps.clear();
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        gpu.launch({.kernel = "sum",
                    .spec = {.grid = {1}, .block = {threads}},
                    .arguments = {x.device(), device_sum.device(), lengths[i]}});
        sum.host()[0] = gpu.download(device_sum)[0];
        found_ulps.push_back(std::abs(static_cast<double>(sum.host()[0]) - exact[i]) / ulp_at<T>(exact[i]));
      }
    };
    made.check = [this, roundings = way.roundings] {
      return within<T, double>(sum.host(), std::span(&exact.back(), 1),
                               sum_bound<T>(roundings, exact.back()));
    };
    made.measure = [this, &way](Row& row) {
      if (found_ulps.size() < lengths.size()) return;  // a hazard ended the stage
      row.extra.emplace_back("ulps_off", found_ulps.back());
      row.extra.emplace_back("additions_in_a_row", static_cast<double>(way.additions));
      if (way.ulps.empty()) way.ulps = found_ulps;
    };
    made.work = Work{.bytes = static_cast<double>(x.host_bytes().size())};
    return made;
  }

  std::string line(std::string_view name, std::span<const std::string> cells) const {
    std::string text = fmt::format("{:<10}", name);
    for (const std::string& cell : cells) text += fmt::format("{:>10}", cell);
    return text;
  }

  void show(std::span<const Way> found) {
    std::vector<std::string> cells;
    for (const std::size_t length : lengths) cells.push_back(fmt::format("{}", length));
    std::vector<std::string> lines{line("squares", cells)};
    for (const Way& way : found) {
      cells.clear();
      for (const double ulps : way.ulps) cells.push_back(fmt::format("{:.2f}", ulps));
      lines.push_back(line(way.name, cells));
    }
    run.figure(msg::title_sums_of_squares(), std::move(lines)).chart = chart_of(found);
  }

  std::shared_ptr<const Chart> chart_of(std::span<const Way> found) const {
    auto chart = std::make_shared<Chart>();
    chart->x = {"squares", "", true};
    chart->y = {"off by", "units of the last place", true};
    for (const Way& way : found) {
      ChartCurve& curve = chart->curves.emplace_back(ChartCurve{way.name, {}});
      for (std::size_t i = 0; i < std::min(way.ulps.size(), lengths.size()); ++i)
        curve.points.emplace_back(static_cast<double>(lengths[i]), way.ulps[i]);
    }
    return chart;
  }

  void all() {
    std::vector<Way> ways_to_add = ways();
    for (Way& way : ways_to_add)
      if (run.wants("sum-" + way.name)) run.kernel(stage(way));
    std::erase_if(ways_to_add, [](const Way& way) { return way.ulps.empty(); });
    if (!ways_to_add.empty()) show(ways_to_add);
  }
};

bool wants_sums(const LabRun& run) {
  for (const char* way : {"naive", "tree", "pairwise", "kahan", "double"})
    if (run.wants(std::string("sum-") + way)) return true;
  return false;
}

template <class T>
void norm(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const auto block = static_cast<std::uint32_t>(run.options().integer("block"));
  const std::string& inputs = run.options().text("inputs");
  const std::vector<std::string> kinds = inputs == "all"
                                             ? std::vector<std::string>{"ordinary", "huge", "tiny"}
                                             : std::vector<std::string>{inputs};
  const std::uint32_t blocks = ceil_div(n, block);
  // Prefers more blocks with fewer rounds each: 4 blocks fit on one SM.
  const std::uint32_t in_a_round = kBestBlock * kBestAhead * kWidestAccess / sizeof(T);
  const auto best_rounds = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(n / in_a_round / (4 * run.device().multiprocessors), 1, kBestRounds));
  const std::uint32_t best_blocks = ceil_div(n, in_a_round * best_rounds);
  const std::uint32_t partial_sums = std::max(blocks, kBestSums * best_blocks);
  const double bytes =
      (static_cast<double>(n) * static_cast<double>(kinds.size()) + partial_sums) * sizeof(T);
  run.require_memory(bytes, bytes, "--n");
  run.set_work({.bytes = static_cast<double>(n) * sizeof(T), .flops = 2 * static_cast<double>(n)});

  ArrayOf<T>& partial = run.scratch<T>("partial", partial_sums);
  ArrayOf<T>& result = run.result<T>("norm");
  std::vector<std::unique_ptr<Norm<T>>> norms;
  for (const std::string& kind : kinds)
    norms.push_back(std::unique_ptr<Norm<T>>(
        new Norm<T>{run, kind, n, partial, result, blocks, best_rounds, best_blocks}));
  for (const auto& each : norms) each->cpu_version();
  for (const auto& each : norms) {
    each->naive_row();
    run.kernel(each->scaled());
    run.kernel(each->best());
  }
  if (wants_sums(run)) Sums<T>{run}.all();
  norms.front()->users_kernel();
}

const RegisterLab registered{Lab{
    .name = "norm",
    .alias = {},
    .title = "Euclidean norm",
    .teaches = "sums that overflow, sums that round",
    .words = {"squares"},
    .examples = {"cudalab norm", "cudalab norm --inputs huge --type f64",
                 "cudalab norm --n 1000003 --inputs ordinary",
                 "cudalab norm --stage sum-naive,sum-tree,sum-kahan --summed 1048576 --n 1048576"},
    .stages = {"cpu", "naive", "scaled", "best", "sum-naive", "sum-tree", "sum-pairwise", "sum-kahan",
               "sum-double"},
    .options = {integer("n", "elements of the vector", 1 << 20, 1 << 27, 1, 4'000'000'000),
                integer("block", "threads per block (naive and scaled)", 256, 1, 1024),
                integer("summed", "squares that the sum-… stages add, at most n", 1 << 16, 1 << 16, 1,
                        1 << 26),
                choice("inputs", "elements near 1, near the ends of the type, or each in turn", "all",
                       {"ordinary", "huge", "tiny", "all"}),
                choice("type", "element type", "f32", {"f32", "f64"})},
    .check_size = {{"n", 1 << 16}, {"summed", 1 << 12}},
    .columns = {{"ulps_off", msg::column_ulps}, {"additions_in_a_row", msg::column_dependent_additions}},
    .next = {{msg::next_huge, "--inputs huge"}, {msg::next_norm_doubles, "--type f64"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { norm<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::norm
