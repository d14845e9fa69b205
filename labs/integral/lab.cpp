// The integral lab: three quadrature rules for any function of x, their errors, and the kernels that compute
// them. Some kernels read f from a table.
#include "lab/lab.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "messages/lab_integral.h"
#include "quadrature.h"

namespace cudalab::lab::integral {

// The shape of the launches, and the stage that reads f from a table.

namespace {

inline constexpr std::uint32_t kBlock = 256;

inline constexpr std::uint32_t kBlocksEach = 8;  // blocks per SM: as many as fit at once

constexpr double kHalfWeight = 0x1p-9;  // half of 1/256, the step of the texture filter's weights

constexpr double kFloatRounding = 0x1p-24;  // of a value or of a coordinate

// The value of f at the centre of each texel, as floats.
std::vector<float> table_of(const Expression& f, double from, double to, std::size_t texels) {
  std::vector<double> x(texels), y(texels);
  for (std::size_t j = 0; j < texels; ++j)
    x[j] = from + (static_cast<double>(j) + 0.5) * ((to - from) / static_cast<double>(texels));
  f.evaluate(x, y);
  return {y.begin(), y.end()};
}

// The expected result of a kernel and its tolerance.
struct Expected {
  AccurateSum sum;
  double magnitude = 0, slack = 0;

  void add(double value, double may_be_off) {
    sum.add(value);
    magnitude += std::abs(value);
    slack += may_be_off;
  }
  double value(double h) const { return sum.value() * h; }
  Allowed allowed(double h, std::uint64_t additions) const {
    const std::uint64_t roundings = additions + 4;
    return {{std::abs(h) * (slack + gamma<double>(roundings) * (magnitude + slack))},
            msg::bound_table(roundings, std::abs(h) * magnitude, std::abs(h) * slack)};
  }
};

Expected expect_fetched(std::span<const float> table) {
  Expected expected;
  for (const float value : table) expected.add(value, 0);
  return expected;
}

// Interpolates exactly between two texel centres. The tolerance covers the texture filter, which rounds its
// weights to 1/256, and coordinates and results, which are floats.
Expected expect_filtered(std::span<const float> table, std::uint64_t n) {
  const auto texels = static_cast<double>(table.size());
  Expected expected;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) + 0.5) * texels / static_cast<double>(n);
    const double centre = std::clamp(place - 0.5, 0.0, texels - 1);
    const auto left = static_cast<std::size_t>(centre), right = std::min(left + 1, table.size() - 1);
    const double step = double{table[right]} - table[left];
    const double value = table[left] + (centre - static_cast<double>(left)) * step;
    // A coordinate that is rounded across a texel centre uses the next interval, which may be steeper.
    const double next = right + 1 < table.size() ? std::abs(double{table[right + 1]} - table[right]) : 0;
    const double before = left > 0 ? std::abs(double{table[left]} - table[left - 1]) : 0;
    const double steepest = std::max({std::abs(step), next, before});
    expected.add(value, steepest * (kHalfWeight + place * kFloatRounding) + std::abs(value) * kFloatRounding +
                            steepest * kFloatRounding);
  }
  return expected;
}

struct Step {
  std::string how;
  std::uint64_t values;
  double error;
};

struct Tables {
  LabRun& run;
  const Expression& f;
  double integral;
  double from = run.options().real("from"), to = run.options().real("to");
  std::uint64_t n = static_cast<std::uint64_t>(run.options().integer("n"));
  std::size_t texels = static_cast<std::size_t>(run.options().integer("texels"));
  std::uint32_t most_blocks = run.device().multiprocessors * kBlocksEach;
  ArrayOf<float>& coarse = run.input<float>("table", table_of(f, from, to, texels));
  ArrayOf<double>& sums = run.scratch<double>("sum_of_block_of_table", most_blocks);
  ArrayOf<double>& total = run.result<double>("integral_of_table");
  std::vector<Step> steps{};

