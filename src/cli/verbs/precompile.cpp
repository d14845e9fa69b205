// The hidden `cudalab precompile FOLDER`: PTX of all kernels that the course shows, for packages, so that
// these run where there is no compiler.
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "compile/compiler.h"
#include "core/files.h"
#include "course/learn.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "vgpu/card.h"

namespace cudalab::cli {
namespace {

using Commands = std::vector<std::string>;

// What a handout has its tables from: `<!-- cudalab dot --n 4194304 -->`.
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

// The lab as it is, on one card of each compute capability: the code differs by that alone.
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

std::vector<std::string> words_in(const std::string& command) {
  std::istringstream stream(command);
  return {std::istream_iterator<std::string>(stream), {}};
}

// As if it had been typed, on the virtual GPU, with nothing to watch: what it shows is for others to look at.
// An example may be of another verb, or for a card.
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
    if (error.code() != ExitCode::kUsage) throw;  // an example with a file that the user has
  }
}

struct PrecompileTexts {
  std::string folder;
};

Options precompile_options(PrecompileTexts& texts) {
  return {required({"FOLDER", "", &texts.folder, "where the PTX goes"})};
}

ExitCode precompile(const PrecompileTexts& texts, const Console& console) {
  compile::require_compiler();
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

}  // namespace cudalab::cli
