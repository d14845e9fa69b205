// Where the wrong elements of an output are: the whole array in cells, and the surroundings of the first one
// element by element. Plain data that comparisons fill and the reports draw.
#pragma once

#include <cstdint>
#include <vector>

namespace cudalab::lab {

struct WrongArea {
  std::int64_t first_row = 0, first_column = 0;
  std::int64_t rows_a_cell = 1, columns_a_cell = 1;
  std::int64_t rows = 0, columns = 0;  // of cells
  std::vector<std::uint32_t> wrong;    // elements of each cell, row by row
};

struct WrongMap {
  std::int64_t elements = 0;
  std::int64_t rows = 0, columns = 0;  // an array of one dimension stands in rows of kVectorColumns
  bool is_vector = false;
  WrongArea whole, near;  // near: elements around the first wrong one
};
inline constexpr std::int64_t kVectorColumns = 32;  // the threads of a warp side by side

}  // namespace cudalab::lab
