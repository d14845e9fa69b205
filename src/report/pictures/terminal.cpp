// Draws pictures with characters: one function per kind of picture body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "messages/report.h"
#include "report/pictures/picture.h"
#include "report/pictures/renderers.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

constexpr std::string_view kRest = "...";  // ends a text that is cut
constexpr std::size_t kNarrowest = 60, kIndent = 2;
constexpr std::size_t kLegendGap = 2;

std::size_t width_of(const TableStyle& style) {
  return std::max<std::size_t>(static_cast<std::size_t>(std::max(style.width, 0)), kNarrowest);
}

Ink ink_of(Tone tone) {
  switch (tone) {
    case Tone::kGood: return Ink::kGood;
    case Tone::kBad: return Ink::kBad;
    case Tone::kFaint: return Ink::kFaint;
    default: return Ink::kPlain;
  }
}

// A line of characters with inks; neighbours of one ink share a colour code.
class InkedLine {
 public:
  explicit InkedLine(bool colour) : colour_(colour) {}
  void add(std::string_view text, Ink ink = Ink::kPlain) {
    if (ink != ink_) flush();
    ink_ = ink;
    pending_ += text;
  }
  std::string text() {
    if (ink_ == Ink::kPlain) pending_ = without_trailing_blanks(pending_);
    flush();
    return without_trailing_blanks(done_) + "\n";
  }

 private:
  void flush() {
    if (!pending_.empty()) done_ += inked(pending_, ink_, colour_);
    pending_.clear();
  }
  bool colour_;
  Ink ink_ = Ink::kPlain;
  std::string pending_, done_;
};

template <class Rows, class Member>
std::size_t widest(const Rows& rows, Member member) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, columns_of(row.*member));
  return width;
}

// ---- cells ---------------------------------------------------------------------------------------------

struct CellLayout {
  std::size_t label = 0, cell = 1;
  bool has_notes = true;
};

std::size_t columns_of_cells(const SaidCells& cells, std::size_t cell) {
  std::size_t most = 0;
  for (const SaidCellRow& row : cells.rows) most = std::max(most, row.cells.size());
  return most * cell + (cells.group ? (most + cells.group - 1) / cells.group + 1 : 0);
}

CellLayout layout_of(const SaidCells& cells, std::size_t width) {
  CellLayout layout;
  layout.label = std::max(widest(cells.rows, &SaidCellRow::label), columns_of(cells.corner)) + kIndent;
  if (cells.is_roomy && layout.label + columns_of_cells(cells, 2) <= width) layout.cell = 2;
  layout.has_notes = layout.label + columns_of_cells(cells, layout.cell) + kLegendGap +
                         widest(cells.rows, &SaidCellRow::note) <=
                     width;
  return layout;
}

std::string marks_line(const SaidCells& cells, const CellLayout& layout) {
  std::string line = padded(cells.corner, layout.label);
  for (std::size_t k = 0; k < cells.marks.size(); ++k)
    line = padded(line, layout.label + k * cells.marks_every * layout.cell) + cells.marks[k];
  return line;
}

void add_cell(InkedLine& line, const Cell& cell, const CellLayout& layout) {
  const bool is_one_character = layout.cell == 1;
  const char glyph = cell.several && is_one_character ? '+' : cell.glyph;
  line.add(std::string(1, glyph), ink_of(cell.tone));
  if (!is_one_character) line.add(cell.several ? "+" : " ", cell.several ? ink_of(cell.tone) : Ink::kPlain);
}

std::string cells_line(const SaidCellRow& row, const SaidCells& cells, const CellLayout& layout,
                       bool colour) {
  InkedLine line(colour);
  line.add(padded(row.label, layout.label));
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (cells.group && i % cells.group == 0) line.add("|", Ink::kFaint);
    add_cell(line, row.cells[i], layout);
  }
  if (cells.group) line.add("|", Ink::kFaint);
  if (layout.has_notes && !row.note.empty()) line.add("  " + row.note, Ink::kFaint);
  return line.text();
}

