#include "core/programs/program_variant.h"

#include "core/text.h"

namespace cudalab {
namespace {

constexpr double kMicroseconds = 1e6;

}  // namespace

std::vector<std::string> fields_of(const ProgramVariant& variant) {
  const LaunchChange& change = variant.change;
  return {variant.device_code,
          std::string(name_in(kLaunchChangeNames, change.kind)),
          std::to_string(change.first),
          std::to_string(change.second),
          change.kernel,
          variant.output,
          std::to_string(variant.max_steps),
          std::to_string(static_cast<std::uint64_t>(variant.seconds * kMicroseconds))};
}

ProgramVariant variant_in(const std::vector<std::string>& fields) {
  constexpr std::size_t kFields = 8;
  if (fields.size() != kFields) return {};
  const auto number = [&](std::size_t field) { return natural(fields[field]).value_or(0); };
  const auto kind = value_called(fields[1], kLaunchChangeNames).value_or(LaunchChange::Kind::kNone);
  return {.device_code = fields[0],
          .change = {kind, number(2), number(3), fields[4]},
          .output = fields[5],
          .max_steps = number(6),
          .seconds = static_cast<double>(number(7)) / kMicroseconds};
}

}  // namespace cudalab
