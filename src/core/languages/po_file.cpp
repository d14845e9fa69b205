// Reads and writes PO files line by line.
#include "core/languages/po_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text.h"
#include "messages/core.h"

namespace cudalab {
namespace {

constexpr std::size_t kMostForms = 10;

struct Escape {
  char letter, character;
};
constexpr std::array<Escape, 4> kEscapes{{{'n', '\n'}, {'t', '\t'}, {'"', '"'}, {'\\', '\\'}}};

std::string between_quotes(std::string_view text) {
  std::string line = "\"";
  for (const char c : text) {
    const auto* escape =
        std::find_if(kEscapes.begin(), kEscapes.end(), [c](Escape e) { return e.character == c; });
    line += escape == kEscapes.end() ? std::string(1, c) : std::string{'\\', escape->letter};
  }
  return line + "\"";
}

//   file    = { blank | comment | keyword text { text } }
//   comment = "#" anything | "#~" obsolete entry
//   keyword = "msgctxt" | "msgid" | "msgid_plural" | "msgstr" [ "[" digit "]" ]
//   text    = '"' { character | '\' escape } '"'
class Reader {
 public:
  Reader(std::string_view text, std::string_view place) : left_(text), place_(place) {}

  PoFile file() {
    while (!left_.empty()) {
      const std::size_t end = std::min(left_.find('\n'), left_.size());
      ++line_;
      take(trimmed(left_.substr(0, end)));
      left_.remove_prefix(std::min(end + 1, left_.size()));
    }
    end_entry();
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(Message problem) const {
    throw usage_error(msg::error_po_file(place_, line_, std::move(problem)));
  }

  void take(std::string_view line) {
    const bool was_stale = is_stale_;
    is_stale_ = line.starts_with("#~");
    if (is_stale_) {
      line = trimmed(line.substr(2));
      if (!was_stale) end_entry();
    }
    if (line.empty()) return;
    if (line.starts_with('#')) return comment(line);
    if (line.starts_with('"')) return go_on(line);
    keyword(line);
  }

  void comment(std::string_view line) {
    if (!entry_.translations.empty()) end_entry();
    const std::string_view text = trimmed(line.substr(std::min<std::size_t>(2, line.size())));
    if (line.starts_with("#,"))
      entry_.is_fuzzy |= text.find("fuzzy") != std::string_view::npos;
    else if (line.starts_with("#."))
      entry_.notes.emplace_back(text);
    else if (line.starts_with("#:"))
      entry_.reference = text;
    else if (!line.starts_with("#|"))
      entry_.remarks.emplace_back(text);
  }

  void keyword(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, blank), text = trimmed(line.substr(blank));
    if (word == "msgctxt") {
      if (!entry_.translations.empty()) end_entry();
      into_ = &entry_.id;
    } else if (word == "msgid") {
      if (!entry_.translations.empty()) end_entry();
      begin_entry();
    } else if (word == "msgid_plural" && is_begun_) {
      into_ = &entry_.plural;
    } else if (word.starts_with("msgstr") && is_begun_) {
      into_ = &entry_.translations.emplace_back();
      require_form(word.substr(6));
    } else {
      refuse(msg::po_word_unexpected(harmless_line(word, 40)));
    }
    go_on(text);
  }

  void begin_entry() {
    if (is_begun_) refuse(msg::po_translation_missing_before());
    is_begun_ = true;
    entry_.line = line_;
    belongs_to_nothing_ = is_stale_;
    into_ = &entry_.english;
  }

  // Requires the indices "[0]", "[1]", … in order, or "" for a single form.
  void require_form(std::string_view index) const {
    const std::size_t forms = entry_.translations.size();
    if (forms > kMostForms) refuse(msg::po_too_many_plurals());
    if (entry_.plural.empty() ? !index.empty() || forms > 1 : index != fmt::format("[{}]", forms - 1))
      refuse(msg::po_plural_forms_wrong());
  }

