// A result as text for a terminal: one line about the run, a table of the rows, the problems, and
// explanations of the numbers.
#pragma once

#include <functional>
#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

// The text of row.source; may throw Error(kUsage).
using ReadSource = std::function<std::string(const lab::Row& row)>;

struct TableStyle {
  bool colour = false;
  int width = 100;       // columns; the least important table columns are dropped until it fits
  bool verbose = false;  // also all CPU versions, the seed, occupancy, bytes, and the interpreter's time
  Wording wording{};     // the reader's language
  ReadSource read{};     // reads the source lines shown around an error; may be empty
};

std::string table_text(const lab::Result& result, const TableStyle& style);

}  // namespace cudalab::report
