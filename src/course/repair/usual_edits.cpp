// Edits that undo the most frequent mistakes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "course/repair/generators.h"

namespace cudalab::course {
namespace {

using Texts = std::vector<std::string_view>;

// Removes an operand: `BLOCK` for `BLOCK / 2`.
void left_out(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::set<std::string_view> kBinary{"+", "-", "*", "/", "%"};
  if (!kBinary.contains(s.at(i)) || i == 0 || !s.ends_operand(i - 1)) return;
  if (!(s.is_name(i + 1) || s.is_number(i + 1)) || s.at(i + 2) == ".") return;
  std::size_t operand = i + 1;
  while (s.at(operand + 1) == "(" || s.at(operand + 1) == "[") operand = s.closing(operand + 1);
  edits.replace(i, operand, "", EditKind::kOperator);
}

// Exchanges two variables in an index or a condition: `y * width + x` for `x * width + y`.
void exchanged(const KernelSource& s, std::size_t open, EditList& edits) {
  constexpr std::size_t kMostNames = 5;
  const bool is_condition = s.at(open) == "(" && open > 0 && s.at(open - 1) == "if";
  if (s.at(open) != "[" && !is_condition) return;
  const std::size_t end = s.closing(open);
  std::vector<std::string> names;
  const auto operand_at = [&](std::size_t i) -> std::string {
    if (!s.is_name(i) || (i > 0 && s.at(i - 1) == ".")) return "";
    if (s.at(i + 1) == "(" || s.at(i + 1) == "[") return "";
    return s.at(i + 1) == "." ? s.between(i, i + 2) : std::string(s.at(i));
  };
  for (std::size_t i = open + 1; i < end; ++i)
    if (const std::string name = operand_at(i);
        !name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  if (names.size() > kMostNames) return;
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      std::string text;
      std::size_t done = s.token(open).end();
      for (std::size_t i = open + 1; i < end; ++i) {
        const std::string name = operand_at(i);
        if (name != names[a] && name != names[b]) continue;
        text += s.text().substr(done, s.token(i).begin - done);
        text += name == names[a] ? names[b] : names[a];
        done = s.token(i).begin + name.size();
      }
      text += s.text().substr(done, s.token(end).begin - done);
      edits.add({s.token(open).end(), s.token(end).begin, text, s.token(open).line, EditKind::kIndex});
    }
}

// `a[i][k]` for `a[k][i]`.
void exchanged_subscripts(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "[" || i == 0 || !s.is_name(i - 1)) return;
  const std::size_t end = s.closing(i);
  if (s.at(end + 1) != "[") return;
  const std::size_t last = s.closing(end + 1);
  if (end == i + 1 || last == end + 2) return;
  edits.replace(i, last, fmt::format("[{}][{}]", s.between(end + 2, last - 1), s.between(i + 1, end - 1)),
                EditKind::kIndex);
}

// Adds a missing factor or term to a value that is stored, added or returned: `sum * h` for `sum`. Adds 0.5
// to an integer in a product: `(i + 0.5) * h` for `i * h`.
void lacking(const KernelSource& s, std::size_t i, EditList& edits) {
  constexpr std::size_t kMost = 6;
  if ((s.is_name(i) || s.is_number(i)) && s.at(i + 1) == "*" && s.at(i - 1) != "." && s.at(i - 1) != "*" &&
      s.is_name(i + 2))
    for (const KernelSource::Scalar& scalar : s.scalars_at(i))
      if (scalar.name == s.at(i) && scalar.is_whole)
        edits.replace(i, fmt::format("({} + 0.5)", s.at(i)), EditKind::kConstant);
  const bool ends_value =
      (s.at(i + 1) == ";" || s.at(i + 1) == "," || s.at(i + 1) == ")") && s.ends_operand(i);
  if (!ends_value) return;
  if (s.at(i) == ")") {
    edits.insert_behind(i, " - 1", EditKind::kConstant);
    if (s.at(i + 1) == ";" && s.is_in_expression(i)) edits.insert_behind(i, " + 1", EditKind::kConstant);
  }
  if (s.at(i + 1) != ";" || !s.is_in_expression(i)) return;
  const std::vector<KernelSource::Scalar> scalars = s.scalars_at(i);
  for (std::size_t k = 0; k < scalars.size(); ++k)
    if (scalars[k].name != s.at(i))
      for (const char* sign : {"*", "/", "-", "+"})
        if (scalars.size() - k <= kMost || scalars[k].from == 0 || *sign == '*' || *sign == '/')
          edits.insert_behind(i, fmt::format(" {} {}", sign, scalars[k].name), EditKind::kOperator);
}

// `-v` for `v`, and the reverse.
void negated(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::set<std::string_view> kBefore{"=", "return", "(", ",", "+=", "-=", "?", ":"};
  if (i == 0 || !kBefore.contains(s.at(i - 1))) return;
  if (s.at(i) == "-" && (s.is_name(i + 1) || s.is_number(i + 1) || s.at(i + 1) == "("))
    edits.replace(i, "", EditKind::kOperator);
  if (s.is_name(i) && s.is_in_expression(i - 1)) edits.insert_before(i, "-", EditKind::kOperator);
}

void without_initial_value(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.is_name(i) && s.at(i + 1) == ";" && i > 0 && s.is_type_word(s.at(i - 1)))
    edits.insert_behind(i, " = 0", EditKind::kConstant);
}