  bool is_finite() const {
    return std::ranges::all_of(coarse.host(), [](float value) { return std::isfinite(value); });
  }
  std::uint32_t blocks(std::uint64_t points) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most_blocks, (points + kBlock - 1) / kBlock));
  }
  std::uint64_t additions(std::uint64_t points) const {
    const std::uint64_t threads = std::uint64_t{blocks(points)} * kBlock;
    return (points + threads - 1) / threads + additions_in_a_tree(kBlock) + 2;
  }

  void stage(const std::string& name, const std::string& file, std::uint64_t points, const Expected& expected,
             std::vector<device::Argument> arguments) {
    const std::uint32_t blocks_here = blocks(points);
    arguments.emplace_back(sums.device());
    const KernelLaunch launch{
        "integrate", {{blocks_here}, {kBlock}, kBlock * sizeof(double)}, std::move(arguments)};
    const double h = (to - from) / static_cast<double>(points), right = expected.value(h);
    Row* row = run.kernel({.name = name,
                           .stage = "table",
                           .file = file,
                           .body =
                               [&](Gpu& gpu) {
                                 gpu.launch(launch);
                                 AccurateSum sum;
                                 for (const double of_block : gpu.download(sums).subspan(0, blocks_here))
                                   sum.add(of_block);
                                 total.host()[0] = sum.value();
                               },
                           .check =
                               [&] {
                                 return within<double, double>(total.host(), {&right, 1},
                                                               expected.allowed(h, additions(points)));
                               },
                           .work = Work{},
                           .measure =
                               [&](Row& measured) {
                                 if (measured.verdict == Verdict::kPass)
                                   measured.extra.emplace_back("integration_error",
                                                               std::abs(total.host()[0] - integral));
                               }});
    if (row && row->verdict == Verdict::kPass) steps.push_back({name, points, row->extra.back().second});
  }

  void fetch() {
    const device::Texture table = run.textures().create_texture(
        LinearTexels{coarse.device().address(), device::texel_format(ScalarType::kF32), texels});
    stage("table-fetch", "4_table_fetch.cu", texels, expect_fetched(coarse.host()),
          {table.value(), from, to, std::size_t{texels}});
  }

  void filter() {
    device::Textures& textures = run.textures();
    const device::TextureArray array = textures.create_array(
        "the array of the table", {.format = device::texel_format(ScalarType::kF32), .width = texels});
    textures.upload(array, std::as_bytes(std::span<const float>(coarse.host())));
    Sampling linear;
    linear.filter = FilterMode::kLinear;
    const device::Texture table = textures.create_texture(array, linear);
    stage("table-filter", "5_table_filter.cu", n, expect_filtered(coarse.host(), n),
          {table.value(), from, to, std::size_t{n}, static_cast<double>(texels)});
  }

  void show(std::optional<double> computed_error) {
    if (steps.empty() || !std::isfinite(integral)) return;
    constexpr const char* kLine = "{:14} {:>10} {:>10} {:>12}";
    std::vector<std::string> lines{fmt::format(kLine, "values of f", "in table", "points", "error")};
    if (computed_error)
      lines.push_back(fmt::format(kLine, "computed", "-", n, fmt::format("{:.2e}", *computed_error)));
    for (const Step& step : steps)
      lines.push_back(fmt::format(kLine, step.how, texels, step.values, fmt::format("{:.2e}", step.error)));
    run.figure(msg::title_table_costs(), std::move(lines));
  }
};

// Integrates f from its table (4_table_fetch.cu, 5_table_filter.cu). `integral` is the exact result;
// `computed_error` is the error of the rectangle rule on f itself.
void integrate_from_table(LabRun& run, const Expression& f, double integral,
                          std::optional<double> computed_error) {
  const std::string& kind = run.options().text("table");
  if (!run.wants("table") || kind == "none") return;
  Tables tables{run, f, integral};
  if (!tables.is_finite()) return run.skip("table", RowKind::kKernel, msg::values_exceed_float());
  if (kind != "filter") tables.fetch();
  if (kind != "fetch") tables.filter();
  tables.show(computed_error);
}

constexpr int kFirstN = 2, kLastN = 1024;  // range of n in the table of errors

std::vector<int> study() {
  std::vector<int> ns;
  for (int n = kFirstN; n <= kLastN; n *= 2) ns.push_back(n);
  return ns;
}

struct IntegralLab {
  LabRun& run;
  Integrand integrand = integrand_of(run.options().text("f"));
  Range range{run.options().real("from"), run.options().real("to")};
  std::uint64_t n = static_cast<std::uint64_t>(run.options().integer("n"));
  Integral integral = integral_of(integrand, range);
  ArrayOf<double>& sums = run.scratch<double>("sum_of_block", run.device().multiprocessors* kBlocksEach);
  ArrayOf<double>& total = run.result<double>("integral");
  ArrayOf<double>& studied = run.result<double>("by_n", study().size());
  std::vector<std::pair<const Rule*, std::vector<ErrorAt>>> errors{};  // for each rule studied
  std::optional<double> rectangle_error{};

  std::uint32_t blocks(const Quadrature& quadrature) const {
    const std::uint64_t most = run.device().multiprocessors * kBlocksEach;
    return static_cast<std::uint32_t>(std::min(most, (quadrature.points() + kBlock - 1) / kBlock));
  }

  // A thread adds its terms one by one, then the block adds in a tree. The accurate sum on the host costs two
  // roundings.
  std::uint64_t additions(const Quadrature& quadrature) const {
    const std::uint64_t threads = std::uint64_t{blocks(quadrature)} * kBlock;
    return (quadrature.points() + threads - 1) / threads + additions_in_a_tree(kBlock) + 2;
  }

