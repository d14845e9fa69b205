// Draws pictures as SVG: one function per kind of picture body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/text.h"
#include "report/pictures/picture.h"
#include "report/pictures/renderers.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

// The width of a phone in pixels: in a narrower window, a picture scrolls and does not shrink further.
constexpr double kReadable = 380;
constexpr double kCell = 15, kCellGap = 1, kGroupGap = 5, kRowHeight = 16, kTextHeight = 12, kLetter = 6.8;

struct Drawing {
  double width = 0, height = 0;
  std::string marks;
};

double text_width(std::string_view text) { return kLetter * static_cast<double>(columns_of(text)); }

void add_text(Drawing& drawing, double x, double y, std::string_view text, std::string_view style) {
  if (text.empty()) return;
  drawing.marks +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", x, y, style, html(text));
}

template <class Items, class Member>
double widest_text(const Items& items, Member member) {
  double width = 0;
  for (const auto& item : items) width = std::max(width, text_width(item.*member));
  return width;
}

// ---- cells ---------------------------------------------------------------------------------------------

double column_x(const SaidCells& cells, std::size_t column) {
  const std::size_t gaps = cells.group ? column / cells.group : 0;
  return static_cast<double>(column) * kCell + static_cast<double>(gaps) * kGroupGap;
}

// The text in a cell: the lane's number if it belongs to one lane; dots and blanks are not drawn.
std::string text_in(const Cell& cell) {
  if (cell.lane >= 0) return cell.several ? "+" : std::to_string(cell.lane);
  return cell.glyph == '.' || cell.glyph == ' ' ? "" : std::string(1, cell.glyph);
}

struct CellPaths {
  std::map<Tone, std::string> paths;   // all squares of a tone in one path
  std::string texts, texts_on_colour;  // on pale and on strong colours
};

bool begins_group(const SaidCells& cells, std::size_t column) {
  return cells.group && column % cells.group == 0;
}

// The index after the last cell that joins the one at `first`: same tone, and no group line between.
std::size_t end_of_piece(const SaidCells& cells, const SaidCellRow& row, std::size_t first) {
  std::size_t end = first + 1;
  while (end < row.cells.size() && row.cells[end].glyph != ' ' &&
         row.cells[end].tone == row.cells[first].tone && !begins_group(cells, end))
    ++end;
  return end;
}

void add_pieces(CellPaths& made, const SaidCells& cells, const SaidCellRow& row, double left, double top) {
  for (std::size_t i = 0, end = 0; i < row.cells.size(); i = end) {
    end = end_of_piece(cells, row, i);
    if (row.cells[i].glyph == ' ') continue;
    const double high = kCell - kCellGap, wide = static_cast<double>(end - i) * kCell - kCellGap;
    made.paths[row.cells[i].tone] +=
        fmt::format("M{:g} {:g}h{:g}v{:g}h-{:g}z", left + column_x(cells, i), top, wide, high, wide);
  }
}

// The lines that divide a piece into cells: one line per column is smaller than one square per cell.
std::string gaps_between(const SaidCells& cells, std::size_t columns, double left, double top,
                         double bottom) {
  std::string path;
  for (std::size_t i = 1; i < columns; ++i)
    if (!begins_group(cells, i))
      path += fmt::format("M{:g} {:g}V{:g}", left + column_x(cells, i) - kCellGap / 2, top, bottom);
  return fmt::format("<path class=\"gaps\" d=\"{}\"/>", path);
}

void add_row(CellPaths& made, const SaidCells& cells, const SaidCellRow& row, double left, double top) {
  add_pieces(made, cells, row, left, top);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const Cell& cell = row.cells[i];
    const double x = left + column_x(cells, i), size = kCell - kCellGap;
    if (const std::string text = text_in(cell); !text.empty())
      (cell.tone < Tone::kFirst ? made.texts : made.texts_on_colour) +=
          fmt::format("<text x=\"{:g}\" y=\"{:g}\">{}</text>", x + size / 2, top + size - 4, html(text));
  }
}