void comparison(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::map<std::string_view, Texts> kOthers{{"<", {"<=", ">"}}, {"<=", {"<"}},
                                                         {">", {">=", "<"}}, {">=", {">"}},
                                                         {"==", {"!="}},     {"!=", {"==", "<"}}};
  const auto others = kOthers.find(s.at(i));
  if (others == kOthers.end() || i == 0 || !s.ends_operand(i - 1)) return;
  for (const std::string_view other : others->second)
    edits.replace(i, std::string(other), EditKind::kComparison);
  if (!s.ends_operand(i + 1) || s.at(i + 2) == "(" || s.at(i + 2) == "[" || s.at(i + 2) == ".") return;
  edits.insert_behind(i + 1, " + 1", EditKind::kComparison);
  edits.insert_behind(i + 1, " - 1", EditKind::kComparison);
}

void operation(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::map<std::string_view, Texts> kOthers{
      {"+", {"-", "*"}}, {"-", {"+", "*"}}, {"*", {"+", "/"}}, {"/", {"*", "%"}},
      {"%", {"/"}},      {"&&", {"||"}},    {"||", {"&&"}},    {"<<", {">>"}},
      {">>", {"<<"}},    {"&", {"|"}},      {"|", {"&"}},      {"^", {"&"}}};
  static const std::map<std::string_view, Texts> kUpdates{
      {"=", {"+="}}, {"+=", {"=", "-=", "*="}}, {"-=", {"+=", "="}}, {"*=", {"+=", "/="}}, {"/=", {"*="}}};
  if (i == 0 || !s.ends_operand(i - 1)) return;
  if (const auto others = kOthers.find(s.at(i));
      others != kOthers.end() && (s.ends_operand(i + 1) || s.at(i + 1) == "("))
    for (const std::string_view other : others->second)
      edits.replace(i, std::string(other), EditKind::kOperator);
  const auto updates = kUpdates.find(s.at(i));
  if (updates == kUpdates.end()) return;
  const bool is_declaration = s.at(i) == "=" && i >= 2 && (s.is_type_word(s.at(i - 2)) || s.at(i - 2) == ",");
  if (!is_declaration)
    for (const std::string_view other : updates->second)
      edits.replace(i, std::string(other), EditKind::kUpdate);
}

void index(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::map<std::string_view, std::string_view> kBuiltIn{
      {"threadIdx", "blockIdx"}, {"blockIdx", "threadIdx"}, {"blockDim", "gridDim"}, {"gridDim", "blockDim"}};
  if (const auto other = kBuiltIn.find(s.at(i)); other != kBuiltIn.end()) {
    edits.replace(i, std::string(other->second), EditKind::kIndex);
    if (s.at(i) == "threadIdx" && s.at(i + 1) == ".") {
      const std::string_view side = s.at(i + 2);
      edits.replace(i, i + 2, fmt::format("(blockIdx.{0} * blockDim.{0} + threadIdx.{0})", side),
                    EditKind::kIndex);
    }
  }
  if (i > 0 && s.at(i - 1) == "." && s.at(i) == "x") edits.replace(i, "y", EditKind::kIndex);
  if (i > 0 && s.at(i - 1) == "." && s.at(i) == "y") edits.replace(i, "x", EditKind::kIndex);
  if (s.at(i) == "]" && i > 0) {
    edits.insert_before(i, " + 1", EditKind::kIndex);
    edits.insert_before(i, " - 1", EditKind::kIndex);
  }
}

