// The softmax lab: softmax and layer norm of the rows of a matrix, and attention, which joins a softmax with
// two matrix multiplications.
#include "lab/lab.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "messages/lab_softmax.h"

namespace cudalab::lab::softmax {
namespace {

constexpr std::size_t kWide = 4;             // elements per 16-byte access
constexpr std::uint32_t kWarp = 32;          // threads of a warp
constexpr std::uint32_t kCopyThreads = 256;  // threads per block of 0_copy.cu
constexpr std::uint32_t kRowThreads = 64;  // threads per block of the stages with a thread or a warp per row
constexpr std::uint32_t kBlock = 256;      // threads per block of the stages with a block per row
constexpr float kEpsilon = 1e-5F;          // added to the variance of a row
constexpr std::size_t kDim = 64;           // elements of a query, a key and a value
constexpr std::uint32_t kScoreX = 32, kScoreY = 8;  // threads per block of the kernel scores
constexpr std::uint32_t kProductY = 4;              // rows per block of the kernel product
constexpr std::uint32_t kWarps = 8;                 // warps per block of 12_attention.cu
constexpr std::uint32_t kEach = 4;                  // queries per warp of 12_attention.cu
constexpr float kQueries = 4;                       // the largest magnitude of an element of a query
constexpr float kAnchor = 8;  // the first element of each query with --shift; times the scale, it is 1

// Roundings of one term of a softmax besides the additions. The exponential is off by 2 ulp, which is 4
// roundings (CUDA C++ Programming Guide, "Mathematical Functions"). Its argument is at most 2 in magnitude
// and takes up to 6. Both count for the numerator and the sum. An online softmax adds 6 per new largest
// element.
constexpr std::uint64_t kSoftmaxRoundings = 80;
// Roundings of a sum in a warp: the shuffles, the division, and the error of the square root.
constexpr std::uint64_t kNormRoundings = 24;

struct Matrix {
  std::size_t rows, columns;
  std::size_t count() const { return rows * columns; }
};

double greatest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

// ---- on the CPU --------------------------------------------------------------------------------------

CUDALAB_EACH_LEVEL void softmax_row(const float* x, float* y, std::size_t columns) {
  float largest = x[0];
#pragma omp simd reduction(max : largest)
  for (std::size_t c = 1; c < columns; ++c) largest = std::max(largest, x[c]);
  for (std::size_t c = 0; c < columns; ++c) y[c] = std::exp(x[c] - largest);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t c = 0; c < columns; ++c) sum += y[c];
  const float scale = 1 / sum;
  for (std::size_t c = 0; c < columns; ++c) y[c] *= scale;
}

CUDALAB_EACH_LEVEL void norm_row(const float* x, float* y, std::size_t columns) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t c = 0; c < columns; ++c) sum += x[c];
  const auto mean = static_cast<float>(sum / static_cast<double>(columns));
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::size_t c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
  const auto variance = static_cast<float>(squares / static_cast<double>(columns));
  const float scale = 1 / std::sqrt(variance + kEpsilon);
  for (std::size_t c = 0; c < columns; ++c) y[c] = (x[c] - mean) * scale;
}

using RowFunction = void (*)(const float* x, float* y, std::size_t columns);

void each_row(RowFunction work, std::span<const float> in, std::span<float> out, Matrix size, int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t row = 0; row < size.rows; ++row)
    work(&in[row * size.columns], &out[row * size.columns], size.columns);
}

// The scores of one query with all keys.
CUDALAB_EACH_LEVEL void score_row(const float* query, const float* keys, float* scores, std::size_t tokens,
                                  float scale) {
  for (std::size_t j = 0; j < tokens; ++j) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t d = 0; d < kDim; ++d) sum += query[d] * keys[j * kDim + d];
    scores[j] = sum * scale;
  }
}

CUDALAB_EACH_LEVEL void add_values(const float* weights, const float* values, float* out,
                                   std::size_t tokens) {
  std::fill_n(out, kDim, 0.0F);
  for (std::size_t j = 0; j < tokens; ++j)
    for (std::size_t d = 0; d < kDim; ++d) out[d] += weights[j] * values[j * kDim + d];
}

// ---- expected results --------------------------------------------------------------------------------

// Computes the softmax of one row in double. `y` may be `x`.
template <class T>
void exact_softmax(const T* x, double* y, std::size_t columns) {
  const double largest = *std::max_element(x, x + columns);
  double sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += y[c] = std::exp(x[c] - largest);
  for (std::size_t c = 0; c < columns; ++c) y[c] /= sum;
}

