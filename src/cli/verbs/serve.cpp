// `cudalab serve`: the course as a workbook in the learner's own browser.
#include "serve/serve.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/exercise_check.h"
#include "cli/learner.h"
#include "cli/options/lab_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "course/texts/translations.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "messages/serve.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPort = 65535;
constexpr const char* kTokenVariable = "CUDALAB_TOKEN";

struct ServeTexts {
  std::string folder, port, listen = serve::kLoopback, token_file;
  bool opens = false;
};

Options serve_options(ServeTexts& texts) {
  return {{"FOLDER", "", &texts.folder,
           "a folder made by `cudalab start`; default: the one that contains the current folder"},
          {"--port", " N", &texts.port, "the port; default: 8400, or a free one if 8400 is in use"},
          {"--open", "", &texts.opens, "open the workbook in the browser"},
          {"--listen", " ADDRESS", &texts.listen,
           "the address of this machine to listen on; default 127.0.0.1, which only this machine reaches"},
          {"--token-file", " FILE", &texts.token_file,
           "a file with the token that the address must contain; default: $CUDALAB_TOKEN, else a new one"}};
}

// The token is read from a file or the environment, never from a command line, which other users of the
// machine can read.
std::string token_from(const ServeTexts& texts) {
  std::string token;
  if (!texts.token_file.empty())
    token = trimmed(read_text(texts.token_file));
  else if (const auto variable = compile::environment(kTokenVariable))
    token = *variable;
  else
    return "";
  const bool is_plain = std::ranges::all_of(token, [](char c) { return is_word(c) || c == '-'; });
  if (token.size() < serve::kLeastToken || !is_plain)
    throw usage_error(msg::serve_token_short(serve::kLeastToken));
  return token;
}

fs::path folder_from(const std::string& folder, const Console& console) {
  if (folder.empty()) return absolute_path(require_workspace(console).folder);
  if (!is_there(fs::path(folder) / course::kProgressFile)) throw usage_error(msg::serve_no_course(folder));
  course::load_workspace(folder);  // reports a damaged file now
  return absolute_path(folder);
}

bool is_repeated(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.to);
}

std::vector<serve::CommandOption> options_of(const std::string& name, const Wording& wording) {
  std::vector<serve::CommandOption> found;
  const auto verb = find_command(name);
  if (!verb) return found;
  const Command command{*verb, lab::find_lab(name) != nullptr, verb->declare()};
  for (const Option& option : command.options())
    if (!option.is_argument())
      found.push_back({.name = option.name,
                       .placeholder = option.placeholder,
                       .help = wording.text(option.help),
                       .values = option.values.empty() ? "" : wording.say(option.values),
                       .group = wording.text(option.group),
                       .words = words_for(command, option),
                       .is_repeated = is_repeated(option)});
  return found;
}

serve::LearnerActions actions() {
  return {.wording =
              [](Language language) {
                if (language == Language::kEnglish) return Wording();
                return course::wording_of(language, lab::labs_directory(), lab::labs());
              },
          .course = load_whole_course,
          .next = [](const Course& course,
                     const course::Workspace& now) { return next_step_in(course, now).exercise; },
          .start =
              [](const fs::path& folder, const Course& course, const course::Exercise& exercise,
                 const Wording& wording) {
                change_progress(
                    folder, [&](course::Workspace& now) { start_exercise(now, course, exercise, wording); });
              },
          .reset = reset_exercise,
          .note_check = note_check,
          .show_hint = show_hint,
          .note_giving_up = note_giving_up,
          .note_quiz = [](const fs::path& folder, const std::string& lab,
                          const course::Score& score) { note_quiz(folder, lab, score); },
          .note_line_shown = note_line_shown,
          .options = options_of};
}

// Starts the browser as a separate process. The address is passed in a file that only this user can read,
// because the words of a command are visible to all users.
class BrowserStart {
 public:
  explicit BrowserStart(const std::string& url) {
    const fs::path page = folder_ / "workbook.html";
    write_whole(page, fmt::format("<!DOCTYPE html><meta charset=\"utf-8\"><title>cudalab</title>"
                                  "<meta http-equiv=\"refresh\" content=\"0;url={}\">",
                                  url));
    const auto program = compile::find_program("xdg-open");
    is_started_ = program && start(program->string(), page.string());
  }
  bool is_started() const { return is_started_; }

 private:
  static bool start(const std::string& program, const std::string& page) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      if (::fork() == 0) ::execl(program.c_str(), program.c_str(), page.c_str(), nullptr);
      ::_exit(0);
    }
    return child > 0 && ::waitpid(child, nullptr, 0) == child;
  }

  TemporaryFolder folder_{"cudalab-browser-"};
  bool is_started_ = false;
};

ExitCode serve_workbook(const ServeTexts& texts, const Console& console) {
  serve::ServePlan plan;
  plan.token = token_from(texts);
  ::unsetenv(kTokenVariable);  // no program that this process starts needs it
  plan.address = texts.listen;
  if (plan.address != serve::kLoopback && plan.token.empty())
    throw usage_error(msg::serve_listen_needs_token(serve::kLeastToken));
  if (!texts.port.empty())
    plan.port = static_cast<std::uint16_t>(parse_natural("--port", texts.port, kMostPort));
  plan.folder = folder_from(texts.folder, console);
  plan.language = console.wording.language();
  std::error_code ignored;                 // the folder was just found
  fs::current_path(plan.folder, ignored);  // the path that this folder chose orders the exercises
  std::optional<BrowserStart> browser;
  serve::serve(plan, actions(), [&](const std::string& url, const Message& objection) {
    const Wording& wording = console.wording;
    if (!objection.empty()) console.remark(wording.say(objection));
    console.say_line(wording.say(msg::serve_serving(shown_path(plan.folder))));
    console.print(fmt::format("\n    {}\n\n", url));
    console.say_line(wording.say(msg::serve_how_to_end()));
    console.finish();
    if (texts.opens) browser.emplace(url);
    if (browser && !browser->is_started()) console.remark(wording.say(msg::serve_not_opened()));
    succeed_on_signals();
  });
  return ExitCode::kPassed;
}

}  // namespace

Verb serve_verb() {
  return {.name = "serve",
          .alias = "",
          .summary = "take the course in your browser: handouts, an editor, checks and runs",
          .examples = {"cudalab serve", "cudalab serve --open cudalab-course", "cudalab serve --port 8400"},
          .declare = with_options(serve_options, serve_workbook),
          .more_help =
              "The printed address contains a token; whoever knows it can use the workbook. Kernels and\n"
              "programs run in a sandbox, on the virtual GPU. With --listen, other machines can reach the\n"
              "workbook: give a token, and put TLS in front. See docs/workbook.md.\n"};
}

}  // namespace cudalab::cli
