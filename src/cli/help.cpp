// Lays out the help text from the verbs, the labs and their options.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/verbs.h"
#include "core/text.h"
#include "lab/lab.h"
#include "messages/cli.h"
#include "report/text/layout.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kNameColumn = 26, kUsageColumns = 21;

// Builds help texts in one language.
class Help {
 public:
  Help(const Wording& wording, std::size_t width) : wording_(wording), width_(width) {}

  std::string of(const Verb& verb, const Options& options) const;
  std::string of_program() const;

 private:
  std::string row(const std::string& name, const std::string& text) const {
    return report::hang("  " + name, text, width_, kNameColumn) + "\n";
  }
  std::string described(const Option& option) const;
  std::string group_of_options(const Options& options, const std::string& group) const;
  std::string usage(const Verb& verb, const Options& options) const;
  std::string usages_of_program() const;
  std::string exit_codes() const;

  const Wording& wording_;
  std::size_t width_;
};

// ---- the paragraphs after the options ------------------------------------------------------------------

using Rewrite = std::function<std::string(std::string_view)>;

// The column at which the description of a line such as "  buf:TYPE:COUNT   zeros" begins, after at least two
// spaces; the end of the line if there is no description.
std::size_t text_column(std::string_view line) {
  const std::size_t name = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = std::min(line.find("  ", name), line.size());
  return std::min(line.find_first_not_of(' ', gap), line.size());
}

// Applies `by` to each paragraph, joined to one line, and to the description on lines that begin with a
// space. Names at the start of such lines are kept.
std::string rewritten(std::string_view more_help, const Rewrite& by) {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += by(paragraph) + "\n";
    paragraph.clear();
  };
  for (const std::string_view line : split(more_help, '\n')) {
    const bool stands_alone = line.empty() || line.front() == ' ';
    if (!stands_alone) {
      paragraph += fmt::format("{}{}", paragraph.empty() ? "" : " ", line);
      continue;
    }
    end_paragraph();
    const std::size_t column = text_column(line);
    const std::string_view behind = line.substr(column);
    text += fmt::format("{}{}\n", line.substr(0, column), behind.empty() ? "" : by(behind));
  }
  end_paragraph();
  return text;
}

// ---- laying out ----------------------------------------------------------------------------------------

