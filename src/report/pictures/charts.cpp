// Turns the numbers of a figure into pictures of curves and timelines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/result.h"
#include "messages/report.h"
#include "messages/runtime.h"
#include "report/pictures/builders.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

Axis axis_of(const lab::ChartAxis& axis) {
  return {Message::of_course(axis.unit.empty() ? axis.name : fmt::format("{} [{}]", axis.name, axis.unit)),
          axis.is_logarithmic};
}

char glyph_of_curve(std::size_t number) {
  constexpr std::string_view kGlyphs = "ox+*#@%&abcdefghijklmn";
  return kGlyphs[number % kGlyphs.size()];
}

constexpr double kBeside = 0.3;  // factor below the curve's value, so the slope does not cover the curve

// A falling slope starts next to the first point of the first curve that has one, and covers the range of x.
std::optional<Curve> falling_slope(const lab::ChartSlope& slope, const lab::Chart& chart, double highest_x) {
  for (const lab::ChartCurve& curve : chart.curves) {
    if (curve.points.empty()) continue;
    const auto [x, y] = curve.points.front();
    if (!(x > 0 && y > 0)) continue;
    Curve made{Message::of_course(slope.name), {}, Tone::kFaint, '.', false, true};
    for (const double at : {x, highest_x})
      made.points.emplace_back(at, kBeside * y * std::pow(at / x, slope.exponent));
    return made;
  }
  return std::nullopt;
}

// A rising slope ends below the last point of the lowest curve and starts at the lowest value of all curves,
// because times that grow with a size are level at first.
std::optional<Curve> rising_slope(const lab::ChartSlope& slope, const lab::Chart& chart) {
  constexpr double kBelow = 0.6;
  std::optional<std::pair<double, double>> end;
  double lowest = INFINITY, first_x = INFINITY;
  for (const lab::ChartCurve& curve : chart.curves) {
    if (curve.points.empty()) continue;
    const auto& last = curve.points.back();
    if (!end || last.first > end->first || (last.first == end->first && last.second < end->second))
      end = last;
    first_x = std::min(first_x, curve.points.front().first);
    for (const auto& [x, y] : curve.points) lowest = std::min(lowest, y);
  }
  if (!end || !(lowest > 0 && first_x > 0)) return std::nullopt;
  const double high = kBelow * end->second, low = std::min(lowest, high / 2);
  const double x = std::max(first_x, end->first * std::pow(low / high, 1 / slope.exponent));
  const double y = high * std::pow(x / end->first, slope.exponent);
  return Curve{Message::of_course(slope.name), {{x, y}, {end->first, high}}, Tone::kFaint, '.', false, true};
}

double highest_x(const lab::Chart& chart) {
  double highest = 0;
  for (const lab::ChartCurve& curve : chart.curves)
    for (const auto& [x, y] : curve.points) highest = std::max(highest, x);
  return highest;
}

std::optional<Curve> slope_curve(const lab::ChartSlope& slope, const lab::Chart& chart) {
  return slope.exponent > 0 ? rising_slope(slope, chart) : falling_slope(slope, chart, highest_x(chart));
}

// The growth of a stage's time from the second-largest size to the largest.
struct Growth {
  std::string stage;
  double from = 0, to = 0, factor = 0;
  bool is_none() const { return std::fabs(factor - 1) < 0.05; }
  double exponent() const { return std::log(factor) / std::log(to / from); }
};

std::vector<Growth> growths_of(const lab::Chart& chart) {
  std::vector<Growth> growths;
  for (const lab::ChartCurve& curve : chart.curves) {
    if (curve.points.size() < 2) continue;
    const auto &before = curve.points[curve.points.size() - 2], &last = curve.points.back();
    growths.push_back({curve.name, before.first, last.first, last.second / before.second});
  }
  return growths;
}

// One sentence per stage whose time grows, and one for all others.
std::vector<Message> growth_sentences(const lab::Chart& chart) {
  const std::string symbol = chart.x.name.substr(0, chart.x.name.find(' '));
  std::vector<Message> sentences;
  Argument::List level;
  for (const Growth& growth : growths_of(chart)) {
    if (growth.is_none())
      level.push_back(growth.stage);
    else
      sentences.push_back(msg::picture_time_grows(growth.stage, symbol, growth.from, growth.to,
                                                  significant(growth.factor), growth.exponent()));
  }
  if (!level.empty()) sentences.push_back(msg::picture_time_level(std::move(level)));
  return sentences;
}

