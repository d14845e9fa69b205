// Behind each statement that asks, statements that overwrite what it got, under the same guard.
#include "ptx/silence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words/text_pattern.h"

namespace cudalab::ptx {
namespace {

// [@guard] OPCODE.… RESULT[|PREDICATE], …;  where `_` is no result. $1 is the guard; $2 what `result` takes.
TextPattern exchange(const std::string& opcodes, const std::string& result) {
  const std::string expression =
      R"((?:^|[\s;{}])(@!?[%\w$]+\s+)?(?:)" + opcodes + R"()\.[\w.]+\s+)" + result + R"([^;]*;)";
  return TextPattern(expression.c_str());
}

// ---- loads ---------------------------------------------------------------------------------------------

// Spaces that are not shared memory, as an opcode names them.
constexpr std::array<std::string_view, 4> kOtherSpaces{"global", "const", "param", "local"};

bool may_read_shared(std::string_view modifiers) {
  return std::ranges::none_of(
      kOtherSpaces, [&](std::string_view space) { return modifiers.find(space) != modifiers.npos; });
}

struct RegisterType {
  std::string_view begins, type;
};
// As compilers name registers; the longer ones first.
constexpr std::array<RegisterType, 5> kRegisterTypes{
    {{"%rs", "b16"}, {"%rd", "b64"}, {"%fd", "b64"}, {"%r", "b32"}, {"%f", "b32"}}};

// Of a register that a person named, what the load's own type says.
std::string_view type_of(std::string_view name, std::string_view modifiers) {
  for (const RegisterType& row : kRegisterTypes)
    if (name.starts_with(row.begins) && name.size() > row.begins.size() && is_digit(name[row.begins.size()]))
      return row.type;
  if (modifiers.ends_with("64")) return "b64";
  return modifiers.ends_with("32") ? "b32" : "b16";
}

// "%f1", or each of "{%f1, %f2}".
std::vector<std::string> registers_in(std::string_view results) {
  std::vector<std::string> names;
  std::string name;
  for (const char letter : results) {
    const bool is_part =
        std::isalnum(static_cast<unsigned char>(letter)) || letter == '%' || letter == '_' || letter == '$';
    if (is_part)
      name += letter;
    else if (!name.empty())
      names.push_back(std::exchange(name, ""));
  }
  if (!name.empty()) names.push_back(name);
  return names;
}

std::string zeros_for(const TextMatch& load) {
  const std::string &guard = load.groups[1], &modifiers = load.groups[2];
  std::string text;
  if (may_read_shared(modifiers))
    for (const std::string& name : registers_in(load.groups[3]))
      if (name != "_") text += fmt::format(" {}mov.{} {}, 0;", guard, type_of(name, modifiers), name);
  return text;
}

}  // namespace

std::string without_exchanges(std::string_view ptx) {
  static const TextPattern kValues =
      exchange(R"(shfl|match|redux|vote\.sync\.ballot|vote\.ballot)", R"((?!_[|,\s])([%\w$]+))");
  static const TextPattern kPredicatesBeside = exchange("shfl|match", R"([%\w$]+\|(?!_[,\s])([%\w$]+))");
  static const TextPattern kPredicates =
      exchange(R"(vote(?:\.sync)?\.(?:any|all|uni))", R"((?!_[,\s])([%\w$]+))");
  const std::string values = kValues.replace_all(ptx, "$& $1mov.b32 $2, 0;");
  const std::string beside = kPredicatesBeside.replace_all(values, "$& $1mov.pred $2, 0;");
  return kPredicates.replace_all(beside, "$& $1mov.pred $2, 0;");
}

std::string without_shared_loads(std::string_view ptx) {
  static const TextPattern kLoad(
      R"((?:^|[\s;{}])(@!?[%\w$]+\s+)?ld\.([\w.:]+)\s+(\{[^}]*\}|[%\w$]+)\s*,[^;]*;)");
  std::string text, rest(ptx);
  while (const auto load = kLoad.first_in(rest)) {
    text += load->before + load->groups[0] + zeros_for(*load);
    rest = load->behind;
  }
  return text + rest;
}

}  // namespace cudalab::ptx
