// Finds the columns in a figure's text and lays them out again after translation.
#include "report/text/figure_lines.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "report/text/layout.h"

namespace cudalab::report {
namespace {

struct FigureCell {
  std::size_t begin, end;  // columns of its line
  std::string text;
};
using FigureCells = std::vector<FigureCell>;  // of one line

// A column: a range of character columns between two that are blank in all lines.
struct FigureSpan {
  std::size_t begin, end;
  bool has(const FigureCell& cell) const { return cell.begin >= begin && cell.end <= end; }
};

std::size_t end_of_figure_cell(std::string_view line, std::size_t begin) {
  if (line[begin] == '|') return line.size();
  const std::size_t drawing = std::min(line.find('|', begin), line.size());
  std::size_t end = std::min(line.find("  ", begin), drawing);
  while (line[end - 1] == ' ') --end;
  return end;
}

FigureCells figure_cells_of(std::string_view line) {
  FigureCells cells;
  std::size_t column = 0;
  for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = end_of_figure_cell(line, at);
    const std::string_view text = line.substr(at, end - at);
    column = columns_of(line.substr(0, at));
    cells.push_back({column, column + columns_of(text), std::string(text)});
    at = end;
  }
  return cells;
}

std::vector<FigureSpan> figure_spans_of(const std::vector<FigureCells>& lines) {
  std::vector<FigureSpan> all;
  for (const FigureCells& line : lines)
    for (const FigureCell& cell : line) all.push_back({cell.begin, cell.end});
  std::ranges::sort(all, {}, &FigureSpan::begin);
  std::vector<FigureSpan> spans;
  for (const FigureSpan& span : all)
    if (spans.empty() || span.begin >= spans.back().end)
      spans.push_back(span);
    else
      spans.back().end = std::max(spans.back().end, span.end);
  return spans;
}

// One column: the text of each line in that span, empty if there is none.
struct FigureColumn {
  std::vector<std::string> texts;
  std::size_t blanks_before = 0, width = 0;
  bool ends_together = true, begins_together = true;

  std::string laid_out(const std::string& text) const {
    const bool is_right = ends_together && !begins_together;
    const std::string filling(width - columns_of(text), ' ');
    return std::string(blanks_before, ' ') + (is_right ? filling + text : text + filling);
  }
};

FigureColumn figure_column_at(const FigureSpan& span, const std::vector<FigureCells>& lines,
                              const Wording& wording) {
  FigureColumn column;
  for (const FigureCells& line : lines) {
    std::string& text = column.texts.emplace_back();
    const auto cell = std::ranges::find_if(line, [&](const FigureCell& each) { return span.has(each); });
    if (cell == line.end()) continue;
    text = cell->text.starts_with('|') ? cell->text : wording.text(cell->text);
    column.width = std::max(column.width, columns_of(text));
    column.ends_together &= cell->end == span.end;
    column.begins_together &= cell->begin == span.begin;
  }
  return column;
}

}  // namespace

std::vector<std::string> figure_lines(const std::vector<std::string>& lines, const Wording& wording) {
  std::vector<FigureCells> cells;
  bool is_translated = false;
  for (const std::string& line : lines)
    for (const FigureCell& cell : cells.emplace_back(figure_cells_of(line)))
      is_translated |= !cell.text.starts_with('|') && wording.text(cell.text) != cell.text;
  if (!is_translated) return lines;
  std::vector<std::string> laid_out(lines.size());
  std::size_t end = 0;
  for (const FigureSpan& span : figure_spans_of(cells)) {
    FigureColumn column = figure_column_at(span, cells, wording);
    column.blanks_before = span.begin - end;
    for (std::size_t i = 0; i < lines.size(); ++i) laid_out[i] += column.laid_out(column.texts[i]);
    end = span.end;
  }
  for (std::string& line : laid_out) line = without_trailing_blanks(line);
  return laid_out;
}

}  // namespace cudalab::report
