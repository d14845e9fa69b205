// A self-contained HTML page: one file with its style and script, and no network requests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::report {

struct PageSection {
  std::string id;  // the anchor's name: letters, digits and dashes
  std::string title;
  std::string body;  // HTML
};

struct Page {
  std::string title;
  std::string head;  // HTML below the title: what was run, and the outcome
  std::vector<PageSection> sections;
};

std::string page_html(const Page& page, const Wording& wording = {});

// An anchor made from any name: "stage-offset-11".
std::string anchor(std::string_view name);

// A table with sortable columns; cells with numbers are sorted by value.
struct PageCell {
  std::string text;
  std::string sort_by = {};  // empty: the text
  std::string style = {};    // a CSS class
};
std::string table_html(const std::vector<std::string>& headings,
                       const std::vector<std::vector<PageCell>>& rows);

// A sentence with the capital letter and the full stop of the language.
std::string sentence_html(const std::string& text, Language language = Language::kEnglish);
std::string list_html(const std::vector<std::string>& sentences, Language language = Language::kEnglish);

// The pages' style sheet and script.
extern const std::string_view kPageStyle, kPageScript;

}  // namespace cudalab::report