void variable(const KernelSource& s, std::size_t i, EditList& edits) {
  const auto type = s.types().find(s.at(i));
  const bool is_declared_here = i > 0 && s.declares(i);
  if (type == s.types().end() || is_declared_here || (i > 0 && (s.at(i - 1) == "." || s.at(i - 1) == "->")))
    return;
  const std::vector<KernelSource::Scalar> in_scope = s.scalars_at(i);
  const auto is_usable = [&](std::string_view name) {
    return type->second.ends_with("*") || s.is_array(name) ||
           std::ranges::find(in_scope, name, &KernelSource::Scalar::name) != in_scope.end();
  };
  for (const auto& [name, other] : s.types())
    if (other == type->second && name != s.at(i) && is_usable(name))
      edits.replace(i, std::string(name), EditKind::kVariable);
}

void constant(const KernelSource& s, std::size_t i, EditList& edits) {
  if (!s.is_number(i) || (i > 0 && s.at(i - 1) == ".")) return;
  const std::string_view text = s.at(i);
  long long value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (failed != std::errc() || text.starts_with("0x")) return;
  if (suffix.empty() || suffix == "u" || suffix == "U") {
    std::set<long long> others{value + 1, 2 * value, value / 2, 0, 1};
    if (value > 0) others.insert(value - 1);
    others.erase(value);
    for (const long long other : others)
      edits.replace(i, fmt::format("{}{}", other, suffix), EditKind::kConstant);
  } else if (suffix.front() == '.') {
    for (const std::string_view other : {"0.0", "1.0", "2.0", "0.5"})
      if (!text.starts_with(other)) edits.replace(i, std::string(other), EditKind::kConstant);
  }
}

void function(const KernelSource& s, std::size_t i, EditList& edits) {
  static const std::vector<Texts> kFamilies{
      {"__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync"},
      {"min", "max"},
      {"fminf", "fmaxf"},
      {"fmin", "fmax"},
      {"atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicExch"},
      {"__syncthreads", "__syncwarp"},
      {"sqrt", "sqrtf"},
      {"exp", "expf"},
      {"sin", "cos"},
      {"ceilf", "floorf"},
      {"true", "false"}};
  for (const Texts& family : kFamilies)
    if (std::ranges::find(family, s.at(i)) != family.end())
      for (const std::string_view other : family)
        if (other != s.at(i)) edits.replace(i, std::string(other), EditKind::kFunction);
}

void type(const KernelSource& s, std::size_t i, EditList& edits) {
  if (!s.is_type_word(s.at(i))) return;
  const bool has_own = s.text().find("TYPE") != std::string_view::npos;
  const auto other = [&](std::string_view text) { edits.replace(i, std::string(text), EditKind::kType); };
  if (s.at(i) == "int" || s.at(i) == "unsigned" || s.at(i) == "float") {
    if (has_own) other("TYPE");
    if (s.at(i) != "float") other("float");
    other(s.at(i) == "float" ? "double" : "size_t");
    if (s.at(i) != "float" && s.text().find("double") != std::string_view::npos) other("double");
  }
}

void condition(const KernelSource& s, std::size_t i, EditList& edits) {
  if (s.at(i) != "if" || s.at(i + 1) != "(") return;
  const std::size_t end = s.closing(i + 1);
  if (end > i + 2) edits.replace(i + 2, end - 1, "true", EditKind::kGuard);
}

}  // namespace

std::span<const TokenGenerator> usual_edits() {
  static constexpr std::array<TokenGenerator, 14> kAll{comparison,
                                                       operation,
                                                       index,
                                                       variable,
                                                       constant,
                                                       function,
                                                       type,
                                                       condition,
                                                       left_out,
                                                       negated,
                                                       exchanged,
                                                       exchanged_subscripts,
                                                       without_initial_value,
                                                       lacking};
  return kAll;
}

}  // namespace cudalab::course
