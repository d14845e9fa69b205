// Reads a handout line by line and writes HTML: blocks first, then the marks within their text.
#include "serve/handout_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/text.h"
#include "report/pictures/renderers.h"

namespace cudalab::serve {
namespace {

constexpr std::string_view kIndent = "    ", kCommand = "cudalab ", kQuestions = "## Questions";

struct Mark {
  std::string_view sign, tag;
};
constexpr std::array kMarks{Mark{"**", "strong"}, Mark{"*", "em"}};

// The link at the start of the text: its label, its target and its length; length 0 if there is no link.
struct Link {
  std::string_view label, target;
  std::size_t length = 0;
};

Link link_at(std::string_view text) {
  const std::size_t middle = text.find("](");
  if (!text.starts_with('[') || middle == std::string_view::npos) return {};
  const std::size_t end = text.find(')', middle);
  if (end == std::string_view::npos || text.substr(0, middle).find('`') != std::string_view::npos) return {};
  return {text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2), end + 1};
}

std::string link_html(const Link& link) {
  if (!link.target.starts_with("https://")) return inline_html(link.label);
  return fmt::format("<a href=\"{}\" target=\"_blank\" rel=\"noopener noreferrer\">{}</a>",
                     report::html(link.target), inline_html(link.label));
}

// The length of marked text including its two marks; 0 if none begins here.
std::size_t marked_at(std::string_view text, const Mark& mark) {
  const std::size_t size = mark.sign.size();
  if (!text.starts_with(mark.sign) || text.size() <= size || text[size] == ' ') return 0;
  const std::size_t end = text.find(mark.sign, size + 1);
  return end == std::string_view::npos || text[end - 1] == ' ' ? 0 : end + size;
}

std::size_t marker_of(std::string_view line) {
  if (line.starts_with("- ")) return 2;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && digits < 4 && line.substr(digits, 2) == ". " ? digits + 2 : 0;
}

// Chinese characters and their punctuation: lines are joined without a blank between them. In UTF-8 they have
// three bytes, the first of which is at least E3.
bool is_chinese(std::string_view first_byte) {
  constexpr unsigned char kLeast = 0xe3, kMost = 0xef;
  const auto byte = static_cast<unsigned char>(first_byte.empty() ? 0 : first_byte.front());
  return byte >= kLeast && byte <= kMost;
}

std::string_view gap_between(std::string_view text, std::string_view line) {
  const bool needs_none = text.size() >= 3 && is_chinese(text.substr(text.size() - 3)) && is_chinese(line);
  return text.empty() || needs_none ? "" : " ";
}

class HandoutWriter {
 public:
  std::string of(std::string_view handout) {
    while (!handout.empty()) take(take_line(handout));
    end_block();
    return std::move(html_);
  }

 private:
  void take(std::string_view line) {
    const bool is_code = line.starts_with(kIndent) && text_.empty();
    if (trimmed(line).empty()) return code_.empty() ? end_block() : code_.push_back("");
    if (!is_code && !code_.empty()) end_block();
    if (is_code && list_.empty()) return code_.push_back(std::string(line.substr(kIndent.size())));
    if (line.starts_with('#')) return heading(line);
    if (line.starts_with('|')) return row(line);
    if (!rows_.empty()) end_block();
    if (const std::size_t marker = marker_of(line)) return item(line, marker);
    if (!list_.empty() && !line.starts_with(' ') && text_.empty()) end_block();
    text_ += fmt::format("{}{}", gap_between(text_, trimmed(line)), trimmed(line));
  }

  void heading(std::string_view line) {
    end_block();
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    html_ += fmt::format("<h{0}>{1}</h{0}>\n", std::clamp<std::size_t>(level + 1, 2, 5),
                         inline_html(trimmed(line.substr(level))));
  }

  void row(std::string_view line) {
    if (rows_.empty()) end_block();
    rows_.emplace_back(line);
  }

  void item(std::string_view line, std::size_t marker) {
    const char* const kind = line.starts_with('-') ? "ul" : "ol";
    end_text();
    if (!list_.empty() && list_ != kind) end_block();
    if (list_.empty()) html_ += fmt::format("<{}>\n", list_ = kind);
    text_ = trimmed(line.substr(marker));
  }

