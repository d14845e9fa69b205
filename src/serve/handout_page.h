// A handout, in the part of Markdown that handouts use, as HTML. All text is escaped.
#pragma once

#include <string>
#include <string_view>

namespace cudalab::serve {

// `code`, **bold**, *emphasis* and [links](https://…) within a line. A link to anything but a web page stays
// text.
std::string inline_html(std::string_view text);

// Headings, paragraphs, lists, tables, and indented blocks. A block whose lines are commands of cudalab has
// the class "commands", and each command is an element <code class="command">.
std::string handout_html(std::string_view handout);

// The handout without the section "## Questions", which the workbook shows with answers.
std::string without_questions(std::string_view handout);

}  // namespace cudalab::serve
