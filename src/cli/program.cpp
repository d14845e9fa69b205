// Chooses the verb, reads its options, and turns every error into one line and an exit code.
#include "cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "cli/help.h"
#include "cli/suggestion.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

constexpr int kInternalError = 70;  // EX_SOFTWARE of sysexits.h

using Words = std::vector<std::string>;

bool asks_for_help(const Words& words) {
  auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// `--json=` would read as `--json`, which means something else.
void refuse_empty_values(const Words& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1)
      throw usage_error("`{}` is followed by nothing; write a value after the equals sign", word);
}

Words option_names(const CLI::App& app) {
  Words names{"--help"};
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// For `--pad 2`, where a value needs the equals sign.
std::string equals_sign_hint(const Words& words, const std::string& left) {
  auto found = std::find(words.begin(), words.end(), left);
  bool after_option = found != words.begin() && found != words.end() && found[-1].starts_with("--");
  return after_option ? fmt::format("; did you mean `{}={}`?", found[-1], left) : "";
}

void refuse_what_is_left(const Verb& verb, const CLI::App& app, const Words& words) {
  Words left = app.remaining();
  if (left.empty()) return;
  std::string word = left.front().substr(0, left.front().find('='));
  if (word.starts_with("-") && word != "-")
    throw usage_error("{0} has no option `{1}`{2} (`cudalab {0} --help` lists them)", verb.name, word,
                      did_you_mean(word, option_names(app)));
  throw usage_error("{0} does not take `{1}`{2} (`cudalab {0} --help` lists what it takes)", verb.name, word,
                    equals_sign_hint(words, word));
}

void parse(const Verb& verb, CLI::App& app, const Words& words) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ArgumentMismatch& error) {
    std::string_view message = error.what();
    throw usage_error("{} needs a value; `cudalab {} --help` says which",
                      message.substr(0, message.find(':')), verb.name);
  } catch (const CLI::ParseError& error) {
    throw usage_error("{}; see `cudalab {} --help`", error.what(), verb.name);
  }
  refuse_what_is_left(verb, app, words);
}

ExitCode run_verb(const Verb& verb, const Words& words, const Console& console) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  Action action = verb.declare(app);
  if (asks_for_help(words)) {
    console.print(command_help(verb, app));
    return ExitCode::kPassed;
  }
  refuse_empty_values(words);
  parse(verb, app, words);
  return action(console);
}

ExitCode print_version(const Console& console) {
  report::Tool tool = report::this_tool();
  console.print_line(fmt::format("cudalab {} ({})", tool.version, tool.commit));
  return ExitCode::kPassed;
}

ExitCode print_help(const Console& console) {
  console.print(program_help());
  return ExitCode::kPassed;
}

// `cudalab help transpose` is `cudalab transpose --help`.
Words without_help_word(Words words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

ExitCode dispatch(Words words, const Console& console) {
  if (words.empty() && console.out_is_terminal) return show_where_you_are(console);
  words = without_help_word(std::move(words));
  if (words.empty() || words.front() == "--help" || words.front() == "-h") return print_help(console);
  if (words.front() == "--version") return print_version(console);
  std::string name = words.front();
  words.erase(words.begin());
  if (name.starts_with("-"))
    throw usage_error("there is no option `{}`; a lab or a command comes first (`cudalab --help`)", name);
  if (std::optional<Verb> verb = find_command(name)) return run_verb(*verb, words, console);
  throw usage_error("there is no lab or command `{}`{} (`cudalab list` shows the labs)", name,
                    did_you_mean(name, command_names()));
}

int complain(const Console& console, std::string_view message, int code) {
  console.clear_progress();
  console.complain(message);
  return code;
}

}  // namespace

int run_program(std::vector<std::string> arguments, Console& console) {
  stop_cleanly_on_signals(console.err_is_terminal);
  try {
    ExitCode code = dispatch(std::move(arguments), console);
    console.finish();
    return static_cast<int>(code);
  } catch (const Error& error) {
    return complain(console, error.what(), static_cast<int>(error.code()));
  } catch (const std::bad_alloc&) {
    return complain(console, "this machine has not enough memory for that; choose smaller sizes",
                    static_cast<int>(ExitCode::kUnavailable));
  } catch (const std::exception& error) {
    return complain(console, fmt::format("internal error, a fault of cudalab: {}", error.what()),
                    kInternalError);
  }
}

}  // namespace cudalab::cli
