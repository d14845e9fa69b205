// Draws pictures: with characters for a terminal, as SVG for a page.
#pragma once

#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "report/pictures/picture.h"
#include "report/text/table.h"

namespace cudalab::report {

inline constexpr int kNarrowestPicture = 60;  // columns

// Title, picture, legend and caption in lines of at most style.width columns, but never narrower than
// kNarrowestPicture. Ends with a line end.
std::string picture_text(const Picture& picture, const TableStyle& style);

// The same with at most `most_rows` rows of cells; the caption says how many are left out.
Picture shortened(Picture picture, std::size_t most_rows);

// An <svg> element; the title and the caption are its text for screen readers.
std::string picture_svg(const SaidPicture& picture);

// The picture as a <figure> with title, legend and caption in the reader's language.
std::string picture_figure(const Picture& picture, const Wording& wording = {});

// Escapes a text for HTML or XML: &, <, > and quotes become entities, control characters are left out.
std::string html(std::string_view text);

// The tone's class in the page's style: "t-good".
std::string class_of(Tone tone);

}  // namespace cudalab::report
