// Converts between the bits of values, numbers and trees of parts.
#include "session/lane_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/text.h"

namespace cudalab::session {
namespace {

constexpr std::size_t kShownParts = 8;  // elements shown on the line of a structure or array

// Arrays of other types are shown as 32-bit words.
const ElementType* element_type(std::string_view word) {
  static const std::vector<ElementType> table{
      {"float", *ptx::type_named("f32"), 4},    {"double", *ptx::type_named("f64"), 8},
      {"int", *ptx::type_named("s32"), 4},      {"unsigned", *ptx::type_named("u32"), 4},
      {"char", *ptx::type_named("s8"), 1},      {"short", *ptx::type_named("s16"), 2},
      {"bool", *ptx::type_named("u8"), 1},      {"size_t", *ptx::type_named("u64"), 8},
      {"uint32_t", *ptx::type_named("u32"), 4}, {"int32_t", *ptx::type_named("s32"), 4}};
  const auto found = std::ranges::find(table, word, &ElementType::word);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

std::string number_text(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53
  const bool is_whole = number == std::trunc(number) && std::fabs(number) <= kExact;
  return is_whole ? fmt::format("{:.0f}", number + 0.0) : fmt::format("{:.9g}", number);
}

double number_of(ptx::Type type, std::uint64_t bytes, std::uint64_t bits) {
  const std::string_view name = ptx::info(type).name;
  if (name == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (name == "f64") return std::bit_cast<double>(bits);
  if (!name.starts_with('s') || bytes == 0) return static_cast<double>(bits);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(std::min<std::uint64_t>(bytes, 8));
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::optional<std::uint64_t> bits_of_number(ptx::Type type, std::uint64_t bytes, double number) {
  const std::string_view name = ptx::info(type).name;
  if (name == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (name == "f64") return std::bit_cast<std::uint64_t>(number);
  if (name == "pred") return number != 0;
  const bool is_signed = name.starts_with('s');
  if (!(is_signed || name.starts_with('u') || name.starts_with('b')) || bytes == 0 || bytes > 8)
    return std::nullopt;
  const double whole = std::trunc(number), values = std::ldexp(1, static_cast<int>(8 * bytes));
  // PTX rarely tells whether a number is signed, so negative numbers are accepted for all types.
  if (!(whole >= -values / 2 && whole < (is_signed ? values / 2 : values))) return std::nullopt;
  const std::uint64_t bits = whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                                       : static_cast<std::uint64_t>(whole);
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + at, text.end(), is_word);
    const auto end = std::find_if_not(begin, text.end(), is_word);
    if (begin != end) words.emplace_back(begin, end);
    at = static_cast<std::size_t>(end - text.begin());
  }
  return words;
}

const ElementType* element_type_in(std::string_view text) {
  for (const std::string& word : names_in(text))
    if (const ElementType* type = element_type(word)) return type;
  return nullptr;
}

std::string_view name_in_source(ptx::Type type) {
  static const std::vector<std::pair<std::string_view, std::string_view>> table{
      {"f32", "float"},      {"f64", "double"},
      {"s8", "signed char"}, {"u8", "unsigned char"},
      {"s16", "short"},      {"u16", "unsigned short"},
      {"s32", "int"},        {"u32", "unsigned int"},
      {"s64", "long long"},  {"u64", "unsigned long long"}};
  const std::string_view name = ptx::info(type).name;
  for (const auto& [in_ptx, in_source] : table)
    if (in_ptx == name) return in_source;
  return name;
}

namespace {

// "scale" of "__device__ float scale(float x)"; empty for other text before a brace, such as "namespace a".
// `words_before`: of the heading that is left out.
std::string function_of_heading(std::string_view heading, std::size_t words_before = 0) {
  const std::size_t parenthesis = heading.find('(');
  if (parenthesis == std::string_view::npos) return "";
  const std::vector<std::string> words = names_in(heading.substr(0, parenthesis));
  if (words_before + words.size() < 2 || words.empty()) return "";  // a statement such as "if (…)"
  if (!words.back().starts_with("__")) return words.back();
  // __launch_bounds__(256)
  return function_of_heading(heading.substr(heading.find(')', parenthesis) + 1), words.size());
}

}  // namespace

// Comments and literals with braces in them are not expected between functions.
std::string function_around(std::string_view source, int line) {
  std::vector<std::string> open;  // a function for each open brace; empty for other braces
  std::size_t heading = 0;
  int at_line = 1;
  for (std::size_t at = 0; at < source.size() && at_line <= line; ++at) {
    const char c = source[at];
    if (c == '\n') ++at_line;
    if (at_line > line) break;
    if (c == '{') open.push_back(function_of_heading(source.substr(heading, at - heading)));
    if (c == '}' && !open.empty() && at_line < line) open.pop_back();
    if (c == '{' || c == '}' || c == ';') heading = at + 1;
  }
  const auto found = std::ranges::find_if(open, [](const std::string& each) { return !each.empty(); });
  return found == open.end() ? "" : *found;
}

std::size_t end_of_part(std::string_view name) {
  const std::size_t end = name.find_first_of(".[", 1);
  return end == std::string_view::npos ? name.size() : end;
}

std::string shown_parts(const LaneVariable& whole) {
  std::string text = "{";
  for (std::size_t i = 0; i < std::min(whole.parts.size(), kShownParts); ++i)
    text += (i ? ", " : "") + whole.parts[i].value;
  return text + (whole.parts.size() > kShownParts ? ", …}" : "}");
}

void insert_part(std::vector<LaneVariable>& parts, std::string_view rest, const LaneVariable& value) {
  const std::string part(rest.substr(0, end_of_part(rest)));
  auto found = std::ranges::find(parts, part, &LaneVariable::name);
  if (found == parts.end()) found = parts.insert(parts.end(), {part, "", "", {}});
  if (part.size() == rest.size()) {
    found->value = value.value;
    found->type = value.type;
    found->place = value.place;
    found->memory = value.memory;
    found->is_argument = value.is_argument;
    return;
  }
  insert_part(found->parts, rest.substr(part.size()), value);
  found->is_argument = value.is_argument;
  found->value = shown_parts(*found);
}

const LaneVariable* found_in(const std::vector<LaneVariable>& variables, std::string_view name) {
  const std::string part(name.substr(0, end_of_part(name)));
  const auto found = std::ranges::find(variables, part, &LaneVariable::name);
  if (found == variables.end()) return nullptr;
  return part.size() == name.size() ? &*found : found_in(found->parts, name.substr(part.size()));
}

bool is_name_of_value(std::string_view expression) {
  int depth = 0;
  if (expression.empty() || !is_word(expression.front()) || is_digit(expression.front())) return false;
  for (const char c : expression) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth == 0 && !is_word(c) && c != ']' && c != '.') return false;
  }
  return depth == 0;
}

}  // namespace cudalab::session
