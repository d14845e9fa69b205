// The integral lab: three rules of quadrature for any function of x, their errors, and how fast these fall.
#include <algorithm>

#include "table.h"

namespace cudalab::lab::integral {
namespace {

constexpr std::size_t kCpuChunk = 1024;  // points that a CPU version evaluates at once
constexpr std::uint64_t kReferenceChunk = 4096;
constexpr int kFirstN = 2, kLastN = 1024;  // of the table of errors
constexpr double kAboveNoise = 4;          // an error this many times its bound of rounding says something
constexpr double kSameOrder = 0.2;         // two orders of convergence are the same
constexpr int kRombergLevels = 14;

// ---- functions with known integrals ------------------------------------------------------------------

struct NamedFunction {
  std::string_view name, text, antiderivative;
};
constexpr NamedFunction kNamed[] = {
    {"pi", "4/(1 + x*x)", "4*atan(x)"},  // from 0 to 1: pi
    {"sine", "sin(x)", "-cos(x)"},
    {"exponential", "exp(x)", "exp(x)"},
    {"bell", "exp(-x*x)", "sqrt(M_PI)/2*erf(x)"},
    {"cubic", "x*x*x", "x*x*x*x/4"},
    {"runge", "1/(1 + 25*x*x)", "atan(5*x)/5"},
    {"circle", "sqrt(1 - x*x)", "(x*sqrt(1 - x*x) + asin(x))/2"},
    {"root", "sqrt(x)", "2*x*sqrt(x)/3"},
    {"kink", "fabs(x - 0.3)", "(x - 0.3)*fabs(x - 0.3)/2"},
};

const NamedFunction* find_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kNamed), std::end(kNamed),
                                  [=](const NamedFunction& f) { return f.name == name; });
  return found == std::end(kNamed) ? nullptr : found;
}

std::string names_of_functions() {
  std::string names;
  for (const NamedFunction& named : kNamed) names += (names.empty() ? "" : ", ") + std::string(named.name);
  return names;
}

struct Integrand {
  std::string text;
  Expression f;
  std::optional<Expression> antiderivative;
};

Integrand integrand_of(const std::string& option) {
  if (const NamedFunction* named = find_named(option))
    return {std::string(named->text), {"--f", named->text}, Expression("--f", named->antiderivative)};
  return {option, {"--f", option}, {}};
}

// ---- the rules ---------------------------------------------------------------------------------------

struct Rule {
  std::string_view name, file;
  std::uint64_t steps_each;  // steps of x in each of the n strips
  bool in_the_middle;        // of its step stands a point; else at its ends
  double even, odd, end;     // weights of points
  double divisor;            // of the step: the factor of the sum
  int order;                 // the error falls like n^-order for a smooth f
};
constexpr Rule kRules[] = {
    {"rectangle", "1_rectangle.cu", 1, true, 1, 1, 1, 1, 2},
    {"trapezoid", "2_trapezoid.cu", 1, false, 1, 1, 0.5, 1, 2},
    {"simpson", "3_simpson.cu", 2, false, 2, 4, 1, 3, 4},
};

struct Range {
  double from, to;
};

// A rule with its n: where its points are, and what they weigh.
struct Quadrature {
  const Rule* rule;
  Range range;
  std::uint64_t n;
  std::uint64_t steps() const { return n * rule->steps_each; }
  std::uint64_t points() const { return steps() + (rule->in_the_middle ? 0 : 1); }
  bool is_end(std::uint64_t i) const { return !rule->in_the_middle && (i == 0 || i == steps()); }
  double weight(std::uint64_t i) const { return is_end(i) ? rule->end : i % 2 == 1 ? rule->odd : rule->even; }

  template <class Real>
  Real step() const {
    return (static_cast<Real>(range.to) - static_cast<Real>(range.from)) / static_cast<Real>(steps());
  }
  template <class Real>
  Real x(std::uint64_t i) const {
    if (is_end(i) && i > 0) return static_cast<Real>(range.to);
    const Real offset = rule->in_the_middle ? Real{0.5} : Real{0};
    return static_cast<Real>(range.from) + (static_cast<Real>(i) + offset) * step<Real>();
  }
};

// ---- on the CPU --------------------------------------------------------------------------------------

double sum_of_chunk(const Expression& f, const Quadrature& quadrature, std::uint64_t first,
                    std::uint64_t count) {
  std::array<double, kCpuChunk> x{}, y{};
  for (std::uint64_t i = 0; i < count; ++i) x[i] = quadrature.x<double>(first + i);
  f.evaluate({x.data(), count}, {y.data(), count});
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += quadrature.weight(first + i) * y[i];
  return sum;
}