Drawing draw(const SaidCells& cells) {
  Drawing drawing;
  const double left = std::max(widest_text(cells.rows, &SaidCellRow::label), text_width(cells.corner)) + 8;
  std::size_t columns = 0;
  for (const SaidCellRow& row : cells.rows) columns = std::max(columns, row.cells.size());
  const double right = left + column_x(cells, columns) + 6;
  double y = 2;
  if (!cells.marks.empty()) {
    add_text(drawing, 0, y + kTextHeight - 2, cells.corner, "dim");
    for (std::size_t k = 0; k < cells.marks.size(); ++k)
      add_text(drawing, left + column_x(cells, k * cells.marks_every), y + kTextHeight - 2, cells.marks[k],
               "dim");
    y += kRowHeight;
  }
  CellPaths made;
  const double top = y;
  for (const SaidCellRow& row : cells.rows) {
    add_text(drawing, 0, y + kTextHeight - 1, row.label, "label");
    add_text(drawing, right, y + kTextHeight - 1, row.note, "dim");
    add_row(made, cells, row, left, y);
    y += kRowHeight;
  }
  for (const auto& [tone, path] : made.paths)
    drawing.marks += fmt::format("<path class=\"{}\" d=\"{}\"/>", class_of(tone), path);
  drawing.marks += gaps_between(cells, columns, left, top, y);
  drawing.marks +=
      "<g class=\"in\">" + made.texts + "</g><g class=\"in on\">" + made.texts_on_colour + "</g>";
  drawing.width = right + widest_text(cells.rows, &SaidCellRow::note);
  drawing.height = y + 2;
  return drawing;
}

// ---- bars ----------------------------------------------------------------------------------------------

Drawing draw(const SaidBars& bars) {
  constexpr double kRoom = 300, kLeast = 1.5;
  Drawing drawing;
  double full = bars.full, y = 2;
  for (const SaidBar& bar : bars.bars) full = std::max(full, bar.length());
  const double left = widest_text(bars.bars, &SaidBar::label) + 8;
  for (const SaidBar& bar : bars.bars) {
    add_text(drawing, 0, y + kTextHeight - 1, bar.label, "label");
    drawing.marks +=
        fmt::format("<rect class=\"track\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"/>", left, y,
                    kRoom, kRowHeight - 3);
    double x = left;
    for (const BarPart& part : bar.parts) {
      const double length = full > 0 ? std::max(0.0, part.value) / full * kRoom : 0;
      const double shown = part.value > 0 ? std::max(length, kLeast) : 0;
      drawing.marks +=
          fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\"/>",
                      class_of(part.tone), x, y, shown, kRowHeight - 3);
      x += length;
    }
    add_text(drawing, left + kRoom + 8, y + kTextHeight - 1, bar.value, "label");
    y += kRowHeight + 2;
  }
  drawing.width = left + kRoom + 8 + widest_text(bars.bars, &SaidBar::value);
  drawing.height = y;
  return drawing;
}

// ---- plots ---------------------------------------------------------------------------------------------

constexpr double kBesideFrame = 14;  // names may extend this far beyond the frame
constexpr double kNameGap = 8;

struct Frame {
  double left = 56, top = 22, width = 480, height = 260;
  Scale x, y;
  double across(double value) const { return left + x.position(value) * width; }
  double down(double value) const { return top + (1 - y.position(value)) * height; }
};

void draw_axes(Drawing& drawing, const SaidPlot& plot, const Frame& frame) {
  const double bottom = frame.top + frame.height, right = frame.left + frame.width;
  for (const double tick : frame.x.ticks) {
    drawing.marks += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", frame.across(tick),
                                 frame.top, bottom + 4);
    add_text(drawing, frame.across(tick), bottom + 17, tick_text(tick, frame.x), "tick");
  }
  for (const double tick : frame.y.ticks) {
    drawing.marks += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", frame.left - 4,
                                 frame.down(tick), right);
    add_text(drawing, frame.left - 8, frame.down(tick) + 4, tick_text(tick, frame.y), "ytick");
  }
  drawing.marks += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>", frame.left,
                               frame.top, bottom, right);
  add_text(drawing, 0, 12, plot.y.name, "label");
  add_text(drawing, right, bottom + 34, plot.x.name, "xname");
}

