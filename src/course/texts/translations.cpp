// Translations of the course: the PO files of labs and languages, and the glossary that they must follow.
#include "course/texts/translations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "core/diagnostics/catalogue.h"
#include "core/error.h"
#include "core/files.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "course/plan.h"
#include "course/texts/rewrite.h"
#include "messages/course.h"
#include "messages/lab.h"

namespace cudalab::course {
namespace {

using Json = nlohmann::json;

// Converts to lower case: ASCII, and Russian in UTF-8, which is d0 90…af (А to Я), d0 81 (Ё), d0 b0…bf and d1
// 80…8f (а to я), d1 91 (ё).
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

// Whether the word is part of code without backticks: block = 3, warp[i], kernel<<<…>>>, at.block.
bool is_code(const std::string& text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kBefore = ".&>[", kBehind = "[(<{=";
  const bool is_behind_code = begin > 0 && kBefore.find(text[begin - 1]) != std::string_view::npos;
  return is_behind_code || (end < text.size() && kBehind.find(text[end]) != std::string_view::npos) ||
         text.substr(end, 3) == " = ";
}

// Whether a text contains the term as a whole word: "warp" occurs in "the warps", not in "warped".
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
    throw usage_error(msg::at_place(place, msg::glossary_term_malformed(harmless_line(text.dump(), 100))));
  }
}

}  // namespace

std::vector<Term> load_glossary(const std::filesystem::path& file) {
  const Json text = Json::parse(read_text(file), nullptr, false);
  if (!text.is_array()) throw usage_error(msg::at_place(file.string(), msg::glossary_no_list()));
  std::vector<Term> glossary;
  for (const Json& term : text) glossary.push_back(term_from(term, file.string()));
  return glossary;
}

Message glossary_objection(std::span<const Term> glossary, std::string_view english,
                           std::string_view translation, Language language) {
  const std::string source = lowered(english), target = lowered(translation);
  for (const Term& term : glossary) {
    const auto wanted = term.translations.find(language);
    if (wanted == term.translations.end() || !has_term(source, term.english)) continue;
    const bool is_kept = std::ranges::any_of(
        wanted->second, [&](const std::string& stems) { return has_stems(target, stems); });
    if (!is_kept) return msg::glossary_term_is(term.english, joined(wanted->second, " or "));
  }
  return {};
}

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostOfANote = 60;  // bytes shown of a slot's value

struct PluralFormula {
  Language language;
  const char* text;  // as in gettext's manual
};
constexpr PluralFormula kPluralFormulas[]{
    {Language::kEnglish, "nplurals=2; plural=(n != 1);"},
    {Language::kChinese, "nplurals=1; plural=0;"},
    {Language::kRussian,
     "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : "
     "2);"},
};

// Collects the texts that it is given, and returns them unchanged.
class Collector {
 public:
  Rewrite in(const std::string& file) {
    return [this, file](std::string_view paragraph) {
      for (const std::string_view sentence : sentences_in(paragraph)) add(sentence, file);
      return std::string(paragraph);
    };
  }
  std::vector<TextUnit> units() { return std::move(units_); }

 private:
  void add(std::string_view sentence, const std::string& file) {
    Unit unit = unit_of(sentence);
    if (!has_words(unit.key) || !known_.insert(unit.key).second) return;
    units_.push_back(
        {.key = std::move(unit.key), .plural = "", .where = file, .slots = std::move(unit.slots)});
  }

  std::set<std::string> known_;
  std::vector<TextUnit> units_;
};

void collect(Collector& collector, const Exercise& exercise) {
  const Rewrite take = collector.in(fmt::format("exercise/{}/exercise.json", exercise.name));
  Exercise copy = exercise;
  rewrite(copy, take);
  for (const ExerciseCriterion& each : exercise.criteria) take(each.criterion.name);
}

std::string header_of(Language language) {
  for (const PluralFormula& row : kPluralFormulas)
    if (row.language == language) return row.text;
  return "";
}

