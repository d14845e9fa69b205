// Checks and stores the values of a lab's options: defaults, ranges, and parsing.
#include "lab/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "core/text.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

OptionSpec spec(std::string name, OptionKind kind, std::string help, OptionValue on_virtual,
                OptionValue on_gpu) {
  OptionSpec made;
  made.name = std::move(name);
  made.kind = kind;
  made.help = std::move(help);
  made.on_virtual = std::move(on_virtual);
  made.on_gpu = std::move(on_gpu);
  return made;
}

// The names as a text: "f32, f64 or i32".
Message any_of(const std::vector<std::string>& names) {
  if (names.size() < 2) return Message::verbatim(joined(names));
  return msg::list_or(Argument::List(names.begin(), names.end() - 1), names.back());
}

std::string shown(const OptionValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  return std::get<std::string>(value);
}

Error out_of_range(const OptionSpec& spec, std::string_view value) {
  return usage_error(msg::option_out_of_range(spec.name, value, allowed_values(spec)));
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_in_range(const OptionSpec& spec, const OptionValue& value) {
  switch (spec.kind) {
    case OptionKind::kFlag: return std::holds_alternative<bool>(value);
    case OptionKind::kInteger: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number && *number >= spec.min && *number <= spec.max;
    }
    case OptionKind::kReal: {
      const auto* number = std::get_if<double>(&value);
      return number && *number >= spec.real_min && *number <= spec.real_max;  // never true of NaN
    }
    case OptionKind::kChoice: {
      const auto* word = std::get_if<std::string>(&value);
      return word && std::find(spec.choices.begin(), spec.choices.end(), *word) != spec.choices.end();
    }
    case OptionKind::kText: return std::holds_alternative<std::string>(value);
  }
  return false;
}

}  // namespace

OptionSpec flag(std::string name, std::string help) {
  return spec(std::move(name), OptionKind::kFlag, std::move(help), false, false);
}

OptionSpec integer(std::string name, std::string help, std::int64_t fallback, std::int64_t min,
                   std::int64_t max) {
  return integer(std::move(name), std::move(help), fallback, fallback, min, max);
}

OptionSpec integer(std::string name, std::string help, std::int64_t on_virtual, std::int64_t on_gpu,
                   std::int64_t min, std::int64_t max) {
  OptionSpec made = spec(std::move(name), OptionKind::kInteger, std::move(help), on_virtual, on_gpu);
  made.min = min;
  made.max = max;
  return made;
}

OptionSpec real(std::string name, std::string help, double fallback, double min, double max) {
  OptionSpec made = spec(std::move(name), OptionKind::kReal, std::move(help), fallback, fallback);
  made.real_min = min;
  made.real_max = max;
  return made;
}

OptionSpec choice(std::string name, std::string help, std::string fallback,
                  std::vector<std::string> choices) {
  OptionSpec made = spec(std::move(name), OptionKind::kChoice, std::move(help), fallback, fallback);
  made.choices = std::move(choices);
  return made;
}

OptionSpec text(std::string name, std::string help, std::string fallback) {
  return spec(std::move(name), OptionKind::kText, std::move(help), fallback, fallback);
}

Message allowed_values(const OptionSpec& spec) {
  switch (spec.kind) {
    case OptionKind::kFlag: return msg::allowed_none();
    case OptionKind::kInteger: return msg::allowed_range(spec.min, spec.max);
    case OptionKind::kReal: return msg::allowed_range(spec.real_min, spec.real_max);
    case OptionKind::kChoice: return any_of(spec.choices);
    case OptionKind::kText: return msg::allowed_text();
  }
  return {};
}

OptionValue parse_option(const OptionSpec& spec, std::string_view text) {
  if (spec.kind == OptionKind::kInteger) {
    if (const auto number = parse_number<std::int64_t>(text)) return *number;
    throw out_of_range(spec, text);
  }
  if (spec.kind == OptionKind::kReal) {
    if (const auto number = parse_number<double>(text)) return *number;
    throw out_of_range(spec, text);
  }
  if (spec.kind == OptionKind::kFlag) return text != "false";
  return std::string(text);
}

Options::Options(const std::vector<OptionSpec>& specs, bool gpu) {
  for (const OptionSpec& spec : specs) entries_.push_back({&spec, gpu ? spec.on_gpu : spec.on_virtual});
}

void Options::set(std::string_view name, OptionValue value) {
  for (Entry& entry : entries_) {
    if (entry.spec->name != name) continue;
    if (!is_in_range(*entry.spec, value)) throw out_of_range(*entry.spec, shown(value));
    entry.value = std::move(value);
    entry.given = true;
    return;
  }
  throw std::logic_error(fmt::format("the lab declares no option --{}", name));
}

const Options::Entry& Options::entry(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.spec->name == name) return entry;
  throw std::logic_error(fmt::format("the lab declares no option --{}", name));
}

bool Options::given(std::string_view name) const { return entry(name).given; }
bool Options::flag(std::string_view name) const { return std::get<bool>(entry(name).value); }
std::int64_t Options::integer(std::string_view name) const {
  return std::get<std::int64_t>(entry(name).value);
}
double Options::real(std::string_view name) const { return std::get<double>(entry(name).value); }
const std::string& Options::text(std::string_view name) const {
  return std::get<std::string>(entry(name).value);
}

std::vector<std::pair<std::string, OptionValue>> Options::effective() const {
  std::vector<std::pair<std::string, OptionValue>> all;
  for (const Entry& entry : entries_) all.emplace_back(entry.spec->name, entry.value);
  return all;
}

}  // namespace cudalab::lab