double integrate_on_cpu(const Expression& f, const Quadrature& quadrature, int threads) {
  const std::uint64_t points = quadrature.points();
  double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::uint64_t first = 0; first < points; first += kCpuChunk)
    sum += sum_of_chunk(f, quadrature, first, std::min<std::uint64_t>(kCpuChunk, points - first));
  return sum * (quadrature.step<double>() / quadrature.rule->divisor);
}

// ---- what must come out ------------------------------------------------------------------------------

// The rule's own value, computed exactly: not the integral. `of_f` bounds what rounding does to the values of
// f.
struct Reference {
  double value = 0, of_f = 0, magnitude = 0;

  // For a sum whose terms go through that many rounded additions; the weight, the step and the products with
  // them round six times, the reference once.
  Allowed allowed(std::uint64_t additions) const {
    const std::uint64_t roundings = additions + 7;
    return {{of_f + gamma<double>(roundings) * (magnitude + of_f)},
            fmt::format("{} roundings of 2^-53 on a sum of magnitudes {:.6g}, and {:.2g} for the values of f",
                        roundings, magnitude, of_f)};
  }
};

struct PartOfReference {
  AccurateSum sum;
  long double of_f = 0, magnitude = 0;
  std::optional<double> not_finite;  // the first x for which f is not

  void add(const Expression& f, const Quadrature& quadrature, std::uint64_t i) {
    const auto x = quadrature.x<long double>(i), from = static_cast<long double>(quadrature.range.from);
    // The step is rounded twice, its product with i once; then x itself.
    const long double x_error =
        quadrature.is_end(i) ? 0 : 0x1p-53L * (3 * std::fabs(x - from) + std::fabs(x));
    const auto y = f.evaluate(Expression::Bounded{x, x_error});
    const long double weight = quadrature.weight(i), term = weight * y.value;
    if (!std::isfinite(y.value + y.error) && !not_finite) not_finite = static_cast<double>(x);
    sum.add(static_cast<double>(term));
    sum.add(static_cast<double>(term - static_cast<double>(term)));
    of_f += weight * y.error;
    magnitude += std::fabs(term);
  }
};

Error not_finite(const std::string& text, double x, double value) {
  return usage_error(
      "--f \"{}\": near x = {} the function is {}; choose --from and --to so that this x is not between "
      "them",
      text, x, std::isnan(value) ? "not defined" : "infinite, or changes without bound");
}

// In parts of a fixed size, so that the number of threads changes nothing.
Reference reference_of(const Integrand& integrand, const Quadrature& quadrature) {
  const std::uint64_t points = quadrature.points();
  std::vector<PartOfReference> parts((points + kReferenceChunk - 1) / kReferenceChunk);
  for_pieces(
      parts.size(),
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part)
          for (std::uint64_t i = part * kReferenceChunk; i < std::min((part + 1) * kReferenceChunk, points);
               ++i)
            parts[part].add(integrand.f, quadrature, i);
      },
      kReferenceChunk);
  AccurateSum sum;
  long double of_f = 0, magnitude = 0;
  for (const PartOfReference& part : parts) {
    if (part.not_finite) {
      double value = 0;
      integrand.f.evaluate({&*part.not_finite, 1}, {&value, 1});
      throw not_finite(integrand.text, *part.not_finite, value);
    }
    sum.add(part.sum.value());
    of_f += part.of_f;
    magnitude += part.magnitude;
  }
  const long double factor =
      quadrature.step<long double>() / static_cast<long double>(quadrature.rule->divisor);
  return {static_cast<double>(factor * sum.value()), static_cast<double>(factor * of_f),
          static_cast<double>(factor * magnitude)};
}

// ---- the integral itself -----------------------------------------------------------------------------

struct Integral {
  long double value = 0, uncertainty = 0;
  bool known = false;
};

long double value_at(const Expression& f, long double x) {
  return f.evaluate(Expression::Bounded{x, 0}).value;
}

// Romberg's method: trapezoids with 1, 2, 4, … strips, and the leading terms of their errors eliminated one
// after the other. The last two results that agree best say how good it is.
Integral extrapolated(const Expression& f, Range range) {
  const long double from = range.from, length = static_cast<long double>(range.to) - from;
  std::vector<long double> row{length / 2 * (value_at(f, from) + value_at(f, from + length))};
  Integral best{row[0], std::numeric_limits<long double>::infinity(), false};
  for (int level = 1; level <= kRombergLevels; ++level) {
    const long double strips = std::exp2(static_cast<long double>(level - 1)), h = length / strips;
    long double middles = 0;
    for (long double i = 0; i < strips; ++i) middles += value_at(f, from + (i + 0.5L) * h);
    std::vector<long double> next{row[0] / 2 + h / 2 * middles};
    for (std::size_t k = 0; k < row.size(); ++k)
      next.push_back(next[k] + (next[k] - row[k]) / (std::exp2(static_cast<long double>(2 * (k + 1))) - 1));
    const long double change = std::fabs(next.back() - row.back());
    if (change < best.uncertainty) best = {next.back(), change, false};
    row = std::move(next);
  }
  return best;
}

