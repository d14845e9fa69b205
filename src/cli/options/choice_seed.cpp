// Reads --seed, or takes one from the clock.
#include "cli/options/choice_seed.h"

#include <charconv>
#include <chrono>

#include "core/error.h"

namespace cudalab::cli {

Option choice_seed_option(std::string& text) {
  return {
      "--seed", " N", &text,
      "the order of a question's choices; default: another each time on a terminal, else 0, as in the file"};
}

std::uint64_t choice_seed(const std::string& text, const Answers& answers) {
  if (text.empty() && !answers.come_from_a_terminal()) return 0;
  if (text.empty())
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t seed = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (failed != std::errc{} || end != text.data() + text.size())
    throw usage_error("--seed is {}; give a whole number, 0 for the order of the file", text);
  return seed;
}

}  // namespace cudalab::cli
