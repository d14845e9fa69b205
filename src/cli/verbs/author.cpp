// Verbs for course authors: `author check` tests the course, and the hidden `precompile` makes the PTX that
// packages contain.
#include <fmt/format.h>

#include <cstdlib>
#include <iomanip>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/step_target.h"
#include "cli/verbs.h"
#include "compile/clang/clang.h"
#include "compile/compiler.h"
#include "compile/compiler_program.h"
#include "core/files.h"
#include "course/author_check.h"
#include "course/learn.h"
#include "course/plan.h"
#include "course/texts/translations.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// The hidden `cudalab precompile FOLDER` compiles all kernels that the course shows to PTX. Packages contain
// this PTX, so the kernels run without a compiler.

namespace {

using Commands = std::vector<std::string>;

// The commands that generate a handout's tables: `<!-- cudalab dot --n 4194304 -->`.
Commands commands_of_handout(const lab::Lab& lab) {
  constexpr std::string_view kBegin = "<!-- ", kEnd = " -->";
  Commands commands;
  const std::string text = read_text(lab::labs_directory() / lab.name / "README.md");
  for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const std::size_t begin = at + kBegin.size();
    commands.push_back(text.substr(begin, text.find(kEnd, begin) - begin));
  }
  return commands;
}

Commands commands_of_lesson(const lab::Lab& lab) {
  Commands commands;
  for (const course::Step& step : course::load_lesson(lab::labs_directory(), lab))
    if (const auto* prediction = std::get_if<course::Prediction>(&step);
        prediction && prediction->kept.empty())
      commands.push_back(course::command_of(lab, *prediction));
  return commands;
}

// The lab with its default options, once per compute capability: the compiled code depends on nothing else of
// a GPU.
Commands defaults_of(const lab::Lab& lab) {
  Commands commands;
  std::set<std::pair<int, int>> capabilities;
  for (const vgpu::Card& card : vgpu::cards())
    if (capabilities.emplace(card.compute_major, card.compute_minor).second)
      commands.push_back(fmt::format("cudalab {} --card {}", lab.name, card.id));
  return commands;
}

Commands commands_of(const lab::Lab& lab) {
  Commands all = lab.examples;
  for (const Commands& more : {defaults_of(lab), commands_of_handout(lab), commands_of_lesson(lab)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Splits a command like a shell; double quotes group words.
std::vector<std::string> words_in(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> std::quoted(word);) words.push_back(word);
  return words;
}

// The words of an example in the lab's help, without "cudalab LAB".
std::vector<std::string> words_of_example(const std::string& command) {
  std::vector<std::string> words = words_in(command);
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

// Runs a lab's command on the virtual GPU, without checks and output. Examples of other verbs are skipped;
// those that do not work here, such as those with a user's file, fail with kUsage, which is ignored.
void run_unseen(const lab::Lab& lab, const std::string& command, const Console& unseen) {
  std::vector<std::string> words = words_in(command);
  if (words.size() < 2 || words[1] != lab.name) return;
  words.erase(words.begin(), words.begin() + 2);
  for (const char* more : {"--device=virtual", "--check=none"}) words.emplace_back(more);
  const Verb verb = lab_verb(lab);
  const Declaration declaration = verb.declare();
  try {
    read_words(verb.name, declaration.options, words);
    declaration.action(unseen);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kUsage) throw;  // the example needs a file of the user
  }
}

struct PrecompileTexts {
  std::string folder;
};

Options precompile_options(PrecompileTexts& texts) {
  return {required({"FOLDER", "", &texts.folder, "the folder for the PTX"})};
}

ExitCode precompile(const PrecompileTexts& texts, const Console& console) {
  if (!compile::has_compiler()) compile::require_compiler();
  ::setenv("CUDALAB_KEEP_PTX", absolute_path(texts.folder).c_str(), 1);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "we"), std::fclose);
  Console unseen;
  unseen.out = unseen.err = nowhere.get();
  for (const lab::Lab& lab : lab::labs())
    for (const std::string& command : commands_of(lab)) {
      console.show_progress(command);
      run_unseen(lab, command, unseen);
    }
  console.clear_progress();
  console.say_line(fmt::format("{} compiled kernels in {}", entries_of(texts.folder).size(), texts.folder));
  return ExitCode::kPassed;
}

}  // namespace

Verb precompile_verb() {
  return {.name = kPrecompile,
          .alias = "",
          .summary = "the course's kernels as PTX, for packages",
          .examples = {},
          .declare = with_options(precompile_options, precompile)};
}

