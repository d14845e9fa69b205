// Draws the map of wrong elements, and finds whole rows and columns that are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "messages/report.h"
#include "report/pictures/builders.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

using lab::WrongArea;
using lab::WrongMap;

std::uint32_t wrong_at(const WrongArea& area, std::int64_t row, std::int64_t column) {
  return area.wrong[static_cast<std::size_t>(row * area.columns + column)];
}

// ---- the pattern ---------------------------------------------------------------------------------------

// A subset of `first` … `first + count - 1`, ascending.
struct Chosen {
  std::vector<std::int64_t> numbers;
  std::int64_t first = 0, count = 0;
  bool is_all() const { return static_cast<std::int64_t>(numbers.size()) == count; }
  bool is_run() const {
    return numbers.back() - numbers.front() + 1 == static_cast<std::int64_t>(numbers.size());
  }
  bool ends_last() const { return numbers.back() == first + count - 1; }
};

// The constant distance between neighbours, if the sequence extends as far as the range allows.
std::optional<std::int64_t> step_of(const Chosen& chosen) {
  if (chosen.numbers.size() < 2) return std::nullopt;
  const std::int64_t step = chosen.numbers[1] - chosen.numbers[0];
  for (std::size_t i = 1; i < chosen.numbers.size(); ++i)
    if (chosen.numbers[i] - chosen.numbers[i - 1] != step) return std::nullopt;
  const bool fills = chosen.numbers.front() - step < chosen.first &&
                     chosen.numbers.back() + step >= chosen.first + chosen.count;
  return step > 1 && fills ? std::optional(step) : std::nullopt;
}

std::string some_of(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, numbers.size()); ++i)
    text += fmt::format("{}{}", i ? ", " : "", numbers[i]);
  return text + (numbers.size() > kShown ? ", ..." : "");
}

// The sentences about rows, columns, or elements of 32.
struct Nouns {
  Message (*one)(Argument number);
  Message (*from)(Argument first);
  Message (*range)(Argument first, Argument last);
  Message (*every)(Argument ordinal, Argument numbers);
};
constexpr Nouns kRows{msg::pattern_row, msg::pattern_rows_from, msg::pattern_rows, msg::pattern_every_row},
    kColumns{msg::pattern_column, msg::pattern_columns_from, msg::pattern_columns, msg::pattern_every_column},
    kElements{msg::pattern_element, msg::pattern_elements_from, msg::pattern_elements,
              msg::pattern_every_element};

Message ordinal(std::int64_t number) {
  if (number == 2) return msg::ordinal_second(number);
  return number == 3 ? msg::ordinal_third(number) : msg::ordinal_other(number);
}

// "row 3", "every 2nd column (1, 3, 5, …)", "rows from 32 on"; no message without a pattern.
Message described(const Chosen& chosen, const Nouns& nouns) {
  const std::int64_t first = chosen.numbers.front();
  if (chosen.numbers.size() == 1) return nouns.one(first);
  if (chosen.is_run())
    return chosen.ends_last() ? nouns.from(first) : nouns.range(first, chosen.numbers.back());
  const auto step = step_of(chosen);
  return step ? nouns.every(ordinal(*step), some_of(chosen.numbers)) : Message();
}

// The same sentence for `columns`, restricted to these rows.
Message described_within(const Chosen& rows, const Message& columns) {
  const std::int64_t first = rows.numbers.front();
  if (rows.numbers.size() == 1) return msg::pattern_of_row(columns, first);
  if (rows.is_run())
    return rows.ends_last() ? msg::pattern_of_rows_from(columns, first)
                            : msg::pattern_of_rows(columns, first, rows.numbers.back());
  const auto step = step_of(rows);
  return step ? msg::pattern_of_every_row(columns, ordinal(*step), some_of(rows.numbers)) : Message();
}

Chosen rows_with_wrong(const WrongArea& area) {
  Chosen chosen{{}, area.first_row, area.rows};
  for (std::int64_t row = 0; row < area.rows; ++row)
    for (std::int64_t column = 0; column < area.columns; ++column)
      if (wrong_at(area, row, column)) {
        chosen.numbers.push_back(area.first_row + row);
        break;
      }
  return chosen;
}

Chosen columns_with_wrong(const WrongArea& area) {
  Chosen chosen{{}, area.first_column, area.columns};
  for (std::int64_t column = 0; column < area.columns; ++column)
    for (std::int64_t row = 0; row < area.rows; ++row)
      if (wrong_at(area, row, column)) {
        chosen.numbers.push_back(area.first_column + column);
        break;
      }
  return chosen;
}

