// `cudalab completions`: what a shell needs to complete commands and options.
#include "cli/completions.h"

#include "cli/options/choices.h"
#include "cli/verbs.h"

namespace cudalab::cli {
namespace {

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
          .summary = "print what bash, zsh or fish needs to complete commands and options",
          .examples = {"cudalab completions bash > ~/.local/share/bash-completion/completions/cudalab",
                       "cudalab completions zsh > ~/.zfunc/_cudalab",
                       "cudalab completions fish > ~/.config/fish/completions/cudalab.fish"},
          .declare = with_options(completion_options, print_completions)};
}

}  // namespace cudalab::cli
