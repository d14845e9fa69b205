// The program's entry point: finds the verb, runs it, and turns the outcome or an error into output and an
// exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/learner.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "compile/compiler.h"
#include "core/error.h"
#include "core/processes/this_process.h"
#include "course/plan.h"
#include "course/texts/translations.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "report/text/compile_errors.h"
#include "report/tool.h"

namespace cudalab::cli {

// Dispatches a command line to its verb. Every error ends here as one line of output and an exit code.

namespace {

constexpr int kInternalError = 70;  // EX_SOFTWARE of sysexits.h

bool asks_for_help(const Words& words) {
  auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

Wording wording_in(Language language) {
  if (language == Language::kEnglish) return {};
  return course::wording_of(language, lab::labs_directory(), lab::labs());
}

// Falls back to English if the translations cannot be read: without --language, that is no error.
Wording wording_of_locale() {
  try {
    return wording_in(language_of_environment());
  } catch (const Error&) {
    return {};
  }
}

// The value of --language. It is read before the options are parsed, because errors in them use that
// language. Empty if it is missing.
std::string language_named_in(const Words& words) {
  constexpr std::string_view kOption = "--language", kWithValue = "--language=";
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with(kWithValue)) return words[i].substr(kWithValue.size());
    if (words[i] == kOption && i + 1 < words.size()) return words[i + 1];
  }
  return "";
}

// Tests of screens set this variable: message IDs instead of sentences make them independent of the wording.
constexpr const char* kShowIds = "CUDALAB_MESSAGE_IDS";

void speak(Console& console, const std::string& language) {
  if (std::getenv(kShowIds)) {
    console.wording = Wording::of_ids();
    return;
  }
  if (!language.empty()) console.wording = wording_in(chosen("--language", language, kLanguages));
}

// The group for --language: that of --color if the verb has it.
std::string group_of_language(const Options& options) {
  const auto colour = std::ranges::find(options, "--color", &Option::name);
  return colour == options.end() ? "Options" : colour->group;
}

Option language_option(std::string& text, const std::string& group) {
  return {"--language", " " + alternatives(kLanguages), &text, kLanguageHelp, group};
}

// For a verb that takes all words: only a request for help is cudalab's.
Words with_dashes(Words words) {
  const bool is_help = words.size() == 1 && asks_for_help(words);
  if (!is_help) words.insert(words.begin(), "--");
  return words;
}

// Errors use the console's language, too.
ExitCode run_verb(const Verb& verb, const Words& all_words, Console& console) {
  Declaration declaration = verb.declare();
  const Words words = verb.takes_all_words ? with_dashes(all_words) : all_words;
  std::string language = verb.is_for_staff ? "" : language_named_in(words);
  if (verb.is_for_staff) console.wording = {};
  speak(console, language);
  if (!verb.is_for_staff && !verb.takes_all_words)
    declaration.options.push_back(language_option(language, group_of_language(declaration.options)));
  if (asks_for_help(words)) {
    console.say(
        command_help(verb, declaration.options, static_cast<std::size_t>(console.width), console.wording));
    return ExitCode::kPassed;
  }
  read_words(verb.name, declaration.options, words);
  return declaration.action(console);
}

ExitCode print_version(const Console& console) {
  report::Tool tool = report::this_tool();
  console.say_line(fmt::format("cudalab {} ({})", tool.version, tool.commit));
  return ExitCode::kPassed;
}

ExitCode print_help(const Console& console) {
  console.say(program_help(static_cast<std::size_t>(console.width), console.wording));
  return ExitCode::kPassed;
}

bool is_language(const std::string& word) { return (word + "=").starts_with("--language="); }

// Turns `cudalab --language zh dot` into `cudalab dot --language zh`.
Words with_language_behind_the_command(Words words) {
  if (words.empty() || !is_language(words.front())) return words;
  const auto end = words.begin() + (words.front() == "--language" && words.size() > 1 ? 2 : 1);
  std::rotate(words.begin(), end, end + (end == words.end() ? 0 : 1));
  return words;
}

// `cudalab help transpose` is `cudalab transpose --help`.
Words without_help_word(Words words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// A user who types an exercise's name wants to work on it.
void say_what_to_type_for(const std::string& name) {
  const Course course = load_whole_course({});
  if (const course::Exercise* exercise = course::find_exercise(course, name))
    throw usage_error(msg::word_is_exercise(name, exercise->lab));
}

// Labs are listed in the order of the course. Without a folder of labs, there is no order, and the verbs that
// need the labs say so.
void arrange_labs() {
  std::optional<std::filesystem::path> folder;
  try {
    folder = lab::labs_directory();
  } catch (const Error&) {
    return;
  }
  lab::arrange_labs(course::names_of_labs(course::load_plan(*folder)));
}

ExitCode dispatch(Words words, Console& console) {
  arrange_labs();
  words = with_language_behind_the_command(std::move(words));
  const bool says_nothing = words.empty() || is_language(words.front());
  if (says_nothing || !find_command(words.front())) speak(console, language_named_in(words));
  if (says_nothing && console.out_is_terminal) return show_where_you_are(console);
  words = with_language_behind_the_command(without_help_word(std::move(words)));
  if (says_nothing || words.front() == "--help" || words.front() == "-h") return print_help(console);
  if (words.front() == "--version") return print_version(console);
  std::string name = words.front();
  words.erase(words.begin());
  if (name.starts_with("-")) throw usage_error(msg::option_before_command(name));
  if (std::optional<Verb> verb = find_command(name)) return run_verb(*verb, words, console);
  say_what_to_type_for(name);
  throw usage_error(msg::command_unknown(name, did_you_mean(name, command_names())));
}

int complain(const Console& console, std::string_view message, int code) {
  console.clear_progress();
  console.complain(message);
  return code;
}

// `arguments` excludes the program's name. Never throws.
int run_program(std::vector<std::string> arguments, Console& console) {
  stop_cleanly_on_signals(console.shows_progress());
  console.wording = wording_of_locale();
  try {
    ExitCode code = dispatch(std::move(arguments), console);
    console.finish();
    return static_cast<int>(code);
  } catch (const compile::CompileError& error) {
    const int code = complain(console, console.wording.say(error.message()), static_cast<int>(error.code()));
    std::fputs(report::compile_errors_text(error.diagnosis(), 0, 0, console.wording).c_str(), console.err);
    return code;
  } catch (const Error& error) {
    return complain(console, console.wording.say(error.message()), static_cast<int>(error.code()));
  } catch (const std::bad_alloc&) {
    return complain(console, "this machine does not have enough memory for this; choose smaller sizes",
                    static_cast<int>(ExitCode::kUnavailable));
  } catch (const std::exception& error) {
    return complain(console, fmt::format("internal error, a bug in cudalab: {}", error.what()),
                    kInternalError);
  }
}

}  // namespace
}  // namespace cudalab::cli

