// A page that needs nothing else: one HTML file with its style and its script, and no request to any network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"

namespace cudalab::report {

struct PageSection {
  std::string id;  // of its anchor: letters, digits and dashes
  std::string title;
  std::string body;  // HTML
};

struct Page {
  std::string title;
  std::string head;  // HTML below the title: what was run, and what came of it
  std::vector<PageSection> sections;
};

std::string page_html(const Page& page, const Wording& wording = {});

// "stage-offset-11": of any name an anchor.
std::string anchor(std::string_view name);

// A table whose columns sort; a cell of a number sorts by it.
struct PageCell {
  std::string text;
  std::string sort_by = {};  // empty: the text
  std::string style = {};    // a class
};
std::string table_html(const std::vector<std::string>& headings,
                       const std::vector<std::vector<PageCell>>& rows);

// With a capital and a full stop, as the language has them.
std::string sentence_html(const std::string& text, Language language = Language::kEnglish);
std::string list_html(const std::vector<std::string>& sentences, Language language = Language::kEnglish);

// Of the style and the script; in page_style.cpp and page_script.cpp.
extern const std::string_view kPageStyle, kPageScript;

}  // namespace cudalab::report
