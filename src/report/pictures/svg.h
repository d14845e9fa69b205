// Draws a picture as SVG for a page. Colours are classes that the page's style gives: t-good, t-bad, t-faint,
// t-plain and t-0 … t-5, so that dark, light and printed pages each have their own.
#pragma once

#include <string>
#include <string_view>

#include "core/languages/wording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// An <svg> with the title and the caption as its text for who does not see it.
std::string picture_svg(const SaidPicture& picture);

// The same with what stands around it, in the reader's language: a <figure> with title, legend and caption.
std::string picture_figure(const Picture& picture, const Wording& wording = {});

// A text within HTML or XML: &, <, > and quotes as entities, characters that are no text left out.
std::string html(std::string_view text);

// "t-good", as classes of the page's style.
std::string class_of(Tone tone);

}  // namespace cudalab::report