Integral integral_of(const Integrand& integrand, Range range) {
  if (!integrand.antiderivative) return extrapolated(integrand.f, range);
  const Expression& antiderivative = *integrand.antiderivative;
  return {value_at(antiderivative, range.to) - value_at(antiderivative, range.from), 0, true};
}

// ---- the order of convergence ------------------------------------------------------------------------

struct ErrorAt {
  int n;
  double error, noise;  // noise: an error as small may be rounding, or the integral's own uncertainty
};

// The exponent p in error ~ n^-p, from n / 2 and n; nothing where the errors are no more than noise.
std::optional<double> order_between(const ErrorAt& before, const ErrorAt& here) {
  if (here.error <= kAboveNoise * here.noise || before.error <= kAboveNoise * before.noise)
    return std::nullopt;
  return std::log2(before.error / here.error);
}

// Those that can be seen, in the order of n.
std::vector<double> orders_of(const std::vector<ErrorAt>& errors) {
  std::vector<double> orders;
  for (std::size_t i = 1; i < errors.size(); ++i)
    if (const auto here = order_between(errors[i - 1], errors[i])) orders.push_back(*here);
  return orders;
}

std::optional<double> last_order(const std::vector<ErrorAt>& errors) {
  const std::vector<double> orders = orders_of(errors);
  return orders.empty() ? std::nullopt : std::optional(orders.back());
}

// Whether the last two orders that can be seen agree.
bool is_steady(std::span<const double> orders) {
  return orders.size() >= 2 && std::fabs(orders.back() - orders[orders.size() - 2]) <= kSameOrder;
}

// As for smooth functions over a whole period: the errors reach rounding while they fall ever faster.
bool falls_ever_faster(std::span<const double> orders, const Rule& rule) {
  return orders.size() >= 2 && orders.back() > rule.order + kSameOrder && std::ranges::is_sorted(orders);
}

bool is_exact(const std::vector<ErrorAt>& errors) {
  return std::ranges::all_of(errors, [](const ErrorAt& at) { return at.error <= kAboveNoise * at.noise; });
}

std::string sentence_on_order(const Rule& rule, const std::vector<ErrorAt>& errors) {
  const std::vector<double> orders = orders_of(errors);
  if (is_exact(errors))
    return fmt::format("{}: exact for this f and this range, but for rounding.", rule.name);
  if (falls_ever_faster(orders, rule))
    return fmt::format(
        "{}: the error falls faster each time that n doubles, by 2^{:.1f} the last time: faster than any "
        "power of n, as for a smooth function over a whole period.",
        rule.name, orders.back());
  if (orders.empty())
    return fmt::format("{}: the errors are too near to rounding errors to show how fast they fall.",
                       rule.name);
  if (!is_steady(orders))
    return fmt::format("{}: the error does not fall steadily, as it does for smooth functions.", rule.name);
  const std::string found =
      fmt::format("{}: when n doubles, the error falls by 2^{:.2f}", rule.name, orders.back());
  if (orders.back() < rule.order - kSameOrder)
    return fmt::format(
        "{}, less than the 2^{} of smooth functions: a derivative of f jumps or has no bound in the range.",
        found, rule.order);
  if (orders.back() > rule.order + kSameOrder)
    return fmt::format(
        "{}, more than the rule's 2^{}: the errors of the strips cancel for this f and this range.", found,
        rule.order);
  return found + ".";
}

// ---- on the device -----------------------------------------------------------------------------------

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

  double error_found() const {
    return static_cast<double>(std::fabs(static_cast<long double>(total.host()[0]) - integral.value));
  }

  void integrate_by(const Rule& rule) {
    const Quadrature quadrature{&rule, range, n};
    const Reference reference = reference_of(integrand, quadrature);
    run.cpu(
        {.name = std::string(rule.name),
         .run = [&](int threads) { total.host()[0] = integrate_on_cpu(integrand.f, quadrature, threads); },
         .check = [&] { return check(reference, quadrature.points()); }});
    const Row* row = run.kernel(one_n(quadrature, reference));
    if (row && row->verdict == Verdict::kPass && rule.name == "rectangle")
      rectangle_error = row->extra.back().second;
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
    .order = 80,
    .examples = {"cudalab integral", "cudalab integral --f \"exp(-x*x)*cos(3*x)\" --from -2 --to 2",
                 "cudalab integral --rule simpson --f runge --from -1 --to 1",
                 "cudalab integral --f root --stage order",
                 "cudalab integral --stage rectangle,table --table texture --texels 64"},
    .stages = {"cpu", "rectangle", "trapezoid", "simpson", "order", "table"},
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