std::string body_text(const SaidCells& cells, std::size_t width, bool colour) {
  const CellLayout layout = layout_of(cells, width);
  std::string text;
  if (!cells.marks.empty()) text += inked(marks_line(cells, layout), Ink::kFaint, colour) + "\n";
  for (const SaidCellRow& row : cells.rows) text += cells_line(row, cells, layout, colour);
  return text;
}

// ---- bars ----------------------------------------------------------------------------------------------

std::string bar_line(const SaidBar& bar, double a_column, std::size_t label, std::size_t room, bool colour) {
  InkedLine line(colour);
  line.add(padded(shortened(bar.label, label - kIndent, kRest), label));
  double sum = 0;
  std::size_t drawn = 0;
  for (const BarPart& part : bar.parts) {
    sum += std::max(0.0, part.value);
    const auto end = std::min(room, static_cast<std::size_t>(std::lround(sum / a_column)));
    // A positive value is always visible.
    const std::size_t least = part.value > 0 && drawn == 0 && end == 0 ? 1 : 0;
    if (end + least > drawn) line.add(std::string(end + least - drawn, part.glyph), ink_of(part.tone));
    drawn = std::max(drawn, end + least);
  }
  line.add(std::string(room - drawn, ' ') + "  " + bar.value);
  return line.text();
}

std::string body_text(const SaidBars& bars, std::size_t width, bool colour) {
  constexpr std::size_t kLongestLabel = 28, kLongestBar = 60;
  double full = bars.full;
  for (const SaidBar& bar : bars.bars) full = std::max(full, bar.length());
  const std::size_t label = std::min(widest(bars.bars, &SaidBar::label), kLongestLabel) + kIndent,
                    values = widest(bars.bars, &SaidBar::value) + kLegendGap;
  const std::size_t room = std::min(kLongestBar, width > label + values + 8 ? width - label - values : 8);
  std::string text;
  for (const SaidBar& bar : bars.bars)
    text += bar_line(bar, full > 0 ? full / static_cast<double>(room) : 1, label, room, colour);
  return text;
}

// ---- plots ---------------------------------------------------------------------------------------------

constexpr std::size_t kPlotRows = 16, kMostPlotColumns = 72, kTicksDown = 5, kColumnsATick = 11,
                      kLogarithmicTicksDown = 8, kColumnsALogarithmicTick = 7;

struct Canvas {
  Canvas(std::size_t columns, std::size_t rows) : glyphs(rows, std::string(columns, ' ')) {}
  std::vector<std::string> glyphs;
  std::size_t columns() const { return glyphs.front().size(); }
  std::size_t rows() const { return glyphs.size(); }
  // Coordinates from 0 to 1; y points upwards.
  void put(double x, double y, char glyph, bool on_top) {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
    const auto column = static_cast<std::size_t>(std::lround(x * static_cast<double>(columns() - 1)));
    const auto row = static_cast<std::size_t>(std::lround((1 - y) * static_cast<double>(rows() - 1)));
    char& place = glyphs[row][column];
    if (on_top || place == ' ') place = glyph;
  }
};

// Draws at most one dot per column and row.
void draw_line(Canvas& canvas, std::pair<double, double> from, std::pair<double, double> to) {
  const double wide = std::fabs(to.first - from.first) * static_cast<double>(canvas.columns()),
               high = std::fabs(to.second - from.second) * static_cast<double>(canvas.rows());
  if (!std::isfinite(wide + high)) return;
  const auto steps = static_cast<int>(std::ceil(std::max({wide, high, 1.0})));
  for (int i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / steps;
    canvas.put(from.first + part * (to.first - from.first), from.second + part * (to.second - from.second),
               '.', false);
  }
}

