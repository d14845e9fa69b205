// Compares what a run wrote with the expected values.
#include "lab/verification/verification.h"

#include <fmt/format.h>

#include "core/text.h"
#include "messages/lab.h"

namespace cudalab::lab {

std::vector<std::int64_t> coordinates(std::size_t index, const Shape& shape) {
  std::vector<std::int64_t> at(std::max<std::size_t>(shape.size(), 1));
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t dimension = at.size() - 1; dimension > 0; --dimension) {
    at[dimension] = rest % shape[dimension];
    rest /= shape[dimension];
  }
  at[0] = rest;
  return at;
}

namespace {

Message describe_first(const Check& check) {
  Message count = msg::elements_wrong(check.mismatches, check.compared);
  if (!check.first_mismatch) return count;
  const Mismatch& first = *check.first_mismatch;
  std::string element;
  for (const std::int64_t coordinate : first.at) element += fmt::format("[{}]", coordinate);
  if (first.never_written) return msg::first_unwritten(std::move(count), element, first.expected);
  return msg::first_wrong(std::move(count), element, first.found, first.expected);
}

}  // namespace

Message describe(const Check& check) {
  if (check.mismatches == 0) return {};
  Message what = describe_first(check);
  for (const Message& pattern : check.patterns) what = msg::wrong_with_reason(std::move(what), pattern);
  return what;
}

namespace {

constexpr std::int64_t kMapRows = 32, kMapColumns = 64;  // of cells

WrongMap map_of_shape(std::size_t count, const Shape& shape) {
  WrongMap map;
  map.elements = static_cast<std::int64_t>(count);
  map.is_vector = shape.size() < 2;
  map.columns = map.is_vector ? kVectorColumns : std::max<std::int64_t>(shape.back(), 1);
  map.rows = (map.elements + map.columns - 1) / map.columns;
  return map;
}

// The whole array, in as many cells as are shown.
WrongArea whole_of(const WrongMap& map) {
  WrongArea area;
  area.rows_a_cell = (map.rows + kMapRows - 1) / kMapRows;
  area.columns_a_cell = (map.columns + kMapColumns - 1) / kMapColumns;
  area.rows = (map.rows + area.rows_a_cell - 1) / area.rows_a_cell;
  area.columns = (map.columns + area.columns_a_cell - 1) / area.columns_a_cell;
  return area;
}

// The area around an element. It begins at a multiple of its own size, so tiles keep their alignment.
WrongArea around(const WrongMap& map, std::int64_t element) {
  WrongArea area;
  area.first_row = element / map.columns / kMapRows * kMapRows;
  area.first_column = element % map.columns / kMapColumns * kMapColumns;
  area.rows = std::min(kMapRows, map.rows - area.first_row);
  area.columns = std::min(kMapColumns, map.columns - area.first_column);
  return area;
}

void count(WrongArea& area, std::int64_t row, std::int64_t column) {
  const std::int64_t down = row - area.first_row, right = column - area.first_column;
  if (down < 0 || right < 0) return;
  const std::int64_t cell_row = down / area.rows_a_cell, cell_column = right / area.columns_a_cell;
  if (cell_row >= area.rows || cell_column >= area.columns) return;
  ++area.wrong[static_cast<std::size_t>(cell_row * area.columns + cell_column)];
}

}  // namespace

namespace detail {

std::shared_ptr<const WrongMap> wrong_map(std::size_t elements, const Shape& shape, std::size_t first,
                                          const std::function<bool(std::size_t)>& is_wrong) {
  auto map = std::make_shared<WrongMap>(map_of_shape(elements, shape));
  map->whole = whole_of(*map);
  map->near = around(*map, static_cast<std::int64_t>(first));
  for (WrongArea* area : {&map->whole, &map->near})
    area->wrong.resize(static_cast<std::size_t>(area->rows * area->columns));
  for (std::size_t i = first; i < elements; ++i) {
    if (!is_wrong(i)) continue;
    const auto element = static_cast<std::int64_t>(i);
    for (WrongArea* area : {&map->whole, &map->near})
      count(*area, element / map->columns, element % map->columns);
  }
  return map;
}

void Tally::add(std::size_t index, double error_here, double allowed_here) {
  const double used_here =
      error_here == 0 ? 0 : error_here / allowed_here;  // infinite if no error is allowed
  if (used_here > used || std::isnan(used_here)) {
    used = std::isnan(used_here) ? std::numeric_limits<double>::infinity() : used_here;
    error = error_here;
    allowed = allowed_here;
  }
  if (!is_wrong(error_here, allowed_here)) return;
  if (mismatches == 0) first = index;
  ++mismatches;
}

void Tally::add(const Tally& later) {
  if (later.used > used) {
    used = later.used;
    error = later.error;
    allowed = later.allowed;
  }
  if (mismatches == 0) first = later.first;
  mismatches += later.mismatches;
}

Check to_check(const Tally& tally, std::size_t compared, Message bound) {
  Check check;
  check.max_error = tally.error;
  check.allowed = tally.allowed;
  check.bound = std::move(bound);
  check.compared = compared;
  check.mismatches = tally.mismatches;
  return check;
}

}  // namespace detail
}  // namespace cudalab::lab
