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
//   data of a run --builders.h--> Picture --in_words--> SaidPicture
//                                SaidPicture --renderers.h--> characters, SVG
//
// Words are messages in a Picture, and texts in the reader's language in a SaidPicture.

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

template <class Words>
struct CellRowOf {
  Words label;
  std::vector<Cell> cells;
  Words note;  // behind the cells; may be empty
};
template <class Words>
struct CellsOf {
  Words corner = {};                    // above the labels
  std::vector<std::string> marks = {};  // above the columns, the k-th above column k * marks_every
  std::size_t marks_every = 4;
  std::size_t group = 0;  // a gap, or a wall, after each so many cells; 0: none
  bool is_roomy = false;  // a + may stand beside a cell that several lanes share
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
  std::vector<BarPart> parts;  // one behind the other
  Words value;                 // "~38.0 us"; behind the bar
  double length() const {
    double sum = 0;
    for (const BarPart& part : parts) sum += std::max(0.0, part.value);
    return sum;
  }
};
template <class Words>
struct BarsOf {
  std::vector<BarOf<Words>> bars;
  double full = 0;  // what the whole width stands for; 0: the longest bar
};

// ---- plots: roofline, curves ---------------------------------------------------------------------------

template <class Words>
struct AxisOf {
  Words name;  // with its unit: "offset [elements]"
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
  std::vector<double> coordinates(bool is_x) const {  // of all points, along one axis
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
  Words cost;        // "32 sectors for 4"; may be empty
  double share = 0;  // of the cost of all lines, 0 to 1
  Tone tone = Tone::kPlain;
};
template <class Words>
struct ListingOf {
  Words heading;  // of the costs
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
  std::string kind;            // "sectors"; as --show spells it
  Words title;                 // in a line
  std::vector<Words> caption;  // sentences below it, with the numbers that the picture shows
  std::vector<LegendEntryOf<Words>> legend;
  std::variant<CellsOf<Words>, BarsOf<Words>, PlotOf<Words>, SpansOf<Words>, ListingOf<Words>> body;
  std::string row = {};  // that it is of, before the title; empty: of the whole result
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
