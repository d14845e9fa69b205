// The integral from a table of f in a texture: by index, and through the linear filter; and what either costs
// in accuracy.
#include "table.h"

#include <algorithm>

namespace cudalab::lab::integral {
namespace {

constexpr double kHalfWeight = 0x1p-9;      // a weight of the filter is rounded to 1/256
constexpr double kFloatRounding = 0x1p-24;  // of a value, or of a place

// f in the middle of each texel of the range, as floats.
std::vector<float> table_of(const Expression& f, double from, double to, std::size_t texels) {
  std::vector<double> x(texels), y(texels);
  for (std::size_t j = 0; j < texels; ++j)
    x[j] = from + (static_cast<double>(j) + 0.5) * ((to - from) / static_cast<double>(texels));
  f.evaluate(x, y);
  return {y.begin(), y.end()};
}

// What a kernel must find, and how far off it may be.
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
            fmt::format(
                "{} roundings of 2^-53 on a sum of magnitudes {:.6g}, and {:.2g} for what the filter rounds",
                roundings, std::abs(h) * magnitude, std::abs(h) * slack)};
  }
};

Expected expect_fetched(std::span<const float> table) {
  Expected expected;
  for (const float value : table) expected.add(value, 0);
  return expected;
}

// Between two centres the exact mixture; the filter rounds its weights to 1/256, the place and the result to
// floats.
Expected expect_filtered(std::span<const float> table, std::uint64_t n) {
  const auto texels = static_cast<double>(table.size());
  Expected expected;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) + 0.5) * texels / static_cast<double>(n);
    const double centre = std::clamp(place - 0.5, 0.0, texels - 1);
    const auto left = static_cast<std::size_t>(centre), right = std::min(left + 1, table.size() - 1);
    const double step = double{table[right]} - table[left];
    const double value = table[left] + (centre - static_cast<double>(left)) * step;
    // A place that is rounded across a centre meets the next step, which may be larger.
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
        "integrate", {blocks_here}, {kBlock}, kBlock * sizeof(double), std::move(arguments)};
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
        "table in an array", {.format = device::texel_format(ScalarType::kF32), .width = texels});
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
    run.figure("What a table costs: rectangle rule, f computed in double or read from a texture",
               std::move(lines));
  }
};

}  // namespace

void integrate_from_table(LabRun& run, const Expression& f, double integral,
                          std::optional<double> computed_error) {
  const std::string& kind = run.options().text("table");
  if (!run.wants("table") || kind == "none") return;
  Tables tables{run, f, integral};
  if (!tables.is_finite())
    return run.skip("table", RowKind::kKernel, "some values of f are too large for the floats of a texture");
  if (kind != "filter") tables.fetch();
  if (kind != "fetch") tables.filter();
  tables.show(computed_error);
}

}  // namespace cudalab::lab::integral