// "{1} = 32, {2} = `cudalab dot`"
std::string note_of(const TextUnit& unit) {
  std::string note;
  for (std::size_t i = 0; i < unit.slots.size(); ++i)
    note += fmt::format("{}{{{}}} = {}", note.empty() ? "" : ", ", i + 1,
                        harmless_line(unit.slots[i], kMostOfANote));
  return note;
}

PoEntry empty_entry(const TextUnit& unit, std::size_t forms) {
  PoEntry entry;
  entry.id = unit.id;
  entry.english = unit.key;
  entry.plural = unit.plural;
  entry.translations.assign(unit.plural.empty() ? 1 : forms, "");
  return entry;
}

// The key of a text or a message: its id, or else the English text.
std::string key_of(const TextUnit& unit) { return unit.id.empty() ? unit.key : unit.id; }
std::string key_of(const PoEntry& entry) { return entry.id.empty() ? entry.english : entry.id; }

std::set<std::string> keys_of(std::span<const TextUnit> units) {
  std::set<std::string> keys;
  for (const TextUnit& unit : units) keys.insert(key_of(unit));
  return keys;
}

// The messages of one lab, or those of the program if `lab` is empty.
std::vector<TextUnit> messages_of(std::string_view lab) {
  std::string area = fmt::format("lab_{}", lab);
  std::ranges::replace(area, '-', '_');
  std::vector<TextUnit> units;
  for (const CatalogueEntry& entry : catalogue()) {
    const bool is_labs = entry.area.starts_with("lab_");
    if (lab.empty() ? !is_labs : entry.area == area)
      units.push_back({.id = std::string(entry.id),
                       .key = std::string(entry.english),
                       .plural = std::string(entry.plural),
                       .where = "",
                       .slots = {}});
  }
  std::erase_if(units, [](const TextUnit& unit) { return !has_words(unit.key); });
  return units;
}

// Names of slots are not terms: "{stream}" may stand for any stream's name.
std::string without_slots(std::string_view message) {
  std::string text;
  int depth = 0;
  for (const char c : message) {
    depth += c == '{' ? 1 : 0;
    if (depth == 0) text += c;
    depth -= c == '}' ? 1 : 0;
  }
  return text;
}

Message fault_in(const PoEntry& entry, const PluralRule& rule, std::span<const Term> glossary,
                 Language language) {
  if (Message fault = fault_of(entry, rule); !fault.empty()) return fault;
  const std::string english = entry.id.empty() ? entry.english : without_slots(entry.english);
  for (const std::string& translation : entry.translations)
    if (Message objection = glossary_objection(glossary, english, translation, language); !objection.empty())
      return msg::glossary_objects(std::move(objection));
  return {};
}

}  // namespace

std::vector<TextUnit> units_of_lab(const fs::path& labs, const lab::Lab& lab) {
  Collector collector;
  const Rewrite of_lab = collector.in("lab.cpp");
  of_lab(lab.title);
  of_lab(lab.teaches);
  for (const std::string& word : lab.words) of_lab(word);
  for (const lab::OptionSpec& option : lab.options) of_lab(option.help);
  rewritten_handout(read_text(labs / lab.name / "README.md"), collector.in("README.md"), std::string::npos);
  Lesson lesson = load_lesson(labs, lab);
  rewrite(lesson, collector.in("learn.json"));
  Quiz quiz = load_quiz(labs, lab.name);
  rewrite(quiz, collector.in("quiz.json"));
  std::vector<AnsweredQuestion> answers = load_answers(labs, lab.name);
  rewrite(answers, collector.in("answers.json"));
  for (const Exercise& exercise : load_course(labs, {&lab, 1})) collect(collector, exercise);
  std::vector<TextUnit> units = collector.units();
  std::ranges::move(messages_of(lab.name), std::back_inserter(units));
  return units;
}

std::vector<TextUnit> units_of_plan(const fs::path& labs) {
  Collector collector;
  const Rewrite of_plan = collector.in("course.json");
  for (const CourseConcept& one : load_plan(labs).concepts) of_plan(one.title);
  for (const std::string& name : path_names(labs))
    rewritten_handout(read_text(path_file(labs, name)), collector.in(name + ".md"), std::string::npos);
  return collector.units();
}

