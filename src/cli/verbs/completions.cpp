// The verb `cudalab completions`: prints shell scripts that complete commands, options and their values.
#include <fmt/format.h>

#include <span>
#include <string>
#include <variant>

#include "cli/options/option.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace cudalab::cli {

// Scripts for bash, zsh and fish.

namespace {

bool takes_a_value(const Option& option) { return !std::holds_alternative<bool*>(option.to); }

// True for options like `--json[=FILE]`, whose optional value follows an equals sign.
bool may_be_bare(const Option& option) { return std::holds_alternative<MayBeBare>(option.to); }

bool is_behind_dashes(const Option& option) { return std::holds_alternative<BehindDashes>(option.to); }

std::vector<std::string> names_of(const Command& command) {
  if (command.verb.alias.empty()) return {command.verb.name};
  return {command.verb.name, command.verb.alias};
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options())
    if (!option.is_argument()) names.push_back(option.name);
  names.push_back("--help");
  return names;
}

std::vector<std::string> argument_words(const Command& command) {
  for (const Option& option : command.options())
    if (option.is_argument() && !is_behind_dashes(option)) return words_for(command, option);
  return {};
}

// Puts the text in single quotes for a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// ---- bash ----------------------------------------------------------------------------------------------

std::string bash_case(const Command& command) {
  std::string values;
  for (const Option& option : command.options())
    if (!option.is_argument() && takes_a_value(option))
      values += fmt::format("        {}) words={};;\n", option.name,
                            quoted(joined(words_for(command, option), " ")));
  return fmt::format(
      "    {})\n      words={}\n      case \"$before\" in\n{}      esac;;\n", joined(names_of(command), "|"),
      quoted(joined(option_names(command), " ") + " " + joined(argument_words(command), " ")), values);
}

std::string bash_completions(std::span<const Command> commands) {
  std::string cases;
  std::vector<std::string> names;
  for (const Command& command : commands) {
    cases += bash_case(command);
    for (const std::string& name : names_of(command)) names.push_back(name);
  }
  return fmt::format(
      "# bash completion for cudalab; made by `cudalab completions bash`\n"
      "_cudalab() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\" words\n"
      "  COMPREPLY=()\n"
      "  if [ \"$current\" = = ]; then current=; fi\n"
      "  if [ \"$before\" = = ]; then before=\"${{COMP_WORDS[COMP_CWORD-2]}}\"; fi\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W {} -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}"
      "    help) words={};;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _cudalab cudalab\n",
      quoted(joined(names, " ") + " help --help --version"), cases, quoted(joined(names, " ")));
}

// ---- zsh -----------------------------------------------------------------------------------------------

// Escapes a text for a specification of _arguments or _describe.
std::string zsh_text(const std::string& text) {
  std::string kept = harmless_line(text);
  for (const char* special : {"\\", ":", "[", "]"})
    kept = replaced(kept, special, std::string("\\") + special);
  return kept;
}

std::string zsh_option(const Command& command, const Option& option) {
  const std::vector<std::string> words = words_for(command, option);
  const std::string action = words.empty() ? "_files" : fmt::format("({})", joined(words, " "));
  const std::string help = zsh_text(option.described());
  if (option.is_argument()) {
    if (is_behind_dashes(option)) return "";
    return fmt::format("        {} \\\n", quoted(fmt::format("*:{}:{}", zsh_text(option.name), action)));
  }
  const std::string value = !takes_a_value(option) ? "" : fmt::format(":value:{}", action);
  const char* equals = may_be_bare(option) ? "=-" : takes_a_value(option) ? "=" : "";
  const std::string bare = may_be_bare(option) ? ":" + value : value;
  return fmt::format("        {} \\\n", quoted(fmt::format("*{}{}[{}]{}", option.name, equals, help, bare)));
}

std::string zsh_case(const Command& command) {
  std::string options;
  for (const Option& option : command.options()) options += zsh_option(command, option);
  return fmt::format("    {})\n      _arguments -S \\\n{}        '--help[the options]';;\n",
                     joined(names_of(command), "|"), options);
}

std::string zsh_completions(std::span<const Command> commands) {
  std::string described, cases;
  for (const Command& command : commands) {
    for (const std::string& name : names_of(command))
      described += fmt::format("    {}\n", quoted(zsh_text(name) + ":" + zsh_text(command.verb.summary)));
    cases += zsh_case(command);
  }
  return fmt::format(
      "#compdef cudalab\n# made by `cudalab completions zsh`\n"
      "_cudalab() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local verb=${{words[2]}}\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n{}"
      "  esac\n"
      "}}\n"
      "_cudalab \"$@\"\n",
      described, cases);
}

// ---- fish ----------------------------------------------------------------------------------------------

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(harmless_line(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const Command& command, const Option& option) {
  const std::string seen =
      fmt::format("complete -c cudalab -n '__fish_seen_subcommand_from {}'", joined(names_of(command), " "));
  const std::vector<std::string> words = words_for(command, option);
  if (option.is_argument())
    return words.empty() ? "" : fmt::format("{} -a {}\n", seen, fish_quoted(joined(words, " ")));
  std::string line =
      fmt::format("{} -l {} -d {}", seen, option.name.substr(2), fish_quoted(option.described()));
  if (takes_a_value(option) && !may_be_bare(option)) line += words.empty() ? " -r" : " -x";
  if (!words.empty()) line += " -a " + fish_quoted(joined(words, " "));
  return line + "\n";
}

std::string fish_completions(std::span<const Command> commands) {
  std::string text = "# fish completion for cudalab; made by `cudalab completions fish`\n";
  for (const Command& command : commands) {
    for (const std::string& name : names_of(command))
      text += fmt::format("complete -c cudalab -n __fish_use_subcommand -f -a {} -d {}\n", name,
                          fish_quoted(command.verb.summary));
    for (const Option& option : command.options()) text += fish_option(command, option);
  }
  return text;
}

struct CompletionTexts {
  std::string shell;
};

using Script = std::string (*)(std::span<const Command>);
constexpr Named<Script> kShells[]{
    {"bash", bash_completions}, {"zsh", zsh_completions}, {"fish", fish_completions}};

Options completion_options(CompletionTexts& texts) {
  return {required({"SHELL", " " + alternatives(kShells), &texts.shell, "the shell"})};
}

ExitCode print_completions(const CompletionTexts& texts, const Console& console) {
  console.print(chosen("SHELL", texts.shell, kShells)(all_commands()));
  return ExitCode::kPassed;
}

}  // namespace

Verb completions_verb() {
  return {.name = "completions",
          .alias = "",
          .summary = "print a script with which bash, zsh or fish completes commands and options",
          .examples = {"cudalab completions bash > ~/.local/share/bash-completion/completions/cudalab",
                       "cudalab completions zsh > ~/.zfunc/_cudalab",
                       "cudalab completions fish > ~/.config/fish/completions/cudalab.fish"},
          .declare = with_options(completion_options, print_completions)};
}

}  // namespace cudalab::cli
