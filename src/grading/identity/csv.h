// Tables as spreadsheets write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudalab::grading {

// The rows of RFC 4180: cells between commas (or semicolons, where the first line has no comma), quotes
// doubled within quotes, lines that end in LF or CRLF. Blank lines are no rows; blanks around a cell are not
// part of it.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

}  // namespace cudalab::grading