struct Expected {
  std::vector<double> values, allowed;
};

// The quotient of two quantities, each with a relative error. All terms of the sum are positive, so the sum
// is as exact, relative to its value, as its terms and its additions are.
Expected expected_softmax(std::span<const float> in, Matrix size) {
  const double relative = gamma<float>(size.columns + kSoftmaxRoundings);
  Expected out{std::vector<double>(in.size()), std::vector<double>(in.size())};
  for_pieces(
      size.rows,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
          exact_softmax(&in[row * size.columns], &out.values[row * size.columns], size.columns);
        for (std::size_t i = begin * size.columns; i < end * size.columns; ++i)
          out.allowed[i] = relative * out.values[i];
      },
      size.columns);
  return out;
}

// The error of the mean shifts all results of a row, and changes the variance by at most twice its own size.
// A sum of n elements in a warp has n / 32 additions per lane.
Expected expected_norm(std::span<const float> in, Matrix size) {
  const auto n = static_cast<double>(size.columns);
  const double relative = gamma<float>(ceil_div(size.columns, kWarp) + kNormRoundings);
  Expected out{std::vector<double>(in.size()), std::vector<double>(in.size())};
  for_pieces(
      size.rows,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const std::span<const float> x = in.subspan(row * size.columns, size.columns);
          double sum = 0, squares = 0;
          for (const float value : x) sum += value;
          for (const float value : x) squares += (value - sum / n) * (value - sum / n);
          const double deviation = std::sqrt(squares / n + static_cast<double>(kEpsilon));
          const double of_mean = relative * greatest(x) / deviation;
          for (std::size_t c = 0; c < x.size(); ++c) {
            const std::size_t i = row * size.columns + c;
            out.values[i] = (x[c] - sum / n) / deviation;
            out.allowed[i] = of_mean * (1 + 2 * std::abs(out.values[i])) + relative * std::abs(out.values[i]);
          }
        }
      },
      size.columns);
  return out;
}

// ---- on the device: rows -----------------------------------------------------------------------------

std::uint32_t wide(std::size_t length) { return length % kWide == 0 ? kWide : 1; }

struct RowsLab {
  LabRun& run;
  Matrix size;
  std::int64_t shift = run.options().integer("shift");
  ArrayOf<float>& in = run.input<float>("in", elements());
  ArrayOf<float>& out = run.output<float>("out", size.count());
  Expected after_softmax{}, after_norm{};  // computed when first needed

  std::vector<float> elements() const {
    std::vector<float> values = run.drawn<float>("in", size.count());
    for (float& value : values) value += static_cast<float>(shift);
    return values;
  }

  Shape shape() const {
    return {static_cast<std::int64_t>(size.rows), static_cast<std::int64_t>(size.columns)};
  }
  Work work() const { return {2.0 * static_cast<double>(size.count()) * sizeof(float), 0}; }
  const Expected& expected(RowFunction of) {
    Expected& kept = of == softmax_row ? after_softmax : after_norm;
    if (kept.values.empty())
      kept = of == softmax_row ? expected_softmax(in.host(), size) : expected_norm(in.host(), size);
    return kept;
  }

  Check check(RowFunction of) {
    const Expected& right = expected(of);
    const Message bound = of == softmax_row
                              ? msg::bound_softmax(size.columns + kSoftmaxRoundings)
                              : msg::bound_layer_norm(ceil_div(size.columns, kWarp) + kNormRoundings);
    return within<float, double>(out.host(), right.values, {right.allowed, bound}, shape());
  }

