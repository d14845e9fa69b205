// Draws a picture with characters. What a colour says, a character says, too.
#pragma once

#include <string>

#include "report/pictures/picture.h"
#include "report/text/table.h"

namespace cudalab::report {

inline constexpr int kNarrowestPicture = 60;  // columns

// Title, picture, legend and caption, in lines of at most style.width columns, at least kNarrowestPicture.
// Ends with a line end.
std::string picture_text(const Picture& picture, const TableStyle& style);

// The same with at most `most_rows` rows of cells; the caption says how many are left out.
Picture shortened(Picture picture, std::size_t most_rows);

}  // namespace cudalab::report
