#include "core/programs/launch_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"

namespace cudalab {

std::string text_of(const LaunchChange& change) {
  return fmt::format("{} {} {} {}", name_in(kLaunchChangeNames, change.kind), change.first, change.second,
                     change.kernel);
}

LaunchChange launch_change_in(std::string_view text) {
  std::array<std::string_view, 3> words;
  for (std::string_view& word : words) {
    const std::size_t end = std::min(text.find(' '), text.size());
    word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto kind = value_called(words[0], kLaunchChangeNames);
  const std::optional<std::uint64_t> first = natural(words[1]), second = natural(words[2]);
  if (!kind || !first || !second) return {};
  return {*kind, *first, *second, std::string(text)};
}

}  // namespace cudalab