  KernelStage stage(RowFunction of, std::string name, std::string file, LaunchSpec spec) {
    std::vector<device::Argument> arguments{in.device(), out.device(), static_cast<int>(size.rows),
                                            static_cast<int>(size.columns)};
    if (of == norm_row) arguments.emplace_back(kEpsilon);
    const std::uint32_t cells = wide(size.columns);
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", kBlock}, {"WIDE", cells}, {"EACH", ceil_div(size.columns, kBlock * cells)}},
            .launch = {of == softmax_row ? "softmax" : "layer_norm", std::move(spec), std::move(arguments)},
            .check = [this, of] { return check(of); },
            .work = work()};
  }

  LaunchSpec thread_per_row() const {
    return {.grid = {ceil_div(size.rows, kRowThreads)}, .block = {kRowThreads}};
  }
  LaunchSpec warp_per_row() const {
    return {.grid = {ceil_div(size.rows, kRowThreads / kWarp)}, .block = {kRowThreads}};
  }
  LaunchSpec block_per_row(std::uint64_t shared_bytes = 0) const {
    return {.grid = {static_cast<std::uint32_t>(size.rows)},
            .block = {kBlock},
            .dynamic_shared_bytes = shared_bytes};
  }

  KernelStage stage(std::string_view name) {
    if (name == "softmax-unsafe")
      return stage(softmax_row, "softmax-unsafe", "1_softmax_unsafe.cu", thread_per_row());
    if (name == "softmax-thread")
      return stage(softmax_row, "softmax-thread", "2_softmax_thread.cu", thread_per_row());
    if (name == "softmax-warp")
      return stage(softmax_row, "softmax-warp", "3_softmax_warp.cu", warp_per_row());
    if (name == "softmax-online")
      return stage(softmax_row, "softmax-online", "4_softmax_online.cu", warp_per_row());
    if (name == "softmax-shared")
      return stage(softmax_row, "softmax-shared", "5_softmax_shared.cu",
                   block_per_row(size.columns * sizeof(float)));
    if (name == "softmax-best")
      return stage(softmax_row, "softmax-best", "6_softmax_best.cu", block_per_row());
    if (name == "layer-norm") return stage(norm_row, "layer-norm", "7_layer_norm.cu", warp_per_row());
    if (name == "layer-norm-moments")
      return stage(norm_row, "layer-norm-moments", "8_layer_norm_moments.cu", warp_per_row());
    if (name == "layer-norm-welford")
      return stage(norm_row, "layer-norm-welford", "9_layer_norm_welford.cu", warp_per_row());
    return stage(norm_row, "layer-norm-best", "10_layer_norm_best.cu", block_per_row());
  }

  // With shifted elements, the unsafe stages may fail, which is their lesson. Their rows then show the first
  // result without a verdict.
  void add_row(std::string_view name) {
    const bool is_softmax = name == "softmax-unsafe", is_moments = name == "layer-norm-moments";
    KernelStage made = stage(name);
    const bool is_safe = shift == 0 || (!is_softmax && !is_moments);
    if (!is_safe) made.check = {};
    Row* row = run.kernel(made);
    if (!row || is_safe || row->verdict == Verdict::kFail) return;
    const RowFunction of = is_softmax ? softmax_row : norm_row;
    if (Check found = check(of); found.mismatches == 0) {
      row->verdict = Verdict::kPass;
      row->reason = {};
      row->check = std::move(found);
      return;
    }
    const double found = std::as_const(out).host()[0], right = expected(of).values[0];
    row->is_experiment = true;
    row->reason = is_softmax ? msg::softmax_without_largest(found, right, shift)
                             : msg::variance_from_moments(found, right, shift);
  }

  void cpu_version(RowFunction of, std::string name) {
    run.cpu({.name = std::move(name),
             .run = [this, of](int threads) { each_row(of, in.host(), out.host(), size, threads); },
             .check = [this, of] { return check(of); },
             .work = work()});
  }

  void copies() {
    if (run.wants("copy")) run.copy_ceiling(size.count() * sizeof(float));
    run.kernel({.name = "copy",
                .kind = RowKind::kCeiling,
                .file = "0_copy.cu",
                .launch = {"copy",
                           {.grid = {ceil_div(size.count(), kWide * kCopyThreads)}, .block = {kCopyThreads}},
                           {in.device(), out.device(), size.count()}},
                .check = [this] { return same_bits<float>(out.host(), in.host(), shape()); },
                .work = work()});
  }
};

// ---- on the device: attention ------------------------------------------------------------------------

struct AttentionLab {
  LabRun& run;
  std::size_t heads, tokens;
  std::size_t rows = heads * tokens, count = rows * kDim;
  float scale = 1 / std::sqrt(static_cast<float>(kDim));
  std::int64_t shift = run.options().integer("shift");
  ArrayOf<float>& queries = run.input<float>("queries", drawn("queries", kQueries, kAnchor));
  ArrayOf<float>& keys = run.input<float>("keys", drawn("keys", 1, static_cast<float>(shift)));
  ArrayOf<float>& values = run.random_input<float>("values", count);
  ArrayOf<float>& out = run.output<float>("attention", count);
  ArrayOf<float>& scores = run.scratch<float>("scores", run.wants("attention-naive") ? rows* tokens : 1);
  std::vector<double> right{};  // the expected result, computed when first needed

