// Splits texts into sentences and replaces numbers and code by slots, for translation.
#include "core/languages/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/text.h"

namespace cudalab {

Language language_of(std::string_view locale) {
  return value_called(locale.substr(0, locale.find_first_of("_.@")), kLanguages).value_or(Language::kEnglish);
}

Language language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* value = std::getenv(variable); value && *value) return language_of(value);
  return Language::kEnglish;
}

namespace {

constexpr std::size_t kNone = 0;

bool is_letter(char c) { return is_word_start(c) && c != '_'; }

// These functions return the length of a slot that begins at `at`, or kNone if there is none.

// `code`, or ``code with ` in it``.
std::size_t code_span(std::string_view text, std::size_t at) {
  const std::size_t begin = std::min(text.find_first_not_of('`', at), text.size());
  if (begin == at) return kNone;
  const std::string_view ticks = text.substr(at, begin - at);
  const std::size_t end = text.find(ticks, begin);
  return end == std::string_view::npos ? kNone : end + ticks.size() - at;
}

// 0xffffffff.
std::size_t hexadecimal(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "0x") return kNone;
  const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + 2), text.size());
  return end > at + 2 ? end - at : kNone;
}

// A number such as 32, 1,024, 0.5 or 0xff, but not the 200 of H200.
std::size_t number(std::string_view text, std::size_t at) {
  if (!is_digit(text[at]) || (at > 0 && is_word(text[at - 1]))) return kNone;
  if (const std::size_t length = hexadecimal(text, at); length != kNone) return length;
  std::size_t end = at;
  const auto is_digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  while (is_digit_at(end) ||
         (end < text.size() && (text[end] == '.' || text[end] == ',') && is_digit_at(end + 1)))
    ++end;
  return end - at;
}

// The link target "(docs/counters.md)" in "[counters](docs/counters.md)".
std::size_t link_target(std::string_view text, std::size_t at) {
  if (text[at] != '(' || at == 0 || text[at - 1] != ']') return kNone;
  const std::size_t end = text.find(')', at);
  return end == std::string_view::npos ? kNone : end + 1 - at;
}

// {value}, { or }.
std::size_t braces(std::string_view text, std::size_t at) {
  if (text[at] != '{' && text[at] != '}') return kNone;
  const auto end =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(), is_letter);
  const bool is_named = text[at] == '{' && end != text.end() && *end == '}';
  return is_named ? static_cast<std::size_t>(end - text.begin()) + 1 - at : 1;
}

using Scan = std::size_t (*)(std::string_view, std::size_t);
constexpr std::array<Scan, 4> kSlots{code_span, link_target, braces, number};

std::size_t slot_at(std::string_view text, std::size_t at) {
  for (const Scan scan : kSlots)
    if (const std::size_t length = scan(text, at); length != kNone) return length;
  return kNone;
}

// ---- sentences ---------------------------------------------------------------------------------------

constexpr std::string_view kEnds = ".!?", kClosers = "\"')*", kOpeners = "\"'(*[`";
constexpr std::array<std::string_view, 5> kAbbreviations{"e.g.", "i.e.", "vs.", "cf.", "etc."};

bool begins_a_sentence(char c) {
  return (c >= 'A' && c <= 'Z') || is_digit(c) || kOpeners.find(c) != std::string_view::npos;
}

bool ends_in_abbreviation(std::string_view text) {
  return std::any_of(kAbbreviations.begin(), kAbbreviations.end(),
                     [text](std::string_view word) { return text.ends_with(word); });
}

// The end of the sentence whose final punctuation is at `at`; kNone if no sentence ends there. The ? of `n >
// 0 ? n : 1` follows a blank and ends no sentence.
std::size_t end_of_sentence(std::string_view text, std::size_t at) {
  if (kEnds.find(text[at]) == std::string_view::npos || ends_in_abbreviation(text.substr(0, at + 1)))
    return kNone;
  if (at > 0 && text[at - 1] == ' ') return kNone;
  const std::size_t end = std::min(text.find_first_not_of(kClosers, at + 1), text.size());
  const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
  return next > end && next < text.size() && begins_a_sentence(text[next]) ? end : kNone;
}

