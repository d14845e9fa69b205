// Options of a lab on the command line: their rows, their values, and the lab or name that a mistyped word
// was meant to be.
#include "cli/options/lab_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "messages/cli.h"
#include "report/text/values.h"

namespace cudalab::cli {
namespace {

constexpr std::size_t kLongestWord = 64;  // nobody means a name with a longer word

using Row = std::vector<std::size_t>;

std::size_t cheapest(std::string_view from, std::string_view to, std::size_t i, std::size_t j,
                     const Row& two_up, const Row& up, const Row& row) {
  std::size_t cost = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (from[i - 1] != to[j - 1])});
  bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
  return swapped ? std::min(cost, two_up[j - 2] + 1) : cost;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  Row two_up(to.size() + 1), up(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    two_up.swap(up);
    up.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) row[j] = cheapest(from, to, i, j, two_up, up, row);
  }
  return row.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kLongestWord) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    std::size_t distance = word.size() >= 3 && name.starts_with(word) ? 1 : edit_distance(word, name);
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

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
  return is_number ? lab::allowed_values(spec).text() + ", " : "";
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
