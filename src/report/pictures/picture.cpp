// Translates a picture's messages into the reader's language, and computes the ticks of axes.
#include "report/pictures/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/languages/units.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

class Translator {
 public:
  explicit Translator(const Wording& wording) : wording_(wording) {}

  std::string operator()(const Message& words) const { return wording_.say(words); }
  SaidCellRow operator()(const CellRow& row) const {
    return {(*this)(row.label), row.cells, (*this)(row.note)};
  }
  SaidBar operator()(const Bar& bar) const { return {(*this)(bar.label), bar.parts, (*this)(bar.value)}; }
  AxisOf<std::string> operator()(const Axis& axis) const { return {(*this)(axis.name), axis.is_logarithmic}; }
  SaidCurve operator()(const Curve& curve) const {
    return {(*this)(curve.name), curve.points, curve.tone, curve.glyph, curve.has_marks, curve.has_line};
  }
  SaidListedLine operator()(const ListedLine& line) const {
    return {line.number, line.text, (*this)(line.cost), line.share, line.tone};
  }
  SaidLegendEntry operator()(const LegendEntry& entry) const {
    return {entry.glyph, entry.tone, (*this)(entry.text)};
  }
  template <class Part>
  auto operator()(const std::vector<Part>& parts) const {
    std::vector<decltype((*this)(parts.front()))> said;
    for (const Part& part : parts) said.push_back((*this)(part));
    return said;
  }

  SaidCells operator()(const Cells& cells) const {
    return {(*this)(cells.corner), cells.marks,    cells.marks_every,
            cells.group,           cells.is_roomy, (*this)(cells.rows)};
  }
  SaidBars operator()(const Bars& bars) const { return {(*this)(bars.bars), bars.full}; }
  SaidPlot operator()(const Plot& plot) const {
    return {(*this)(plot.x), (*this)(plot.y), (*this)(plot.curves)};
  }
  SaidSpans operator()(const Spans& spans) const {
    return {(*this)(spans.rows), spans.spans, spans.whole_ms};
  }
  SaidListing operator()(const Listing& listing) const {
    return {(*this)(listing.heading), (*this)(listing.lines)};
  }

 private:
  const Wording& wording_;
};

}  // namespace

SaidPicture in_words(const Picture& picture, const Wording& wording) {
  const Translator said(wording);
  SaidPicture made{picture.kind, said(picture.title), said(picture.caption), said(picture.legend),
                   {},           picture.row};
  if (!picture.why.empty()) made.caption.push_back(as_sentence(said(picture.why), wording.language()));
  std::visit([&](const auto& body) { made.body = said(body); }, picture.body);
  return made;
}

namespace {

constexpr double kNear = 1e-9;  // relative tolerance for the rounding of doubles
constexpr double kDecade = 10;

// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(kDecade, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= least * (1 - kNear)) return times * power;
  return kDecade * power;
}

Scale linear_scale(double low, double high, std::size_t most) {
  Scale scale;
  if (low >= 0 && low < high / 2) low = 0;
  if (high <= low) high = low + std::max(1.0, std::fabs(low));
  const double step = round_step((high - low) / static_cast<double>(std::max<std::size_t>(most, 2) - 1));
  scale.low = std::floor(low / step + kNear) * step;
  scale.high = std::ceil(high / step - kNear) * step;
  const auto steps = static_cast<long>(std::llround((scale.high - scale.low) / step));
  for (long i = 0; i <= steps; ++i) scale.ticks.push_back(scale.low + static_cast<double>(i) * step);
  return scale;
}

// The series 1, 2, 5, 10, 20, …; `number` 0 is 1.
double round_number(long number) {
  constexpr double kInADecade[]{1, 2, 5};
  const long place = (number % 3 + 3) % 3;
  return kInADecade[place] * std::pow(kDecade, static_cast<double>((number - place) / 3));
}

// The index of the largest element of that series that does not exceed the value.
long round_number_below(double value) {
  long number = 3 * static_cast<long>(std::floor(std::log10(value)));
  while (round_number(number + 1) <= value * (1 + kNear)) ++number;
  return number;
}

long round_number_above(double value) {
  const long below = round_number_below(value);
  return round_number(below) >= value * (1 - kNear) ? below : below + 1;
}

// Every k-th power of ten.
Scale decades(double low, double high, std::size_t most) {
  Scale scale{.is_logarithmic = true};
  const auto first = static_cast<long>(std::floor(std::log10(low) + kNear));
  const auto last = std::max(first + 1, static_cast<long>(std::ceil(std::log10(high) - kNear)));
  const auto steps = static_cast<long>(std::max<std::size_t>(most, 2)) - 1;
  const long every = (last - first + steps - 1) / steps;
  scale.low = std::pow(kDecade, first);
  scale.high = std::pow(kDecade, last);
  for (long power = first; power <= last; power += every) scale.ticks.push_back(std::pow(kDecade, power));
  return scale;
}

Scale logarithmic_scale(double low, double high, std::size_t most) {
  const long first = round_number_below(low), last = std::max(first + 1, round_number_above(high));
  if (last - first + 1 > static_cast<long>(most)) return decades(low, high, most);
  Scale scale{.is_logarithmic = true, .low = round_number(first), .high = round_number(last)};
  for (long number = first; number <= last; ++number) scale.ticks.push_back(round_number(number));
  return scale;
}

}  // namespace

double Scale::position(double value) const {
  if (!is_logarithmic) return (value - low) / (high - low);
  return value > 0 ? std::log(value / low) / std::log(high / low) : std::nan("");
}

Scale scale_for(const std::vector<double>& values, bool is_logarithmic, std::size_t most) {
  std::vector<double> usable;
  for (const double value : values)
    if (std::isfinite(value) && (!is_logarithmic || value > 0)) usable.push_back(value);
  if (usable.empty()) return linear_scale(0, 1, most);
  const auto [low, high] = std::ranges::minmax(usable);
  if (!is_logarithmic) return linear_scale(low, high, most);
  return logarithmic_scale(low, high, most);
}

namespace {

std::string with_power(double value) {
  const int power = static_cast<int>(std::floor(std::log10(std::fabs(value)) + kNear));
  return fmt::format("{}e{}", significant(value / std::pow(kDecade, power)), power);
}

}  // namespace

std::string tick_text(double value) {
  const double size = std::fabs(value);
  return value == 0 || (size >= 1e-3 && size < 1e5) ? significant(value, 5) : with_power(value);
}

std::string tick_text(double value, const Scale& scale) {
  const auto is_short = [](double tick) { return tick_text(tick).find('e') == std::string::npos; };
  if (!scale.is_logarithmic || std::ranges::all_of(scale.ticks, is_short)) return tick_text(value);
  return with_power(value);
}

}  // namespace cudalab::report