  double integrate(Gpu& gpu, const Quadrature& quadrature) {
    const std::uint32_t blocks = this->blocks(quadrature);
    gpu.launch({"integrate", {{blocks}, {kBlock}}, {range.from, range.to, quadrature.n, sums.device()}});
    AccurateSum sum;
    for (const double of_block : gpu.download(sums).subspan(0, blocks)) sum.add(of_block);
    return sum.value();
  }

  KernelStage stage_of(const Rule& rule) const {
    return {.name = std::string(rule.name),
            .file = std::string(rule.file),
            .defines = {{"BLOCK", kBlock}},
            .preamble = fmt::format("#line 1 \"--f\"\n__device__ double f(double x) {{ return {}; }}",
                                    integrand.f.cuda())};
  }

  Check check(const Reference& reference, std::uint64_t additions) {
    return within<double, double>(total.host(), {&reference.value, 1}, reference.allowed(additions));
  }

  KernelStage one_n(const Quadrature& quadrature, const Reference& reference) {
    KernelStage stage = stage_of(*quadrature.rule);
    stage.body = [this, quadrature](Gpu& gpu) { total.host()[0] = integrate(gpu, quadrature); };
    stage.check = [this, quadrature, reference] { return check(reference, additions(quadrature)); };
    stage.measure = [this](Row& row) {
      if (row.verdict == Verdict::kPass) row.extra.emplace_back("integration_error", error_found());
    };
    return stage;
  }

  // The rectangle rule with eight independent sums per thread, which are added at the end.
  KernelStage best(const Quadrature& quadrature, const Reference& reference) {
    constexpr std::uint64_t kSums = 8;
    KernelStage stage = one_n(quadrature, reference);
    stage.name = "best";
    stage.file = "6_best.cu";
    stage.check = [this, quadrature, reference] { return check(reference, additions(quadrature) + kSums); };
    return stage;
  }

  double error_found() const {
    return static_cast<double>(std::fabs(static_cast<long double>(total.host()[0]) - integral.value));
  }

  // Computing the expected sum takes much longer than running the kernel, so only requested rules compute it.
  bool is_wanted(const Rule& rule) const {
    return run.wants("cpu") || run.wants(rule.name) || (rule.name == "rectangle" && run.wants("best"));
  }

  void integrate_by(const Rule& rule) {
    if (!is_wanted(rule)) return;
    const Quadrature quadrature{&rule, range, n};
    const Reference reference = reference_of(integrand, quadrature);
    run.cpu(
        {.name = std::string(rule.name),
         .run = [&](int threads) { total.host()[0] = integrate_on_cpu(integrand.f, quadrature, threads); },
         .check = [&] { return check(reference, quadrature.points()); }});
    const Row* row = run.kernel(one_n(quadrature, reference));
    if (rule.name != "rectangle") return;
    if (row && row->verdict == Verdict::kPass) rectangle_error = row->extra.back().second;
    run.kernel(best(quadrature, reference));
  }

  // The error of one rule for n = 2, 4, 8, …
  void study_order(const Rule& rule) {
    if (!run.wants("order")) return;
    std::vector<double> right;
    Allowed allowed;
    for (const int n_here : study()) {
      const Quadrature quadrature{&rule, range, static_cast<std::uint64_t>(n_here)};
      const Reference reference = reference_of(integrand, quadrature);
      right.push_back(reference.value);
      allowed.each.push_back(reference.allowed(additions(quadrature)).at(0));
      allowed.bound = reference.allowed(additions(quadrature)).bound;
    }
    KernelStage stage = stage_of(rule);
    stage.name = fmt::format("order-{}", rule.name);
    stage.stage = "order";
    stage.body = [&](Gpu& gpu) {
      for (std::size_t i = 0; i < right.size(); ++i)
        studied.host()[i] = integrate(gpu, {&rule, range, static_cast<std::uint64_t>(study()[i])});
    };
    stage.check = [&] { return within<double, double>(studied.host(), right, allowed); };
    Row* row = run.kernel(stage);
    if (row && row->verdict == Verdict::kPass) keep_errors(rule, *row, allowed);
  }

  void keep_errors(const Rule& rule, Row& row, const Allowed& allowed) {
    std::vector<ErrorAt> found;
    for (std::size_t i = 0; i < allowed.each.size(); ++i)
      found.push_back(
          {study()[i],
           static_cast<double>(std::fabs(static_cast<long double>(studied.host()[i]) - integral.value)),
           allowed.each[i] + static_cast<double>(integral.uncertainty)});
    if (const auto order = last_order(found)) row.extra.emplace_back("order", *order);
    errors.emplace_back(&rule, std::move(found));
  }