namespace {

constexpr Named<Language> kTranslations[]{{"zh", Language::kChinese}, {"ru", Language::kRussian}};

struct AuthorTexts {
  std::string what;
  std::vector<std::string> only;
  std::string jobs = "0", seed = "1", draws = "1", language, compiler = "auto";
};

Options author_options(AuthorTexts& texts) {
  return {{"DO", "", &texts.what, "check, or texts"},
          {"WHAT", "", &texts.only,
           "labs or exercises (default: all); for `texts` a lab, `course`, or `messages`"},
          {"--language", " " + alternatives(kTranslations), &texts.language,
           "the language of the translations that `texts` prints"},
          {"--jobs", " N", &texts.jobs, "kernels at the same time; default 0: one per processor"},
          seed_option(texts.seed, "default 1"),
          {"--draws", " N", &texts.draws,
           "check each solution and each wrong kernel with N seeds in turn; default 1"},
          {"--compiler", " " + alternatives(compile::kCompilerNames), &texts.compiler,
           "compile all kernels and programs with this compiler"}};
}

// Checks run in many places, and the labs' own kernels are compiled there, too.
void use_compiler(const std::string& name) {
  if (chosen("--compiler", name, compile::kCompilerNames) == compile::Compiler::kAuto) return;
  if (name == "clang" && !compile::find_clang())
    throw unavailable_error(msg::author_needs_clang(compile::kLeastClang));
  ::setenv(compile::kCompilerVariable, name.c_str(), 1);
}

ExitCode check(const AuthorTexts& texts, const Console& console) {
  use_compiler(texts.compiler);
  if (!compile::has_compiler())
    compile::require_compiler();  // otherwise every check would report the missing compiler
  const auto jobs = static_cast<unsigned>(parse_natural("--jobs", texts.jobs, kMostJobs));
  const course::AuthorSettings settings{.labs = lab::labs_directory(),
                                        .expected = lab::labs_directory().parent_path() / "expected",
                                        .help = help_texts(),
                                        .only = texts.only,
                                        .request_of =
                                            [&console](const lab::Lab& lab, const std::string& command) {
                                              return lab_request(lab, words_of_example(command), console);
                                            },
                                        .seed = parse_natural("--seed", texts.seed, UINT64_MAX),
                                        .draws = parse_natural("--draws", texts.draws, 100'000)};
  const std::vector<course::AuthorTask> tasks = course::author_tasks(settings, lab::labs());
  const unsigned at_once = jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
  Forewarning warning([&](const Message& text) { console.remark_between(console.wording.say(text)); });
  Pace pace(
      [&](double seconds) { warning.expect(msg::work_checking_all(), seconds, msg::advice_check_one()); });
  pace.begin(tasks.size(), at_once);
  std::size_t finished = 0, problems = 0;
  course::run_tasks(tasks, at_once, [&](const course::AuthorTask& task, const Message& problem) {
    pace.one_more();
    console.show_progress(fmt::format("{} of {}  {}", ++finished, tasks.size(), task.subject));
    if (problem.empty()) return;
    ++problems;
    console.clear_progress();
    console.say_line(fmt::format("{}: {}", task.subject, console.wording.say(problem)));
  });
  console.clear_progress();
  for (const Message& lack : course::translation_lacks(settings, lab::labs())) console.remark(lack.text());
  console.say_line(fmt::format("{} checks, {} problem{}", tasks.size(), problems, problems == 1 ? "" : "s"));
  return problems == 0 ? ExitCode::kPassed : ExitCode::kFailed;
}

std::vector<course::TextUnit> units_of(const std::string& what) {
  if (what == course::kMessages) return course::units_of_messages(help_texts());
  if (what == course::kPlanFolder) return course::units_of_plan(lab::labs_directory());
  return course::units_of_lab(lab::labs_directory(), known_lab(what, "author texts"));
}

ExitCode print_texts(const AuthorTexts& texts, const Console& console) {
  if (texts.only.size() != 1 || texts.language.empty()) throw usage_error(msg::author_texts_incomplete());
  const Language language = chosen("--language", texts.language, kTranslations);
  const std::string& what = texts.only.front();
  const std::vector<course::TextUnit> units = units_of(what);
  const PoFile kept = course::load_translation(lab::labs_directory(), what, language);
  console.print(po_text(course::for_translators(units, kept, language)));
  const std::string file = course::translation_file(lab::labs_directory(), what, language).string();
  const auto state = course::state_of(
      units, kept, course::load_glossary(course::glossary_file(lab::labs_directory())), language, file);
  for (const Message& fault : state.faults) console.remark(fault.text());
  if (const Message lack = course::lack_of(what, state, language); !lack.empty()) console.remark(lack.text());
  return state.faults.empty() ? ExitCode::kPassed : ExitCode::kFailed;
}

ExitCode author(const AuthorTexts& texts, const Console& console) {
  if (texts.what == "check") return check(texts, console);
  if (texts.what == "texts") return print_texts(texts, console);
  throw usage_error(texts.what.empty() ? msg::author_word_missing() : msg::author_word_unknown(texts.what));
}

}  // namespace

Verb author_verb() {
  return {.name = "author",
          .alias = "",
          .summary = "check exercises, lessons and translations, for authors",
          .examples = {"cudalab author check", "cudalab author texts dot --language zh",
                       "cudalab author check padded-tile", "cudalab author check dot norm",
                       "cudalab author check --draws 200", "cudalab author check --compiler clang"},
          .declare = with_options(author_options, author),
          .more_help =
              "Every starter must fail, every solution must pass, and every wrong kernel must be rejected\n"
              "for the reason that exercise.json states. Every lab needs its handout, quiz, walk-through\n"
              "and answer key. Translations must contain every number and use the terms of\n"
              "languages/glossary.json; a missing translation is shown in English and is only a remark.\n"};
}

}  // namespace cudalab::cli
