// A self-contained HTML page: one file with its style and script, and no network requests.
#include "report/page/document.h"

#include <fmt/format.h>

#include <cctype>

#include "core/languages/units.h"
#include "messages/report.h"
#include "report/pictures/renderers.h"

namespace cudalab::report {

// The style of pages: light, dark, narrow and printed.

const std::string_view kPageStyle =
#include "embedded/page.css"
    ;

// The script of pages: it sorts tables, shows the requests of a source line, and steps through them with a
// slider. Without the script, everything is shown.

const std::string_view kPageScript =
#include "embedded/page.js"
    ;

namespace {

// The content security policy: whatever the page contains, it loads nothing.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

std::string navigation(const std::vector<PageSection>& sections, const Wording& wording) {
  std::string text = fmt::format("<nav aria-label=\"{}\"><ul>", html(wording.say(msg::page_contents())));
  for (const PageSection& section : sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, html(section.title));
  return text + "</ul></nav>\n";
}

}  // namespace

std::string anchor(std::string_view name) {
  std::string made;
  for (const char c : name)
    made += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  return made;
}

std::string page_html(const Page& page, const Wording& wording) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n<body>\n<a class=\"skip\" href=\"#main\">{}</a>\n<header>\n<h1>{}</h1>\n{}</header>\n",
      name_in(kLanguages, wording.language()), kPolicy, html(page.title), kPageStyle,
      html(wording.say(msg::page_skip())), html(page.title), page.head);
  text += navigation(page.sections, wording) + "<main id=\"main\">\n";
  for (const PageSection& section : page.sections)
    text += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
        section.id, html(section.title), section.body);
  return text + fmt::format("</main>\n<script>\n{}</script>\n</body>\n</html>\n", kPageScript);
}

std::string table_html(const std::vector<std::string>& headings,
                       const std::vector<std::vector<PageCell>>& rows) {
  std::string text = "<div class=\"scroll\"><table class=\"sortable\"><thead><tr>";
  for (const std::string& heading : headings)
    text += fmt::format("<th scope=\"col\"><button type=\"button\">{}</button></th>", html(heading));
  text += "</tr></thead><tbody>\n";
  for (const std::vector<PageCell>& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const PageCell& cell = row[i];
      const std::string sort =
          cell.sort_by.empty() ? "" : fmt::format(" data-sort=\"{}\"", html(cell.sort_by));
      const std::string style = cell.style.empty() ? "" : fmt::format(" class=\"{}\"", cell.style);
      const std::string_view tag = i == 0 ? "th scope=\"row\"" : "td";
      text += fmt::format("<{}{}{}>{}</{}>", tag, sort, style, html(cell.text), i == 0 ? "th" : "td");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string sentence_html(const std::string& text, Language language) {
  return text.empty() ? "" : html(as_sentence(text, language));
}

std::string list_html(const std::vector<std::string>& sentences, Language language) {
  if (sentences.empty()) return "";
  std::string text = "<ul class=\"sentences\">\n";
  for (const std::string& sentence : sentences)
    text += fmt::format("<li>{}</li>\n", sentence_html(sentence, language));
  return text + "</ul>\n";
}

}  // namespace cudalab::report