  std::shared_ptr<const Chart> chart_of_errors() const {
    auto chart = std::make_shared<Chart>();
    chart->x = {"n", "", true};
    chart->y = {"error", "", true};
    for (const auto& [rule, found] : errors) {
      ChartCurve& curve = chart->curves.emplace_back(ChartCurve{std::string(rule->name), {}});
      for (const ErrorAt& at : found)
        if (at.error > 0) curve.points.emplace_back(at.n, at.error);
    }
    for (const int order : {2, 4}) chart->slopes.push_back({fmt::format("order {}", order), -1.0 * order});
    return chart;
  }

  void show() {
    if (!std::isfinite(integral.value)) return run.note(msg::note_integral_unknown());
    run.note(msg::note_integral(integrand.text, range.from, range.to, static_cast<double>(integral.value),
                                integral.known
                                    ? msg::integral_known()
                                    : msg::integral_extrapolated(static_cast<double>(integral.uncertainty))));
    if (errors.empty()) return;
    run.figure(msg::title_errors(), table_of_errors()).chart = chart_of_errors();
    for (const auto& [rule, found] : errors) run.note(sentence_on_order(*rule, found));
  }

  std::vector<std::string> table_of_errors() const {
    std::string heading = fmt::format("{:>6}", "n");
    for (const auto& [rule, found] : errors) heading += fmt::format("  {:>10}  order", rule->name);
    std::vector<std::string> lines{heading};
    for (std::size_t i = 0; i < study().size(); ++i) {
      std::string line = fmt::format("{:>6}", study()[i]);
      for (const auto& [rule, found] : errors) {
        const auto order = i > 0 ? order_between(found[i - 1], found[i]) : std::nullopt;
        line +=
            fmt::format("  {:>10.2e}  {:>5}", found[i].error, order ? fmt::format("{:.2f}", *order) : "-");
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }
};

std::vector<const Rule*> chosen_rules(const LabRun& run) {
  std::vector<const Rule*> rules;
  const std::string& chosen = run.options().text("rule");
  for (const Rule& rule : kRules)
    if (chosen == "all" || chosen == rule.name) rules.push_back(&rule);
  return rules;
}

void integral(LabRun& run) {
  if (!(run.options().real("from") < run.options().real("to")))
    throw usage_error(msg::range_reversed(run.options().real("from"), run.options().real("to")));
  IntegralLab lab{run};
  const std::vector<const Rule*> rules = chosen_rules(run);
  for (const Rule* rule : rules) lab.integrate_by(*rule);
  for (const Rule* rule : rules) lab.study_order(*rule);
  lab.show();
  integrate_from_table(run, lab.integrand.f, static_cast<double>(lab.integral.value), lab.rectangle_error);
  const Quadrature quadrature{rules.front(), lab.range, lab.n};
  KernelStage users = lab.one_n(quadrature, {});
  // Most runs have no such kernel, and the reference takes longer than they do.
  users.check = [&] { return lab.check(reference_of(lab.integrand, quadrature), lab.additions(quadrature)); };
  run.users_kernel(users);
}

const RegisterLab registered{Lab{
    .name = "integral",
    .alias = {},
    .title = "Integrate a function",
    .teaches = "quadrature, reductions, order of convergence",
    .words = {"order", "values of f", "in table", "points", "error", "computed"},
    .examples = {"cudalab integral", "cudalab integral --f \"exp(-x*x)*cos(3*x)\" --from -2 --to 2",
                 "cudalab integral --rule simpson --f runge --from -1 --to 1",
                 "cudalab integral --f root --stage order",
                 "cudalab integral --stage rectangle,table --table texture --texels 64"},
    .stages = {"cpu", "rectangle", "best", "trapezoid", "simpson", "order", "table"},
    .options = {choice("rule", "the integration rule", "all", {"rectangle", "trapezoid", "simpson", "all"}),
                text("f", "a function of x as in C, or one of " + names_of_functions(), "exponential"),
                real("from", "lower end of the range", 0, -1e100, 1e100),
                real("to", "upper end of the range", 1, -1e100, 1e100),
                integer("n", "number of strips", 1 << 18, 1 << 24, 1, 100'000'000),
                choice("table",
                       "how the stage table reads f from a texture: both ways, by index, by the filter",
                       "texture", {"texture", "fetch", "filter", "none"}),
                integer("texels", "values of f in that table", 1024, 1, 100'000)},
    .check_size = {{"n", 1 << 14}},
    .columns = {{"integration_error", msg::column_integration_error}, {"order", msg::column_order}},
    .next = {{msg::next_order, "--stage order"}, {msg::next_kink, "--f kink"}},
    .run = integral,
}};

}  // namespace
}  // namespace cudalab::lab::integral