// Whether the wrong elements are exactly the intersections of those rows and columns.
bool is_product(const WrongArea& area, const Chosen& rows, const Chosen& columns) {
  const auto wrong = std::ranges::count_if(area.wrong, [](std::uint32_t here) { return here > 0; });
  return static_cast<std::size_t>(wrong) == rows.numbers.size() * columns.numbers.size();
}

// ---- cells ---------------------------------------------------------------------------------------------

// The number of elements in a cell; cells at the array's edges hold fewer.
std::int64_t elements_in(const WrongMap& map, const WrongArea& area, std::int64_t row, std::int64_t column) {
  const std::int64_t down = std::min(area.rows_a_cell, map.rows - area.first_row - row * area.rows_a_cell),
                     right = std::min(area.columns_a_cell,
                                      map.columns - area.first_column - column * area.columns_a_cell);
  return down * right;
}

Cell cell_of(std::uint32_t wrong, std::int64_t elements) {
  if (wrong == 0) return {'.', Tone::kGood};
  return {static_cast<std::int64_t>(wrong) < elements ? 'x' : 'X', Tone::kBad};
}

Cells cells_of(const WrongMap& map, const WrongArea& area) {
  constexpr std::int64_t kMarksEvery = 8;
  Cells cells{.corner = map.is_vector ? msg::corner_element() : msg::corner_row(),
              .marks_every = kMarksEvery};
  for (std::int64_t column = 0; column < area.columns; column += kMarksEvery)
    cells.marks.push_back(
        fmt::format("{}{}", map.is_vector ? "+" : "", area.first_column + column * area.columns_a_cell));
  for (std::int64_t row = 0; row < area.rows; ++row) {
    const std::int64_t first = area.first_row + row * area.rows_a_cell;
    CellRow& made = cells.rows.emplace_back();
    made.label = Message::verbatim(std::to_string(map.is_vector ? first * map.columns : first));
    for (std::int64_t column = 0; column < area.columns; ++column) {
      const bool is_there =
          (first * map.columns + area.first_column + column * area.columns_a_cell) < map.elements;
      made.cells.push_back(is_there
                               ? cell_of(wrong_at(area, row, column), elements_in(map, area, row, column))
                               : Cell{' ', Tone::kFaint});
    }
  }
  return cells;
}

Picture picture_of(const WrongMap& map, const WrongArea& area, Message title) {
  Picture picture{"matrix", std::move(title), {}, {}, cells_of(map, area)};
  picture.legend = {{".", Tone::kGood, msg::legend_right()}, {"X", Tone::kBad, msg::legend_wrong()}};
  if (area.rows_a_cell * area.columns_a_cell > 1)
    picture.legend.push_back({"x", Tone::kBad, msg::legend_partly_wrong()});
  return picture;
}

bool shows_all(const WrongMap& map) { return map.near.rows == map.rows && map.near.columns == map.columns; }

}  // namespace

Message wrong_pattern(const WrongMap& map) {
  const WrongArea& area = map.near;
  const Chosen rows = rows_with_wrong(area), columns = columns_with_wrong(area);
  if (rows.numbers.empty() || !is_product(area, rows, columns)) return {};
  if (rows.is_all() && columns.is_all()) return msg::pattern_all();
  if (columns.is_all()) return map.is_vector ? Message() : described(rows, kRows);
  const Message of_columns = described(columns, map.is_vector ? kElements : kColumns);
  if (rows.is_all() || of_columns.empty()) return of_columns;
  return map.is_vector ? Message() : described_within(rows, of_columns);
}

std::vector<Picture> matrix_pictures(const lab::Row& row) {
  // An array of one element needs no picture.
  if (!row.check || !row.check->wrong || row.check->wrong->elements < 2) return {};
  const WrongMap& map = *row.check->wrong;
  std::vector<Picture> pictures;
  const Message how_many = msg::picture_elements_wrong(row.check->mismatches, map.elements);
  if (!shows_all(map)) pictures.push_back(picture_of(map, map.whole, msg::picture_whole_output(how_many)));
  pictures.push_back(picture_of(map, map.near, shows_all(map) ? how_many : msg::picture_near_first_wrong()));
  if (const Message pattern = wrong_pattern(map); !pattern.empty())
    pictures.back().caption.push_back(msg::picture_wrong_here(pattern));
  return pictures;
}

}  // namespace cudalab::report
