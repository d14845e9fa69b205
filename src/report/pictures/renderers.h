// Draws a picture: with characters for a terminal, as SVG for a page.
#pragma once

#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "report/pictures/picture.h"
#include "report/text/table.h"

namespace cudalab::report {

inline constexpr int kNarrowestPicture = 60;  // columns

// Title, picture, legend and caption, in lines of at most style.width columns, at least kNarrowestPicture.
// Ends with a line end.
std::string picture_text(const Picture& picture, const TableStyle& style);

// The same with at most `most_rows` rows of cells; the caption says how many are left out.
Picture shortened(Picture picture, std::size_t most_rows);

// An <svg> with the title and the caption as its text for who does not see it.
std::string picture_svg(const SaidPicture& picture);

// The same with what stands around it, in the reader's language: a <figure> with title, legend and caption.
std::string picture_figure(const Picture& picture, const Wording& wording = {});

// A text within HTML or XML: &, <, > and quotes as entities, characters that are no text left out.
std::string html(std::string_view text);

// "t-good", as classes of the page's style.
std::string class_of(Tone tone);

}  // namespace cudalab::report
