// The verb `cudalab man`: prints the manual page, generated from the same tables as the help.
#include <fmt/format.h>

#include <span>
#include <string>

#include "cli/help.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "report/tool.h"

namespace cudalab::cli {

// Generates the manual page from the same tables as the help.

namespace {

// Escapes text for roff: hyphens stay copyable, and no line looks like a roff request.
std::string roff(const std::string& text) {
  std::string kept = replaced(text, "\\", "\\e");
  kept = replaced(kept, "-", "\\-");
  kept = replaced(kept, "…", "...");
  kept = replaced(kept, "×", "x");
  kept = replaced(kept, "`", "");
  return kept.starts_with('.') || kept.starts_with('\'') ? "\\&" + kept : kept;
}

// A term, followed by its meaning.
std::string entry(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(text));
}

std::string option_entry(const Option& option) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option.name), roff(option.placeholder),
                     roff(option.described()));
}

std::string literal(const std::string& line) { return fmt::format(".nf\n{}\n.fi\n", roff(line)); }

std::string paragraphs(const std::string& text) {
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.starts_with(' '))
      kept += literal(line);
    else if (line.empty())
      kept += ".PP\n";
    else
      kept += roff(line) + "\n";
  }
  return kept;
}

std::string section_of(const Command& command) {
  std::string text =
      fmt::format(".SS {}\n{}.\n", roff("cudalab " + command.verb.name), roff(command.verb.summary));
  for (const Option& option : command.options()) text += option_entry(option);
  if (!command.verb.more_help.empty()) text += ".PP\n" + paragraphs(command.verb.more_help);
  if (!command.verb.examples.empty()) text += ".PP\nExamples:\n";
  for (const std::string& example : command.verb.examples) text += literal(example);
  return text;
}

std::string sections(std::span<const Command> commands, bool of_labs) {
  std::string text;
  for (const Command& command : commands)
    if (command.is_lab == of_labs) text += section_of(command);
  return text;
}

std::string list(std::span<const Command> commands, bool of_labs) {
  std::string text;
  for (const Command& command : commands)
    if (command.is_lab == of_labs) text += entry(command.verb.name, command.verb.summary);
  return text;
}

struct Variable {
  const char *name, *meaning;
};

// The same variables as in docs/reference.md.
constexpr Variable kEnvironment[]{
    {"CUDA_HOME", "the folder of the CUDA Toolkit"},
    {"CUDALAB_COMPILER", "the compiler where no --compiler names one: nvrtc, nvcc or clang"},
    {"CUDALAB_NVRTC", "the NVRTC library, or a folder that contains one"},
    {"CUDALAB_LABS", "another folder of labs"},
    {"CUDALAB_CACHE_DIR", "the cache of compiled kernels"},
    {"CUDALAB_MESSAGE_IDS", "print ids of messages instead of sentences"},
    {"LC_ALL, LC_MESSAGES, LANG", "the language, unless --language selects it"},
    {"NO_COLOR, TERM", "whether output has colours"},
    {"PAGER", "the program that shows long lists on a terminal"},
    {"TMPDIR", "the folder for temporary files"},
};

// Generates roff source for man(7). `version` is the program's.
std::string man_page(std::span<const Command> commands, const std::string& version) {
  std::string codes, variables;
  for (const ExitCodeMeaning& each : kExitCodeMeanings) codes += entry(std::to_string(each.code), each.text);
  for (const Variable& each : kEnvironment) variables += entry(each.name, each.meaning);
  return fmt::format(
      ".TH CUDALAB 1 \"\" \"cudalab {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "cudalab \\- an interactive lab workbook for CUDA, with or without a GPU\n"
      ".SH SYNOPSIS\n"
      ".B cudalab\n"
      "\\fILAB\\fR [options]\n"
      ".br\n"
      ".B cudalab\n"
      "\\fICOMMAND\\fR [options]\n"
      ".br\n"
      ".B cudalab\n"
      "\\fILAB\\fR|\\fICOMMAND\\fR \\fB\\-\\-help\\fR\n"
      ".br\n"
      ".B cudalab \\-\\-version\n"
      ".SH DESCRIPTION\n"
      "Labs run kernels on a GPU or on a virtual one, which counts what they do to memory, finds their\n"
      "hazards and predicts their time on a GPU. Commands teach, check and grade kernels, and run programs "
      "of your own.\n"
      ".SH LABS\n"
      "{}.SH COMMANDS\n"
      "{}.SH OPTIONS OF COMMANDS\n"
      "{}.SH OPTIONS OF LABS\n"
      "{}.SH EXIT STATUS\n"
      "{}.SH ENVIRONMENT\n"
      "{}.SH SEE ALSO\n"
      "nvcc(1), ncu(1)\n",
      roff(version), list(commands, true), list(commands, false), sections(commands, false),
      sections(commands, true), codes, variables);
}

ExitCode print_man_page(const Console& console) {
  console.print(man_page(all_commands(), report::this_tool().version));
  return ExitCode::kPassed;
}

}  // namespace

Verb man_verb() {
  return {.name = "man",
          .alias = "",
          .summary = "print the manual page, for man(1)",
          .examples = {"cudalab man | man -l -"},
          .declare = no_options(print_man_page)};
}

}  // namespace cudalab::cli
