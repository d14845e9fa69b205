// Lays out the help from the verbs, the labs and their options.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"
#include "core/text.h"
#include "lab/lab.h"
#include "report/text/paragraph.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kNameColumn = 26;

std::string exit_codes() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeMeaning& each : kExitCodeMeanings)
    text += fmt::format("  {:<2} {}\n", each.code, each.text);
  return text;
}

std::string row(const std::string& name, const std::string& text, std::size_t width) {
  return report::hang("  " + name, text, width, kNameColumn) + "\n";
}

// In the order in which they come first. An option without a group is none of the user's.
std::vector<std::string> groups_of(const Options& options) {
  std::vector<std::string> groups;
  for (const Option& option : options)
    if (!option.group.empty() && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

std::string group_of_options(const Options& options, const std::string& group, std::size_t width) {
  std::string text;
  for (const Option& option : options)
    if (!option.is_argument() && option.group == group)
      text += row(option.name + option.placeholder, option.help, width);
  return text.empty() ? "" : fmt::format("\n{}:\n{}", group, text);
}

std::string usage(const Verb& verb, const Options& options) {
  std::string arguments;
  for (const Option& option : options)
    if (option.is_argument() && !std::holds_alternative<BehindDashes>(option.to))
      arguments += " " + option.name;
  std::string program;
  for (const Option& option : options)
    if (std::holds_alternative<BehindDashes>(option.to)) program = " -- " + option.name + option.placeholder;
  return fmt::format("Usage: cudalab {}{} [options]{}\n", verb.name, arguments, program);
}

}  // namespace

std::string command_help(const Verb& verb, const Options& options, std::size_t width) {
  std::string text = fmt::format("{}\n\n{}", verb.summary, usage(verb, options));
  if (!verb.alias.empty()) text += fmt::format("       (also: cudalab {})\n", verb.alias);
  for (const std::string& group : groups_of(options)) text += group_of_options(options, group, width);
  if (!verb.more_help.empty()) text += "\n" + report::reflow(verb.more_help, width);
  if (!verb.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : verb.examples) text += report::wrap_command(example, width, 2) + "\n";
  return report::fold(text, width);
}

std::string program_help(std::size_t width) {
  std::string text =
      "cudalab: an interactive lab workbook for CUDA, with or without a GPU\n\n"
      "Usage: cudalab LAB [options]        run a lab\n"
      "       cudalab COMMAND [options]\n"
      "       cudalab LAB --help           the options of a lab, with examples\n"
      "       cudalab --version\n\n"
      "Labs:\n";
  for (const lab::Lab& lab : lab::labs()) text += row(lab.name, lab.title, width);
  text += "\nCommands:\n";
  for (const Verb& verb : verbs()) text += row(verb.name, verb.summary, width);
  text += fmt::format("\n{}\nExamples:\n", exit_codes());
  for (const lab::Lab& lab : lab::labs())
    if (!lab.examples.empty()) text += report::wrap_command(lab.examples.front(), width, 2) + "\n";
  for (const Verb& verb : verbs()) text += report::wrap_command(verb.examples.front(), width, 2) + "\n";
  return report::fold(text, width);
}

}  // namespace cudalab::cli