std::vector<TextUnit> units_of_messages(std::span<const std::string> help) {
  Collector collector;
  for (const std::string& text : help) collector.in("--help")(text);
  std::vector<TextUnit> units = collector.units();
  std::ranges::move(messages_of(""), std::back_inserter(units));
  return units;
}

fs::path translation_file(const fs::path& labs, const std::string& what, Language language) {
  const fs::path folder = what == kMessages ? labs.parent_path() / "languages" : labs / what;
  return folder / fmt::format("{}.po", name_in(kLanguages, language));
}

fs::path glossary_file(const fs::path& labs) { return labs.parent_path() / "languages" / "glossary.json"; }

PoFile load_translation(const fs::path& labs, const std::string& what, Language language) {
  const fs::path file = translation_file(labs, what, language);
  return nothing_is_at(file) ? PoFile{} : po_from(read_text(file), file.string());
}

PoFile for_translators(std::span<const TextUnit> units, const PoFile& kept, Language language) {
  PoFile file;
  file.header = {{"Language", std::string(name_in(kLanguages, language))},
                 {"MIME-Version", "1.0"},
                 {"Content-Type", "text/plain; charset=UTF-8"},
                 {"Content-Transfer-Encoding", "8bit"},
                 {"Plural-Forms", header_of(language)}};
  const std::size_t forms = PluralRule(header_of(language), "languages").forms();
  std::map<std::string, PoEntry> left;
  for (const auto* entries : {&kept.entries, &kept.stale})
    for (const PoEntry& entry : *entries) left.try_emplace(key_of(entry), entry);
  for (const TextUnit& unit : units) {
    const auto found = left.find(key_of(unit));
    PoEntry entry = found == left.end() ? empty_entry(unit, forms) : found->second;
    if (found != left.end()) left.erase(found);
    entry.notes = unit.slots.empty() ? std::vector<std::string>{} : std::vector{note_of(unit)};
    entry.reference = unit.where;
    file.entries.push_back(std::move(entry));
  }
  for (auto& [english, entry] : left)
    if (entry.is_translated()) file.stale.push_back(std::move(entry));
  return file;
}

TranslationState state_of(std::span<const TextUnit> units, const PoFile& kept, std::span<const Term> glossary,
                          Language language, const std::string& place) {
  TranslationState state{.units = units.size()};
  if (kept.entries.empty()) return state;
  const PluralRule rule = plural_rule_of(kept, place);
  const std::set<std::string> keys = keys_of(units);
  for (const PoEntry& entry : kept.entries) {
    if (!entry.is_translated()) continue;
    if (!keys.contains(key_of(entry))) {
      ++state.stale;
      continue;
    }
    ++state.translated;
    if (Message fault = fault_in(entry, rule, glossary, language); !fault.empty())
      state.faults.push_back(msg::at_place(fmt::format("{}:{}", place, entry.line), std::move(fault)));
  }
  return state;
}

Message lack_of(const std::string& what, const TranslationState& state, Language language) {
  const std::size_t lacking = state.units - state.translated;
  if (lacking == 0 && state.stale == 0) return {};
  return msg::translation_lacks(what, name_in(kLanguages, language), state.translated, state.units, lacking,
                                state.stale);
}

Wording wording_of(Language language, const fs::path& labs, std::span<const lab::Lab> all) {
  if (language == Language::kEnglish) return {};
  const auto messages = std::make_shared<Catalog>(), texts = std::make_shared<Catalog>();
  const auto add = [&](Catalog& to, const std::string& what) {
    if (const PoFile file = load_translation(labs, what, language); !file.entries.empty())
      to.add(file, translation_file(labs, what, language).string());
  };
  add(*messages, kMessages);
  add(*texts, kPlanFolder);
  for (const lab::Lab& lab : all) add(*texts, lab.name);
  return {language, messages, texts};
}

}  // namespace cudalab::course