// Each curve has its own marker shape, so colours are not needed to tell curves apart.
std::string mark_at(std::size_t number, double x, double y, const std::string& style) {
  constexpr double r = 4;
  switch (number % 4) {
    case 0:
      return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"/>", style, x, y, r);
    case 1:
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:g}v{:g}h-{:g}z\"/>", style, x - r, y - r,
                         2 * r, 2 * r, 2 * r);
    case 2:
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l{:g} {:g}h-{:g}z\"/>", style, x, y - r, r,
                         2 * r, 2 * r);
    default:
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l{:g} {:g}l-{:g} {:g}l-{:g} -{:g}z\"/>", style,
                         x, y - r - 1, r + 1, r + 1, r + 1, r + 1, r + 1, r + 1);
  }
}

// The first height below the names already placed; empty if it is too far from its curve, which then appears
// only in the legend.
std::optional<double> free_height(double y, std::vector<double>& taken) {
  constexpr double kApart = 12, kFarthest = 24;
  const double wanted = y;
  while (std::ranges::any_of(taken, [y](double other) { return std::fabs(other - y) < kApart; })) y += kApart;
  if (y > wanted + kFarthest) return std::nullopt;
  taken.push_back(y);
  return y;
}

// `names`: the heights of the curve names placed so far.
void draw_curve(Drawing& drawing, const SaidCurve& curve, std::size_t number, const Frame& frame,
                std::vector<double>& names) {
  std::string path, marks;
  for (const auto& [x, y] : curve.points) {
    if (!std::isfinite(frame.across(x)) || !std::isfinite(frame.down(y))) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.across(x), frame.down(y));
    marks += mark_at(number, frame.across(x), frame.down(y), class_of(curve.tone));
  }
  if (curve.has_line)
    drawing.marks += fmt::format("<path class=\"line {}\" d=\"{}\"/>", class_of(curve.tone), path);
  if (curve.has_marks) drawing.marks += marks;
  if (curve.points.empty() || curve.name.empty()) return;
  const auto& [x, y] = curve.points.back();
  const double room = frame.left + frame.width + kBesideFrame - frame.across(x) - kNameGap;
  const bool is_left = text_width(curve.name) > room;
  if (!std::isfinite(frame.across(x)) || !std::isfinite(frame.down(y))) return;
  const std::optional<double> height = free_height(frame.down(y) - 6, names);
  if (height)
    add_text(drawing, frame.across(x) + (is_left ? -kNameGap : kNameGap), *height, curve.name,
             is_left ? "name end" : "name");
}

Drawing draw(const SaidPlot& plot) {
  constexpr std::size_t kTicksAcross = 12, kTicksDown = 9;
  Drawing drawing;
  Frame frame;
  frame.x = scale_for(plot.coordinates(true), plot.x.is_logarithmic, kTicksAcross);
  frame.y = scale_for(plot.coordinates(false), plot.y.is_logarithmic, kTicksDown);
  draw_axes(drawing, plot, frame);
  drawing.marks += fmt::format("<svg x=\"0\" y=\"0\" width=\"{:g}\" height=\"{:g}\">",
                               frame.left + frame.width + kBesideFrame,
                               frame.top + frame.height + 6);  // parts outside the frame are clipped
  std::vector<double> names;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) draw_curve(drawing, plot.curves[i], i, frame, names);
  drawing.marks += "</svg>";
  drawing.width = frame.left + frame.width + 20;
  drawing.height = frame.top + frame.height + 40;
  return drawing;
}

// ---- spans ---------------------------------------------------------------------------------------------