// Whether the last character, apart from closing marks, is a wide (Chinese) one.
bool ends_wide(std::string_view text) {
  std::size_t last = text.find_last_not_of(kClosers);
  while (last != std::string_view::npos && last > 0 && (text[last] & 0xc0) == 0x80) --last;
  return last != std::string_view::npos && static_cast<unsigned char>(text[last]) >= 0xe3;  // from U+3000 on
}

// Whether a word is a name such as mine.cu:3:, sum(), tile[0] or in_row, which must not be capitalized.
bool is_name(std::string_view word) {
  const std::size_t end = word.find_last_not_of(".,;:!?");
  return end != std::string_view::npos && word.substr(0, end + 1).find_first_of("._:()[]/") != word.npos;
}

// Capitalizes an ASCII or Russian letter. In UTF-8, а to я are d0 b0…bf and d1 80…8f; А to Я are d0 90…af.
void capitalise(std::string& text) {
  if (is_name(text.substr(0, text.find(' ')))) return;
  const auto at = [&text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (at(0) >= 'a' && at(0) <= 'z' && !(at(1) >= 'A' && at(1) <= 'Z'))
    text[0] = static_cast<char>(at(0) - 0x20);
  else if (at(0) == 0xd0 && at(1) >= 0xb0)
    text[1] = static_cast<char>(at(1) - 0x20);
  else if (at(0) == 0xd1 && at(1) < 0x90)
    text.replace(0, 2, {'\xd0', static_cast<char>(at(1) + 0x20)});
}

bool has_an_end(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 6>{".", "!", "?", "。", "！", "？"},
                             [text](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

Unit unit_of(std::string_view sentence) {
  Unit unit;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t length = slot_at(sentence, at);
    if (length == kNone) {
      unit.key += sentence[at++];
      continue;
    }
    unit.slots.emplace_back(sentence.substr(at, length));
    unit.key += fmt::format("{{{}}}", unit.slots.size());
    at += length;
  }
  return unit;
}

bool has_words(std::string_view key) {
  for (std::size_t i = 1; i < key.size(); ++i)
    if (is_letter(key[i - 1]) && is_letter(key[i])) return true;
  return false;
}

std::vector<std::string_view> sentences_in(std::string_view paragraph) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < paragraph.size();) {
    if (const std::size_t length = code_span(paragraph, at); length != kNone) {
      at += length;
      continue;
    }
    const char c = paragraph[at];
    depth = c == '(' ? depth + 1 : c == ')' ? std::max(0, depth - 1) : depth;
    const std::size_t end = depth == 0 ? end_of_sentence(paragraph, at) : kNone;
    if (end != kNone) {
      sentences.push_back(trimmed(paragraph.substr(begin, end - begin)));
      begin = end;
    }
    at = std::max(at + 1, end);
  }
  if (const auto rest = trimmed(paragraph.substr(begin)); !rest.empty()) sentences.push_back(rest);
  return sentences;
}

std::string joined_sentences(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!text.empty() && !ends_wide(text)) text += ' ';
    text += sentence;
  }
  return text;
}

std::string as_sentence(std::string clause, Language language) {
  if (clause.empty()) return clause;
  capitalise(clause);
  return with_an_end(std::move(clause), language);
}

std::string with_an_end(std::string clause, Language language) {
  return has_an_end(clause) ? clause : clause + (language == Language::kChinese ? "。" : ".");
}

std::vector<std::size_t> slots_in(std::string_view translation) {
  std::vector<std::size_t> slots;
  for (std::size_t at = translation.find('{'); at != std::string_view::npos;
       at = translation.find('{', at + 1)) {
    std::size_t number = 0, end = at + 1;
    for (; end < translation.size() && is_digit(translation[end]); ++end)
      number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(translation[end] - '0'), 1000);
    slots.push_back(number);
  }
  return slots;
}

}  // namespace cudalab