  void end_text() {
    if (text_.empty()) return;
    html_ += list_.empty() ? fmt::format("<p>{}</p>\n", inline_html(text_))
                           : fmt::format("<li>{}</li>\n", inline_html(text_));
    text_.clear();
  }

  void end_code() {
    while (!code_.empty() && code_.back().empty()) code_.pop_back();
    if (code_.empty()) return;
    const bool are_commands = std::ranges::all_of(
        code_, [](const std::string& line) { return line.empty() || line.starts_with(kCommand); });
    html_ += are_commands ? "<pre class=\"commands\">" : "<pre class=\"drawing\">";
    for (const std::string& line : code_)
      html_ += are_commands && !line.empty() ? command(line) : report::html(line) + "\n";
    html_ += "</pre>\n";
    code_.clear();
  }

  // The text after # explains the command.
  static std::string command(std::string_view line) {
    const std::size_t end = std::min(line.find("  #"), line.size());
    const std::string_view remark = trimmed(line.substr(end));
    return fmt::format("<code class=\"command\">{}</code>{}\n", report::html(trimmed(line.substr(0, end))),
                       remark.empty() ? "" : fmt::format(" <span>{}</span>", report::html(remark)));
  }

  static std::string cells(std::string_view line, std::string_view tag) {
    std::string html;
    bool is_code = false;
    std::string cell;
    for (const char c : line.substr(1)) {
      if (c == '`') is_code = !is_code;
      if (c == '|' && !is_code) {
        html += fmt::format("<{0}>{1}</{0}>", tag, inline_html(trimmed(cell)));
        cell.clear();
      } else {
        cell += c;
      }
    }
    return "<tr>" + html + "</tr>\n";
  }

  void end_table() {
    if (rows_.empty()) return;
    html_ += "<div class=\"scroll\"><table>\n<thead>" + cells(rows_.front(), "th") + "</thead><tbody>\n";
    for (std::size_t i = 1; i < rows_.size(); ++i)
      if (!rows_[i].starts_with("|---")) html_ += cells(rows_[i], "td");
    html_ += "</tbody></table></div>\n";
    rows_.clear();
  }

  void end_block() {
    end_text();
    end_code();
    end_table();
    if (!list_.empty()) html_ += fmt::format("</{}>\n", list_);
    list_.clear();
  }

  std::string html_, text_, list_;  // list_: "ul", "ol", or empty outside of lists
  std::vector<std::string> code_, rows_;
};

}  // namespace

std::string inline_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    if (const std::size_t end = text.front() == '`' ? text.find('`', 1) : std::string_view::npos;
        end != std::string_view::npos) {
      html += fmt::format("<code>{}</code>", report::html(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
      continue;
    }
    if (const Link link = link_at(text); link.length > 0) {
      html += link_html(link);
      text.remove_prefix(link.length);
      continue;
    }
    const auto mark =
        std::ranges::find_if(kMarks, [&](const Mark& each) { return marked_at(text, each) > 0; });
    if (mark != kMarks.end()) {
      const std::size_t length = marked_at(text, *mark), size = mark->sign.size();
      html += fmt::format("<{0}>{1}</{0}>", mark->tag, inline_html(text.substr(size, length - 2 * size)));
      text.remove_prefix(length);
      continue;
    }
    const std::size_t next = std::min(text.find_first_of("`[*", 1), text.size());
    html += report::html(text.substr(0, next));
    text.remove_prefix(next);
  }
  return html;
}

std::string handout_html(std::string_view handout) { return HandoutWriter().of(handout); }

std::string without_questions(std::string_view handout) {
  std::string rest;
  bool is_within = false;
  while (!handout.empty()) {
    const std::string_view line = take_line(handout);
    if (line.starts_with("## ")) is_within = line.starts_with(kQuestions);
    if (!is_within) rest += fmt::format("{}\n", line);
  }
  return rest;
}

}  // namespace cudalab::serve