  // The first elements of queries and keys add the shift to every score. A softmax does not change by it.
  std::vector<float> drawn(std::string_view name, float factor, float first) const {
    std::vector<float> values = run.drawn<float>(name, count);
    for (float& value : values) value *= factor;
    if (shift != 0)
      for (std::size_t i = 0; i < count; i += kDim) values[i] = first;
    return values;
  }

  // Two products of 2 * tokens * tokens * kDim operations each. The exponentials are not counted.
  Work work() const {
    return {4.0 * static_cast<double>(count) * sizeof(float),
            4.0 * static_cast<double>(count) * static_cast<double>(tokens)};
  }

  std::vector<double> exact() const {
    std::vector<double> sums(count);
    for_pieces(
        rows,
        [&](std::size_t, std::size_t begin, std::size_t end) {
          std::vector<double> weights(tokens);
          for (std::size_t row = begin; row < end; ++row) {
            const float* query = &queries.host()[row * kDim];
            const std::size_t first = row / tokens * tokens * kDim;  // of the head
            const float *of_keys = &keys.host()[first], *of_values = &values.host()[first];
            for (std::size_t j = 0; j < tokens; ++j) {
              double sum = 0;
              for (std::size_t d = 0; d < kDim; ++d)
                sum += static_cast<double>(query[d]) * of_keys[j * kDim + d];
              weights[j] = sum * static_cast<double>(scale);
            }
            exact_softmax(weights.data(), weights.data(), tokens);
            for (std::size_t j = 0; j < tokens; ++j)
              for (std::size_t d = 0; d < kDim; ++d)
                sums[row * kDim + d] += weights[j] * of_values[j * kDim + d];
          }
        },
        tokens * kDim);
    return sums;
  }

  // A score is off by `of_score`, so a weight is off by a factor e^of_score. The weights are in the sum of
  // the values and in the sum that divides it; each is a sum of `tokens` terms, rescaled once per tile.
  Check check() {
    if (right.empty()) right = exact();
    const double score = static_cast<double>(scale) * static_cast<double>(kDim) * kQueries +
                         std::abs(static_cast<double>(shift));
    const double of_score = gamma<float>(kDim + 2) * score;
    const std::uint64_t roundings = tokens + 6 * ceil_div(tokens, kWarp) + kSoftmaxRoundings;
    const double most = greatest(values.host());
    return within<float, double>(out.host(), right,
                                 {{2 * most * (std::expm1(of_score) + gamma<float>(roundings))},
                                  msg::bound_attention(of_score, roundings, most)},
                                 {static_cast<std::int64_t>(heads), static_cast<std::int64_t>(tokens),
                                  static_cast<std::int64_t>(kDim)});
  }

  void on_cpu(int threads) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<float> weights(tokens);
      const std::size_t first = row / tokens * tokens * kDim;
      score_row(&queries.host()[row * kDim], &keys.host()[first], weights.data(), tokens, scale);
      softmax_row(weights.data(), weights.data(), tokens);
      add_values(weights.data(), &values.host()[first], &out.host()[row * kDim], tokens);
    }
  }

  void cpu_version() {
    run.cpu({.name = "attention",
             .run = [this](int threads) { on_cpu(threads); },
             .check = [this] { return check(); },
             .work = work()});
  }

  KernelStage stage(std::string_view name) {
    const int length = static_cast<int>(tokens);
    const auto layers = static_cast<std::uint32_t>(heads);
    KernelStage made{.name = std::string(name),
                     .defines = {{"DIM", kDim}, {"WARPS", kWarps}, {"EACH", kEach}},
                     .check = [this] { return check(); },
                     .work = work()};
    if (name == "attention") {
      made.file = "12_attention.cu";
      made.launch = {"attention",
                     {.grid = {ceil_div(tokens, kWarps * kEach), layers}, .block = {kWarps * kWarp}},
                     {queries.device(), keys.device(), values.device(), out.device(), length, scale}};
      return made;
    }
    made.file = "11_attention_naive.cu";
    made.accumulates = true;  // the second kernel replaces the scores
    made.body = [this, length, layers](Gpu& gpu) {
      gpu.launch({"scores",
                  {.grid = {ceil_div(tokens, kScoreX), ceil_div(tokens, kScoreY), layers},
                   .block = {kScoreX, kScoreY}},
                  {queries.device(), keys.device(), scores.device(), length, scale}});
      gpu.launch({"softmax",
                  {.grid = {ceil_div(rows, kRowThreads / kWarp)}, .block = {kRowThreads}},
                  {scores.device(), static_cast<int>(rows), length}});
      gpu.launch({"product",
                  {.grid = {1, ceil_div(tokens, kProductY), layers}, .block = {kDim, kProductY}},
                  {scores.device(), values.device(), out.device(), length}});
    };
    return made;
  }
};