void draw(Canvas& canvas, const SaidCurve& curve, const Scale& x, const Scale& y) {
  std::vector<std::pair<double, double>> places;
  for (const auto& [at, value] : curve.points) places.emplace_back(x.position(at), y.position(value));
  for (std::size_t i = 1; curve.has_line && i < places.size(); ++i)
    draw_line(canvas, places[i - 1], places[i]);
  if (!curve.has_marks) return;
  for (const auto& [at, value] : places) canvas.put(at, value, curve.glyph, true);
}

std::string tick_at_row(const Scale& y, std::size_t row, std::size_t rows) {
  for (const double tick : y.ticks) {
    const auto at =
        static_cast<std::size_t>(std::lround((1 - y.position(tick)) * static_cast<double>(rows - 1)));
    if (at == row) return tick_text(tick, y);
  }
  return "";
}

std::string axis_below(const Scale& x, std::size_t margin, std::size_t columns) {
  std::string rule = std::string(margin, ' ') + "+" + std::string(columns, '-'), names(margin + 1, ' ');
  for (const double tick : x.ticks) {
    const auto at =
        margin + 1 +
        static_cast<std::size_t>(std::lround(x.position(tick) * static_cast<double>(columns - 1)));
    rule[at] = '+';
    const std::string text = tick_text(tick, x);
    const std::size_t begin = at - std::min(at, text.size() / 2);
    if (names.size() > begin && names.size() != margin + 1) continue;  // no space after the previous name
    names = padded(names.substr(0, std::min(names.size(), begin)), begin) + text + " ";
  }
  return rule + "\n" + without_trailing_blanks(names) + "\n";
}

std::string body_text(const SaidPlot& plot, std::size_t width, bool colour) {
  const Scale y = scale_for(plot.coordinates(false), plot.y.is_logarithmic,
                            plot.y.is_logarithmic ? kLogarithmicTicksDown : kTicksDown);
  std::size_t margin = 0;
  for (const double tick : y.ticks) margin = std::max(margin, tick_text(tick, y).size());
  ++margin;
  const std::size_t columns = std::min(kMostPlotColumns, width - margin - 2);
  const std::size_t apart = plot.x.is_logarithmic ? kColumnsALogarithmicTick : kColumnsATick;
  const Scale x = scale_for(plot.coordinates(true), plot.x.is_logarithmic, columns / apart + 1);
  Canvas canvas(columns, kPlotRows);
  for (const SaidCurve& curve : plot.curves) draw(canvas, curve, x, y);
  std::string text = inked(plot.y.name, Ink::kFaint, colour) + "\n";
  for (std::size_t row = 0; row < canvas.rows(); ++row) {
    const std::string tick = tick_at_row(y, row, canvas.rows());
    text += without_trailing_blanks(
                fmt::format("{:>{}}{}{}", tick, margin, tick.empty() ? '|' : '+', canvas.glyphs[row])) +
            "\n";
  }
  text += axis_below(x, margin, columns);
  return text + inked(right_aligned(plot.x.name, margin + 1 + columns), Ink::kFaint, colour) + "\n";
}

// ---- spans ---------------------------------------------------------------------------------------------

std::string body_text(const SaidSpans& spans, std::size_t width, bool) {
  constexpr std::string_view kUnit = "  ms";
  std::size_t label = 0;
  for (const std::string& row : spans.rows) label = std::max(label, columns_of(row));
  label += kIndent;
  const std::size_t room = width > label + 10 ? width - label - 1 : 10;
  std::vector<std::string> lines(spans.rows.size(), std::string(room, '.'));
  const auto column = [&](double ms) {
    const double part = spans.whole_ms > 0 ? ms / spans.whole_ms : 0;
    return static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * static_cast<double>(room)));
  };
  for (const TimeSpan& span : spans.spans) {
    const std::size_t begin = std::min(column(span.begin_ms), room - 1),
                      end = std::max(column(span.end_ms), begin + 1);
    std::fill_n(lines[span.row].begin() + static_cast<std::ptrdiff_t>(begin), end - begin, span.glyph);
  }
  std::string text;
  for (std::size_t row = 0; row < lines.size(); ++row)
    text += padded(spans.rows[row], label) + lines[row] + "\n";
  const Scale scale = scale_for({0, spans.whole_ms}, false, room / kColumnsATick + 1);
  std::string ticks(label, ' ');
  for (const double tick : scale.ticks) {
    if (tick > spans.whole_ms) break;
    const std::size_t at = label + column(tick);
    const std::string name = tick_text(tick);
    if (at >= ticks.size() && at + name.size() + kUnit.size() <= width)
      ticks = padded(ticks, at) + name + " ";
  }
  return text + without_trailing_blanks(ticks) + std::string(kUnit) + "\n";
}