  void go_on(std::string_view text) {
    if (!into_ || text.size() < 2 || text.front() != '"' || text.back() != '"')
      refuse(msg::po_quotes_expected());
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) *into_ += text[i] == '\\' ? escaped(text, ++i) : text[i];
  }

  char escaped(std::string_view text, std::size_t at) const {
    for (const Escape& escape : kEscapes)
      if (at < text.size() && text[at] == escape.letter) return escape.character;
    refuse(msg::po_escape_unknown());
  }

  void end_entry() {
    if (!is_begun_ && !entry_.id.empty()) refuse(msg::po_context_without_id());
    if (is_begun_ && entry_.translations.empty()) refuse(msg::po_translation_missing_last());
    if (is_begun_ && entry_.english.empty())
      read_header();
    else if (is_begun_)
      (belongs_to_nothing_ ? file_.stale : file_.entries).push_back(std::move(entry_));
    entry_ = {};
    is_begun_ = false;
    into_ = nullptr;
  }

  void read_header() {
    std::string_view text = entry_.translations.front();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size()), colon = text.find(": ");
      if (colon < end)
        file_.header[std::string(text.substr(0, colon))] = trimmed(text.substr(colon + 2, end - colon - 2));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string_view left_, place_;
  PoFile file_;
  PoEntry entry_;
  std::string* into_ = nullptr;
  int line_ = 0;
  bool is_begun_ = false, is_stale_ = false, belongs_to_nothing_ = false;
};

std::string header_text(const PoFile& file) {
  std::string text = "msgid \"\"\nmsgstr \"\"\n";
  for (const auto& [name, value] : file.header)
    text += between_quotes(fmt::format("{}: {}\n", name, value)) + "\n";
  return text;
}

// Whether `msgfmt --check` can compare the slots. It does not know the form {count:byte|bytes}.
bool is_checked_by_gettext(const PoEntry& entry) {
  const auto is_plain = [](const std::string& text) { return text.find('|') == std::string::npos; };
  return entry.english.find('{') != std::string::npos && is_plain(entry.english) &&
         std::ranges::all_of(entry.translations, is_plain);
}

std::string entry_text(const PoEntry& entry, const char* margin) {
  std::string text = "\n";
  for (const std::string& remark : entry.remarks) text += fmt::format("# {}\n", remark);
  for (const std::string& note : entry.notes) text += fmt::format("#. {}\n", note);
  if (!entry.reference.empty()) text += fmt::format("#: {}\n", entry.reference);
  if (entry.is_fuzzy) text += "#, fuzzy\n";
  if (!entry.id.empty())
    text += fmt::format("{}{}msgctxt {}\n", is_checked_by_gettext(entry) ? "#, python-brace-format\n" : "",
                        margin, between_quotes(entry.id));
  text += fmt::format("{}msgid {}\n", margin, between_quotes(entry.english));
  if (!entry.plural.empty()) text += fmt::format("{}msgid_plural {}\n", margin, between_quotes(entry.plural));
  for (std::size_t form = 0; form < entry.translations.size(); ++form)
    text += fmt::format("{}msgstr{} {}\n", margin, entry.plural.empty() ? "" : fmt::format("[{}]", form),
                        between_quotes(entry.translations[form]));
  return text;
}

}  // namespace

bool PoEntry::is_translated() const {
  return !is_fuzzy && std::none_of(translations.begin(), translations.end(),
                                   [](const std::string& text) { return text.empty(); });
}

PoFile po_from(std::string_view text, std::string_view place) { return Reader(text, place).file(); }

std::string po_text(const PoFile& file) {
  std::string text = header_text(file);
  for (const PoEntry& entry : file.entries) text += entry_text(entry, "");
  for (const PoEntry& entry : file.stale) text += entry_text(entry, "#~ ");
  return text;
}

}  // namespace cudalab
