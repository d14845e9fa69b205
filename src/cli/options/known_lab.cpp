// Finds a lab by its name or alias, or suggests one.
#include "cli/options/known_lab.h"

#include <fmt/format.h>

#include <vector>

#include "cli/options/suggestion.h"
#include "core/error.h"

namespace cudalab::cli {

const lab::Lab& known_lab(std::string_view word, std::string_view verb) {
  if (word.empty()) throw usage_error("{0} needs a lab: `cudalab {0} LAB` (`cudalab list` shows them)", verb);
  if (const lab::Lab* lab = lab::find_lab(word)) return *lab;
  std::vector<std::string> names;
  for (const lab::Lab& lab : lab::labs()) names.push_back(lab.name);
  throw usage_error("there is no lab `{}`{} (`cudalab list` shows the labs)", word,
                    did_you_mean(word, names));
}

}  // namespace cudalab::cli
