// A picture as plain data, the words in it in the reader's language, and the ticks of its axes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::report {

// A picture as plain data: what the terminal draws with characters and a page as SVG.
//
//   data of a run --builders (requests.h, source.h, …)--> Picture --terminal.h--> characters
//                                                                 --svg.h-------> SVG

// What a colour says; each renderer has its own.
enum class Tone {
  kPlain,
  kGood,   // wanted, used, right
  kBad,    // wasted, waited for, wrong
  kFaint,  // absent, idle
  kFirst,  // several things side by side: kFirst + 0, 1, … kTones - 1
};
inline constexpr int kTones = 6;
constexpr Tone tone_of_number(std::size_t number) {
  return static_cast<Tone>(static_cast<int>(Tone::kFirst) + static_cast<int>(number % kTones));
}

// ---- cells: sectors, banks, a matrix, an occupied multiprocessor, lanes over time ----------------------

struct Cell {
  char glyph = ' ';
  Tone tone = Tone::kPlain;
  int lane = -1;         // whose it is; the SVG writes its number
  bool several = false;  // other lanes' as well
};
// The character that a lane of a warp is shown as.
inline constexpr std::string_view kLaneGlyphs = "0123456789abcdefghijklmnopqrstuv";

struct CellRow {
  std::string label;
  std::vector<Cell> cells;
  std::string note;  // behind the cells; may be empty
};
struct Cells {
  std::string corner = {};  // above the labels
  std::vector<std::string> marks =
      {};  // above the columns, the k-th above column k * marks_every; may be empty
  std::size_t marks_every = 4;
  std::size_t group = 0;  // a gap, or a wall, after each so many cells; 0: none
  bool is_roomy = false;  // a + may stand beside a cell that several lanes share
  std::vector<CellRow> rows = {};
};

// ---- bars: limits, stages ------------------------------------------------------------------------------

struct BarPart {
  double value = 0;
  Tone tone = Tone::kPlain;
  char glyph = '#';
};
struct Bar {
  std::string label;
  std::vector<BarPart> parts;  // one behind the other
  std::string value;           // "~38.0 us"; behind the bar
  double length() const {
    double sum = 0;
    for (const BarPart& part : parts) sum += std::max(0.0, part.value);
    return sum;
  }
};
struct Bars {
  std::vector<Bar> bars;
  double full = 0;  // what the whole width stands for; 0: the longest bar
};

// ---- plots: roofline, curves ---------------------------------------------------------------------------

struct Axis {
  std::string name;  // with its unit: "offset [elements]"
  bool is_logarithmic = false;
};
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  Tone tone = Tone::kFirst;
  char glyph = 'o';
  bool has_marks = true, has_line = true;
};
struct Plot {
  Axis x, y;
  std::vector<Curve> curves;
  std::vector<double> coordinates(bool is_x) const {  // of all points, along one axis
    std::vector<double> values;
    for (const Curve& curve : curves)
      for (const auto& [across, up] : curve.points) values.push_back(is_x ? across : up);
    return values;
  }
};

// ---- spans: a timeline ---------------------------------------------------------------------------------

struct TimeSpan {
  std::size_t row = 0;
  std::string name;
  char glyph = '#';
  Tone tone = Tone::kFirst;
  double begin_ms = 0, end_ms = 0;
};
struct Spans {
  std::vector<std::string> rows;
  std::vector<TimeSpan> spans;
  double whole_ms = 0;
};

// ---- a listing: a source with its cost in the margin ---------------------------------------------------

struct ListedLine {
  int number = 0;
  std::string text;
  std::string cost;  // "32 for 4 sectors"; may be empty
  double share = 0;  // of the cost of all lines, 0 to 1
  Tone tone = Tone::kPlain;
};
struct Listing {
  std::string heading;  // of the costs
  std::vector<ListedLine> lines;
};

// ---- the picture ---------------------------------------------------------------------------------------

struct LegendEntry {
  std::string glyph;
  Tone tone = Tone::kPlain;
  std::string text;
};

struct Picture {
  std::string kind;                  // "sectors"; as --show spells it
  std::string title;                 // in a line
  std::vector<std::string> caption;  // sentences below it, with the numbers that the picture shows
  std::vector<LegendEntry> legend;
  std::variant<Cells, Bars, Plot, Spans, Listing> body;
  std::string row = {};  // that it is of, before the title; empty: of the whole result
};

// The words of a picture in the reader's language. Builders write English; their sentences are formats of
// languages/sentences.json, by which each is known again.

// What is the user's own, as names of stages and lines of a source, stays.
Picture in_words(Picture picture, const Wording& wording);

// Where an axis has its marks, and how a number is written there.

struct Scale {
  bool is_logarithmic = false;
  double low = 0, high = 1;        // at both ends; of a logarithmic one above 0
  std::vector<double> ticks = {};  // between them, ascending
  // 0 at the low end, 1 at the high end; NaN where a logarithmic axis has no place.
  double position(double value) const;
};

// Holds all values; at most `most` ticks, on multiples of 1, 2 or 5 times a power of ten. A logarithmic one
// has them at 1, 2 and 5 times each power of ten, or where that is too many at powers of ten. Linear ones
// begin at 0 where nothing is below and the values do not lie far from it. Of no values: from 0 to 1.
Scale scale_for(const std::vector<double>& values, bool is_logarithmic, std::size_t most);

// "0.5", "1000", "1e6", "2e-9": short, and unambiguous beside its neighbours.
std::string tick_text(double value);
// The same beside the scale's other ticks: powers of ten are written in one way along an axis.
std::string tick_text(double value, const Scale& scale);

}  // namespace cudalab::report
