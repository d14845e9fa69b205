// A result as text for a terminal: a table of the rows, what went wrong, the verdict, and why the numbers are
// so.
#pragma once

#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

struct TableStyle {
  bool colour = false;
  int width = 100;       // columns; the table leaves out what matters least until it fits
  bool verbose = false;  // also how long the interpreter took, and how full the card is
  Wording wording{};     // the reader's language
};

std::string table_text(const lab::Result& result, const TableStyle& style);

}  // namespace cudalab::report
