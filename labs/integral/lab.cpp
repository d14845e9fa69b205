// The integral lab: three rules of quadrature for any function of x, their errors, and how fast these fall.
#include <algorithm>

#include "convergence.h"
#include "table.h"

namespace cudalab::lab::integral {
namespace {

constexpr int kFirstN = 2, kLastN = 1024;  // of the table of errors

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
  std::vector<std::pair<const Rule*, std::vector<ErrorAt>>> errors{};  // of the rules that were studied
  std::optional<double> rectangle_error{};

  std::uint32_t blocks(const Quadrature& quadrature) const {
    const std::uint64_t most = run.device().multiprocessors * kBlocksEach;
    return static_cast<std::uint32_t>(std::min(most, (quadrature.points() + kBlock - 1) / kBlock));
  }

  // Each thread adds one by one, then the block in a tree; the host's accurate sum costs two roundings.
  std::uint64_t additions(const Quadrature& quadrature) const {
    const std::uint64_t threads = std::uint64_t{blocks(quadrature)} * kBlock;
    return (quadrature.points() + threads - 1) / threads + additions_in_a_tree(kBlock) + 2;
  }

  double integrate(Gpu& gpu, const Quadrature& quadrature) {
    const std::uint32_t blocks = this->blocks(quadrature);
    gpu.launch({"integrate", {blocks}, {kBlock}, 0, {range.from, range.to, quadrature.n, sums.device()}});
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

  // The rectangle rule with eight sums a thread, which are then added up.
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

  // What a sum must be takes far longer than the kernel that finds it.
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

  // One rule for n = 2, 4, 8, …
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
    if (!std::isfinite(integral.value))
      return run.note("The integral is not known, so there are no errors to show.");
    run.note(fmt::format("The integral of {} from {} to {} is {:.15g} ({}).", integrand.text, range.from,
                         range.to, static_cast<double>(integral.value),
                         integral.known ? "known"
                                        : fmt::format("extrapolated, and sure to about {:.1g}",
                                                      static_cast<double>(integral.uncertainty))));
    if (errors.empty()) return;
    run.figure("Error against n, and the order of convergence seen between a row and the one above",
               table_of_errors())
        .chart = chart_of_errors();
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
    throw usage_error("--from is {} and --to is {}; --to must be larger", run.options().real("from"),
                      run.options().real("to"));
  IntegralLab lab{run};
  const std::vector<const Rule*> rules = chosen_rules(run);
  for (const Rule* rule : rules) lab.integrate_by(*rule);
  for (const Rule* rule : rules) lab.study_order(*rule);
  lab.show();
  integrate_from_table(run, lab.integrand.f, static_cast<double>(lab.integral.value), lab.rectangle_error);
  const Quadrature quadrature{rules.front(), lab.range, lab.n};
  run.users_kernel(lab.one_n(quadrature, reference_of(lab.integrand, quadrature)));
}

const RegisterLab registered{Lab{
    .name = "integral",
    .alias = {},
    .title = "Integrate a function",
    .teaches = "quadrature, reductions, order of convergence",
    .words = {"order", "values of f", "in table", "points", "error", "computed"},
    .order = 80,
    .examples = {"cudalab integral", "cudalab integral --f \"exp(-x*x)*cos(3*x)\" --from -2 --to 2",
                 "cudalab integral --rule simpson --f runge --from -1 --to 1",
                 "cudalab integral --f root --stage order",
                 "cudalab integral --stage rectangle,table --table texture --texels 64"},
    .stages = {"cpu", "rectangle", "best", "trapezoid", "simpson", "order", "table"},
    .options = {choice("rule", "how to integrate", "all", {"rectangle", "trapezoid", "simpson", "all"}),
                text("f", "a function of x as in C, or one of " + names_of_functions(), "exponential"),
                real("from", "where the range begins", 0, -1e100, 1e100),
                real("to", "where it ends", 1, -1e100, 1e100),
                integer("n", "strips that the range is cut into", 16'384, 1 << 24, 1, 100'000'000),
                choice("table",
                       "how the stage table reads f from a texture: both ways, by index, by the filter",
                       "texture", {"texture", "fetch", "filter", "none"}),
                integer("texels", "values of f in that table", 1024, 1, 100'000)},
    .run = integral,
}};

}  // namespace
}  // namespace cudalab::lab::integral
