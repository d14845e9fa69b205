// Looks for whole words in the English text, and for stems in the translation.
#include "course/texts/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

// Small letters of ASCII and of Russian, which UTF-8 writes as d0 90…af (А to Я), d0 81 (Ё), d0 b0…bf and
// d1 80…8f (а to я), d1 91 (ё).
std::string lowered(std::string_view text) {
  std::string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xd0 && next == 0x81)
      lower += "ё", ++i;
    else if (byte == 0xd0 && next >= 0x90 && next < 0xa0)
      lower += {'\xd0', static_cast<char>(next + 0x20)}, ++i;
    else if (byte == 0xd0 && next >= 0xa0 && next < 0xb0)
      lower += {'\xd1', static_cast<char>(next - 0x20)}, ++i;
    else
      lower += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 0x20) : text[i];
  }
  return lower;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// In code that stands without backticks: block = 3, warp[i], kernel<<<…>>>, at.block.
bool is_code(const std::string& text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kBefore = ".&>[", kBehind = "[(<{=";
  const bool is_behind_code = begin > 0 && kBefore.find(text[begin - 1]) != std::string_view::npos;
  return is_behind_code || (end < text.size() && kBehind.find(text[end]) != std::string_view::npos) ||
         text.substr(end, 3) == " = ";
}

// "warp" in "the warps", and not in "warped".
bool has_term(const std::string& lower_text, const std::string& term) {
  for (std::size_t at = lower_text.find(term); at != std::string::npos; at = lower_text.find(term, at + 1)) {
    std::size_t end = at + term.size();
    if (lower_text.substr(end, 1) == "s") ++end;
    const bool begins = at == 0 || !is_word(lower_text[at - 1]);
    const bool ends = end == lower_text.size() || !is_word(lower_text[end]);
    if (begins && ends && !is_code(lower_text, at, end)) return true;
  }
  return false;
}

bool has_stems(const std::string& lower_text, const std::string& stems) {
  const std::vector<std::string> all = words_of(stems);
  return std::ranges::all_of(
      all, [&](const std::string& stem) { return lower_text.find(stem) != std::string::npos; });
}

Term term_from(const Json& text, const std::string& place) {
  try {
    Term term{.english = text.at("en").get<std::string>()};
    for (const Named<Language>& row : kLanguages)
      if (row.value != Language::kEnglish)
        term.translations[row.value] = text.at(std::string(row.name)).get<std::vector<std::string>>();
    return term;
  } catch (const Json::exception&) {
    throw usage_error("{}: a term is {{\"en\": TEXT, \"zh\": [TEXT, …], \"ru\": [TEXT, …]}}, and {} is not",
                      place, harmless_line(text.dump(), 100));
  }
}

}  // namespace

std::vector<Term> load_glossary(const std::filesystem::path& file) {
  const Json text = Json::parse(read_text(file), nullptr, false);
  if (!text.is_array()) throw usage_error("{}: a glossary is a list of terms", file.string());
  std::vector<Term> glossary;
  for (const Json& term : text) glossary.push_back(term_from(term, file.string()));
  return glossary;
}

std::string glossary_objection(std::span<const Term> glossary, std::string_view english,
                               std::string_view translation, Language language) {
  const std::string source = lowered(english), target = lowered(translation);
  for (const Term& term : glossary) {
    const auto wanted = term.translations.find(language);
    if (wanted == term.translations.end() || !has_term(source, term.english)) continue;
    const bool is_kept = std::ranges::any_of(
        wanted->second, [&](const std::string& stems) { return has_stems(target, stems); });
    if (!is_kept) return fmt::format("{} is {}", term.english, joined(wanted->second, " or "));
  }
  return "";
}

}  // namespace cudalab::course
