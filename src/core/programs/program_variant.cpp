#include "core/programs/program_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"

namespace cudalab {
namespace {

constexpr double kMicroseconds = 1e6;

}  // namespace

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

std::vector<std::string> fields_of(const ProgramVariant& variant) {
  return {variant.device_code, text_of(variant.change), variant.output, std::to_string(variant.max_steps),
          std::to_string(static_cast<std::uint64_t>(variant.seconds * kMicroseconds))};
}

ProgramVariant variant_in(const std::vector<std::string>& fields) {
  constexpr std::size_t kFields = 5;
  if (fields.size() != kFields) return {};
  return {fields[0], launch_change_in(fields[1]), fields[2], natural(fields[3]).value_or(0),
          static_cast<double>(natural(fields[4]).value_or(0)) / kMicroseconds};
}

}  // namespace cudalab