// In order of first appearance. Options without a group are hidden.
std::vector<std::string> groups_of(const Options& options) {
  std::vector<std::string> groups;
  for (const Option& option : options)
    if (!option.group.empty() && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

std::string Help::described(const Option& option) const {
  const std::string help = wording_.text(option.help);
  if (option.values.empty()) return help;
  const char* between = wording_.language() == Language::kChinese ? "；" : "; ";
  return help + between + wording_.say(option.values);
}

std::string Help::group_of_options(const Options& options, const std::string& group) const {
  std::string text;
  for (const Option& option : options)
    if (!option.is_argument() && option.group == group)
      text += row(option.name + option.placeholder, described(option));
  const char* colon = wording_.language() == Language::kChinese ? "：" : ":";
  return text.empty() ? "" : fmt::format("\n{}{}\n{}", wording_.text(group), colon, text);
}

std::string Help::usage(const Verb& verb, const Options& options) const {
  std::string arguments;
  for (const Option& option : options)
    if (option.is_argument() && !std::holds_alternative<BehindDashes>(option.to))
      arguments += " " + option.name;
  std::string program;
  const std::string dashes = verb.takes_all_words ? " " : " -- ";
  for (const Option& option : options)
    if (std::holds_alternative<BehindDashes>(option.to)) program = dashes + option.name + option.placeholder;
  const std::string label = wording_.say(msg::help_usage());
  std::string text =
      fmt::format("{} cudalab {}{}{}{}\n", label, verb.name, arguments,
                  verb.takes_all_words ? "" : " " + wording_.say(msg::help_options_placeholder()), program);
  if (verb.alias.empty()) return text;
  return text + std::string(report::columns_of(label) + 1, ' ') + wording_.say(msg::help_alias(verb.alias)) +
         "\n";
}

std::string Help::of(const Verb& verb, const Options& options) const {
  std::string text = fmt::format("{}\n\n{}", wording_.text(verb.summary), usage(verb, options));
  for (const std::string& group : groups_of(options)) text += group_of_options(options, group);
  const auto translated = [this](std::string_view paragraph) { return wording_.text(paragraph); };
  if (!verb.more_help.empty()) text += "\n" + report::reflow(rewritten(verb.more_help, translated), width_);
  if (!verb.examples.empty()) text += fmt::format("\n{}\n", wording_.say(msg::help_examples()));
  for (const std::string& example : verb.examples) text += report::wrap_command(example, width_, 2) + "\n";
  return report::fold(text, width_);
}

std::string Help::usages_of_program() const {
  const std::string label = wording_.say(msg::help_usage()),
                    options = wording_.say(msg::help_options_placeholder());
  const std::string below(report::columns_of(label), ' ');
  const auto line = [](const std::string& begin, const std::string& command, const std::string& text) {
    const std::string padded = text.empty() ? command : report::padded(command, kUsageColumns);
    return fmt::format("{} cudalab {}{}\n", begin, padded, text);
  };
  return line(label, "LAB " + options, wording_.say(msg::help_run_lab())) +
         line(below, "COMMAND " + options, "") +
         line(below, "LAB --help", wording_.say(msg::help_lab_options())) + line(below, "--version", "");
}

std::string Help::exit_codes() const {
  std::string text = wording_.say(msg::help_exit_codes()) + "\n";
  for (const ExitCodeMeaning& each : kExitCodeMeanings)
    text += fmt::format("  {:<2} {}\n", each.code, wording_.text(each.text));
  return text;
}

std::string Help::of_program() const {
  std::string text = wording_.say(msg::help_program_summary()) + "\n\n" + usages_of_program() +
                     fmt::format("\n{}\n", wording_.say(msg::help_labs()));
  for (const lab::Lab& lab : lab::labs()) text += row(lab.name, wording_.text(lab.title));
  text += fmt::format("\n{}\n", wording_.say(msg::help_commands()));
  for (const Verb& verb : verbs()) text += row(verb.name, wording_.text(verb.summary));
  text += fmt::format("\n{}\n{}\n", exit_codes(), wording_.say(msg::help_examples()));
  for (const lab::Lab& lab : lab::labs())
    if (!lab.examples.empty()) text += report::wrap_command(lab.examples.front(), width_, 2) + "\n";
  for (const Verb& verb : verbs()) text += report::wrap_command(verb.examples.front(), width_, 2) + "\n";
  return report::fold(text, width_);
}

// ---- for translators -------------------------------------------------------------------------------------

bool is_the_labs_own(const Command& command, const Option& option) {
  if (!command.is_lab) return false;
  const auto& own = lab::find_lab(command.verb.name)->options;
  return std::ranges::any_of(own,
                             [&](const lab::OptionSpec& spec) { return "--" + spec.name == option.name; });
}

// May add a text twice: several commands share texts.
void add_texts(std::vector<std::string>& texts, const Command& command) {
  if (!command.is_lab) texts.push_back(command.verb.summary);
  if (command.verb.is_for_staff) return;
  for (const Option& option : command.options()) {
    texts.push_back(option.group);
    if (!option.is_argument() && !is_the_labs_own(command, option)) texts.push_back(option.help);
  }
  if (command.is_lab) return;  // labs translate the help on their stages
  rewritten(command.verb.more_help, [&texts](std::string_view text) { return texts.emplace_back(text); });
}

}  // namespace

std::string command_help(const Verb& verb, const Options& options, std::size_t width,
                         const Wording& wording) {
  return Help(wording, width).of(verb, options);
}

std::string program_help(std::size_t width, const Wording& wording) {
  return Help(wording, width).of_program();
}

std::vector<std::string> help_texts() {
  std::vector<std::string> texts;
  for (const ExitCodeMeaning& each : kExitCodeMeanings) texts.emplace_back(each.text);
  texts.emplace_back(kLanguageHelp);
  for (const Command& command : all_commands()) add_texts(texts, command);
  return texts;
}

}  // namespace cudalab::cli
