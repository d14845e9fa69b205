// Converts a lab's options to command-line rows and back to values, and suggests names for mistyped words.
#include "cli/options/lab_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/spelling.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {

Message did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  std::string name = nearest(word, names);
  return name.empty() ? Message() : msg::hint_did_you_mean(std::move(name));
}

const lab::Lab& known_lab(std::string_view word, std::string_view verb) {
  if (word.empty()) throw usage_error(msg::lab_missing(verb));
  if (const lab::Lab* lab = lab::find_lab(word)) return *lab;
  std::vector<std::string> names;
  for (const lab::Lab& lab : lab::labs()) names.push_back(lab.name);
  throw usage_error(msg::lab_unknown(word, did_you_mean(word, names)));
}

namespace {

using lab::OptionKind;
using lab::OptionSpec;
using lab::OptionValue;
using report::shown;

// The placeholder of a value in the help: `--tile N`, `--pad[=N]`.
std::string placeholder(const OptionSpec& spec) {
  switch (spec.kind) {
    case OptionKind::kInteger: return "N";
    case OptionKind::kReal: return "X";
    case OptionKind::kChoice: return joined(spec.choices, "|");
    default: return "TEXT";
  }
}

// Empty if the default value is an empty text.
Message default_of(const OptionSpec& spec) {
  if (shown(spec.on_virtual).empty()) return {};
  if (spec.on_virtual == spec.on_gpu) return msg::values_default(shown(spec.on_virtual));
  return msg::values_default_on_gpu(shown(spec.on_virtual), shown(spec.on_gpu));
}

Option row_of(const OptionSpec& spec, std::optional<std::string>& text) {
  const std::string name = "--" + spec.name;
  Option row{name, " " + placeholder(spec), &text, spec.help};
  row.values = values_of(spec);
  if (spec.kind == OptionKind::kFlag) {
    row.placeholder = "";
    row.to = MayBeBare{&text, "true"};
  } else if (spec.bare) {
    row.placeholder = fmt::format("[={}]", placeholder(spec));
    row.to = MayBeBare{&text, shown(*spec.bare)};
  }
  return row;
}

}  // namespace

std::uint64_t parse_natural(std::string_view name, std::string_view text, std::uint64_t max) {
  const auto value = natural(text);
  if (!value || *value > max) throw usage_error(msg::option_not_whole_number(name, max, text));
  return *value;
}

Dim3 shape_from(std::string_view option, const std::string& text, std::uint32_t missing) {
  if (text.empty()) throw usage_error(msg::option_shape_missing(option));
  Dim3 shape{missing, missing, missing};
  std::string_view rest = text;
  for (std::uint32_t* side : {&shape.x, &shape.y, &shape.z}) {
    const std::size_t comma = rest.find(',');
    *side = static_cast<std::uint32_t>(parse_natural(option, rest.substr(0, comma), UINT32_MAX));
    if (comma == std::string_view::npos) return shape;
    rest.remove_prefix(comma + 1);
  }
  throw usage_error(msg::option_shape_sides(option, text));
}

Message values_of(const OptionSpec& spec) {
  if (spec.kind == OptionKind::kFlag) return {};
  // For choices, the placeholder already lists the values; a text may have any value.
  const bool is_number = spec.kind == OptionKind::kInteger || spec.kind == OptionKind::kReal;
  const Message by_default = default_of(spec);
  return is_number ? msg::values_in_range(lab::allowed_values(spec), by_default) : by_default;
}

LabOptions::LabOptions(const std::vector<OptionSpec>& specs) {
  for (const OptionSpec& spec : specs) slots_.push_back({&spec, std::nullopt});
}

Options LabOptions::rows() {
  Options rows;
  for (Slot& slot : slots_) rows.push_back(row_of(*slot.spec, slot.text));
  return rows;
}

std::vector<std::pair<std::string, OptionValue>> LabOptions::given() const {
  std::vector<std::pair<std::string, OptionValue>> values;
  for (const Slot& slot : slots_)
    if (slot.text) values.emplace_back(slot.spec->name, parse_option(*slot.spec, *slot.text));
  return values;
}

}  // namespace cudalab::cli
