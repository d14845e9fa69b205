// Turns specifications of options into rows for the parser and the help.
#include "cli/options/lab_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/natural.h"
#include "core/text.h"
#include "report/text/names.h"

namespace cudalab::cli {
namespace {

using lab::OptionKind;
using lab::OptionSpec;
using lab::OptionValue;
using report::shown;

// What a value looks like in the help: `--tile N`, `--pad[=N]`.
std::string placeholder(const OptionSpec& spec) {
  switch (spec.kind) {
    case OptionKind::kInteger: return "N";
    case OptionKind::kReal: return "X";
    case OptionKind::kChoice: return joined(spec.choices, "|");
    default: return "TEXT";
  }
}

// Choices stand in the placeholder already, and any text is a text.
std::string range_of(const OptionSpec& spec) {
  bool is_number = spec.kind == OptionKind::kInteger || spec.kind == OptionKind::kReal;
  return is_number ? lab::allowed_values(spec) + ", " : "";
}

// Nothing of a text that is empty by default.
std::string default_of(const OptionSpec& spec) {
  if (shown(spec.on_virtual).empty()) return "";
  if (spec.on_virtual == spec.on_gpu) return "default " + shown(spec.on_virtual);
  return fmt::format("default {}, on a GPU {}", shown(spec.on_virtual), shown(spec.on_gpu));
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
  if (!value || *value > max)
    throw usage_error("{} takes a whole number, 0 to {}, not `{}`", name, max, text);
  return *value;
}

Dim3 shape_from(std::string_view option, const std::string& text, std::uint32_t missing) {
  if (text.empty()) throw usage_error("{0} is missing; write {0} X[,Y[,Z]], as in {0} 4,4", option);
  Dim3 shape{missing, missing, missing};
  std::string_view rest = text;
  for (std::uint32_t* side : {&shape.x, &shape.y, &shape.z}) {
    const std::size_t comma = rest.find(',');
    *side = static_cast<std::uint32_t>(parse_natural(option, rest.substr(0, comma), UINT32_MAX));
    if (comma == std::string_view::npos) return shape;
    rest.remove_prefix(comma + 1);
  }
  throw usage_error("{} has three sides at most, not `{}`", option, text);
}

std::string values_of(const OptionSpec& spec) {
  return spec.kind == OptionKind::kFlag ? "" : range_of(spec) + default_of(spec);
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
