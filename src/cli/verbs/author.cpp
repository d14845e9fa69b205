// `cudalab author check`: the course tests itself.
#include <fmt/format.h>

#include <thread>

#include "cli/help.h"
#include "cli/options/choices.h"
#include "cli/options/known_lab.h"
#include "cli/options/lab_options.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "compile/compiler.h"
#include "course/author_check.h"
#include "course/texts/translations.h"
#include "lab/lab.h"
#include "lab/locate.h"

namespace cudalab::cli {
namespace {

constexpr Named<Language> kTranslations[]{{"zh", Language::kChinese}, {"ru", Language::kRussian}};

struct AuthorTexts {
  std::string what;
  std::vector<std::string> only;
  std::string jobs = "0", seed = "1", draws = "1", language;
};

Options author_options(AuthorTexts& texts) {
  return {{"DO", "", &texts.what, "check, or texts"},
          {"WHAT", "", &texts.only, "labs or exercises; default: all; of texts a lab, or `messages`"},
          {"--language", " " + alternatives(kTranslations), &texts.language,
           "whose translations `texts` prints, for a translator to go on with"},
          {"--jobs", " N", &texts.jobs, "kernels at the same time; 0, the default: one a processor"},
          seed_option(texts.seed, "default 1"),
          {"--draws", " N", &texts.draws,
           "check each solution and each wrong kernel with so many seeds, one after the other; default 1"}};
}

ExitCode check(const AuthorTexts& texts, const Console& console) {
  compile::require_compiler();  // or each of the checks would say that there is none
  const auto jobs = static_cast<unsigned>(parse_natural("--jobs", texts.jobs, kMostJobs));
  const course::AuthorSettings settings{.labs = lab::labs_directory(),
                                        .expected = lab::labs_directory().parent_path() / "expected",
                                        .help = help_texts(),
                                        .only = texts.only,
                                        .seed = parse_natural("--seed", texts.seed, UINT64_MAX),
                                        .draws = parse_natural("--draws", texts.draws, 100'000)};
  const std::vector<course::AuthorTask> tasks = course::author_tasks(settings, lab::labs());
  const unsigned at_once = jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
  Forewarning warning([&](const std::string& text) { console.remark_between(text); });
  Pace pace([&](double seconds) {
    warning.expect("checking them all", seconds, "the name of a lab or of an exercise checks that alone");
  });
  pace.begin(tasks.size(), at_once);
  std::size_t finished = 0, problems = 0;
  course::run_tasks(tasks, at_once, [&](const course::AuthorTask& task, const std::string& problem) {
    pace.one_more();
    console.show_progress(fmt::format("{} of {}  {}", ++finished, tasks.size(), task.subject));
    if (problem.empty()) return;
    ++problems;
    console.clear_progress();
    console.say_line(fmt::format("{}: {}", task.subject, problem));
  });
  console.clear_progress();
  for (const std::string& lack : course::translation_lacks(settings, lab::labs())) console.remark(lack);
  console.say_line(fmt::format("{} checks, {} problem{}", tasks.size(), problems, problems == 1 ? "" : "s"));
  return problems == 0 ? ExitCode::kPassed : ExitCode::kFailed;
}

std::vector<course::TextUnit> units_of(const std::string& what) {
  if (what == course::kMessages) return course::units_of_messages(lab::labs_directory(), help_texts());
  return course::units_of_lab(lab::labs_directory(), known_lab(what, "author texts"));
}

ExitCode print_texts(const AuthorTexts& texts, const Console& console) {
  if (texts.only.size() != 1 || texts.language.empty())
    throw usage_error(
        "texts needs one lab, or `messages`, and a language: `cudalab author texts dot --language zh`");
  const Language language = chosen("--language", texts.language, kTranslations);
  const std::string& what = texts.only.front();
  const std::vector<course::TextUnit> units = units_of(what);
  const PoFile kept = course::load_translation(lab::labs_directory(), what, language);
  console.print(po_text(course::for_translators(units, kept, language)));
  const std::string file = course::translation_file(lab::labs_directory(), what, language).string();
  const auto state = course::state_of(
      units, kept, course::load_glossary(course::glossary_file(lab::labs_directory())), language, file);
  for (const std::string& fault : state.faults) console.remark(fault);
  if (const std::string lack = course::lack_of(state, language); !lack.empty()) console.remark(lack);
  return state.faults.empty() ? ExitCode::kPassed : ExitCode::kFailed;
}

ExitCode author(const AuthorTexts& texts, const Console& console) {
  if (texts.what == "check") return check(texts, console);
  if (texts.what == "texts") return print_texts(texts, console);
  throw usage_error(
      "author {}{}", texts.what.empty() ? "needs to know what to do" : "does not know `" + texts.what + "`",
      "; `cudalab author check` checks the course, `cudalab author texts LAB` prints its texts");
}

}  // namespace

Verb author_verb() {
  return {
      .name = "author",
      .alias = "",
      .summary = "for authors: check that every exercise does what it must",
      .examples = {"cudalab author check", "cudalab author texts dot --language zh",
                   "cudalab author check padded-tile", "cudalab author check dot norm",
                   "cudalab author check --draws 200"},
      .declare = with_options(author_options, author),
      .more_help =
          "Every starter must fail, every solution pass, every wrong kernel be rejected for the reason\n"
          "that exercise.json states; every lab needs its handout, quiz, walk-through and answer key. Its\n"
          "translations must name every number and keep to languages/glossary.json; what they lack is shown\n"
          "in English, and only remarked.\n"};
}

}  // namespace cudalab::cli