// ---- stages ------------------------------------------------------------------------------------------

constexpr std::string_view kOfRows[] = {
    "softmax-unsafe", "softmax-thread", "softmax-warp",       "softmax-online",     "softmax-shared",
    "softmax-best",   "layer-norm",     "layer-norm-moments", "layer-norm-welford", "layer-norm-best"};
constexpr std::string_view kOfAttention[] = {"attention-naive", "attention"};

bool wants_any(const LabRun& run, std::span<const std::string_view> stages) {
  return std::ranges::any_of(stages, [&](std::string_view stage) { return run.wants(stage); });
}

void softmax(LabRun& run) {
  const Options& options = run.options();
  const Matrix size{static_cast<std::size_t>(options.integer("rows")),
                    static_cast<std::size_t>(options.integer("cols"))};
  const auto tokens = static_cast<std::size_t>(options.integer("tokens")),
             heads = static_cast<std::size_t>(options.integer("heads"));
  const bool of_attention = wants_any(run, kOfAttention), cpu = run.wants("cpu");
  const bool of_rows = wants_any(run, kOfRows) || run.wants("copy") || !of_attention;
  const double cells = static_cast<double>(of_rows || cpu ? size.count() : 0),
               in_heads = static_cast<double>(of_attention || cpu ? heads * tokens * kDim : 0),
               pairs = run.wants("attention-naive") ? static_cast<double>(heads * tokens * tokens) : 0;
  run.require_memory(4 * (2 * cells + 4 * in_heads + pairs), 40 * cells + 24 * in_heads,
                     "--rows, --cols, --tokens and --heads");

  std::optional<RowsLab> rows;
  std::optional<AttentionLab> attention;
  if (of_rows || cpu) {
    rows.emplace(run, size);
    rows->cpu_version(softmax_row, "softmax");
    rows->cpu_version(norm_row, "layer-norm");
  }
  if (of_attention || cpu) {
    attention.emplace(run, heads, tokens);
    attention->cpu_version();
  }
  std::optional<KernelStage> users;  // the user's own kernel replaces the first requested stage
  if (rows) {
    rows->copies();
    for (const std::string_view name : kOfRows) {
      if (!run.wants(name)) continue;
      rows->add_row(name);
      if (!users) users = rows->stage(name);
    }
  }
  if (attention)
    for (const std::string_view name : kOfAttention) {
      if (!run.wants(name)) continue;
      const KernelStage made = attention->stage(name);
      run.kernel(made);
      if (!users) users = made;
    }
  if (rows && !users) users = rows->stage("softmax-warp");
  run.users_kernel(*users);
}

const RegisterLab registered{Lab{
    .name = "softmax",
    .alias = {},
    .title = "Softmax, layer norm and attention",
    .teaches = "numerical stability, online softmax, fusion",
    .examples = {"cudalab softmax", "cudalab softmax --stage softmax-unsafe,softmax-warp --shift 200",
                 "cudalab softmax --stage layer-norm,layer-norm-moments,layer-norm-welford --shift 200",
                 "cudalab softmax --stage attention-naive,attention --tokens 512 --heads 2"},
    .stages = {"cpu", "copy", "softmax-unsafe", "softmax-thread", "softmax-warp", "softmax-online",
               "softmax-shared", "softmax-best", "layer-norm", "layer-norm-moments", "layer-norm-welford",
               "layer-norm-best", "attention-naive", "attention"},
    .options = {integer("rows", "rows of the matrix", 1024, 8192, 1, 1'000'000),
                integer("cols", "columns of the matrix", 1024, 4096, 1, 8192),
                integer("shift", "added to each element, which lies between -1 and 1, and to each score", 0,
                        -10'000, 10'000),
                integer("tokens", "queries, keys and values per head", 256, 2048, 1, 65'536),
                integer("heads", "heads of the attention", 4, 16, 1, 1024)},
    .sizes = {"rows", "cols"},
    .check_size = {{"rows", 200}, {"cols", 200}, {"tokens", 100}, {"heads", 2}},
    .next = {{msg::next_shift, "--shift 200"},
             {msg::next_tokens, "--stage attention-naive,attention --tokens 512"}},
    .run = softmax,
}};

}  // namespace
}  // namespace cudalab::lab::softmax
