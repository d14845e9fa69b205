// Sections and cases, one for each command and lab.
#include "cli/manual.h"

#include <fmt/format.h>

#include <vector>

#include "cli/help.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "lab/lab.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kManualWidth = 78;

std::vector<Verb> verbs_and_labs() {
  std::vector<Verb> all = verbs();
  for (const lab::Lab& lab : lab::labs()) all.push_back(lab_verb(lab));
  return all;
}

// A line that is shown as it is: a backslash would begin a request, and so would a dot or an apostrophe at
// its beginning.
std::string roff_line(std::string_view line) {
  const std::string text = replaced(replaced(std::string(line), "\\", "\\e"), "-", "\\-");
  return (text.starts_with('.') || text.starts_with('\'') ? "\\&" : "") + text + "\n";
}

std::string preformatted(std::string_view text) {
  std::string block = ".nf\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    block += roff_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return block + ".fi\n";
}

std::string options_for_shell(const Options& options) {
  std::string names = "--help";
  for (const Option& option : options)
    if (!option.is_argument() && !option.group.empty()) names += " " + option.name;
  return names;
}

}  // namespace

std::string man_page() {
  std::string page = fmt::format(
      ".TH CUDALAB 1 \"\" \"cudalab {}\" \"User Commands\"\n.SH NAME\ncudalab \\- an interactive lab "
      "workbook for "
      "CUDA, with or without a GPU\n.SH SYNOPSIS\n.B cudalab\n[\\fILAB\\fR | \\fICOMMAND\\fR] [options]\n"
      ".SH DESCRIPTION\n{}",
      report::this_tool().version, preformatted(program_help(kManualWidth)));
  page += ".SH COMMANDS AND LABS\n";
  for (const Verb& verb : verbs_and_labs())
    page += fmt::format(".SS cudalab {}\n{}", verb.name,
                        preformatted(command_help(verb, verb.declare().options, kManualWidth)));
  return page;
}

std::string bash_completion() {
  std::string names, cases;
  for (const Verb& verb : verbs_and_labs()) {
    names += verb.name + " ";
    cases += fmt::format("    {}) words='{}' ;;\n", verb.name, options_for_shell(verb.declare().options));
  }
  return fmt::format(
      "_cudalab() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{}--help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}    *) words=--help ;;\n  esac\n"
      "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _cudalab cudalab\n",
      names, cases);
}

}  // namespace cudalab::cli