// ---- a listing -----------------------------------------------------------------------------------------

std::string body_text(const SaidListing& listing, std::size_t width, bool colour) {
  constexpr std::size_t kBar = 10, kNumber = 5;
  const std::size_t cost =
      std::max(widest(listing.lines, &SaidListedLine::cost), columns_of(listing.heading));
  const std::size_t before = cost + 1 + kBar + 1 + kNumber + 2;
  std::string text = inked(padded(listing.heading, before), Ink::kHeading, colour);
  text = without_trailing_blanks(text) + "\n";
  int last = 0;
  for (const SaidListedLine& line : listing.lines) {
    if (last != 0 && line.number != last + 1) text += fmt::format("{:>{}}\n", "...", before - 2);
    last = line.number;
    InkedLine row(colour);
    row.add(std::string(cost - columns_of(line.cost), ' ') + line.cost + " ", ink_of(line.tone));
    auto length = static_cast<std::size_t>(std::lround(line.share * kBar));
    if (line.share > 0) length = std::max<std::size_t>(length, 1);
    row.add(std::string(kBar - length, ' ') + std::string(length, '#'), ink_of(line.tone));
    row.add(fmt::format(" {:>{}}  ", line.number, kNumber), Ink::kFaint);
    row.add(shortened(harmless_line(line.text), width > before + 20 ? width - before : 20, kRest));
    text += row.text();
  }
  return text;
}

// ---- all -----------------------------------------------------------------------------------------------

std::string legend_text(const std::vector<SaidLegendEntry>& legend, bool colour) {
  std::string text;
  for (const SaidLegendEntry& entry : legend)
    text += fmt::format("  {}  {}\n", inked(entry.glyph, ink_of(entry.tone), colour), entry.text);
  return text;
}

}  // namespace

std::string picture_text(const Picture& made, const TableStyle& style) {
  const SaidPicture picture = in_words(made, style.wording);
  const std::size_t width = width_of(style);
  const std::string title = picture.row.empty() ? picture.title : picture.row + ", " + picture.title;
  std::string text = inked(wrap(title, width, 0), Ink::kHeading, style.colour) + "\n";
  text += std::visit([&](const auto& body) { return body_text(body, width, style.colour); }, picture.body);
  text += legend_text(picture.legend, style.colour);
  for (const std::string& sentence : picture.caption) text += wrap(sentence, width, 0) + "\n";
  return text;
}

Picture shortened(Picture picture, std::size_t most_rows) {
  auto* cells = std::get_if<Cells>(&picture.body);
  if (!cells || cells->rows.size() <= most_rows) return picture;
  const auto is_bad = [](const CellRow& row) {
    return std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.tone == Tone::kBad; });
  };
  const auto bad = std::ranges::find_if(cells->rows, is_bad);
  const std::size_t count = cells->rows.size();
  std::size_t first = bad == cells->rows.end() ? 0 : static_cast<std::size_t>(bad - cells->rows.begin());
  first = first < most_rows ? 0 : std::min(first - 1, count - most_rows);
  picture.caption.insert(picture.caption.begin(),
                         first == 0 ? msg::picture_first_rows(most_rows, count)
                                    : msg::picture_some_rows(first + 1, first + most_rows, count));
  cells->rows.erase(cells->rows.begin(), cells->rows.begin() + static_cast<std::ptrdiff_t>(first));
  cells->rows.resize(most_rows);
  return picture;
}

}  // namespace cudalab::report