namespace {

// Uses almost no stack.
int complain_of_the_stack() {
  constexpr std::string_view kWords =
      "cudalab: the stack limit is too low; raise it, for example with `ulimit -s 8192`, and try again\n";
  return ::write(STDERR_FILENO, kWords.data(), kWords.size()),
         static_cast<int>(cudalab::ExitCode::kUnavailable);
}

// Waiting OpenMP threads spin by default, which takes half of the processor time of a short check. Spinning
// only pays off where a CPU version is timed, and these verbs time none.
constexpr std::array<std::string_view, 3> kTakeNoTimes{"check", "watch", "author"};
constexpr const char* kHowToWait = "OMP_WAIT_POLICY";

// The OpenMP library reads its environment before main() begins, so the process executes itself again. If
// that fails, it continues as it is.
void start_again_with_patient_threads(int argc, char** argv) {
  if (argc < 2 || std::ranges::find(kTakeNoTimes, argv[1]) == kTakeNoTimes.end()) return;
  if (std::getenv(kHowToWait) || std::getenv("GOMP_SPINCOUNT")) return;  // the user's setting wins
  if (::setenv(kHowToWait, "passive", 1) == 0) ::execv(cudalab::this_program().c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  if (!cudalab::has_room_on_the_stack()) return complain_of_the_stack();
  start_again_with_patient_threads(argc, argv);
  cudalab::cli::Console console = cudalab::cli::console_of_this_process();
  return cudalab::cli::run_program({argv + 1, argv + argc}, console);
}