// How one kind of work is drawn in a timeline.
struct WorkGlyph {
  char glyph;
  Tone tone;
  Message text;
};
WorkGlyph glyph_of(const std::optional<CopyDirection>& copy) {
  if (!copy) return {'#', Tone::kGood, msg::legend_kernel()};
  switch (*copy) {
    case CopyDirection::kToDevice: return {'>', tone_of_number(0), msg::legend_copy_to_card()};
    case CopyDirection::kFromDevice: return {'<', tone_of_number(1), msg::legend_copy_from_card()};
    default: return {'=', tone_of_number(2), msg::legend_copy_on_card()};
  }
}

template <class Name>
std::size_t row_named(const Name& name, std::vector<Name>& rows) {
  const auto found = std::ranges::find(rows, name);
  if (found != rows.end()) return static_cast<std::size_t>(found - rows.begin());
  rows.push_back(name);
  return rows.size() - 1;
}

}  // namespace

std::optional<Picture> curve_picture(const lab::Figure& figure) {
  if (!figure.chart || figure.chart->curves.empty()) return std::nullopt;
  const lab::Chart& chart = *figure.chart;
  Plot plot{axis_of(chart.x), axis_of(chart.y), {}};
  Picture picture{figure.is_of_sizes ? "time" : "curve", figure.title, {}, {}, {}};
  for (const lab::ChartSlope& slope : chart.slopes)
    if (auto curve = slope_curve(slope, chart)) plot.curves.push_back(std::move(*curve));
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const lab::ChartCurve& curve = chart.curves[i];
    plot.curves.push_back(
        {Message::of_course(curve.name), curve.points, tone_of_number(i), glyph_of_curve(i), true, true});
    if (chart.curves.size() > 1)
      picture.legend.push_back(
          {std::string(1, glyph_of_curve(i)), tone_of_number(i), Message::of_course(curve.name)});
  }
  Argument::List slopes;
  for (const lab::ChartSlope& slope : chart.slopes) slopes.push_back(slope.name);
  if (!slopes.empty()) picture.legend.push_back({".", Tone::kFaint, msg::legend_slopes(std::move(slopes))});
  if (figure.is_of_sizes) picture.caption = growth_sentences(chart);
  picture.body = std::move(plot);
  return picture;
}

std::optional<Picture> timeline_picture(const lab::Figure& figure) {
  if (!figure.chart || figure.chart->spans.empty()) return std::nullopt;
  Spans spans;
  std::vector<std::string> names;
  for (const lab::ChartSpan& span : figure.chart->spans) {
    const std::size_t name = row_named(span.name, names);
    const char glyph = static_cast<char>('a' + name % 26);
    spans.spans.push_back({row_named(Message::of_course(span.row), spans.rows), span.name, glyph,
                           tone_of_number(name), span.begin, span.end});
    spans.whole_ms = std::max(spans.whole_ms, span.end);
  }
  Picture picture{"timeline", figure.title, {}, {}, {}};
  for (std::size_t i = 0; i < names.size(); ++i)
    picture.legend.push_back(
        {std::string(1, static_cast<char>('a' + i % 26)), tone_of_number(i), Message::of_course(names[i])});
  picture.body = std::move(spans);
  return picture;
}

std::optional<Picture> timeline_picture(const device::ProgramLog& log) {
  if (log.timeline.empty()) return std::nullopt;
  Spans spans;
  std::map<char, LegendEntry> legend;
  double begin = log.timeline.front().span.start_ms;
  for (const device::TimelineEntry& entry : log.timeline) begin = std::min(begin, entry.span.start_ms);
  const bool has_several_devices =
      std::ranges::any_of(log.timeline, [](const device::TimelineEntry& entry) { return entry.device != 0; });
  for (const device::TimelineEntry& entry : log.timeline) {
    const WorkGlyph work = glyph_of(entry.copy);
    Message row = entry.stream == 0 ? msg::label_default_stream() : msg::stream_number(entry.stream);
    if (has_several_devices) row = msg::label_device_stream(entry.device, row);
    spans.spans.push_back({row_named(row, spans.rows), entry.name, work.glyph, work.tone,
                           entry.span.start_ms - begin, entry.span.end_ms - begin});
    spans.whole_ms = std::max(spans.whole_ms, entry.span.end_ms - begin);
    legend[work.glyph] = {std::string(1, work.glyph), work.tone, work.text};
  }
  Picture picture{"timeline", msg::picture_timeline(duration(spans.whole_ms)), {}, {}, {}};
  for (const auto& [glyph, entry] : legend) picture.legend.push_back(entry);
  picture.body = std::move(spans);
  return picture;
}

}  // namespace cudalab::report