Drawing draw(const SaidSpans& spans) {
  constexpr double kRoom = 480, kHigh = 22;
  Drawing drawing;
  double left = 0;
  for (const std::string& row : spans.rows) left = std::max(left, text_width(row));
  left += 8;
  const auto across = [&](double ms) {
    return left + (spans.whole_ms > 0 ? ms / spans.whole_ms * kRoom : 0);
  };
  const double bottom = 2 + kHigh * static_cast<double>(spans.rows.size());
  for (std::size_t row = 0; row < spans.rows.size(); ++row) {
    const double y = 2 + kHigh * static_cast<double>(row);
    add_text(drawing, 0, y + 14, spans.rows[row], "label");
    drawing.marks +=
        fmt::format("<rect class=\"track\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"/>", left, y,
                    kRoom, kHigh - 3);
  }
  for (const TimeSpan& span : spans.spans) {
    const double x = across(span.begin_ms), width = std::max(1.0, across(span.end_ms) - x),
                 y = 2 + kHigh * static_cast<double>(span.row);
    drawing.marks += fmt::format(
        "<rect class=\"span {}\" x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\"><title>{}: {} to "
        "{} "
        "ms</title></rect>",
        class_of(span.tone), x, y, width, kHigh - 3, html(span.name), tick_text(span.begin_ms),
        tick_text(span.end_ms));
    const bool is_pale = span.tone == Tone::kGood || span.tone == Tone::kBad || span.tone == Tone::kFaint;
    if (text_width(span.name) < width - 4)
      add_text(drawing, x + width / 2, y + 14, span.name, is_pale ? "in" : "in on");
  }
  const Scale scale = scale_for({0, spans.whole_ms}, false, 8);
  for (const double tick : scale.ticks)
    if (tick <= spans.whole_ms) add_text(drawing, across(tick), bottom + 12, tick_text(tick), "tick");
  add_text(drawing, left + kRoom, bottom + 26, "ms", "xname");
  drawing.width = left + kRoom + 12;
  drawing.height = bottom + 30;
  return drawing;
}

// ---- a listing -----------------------------------------------------------------------------------------

Drawing draw(const SaidListing& listing) {
  constexpr double kBar = 60;
  Drawing drawing;
  const double cost =
      std::max(widest_text(listing.lines, &SaidListedLine::cost), text_width(listing.heading)) + 6;
  double y = 2, width = 0;
  add_text(drawing, 0, y + kTextHeight - 1, listing.heading, "dim");
  for (const SaidListedLine& line : listing.lines) {
    y += kRowHeight;
    add_text(drawing, 0, y + kTextHeight - 1, line.cost, "label");
    if (line.share > 0)
      drawing.marks += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\"/>",
          class_of(line.tone), cost + kBar * (1 - line.share), y, kBar * line.share, kRowHeight - 3);
    add_text(drawing, cost + kBar + 8, y + kTextHeight - 1, fmt::format("{:>4}", line.number), "dim");
    add_text(drawing, cost + kBar + 44, y + kTextHeight - 1, line.text, "code");
    width = std::max(width, cost + kBar + 44 + text_width(line.text));
  }
  drawing.width = width;
  drawing.height = y + kRowHeight + 2;
  return drawing;
}

std::string legend_html(const std::vector<SaidLegendEntry>& legend) {
  if (legend.empty()) return "";
  std::string text = "<ul class=\"legend\">";
  for (const SaidLegendEntry& entry : legend)
    text += fmt::format("<li><i class=\"{}\"></i>{}</li>", class_of(entry.tone), html(entry.text));
  return text + "</ul>";
}

}  // namespace

std::string class_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain: return "t-plain";
    case Tone::kGood: return "t-good";
    case Tone::kBad: return "t-bad";
    case Tone::kFaint: return "t-faint";
    default: return fmt::format("t-{}", static_cast<int>(tone) - static_cast<int>(Tone::kFirst));
  }
}

std::string html(std::string_view text) {
  std::string safe;
  for (const char c : harmless_line(text)) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string picture_svg(const SaidPicture& picture) {
  const Drawing drawing = std::visit([](const auto& body) { return draw(body); }, picture.body);
  return fmt::format(
      "<svg class=\"picture {}\" role=\"img\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\" style=\"min-width:{:.0f}px\">"
      "<title>{}</title><desc>{}</desc>{}</svg>",
      picture.kind, drawing.width, drawing.height, drawing.width, drawing.height,
      std::min(drawing.width, kReadable), html(picture.title), html(joined(picture.caption, " ")),
      drawing.marks);
}

std::string picture_figure(const Picture& made, const Wording& wording) {
  SaidPicture picture = in_words(made, wording);
  if (!picture.row.empty()) picture.title = picture.row + ", " + picture.title;
  std::string text = fmt::format("<figure><figcaption>{}</figcaption>{}{}", html(picture.title),
                                 picture_svg(picture), legend_html(picture.legend));
  for (const std::string& sentence : picture.caption)
    text += fmt::format("<p class=\"caption\">{}</p>", html(sentence));
  return text + "</figure>\n";
}

}  // namespace cudalab::report
