// Pictures as plain data, and the ticks of their axes.
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

// A terminal draws a picture with characters, and a page draws it as SVG.
//
//   data of a run --builders.h--> Picture --in_words--> SaidPicture
//                                 SaidPicture --renderers.h--> characters, SVG
//
// The words are messages in a Picture, and texts in the reader's language in a SaidPicture.

// The meaning of a colour; each renderer has its own colours.
enum class Tone {
  kPlain,
  kGood,   // wanted, used, right
  kBad,    // wasted, waited for, wrong
  kFaint,  // absent, idle
  kFirst,  // items side by side: kFirst + 0, 1, … kTones - 1
};
inline constexpr int kTones = 6;
constexpr Tone tone_of_number(std::size_t number) {
  return static_cast<Tone>(static_cast<int>(Tone::kFirst) + static_cast<int>(number % kTones));
}

// ---- cells: sectors, banks, a matrix, the warps of an SM, lanes over time ------------------------------

struct Cell {
  char glyph = ' ';
  Tone tone = Tone::kPlain;
  int lane = -1;         // the lane in the cell; the SVG shows its number
  bool several = false;  // other lanes use the cell, too
};
// The characters that stand for the lanes of a warp.
inline constexpr std::string_view kLaneGlyphs = "0123456789abcdefghijklmnopqrstuv";

template <class Words>
struct CellRowOf {
  Words label;
  std::vector<Cell> cells;
  Words note;  // after the cells; may be empty
};
template <class Words>
struct CellsOf {
  Words corner = {};                    // above the labels
  std::vector<std::string> marks = {};  // above the columns: the k-th mark is above column k * marks_every
  std::size_t marks_every = 4;
  std::size_t group = 0;  // a gap or a line after every `group` cells; 0: none
  bool is_roomy = false;  // leaves space for a + next to a cell that several lanes share
  std::vector<CellRowOf<Words>> rows = {};
};

// ---- bars: limits, stages ------------------------------------------------------------------------------

struct BarPart {
  double value = 0;
  Tone tone = Tone::kPlain;
  char glyph = '#';
};
template <class Words>
struct BarOf {
  Words label;
  std::vector<BarPart> parts;  // drawn one after another
  Words value;                 // "~38.0 us"; shown after the bar
  double length() const {
    double sum = 0;
    for (const BarPart& part : parts) sum += std::max(0.0, part.value);
    return sum;
  }
};
template <class Words>
struct BarsOf {
  std::vector<BarOf<Words>> bars;
  double full = 0;  // the value of the full width; 0: that of the longest bar
};

// ---- plots: roofline, curves ---------------------------------------------------------------------------

template <class Words>
struct AxisOf {
  Words name;  // includes the unit: "offset [elements]"
  bool is_logarithmic = false;
};
template <class Words>
struct CurveOf {
  Words name;
  std::vector<std::pair<double, double>> points;
  Tone tone = Tone::kFirst;
  char glyph = 'o';
  bool has_marks = true, has_line = true;
};
template <class Words>
struct PlotOf {
  AxisOf<Words> x, y;
  std::vector<CurveOf<Words>> curves;
  std::vector<double> coordinates(bool is_x) const {  // of all points, on one axis
    std::vector<double> values;
    for (const CurveOf<Words>& curve : curves)
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
template <class Words>
struct SpansOf {
  std::vector<Words> rows;
  std::vector<TimeSpan> spans;
  double whole_ms = 0;
};

// ---- a listing: a source with its cost in the margin ---------------------------------------------------

template <class Words>
struct ListedLineOf {
  int number = 0;
  std::string text;
  Words cost;        // "32 sectors for 4": found and minimum; may be empty
  double share = 0;  // the line's share of all costs, 0 to 1
  Tone tone = Tone::kPlain;
};
template <class Words>
struct ListingOf {
  Words heading;  // the heading of the costs
  std::vector<ListedLineOf<Words>> lines;
};

// ---- the picture ---------------------------------------------------------------------------------------

template <class Words>
struct LegendEntryOf {
  std::string glyph;
  Tone tone = Tone::kPlain;
  Words text;
};

template <class Words>
struct PictureOf {
  std::string kind;            // "sectors"; as `--show` names it
  Words title;                 // one line
  std::vector<Words> caption;  // sentences below the picture, with the numbers that it shows
  std::vector<LegendEntryOf<Words>> legend;
  std::variant<CellsOf<Words>, BarsOf<Words>, PlotOf<Words>, SpansOf<Words>, ListingOf<Words>> body;
  std::string row = {};  // the row that it belongs to, shown before the title; empty: the whole result
  Words why = {};        // a clause; shown as a sentence below the caption
};

using CellRow = CellRowOf<Message>;
using Cells = CellsOf<Message>;
using Bar = BarOf<Message>;
using Bars = BarsOf<Message>;
using Axis = AxisOf<Message>;
using Curve = CurveOf<Message>;
using Plot = PlotOf<Message>;
using Spans = SpansOf<Message>;
using ListedLine = ListedLineOf<Message>;
using Listing = ListingOf<Message>;
using LegendEntry = LegendEntryOf<Message>;
using Picture = PictureOf<Message>;
using SaidCellRow = CellRowOf<std::string>;
using SaidCells = CellsOf<std::string>;
using SaidBar = BarOf<std::string>;
using SaidBars = BarsOf<std::string>;
using SaidCurve = CurveOf<std::string>;
using SaidPlot = PlotOf<std::string>;
using SaidSpans = SpansOf<std::string>;
using SaidListedLine = ListedLineOf<std::string>;
using SaidListing = ListingOf<std::string>;
using SaidLegendEntry = LegendEntryOf<std::string>;
using SaidPicture = PictureOf<std::string>;

// In the reader's language.
SaidPicture in_words(const Picture& picture, const Wording& wording);

// The marks of an axis, and the text of their numbers.

struct Scale {
  bool is_logarithmic = false;
  double low = 0, high = 1;        // the ends; above 0 on a logarithmic axis
  std::vector<double> ticks = {};  // between them, ascending
  // 0 at the low end, 1 at the high end; NaN for values that a logarithmic axis cannot show.
  double position(double value) const;
};

// A scale that contains all values, with at most `most` ticks at multiples of 1, 2 or 5 times a power of ten.
// A logarithmic scale has ticks at 1, 2 and 5 times each power of ten, or only at powers of ten if those are
// too many. A linear scale begins at 0 if no value is negative and the lowest is less than half the highest.
// Without values: 0 to 1.
Scale scale_for(const std::vector<double>& values, bool is_logarithmic, std::size_t most);

// "0.5", "1000", "1e6", "2e-9": short, and distinct from neighbouring ticks.
std::string tick_text(double value);
// The same, consistent with the scale's other ticks: all powers of ten on an axis have one format.
std::string tick_text(double value, const Scale& scale);

}  // namespace cudalab::report
