// Finds lane exchanges and shared loads in PTX, and replaces them or appends statements, under the same
// guard.
#include "ptx/silence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/text_pattern.h"

namespace cudalab::ptx {
namespace {

// ---- loads ---------------------------------------------------------------------------------------------

// State spaces other than shared memory, as in opcodes.
constexpr std::array<std::string_view, 4> kOtherSpaces{"global", "const", "param", "local"};

bool may_read_shared(std::string_view modifiers) {
  return std::ranges::none_of(
      kOtherSpaces, [&](std::string_view space) { return modifiers.find(space) != modifiers.npos; });
}

struct RegisterType {
  std::string_view begins, type;
};
// Prefixes of the register names that compilers emit, longer prefixes first.
constexpr std::array<RegisterType, 5> kRegisterTypes{
    {{"%rs", "b16"}, {"%rd", "b64"}, {"%fd", "b64"}, {"%r", "b32"}, {"%f", "b32"}}};

// For a register with another name, the type comes from the load's modifiers.
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

// ---- one statement at a time ---------------------------------------------------------------------------

// [@guard] OPCODE OPERANDS;
const TextPattern& any_exchange() {
  static const TextPattern kPattern(
      R"((^|[\s;{}])(@!?[%\w$]+\s+)?((?:shfl|match|redux|vote)\.[\w.]+)\s+([^;{}]*);)");
  return kPattern;
}
const TextPattern& any_load() {
  static const TextPattern kPattern(
      R"((?:^|[\s;{}])(@!?[%\w$]+\s+)?ld\.([\w.:]+)\s+(\{[^}]*\}|[%\w$]+)\s*,\s*\[([%\w$]*)[^;]*;)");
  return kPattern;
}

// Replaces each match by the text that use(match) returns.
template <class Use>
std::string replace_each(const TextPattern& pattern, std::string_view ptx, Use use) {
  std::string text, rest(ptx);
  while (auto match = pattern.first_in(rest)) {
    text += match->before + use(*match);
    rest = std::move(match->behind);
  }
  return text + rest;
}

std::vector<std::string> operands_of(std::string_view text) {
  std::vector<std::string> operands;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    operands.emplace_back(trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return operands;
}

bool begins_with_own_value(std::string_view opcode) {
  return opcode.starts_with("shfl") || opcode.starts_with("redux");
}

// A statement that yields the lane's own value instead of an exchanged one: "mov.b32 %r1, %r2; bar.warp.sync
// -1;"
std::string own_value_for(const TextMatch& exchange) {
  const std::string &guard = exchange.groups[2], &opcode = exchange.groups[3];
  const std::vector<std::string> operands = operands_of(exchange.groups[4]);
  if (operands.size() < 2) return exchange.groups[0];
  const std::string& results = operands[0];
  const std::size_t bar = results.find('|');
  const std::string value(trimmed(std::string_view(results).substr(0, bar)));
  const bool gives_truth = opcode.find(".pred") != opcode.npos;
  std::string text = exchange.groups[1];
  if (value != "_")
    text += fmt::format("{}mov.{} {}, {};", guard, gives_truth ? "pred" : "b32", value,
                        begins_with_own_value(opcode) ? operands[1] : "0");
  if (bar != results.npos)
    if (const std::string_view truth = trimmed(std::string_view(results).substr(bar + 1)); truth != "_")
      text += fmt::format(" {}mov.pred {}, {};", guard, truth, begins_with_own_value(opcode) ? 1 : 0);
  if (opcode.find(".sync") != opcode.npos)
    text += fmt::format(" {}bar.warp.sync {};", guard, operands.back());
  return text;
}

bool is_idle(const std::vector<bool>& idle, std::size_t statement) {
  return statement < idle.size() && idle[statement];
}

// ---- taps ----------------------------------------------------------------------------------------------

constexpr std::size_t kTapsOfAStatement = 16, kOwnValue = 15;  // as in vgpu/value_taps.h

std::string tap(const std::string& guard, std::string_view type, std::string_view name, std::size_t number,
                const std::string& address = "") {
  return fmt::format(" {}tap.{} {}, {}, {}{};", guard, type, name, name, number,
                     address.empty() ? "" : ", " + address);
}

std::string with_taps_behind_exchange(const TextMatch& exchange, std::size_t statement) {
  const std::string &guard = exchange.groups[2], &opcode = exchange.groups[3];
  const std::vector<std::string> operands = operands_of(exchange.groups[4]);
  if (operands.empty()) return exchange.groups[0];
  const std::string& results = operands[0];
  const std::size_t bar = std::min(results.find('|'), results.size());
  const std::string value(trimmed(std::string_view(results).substr(0, bar)));
  const bool has_own_value =
      begins_with_own_value(opcode) && value != "_" && operands.size() > 1 && operands[1].starts_with('%');
  std::string text = exchange.groups[0];
  if (has_own_value)
    text = exchange.groups[1] +
           tap(guard, "b32", operands[1], statement * kTapsOfAStatement + kOwnValue).substr(1) + " " +
           text.substr(exchange.groups[1].size());
  if (value != "_")
    text += tap(guard, opcode.find(".pred") != opcode.npos ? "pred" : "b32", value,
                statement * kTapsOfAStatement);
  if (bar < results.size())
    if (const auto truth = trimmed(std::string_view(results).substr(bar + 1)); truth != "_")
      text += tap(guard, "pred", truth, statement * kTapsOfAStatement + 1);
  return text;
}

// A generic address decides lane by lane whether the load is from shared memory, unless the load overwrites
// it.
std::string with_taps_behind_load(const TextMatch& load, std::size_t statement) {
  const std::string &guard = load.groups[1], &modifiers = load.groups[2], &address = load.groups[4];
  const std::vector<std::string> names = registers_in(load.groups[3]);
  const bool is_generic = modifiers.find("shared") == modifiers.npos;
  if (is_generic && (!address.starts_with('%') || std::ranges::find(names, address) != names.end()))
    return load.groups[0];
  std::string text = load.groups[0];
  std::size_t number = statement * kTapsOfAStatement;
  for (const std::string& name : names)
    if (name != "_") text += tap(guard, type_of(name, modifiers), name, number++, is_generic ? address : "");
  return text;
}

std::size_t count_exchanges(std::string_view ptx) {
  std::size_t count = 0;
  replace_each(any_exchange(), ptx, [&](const TextMatch&) { return ++count, std::string(); });
  return count;
}

std::size_t count_shared_loads(std::string_view ptx) {
  std::size_t count = 0;
  replace_each(any_load(), ptx, [&](const TextMatch& load) {
    count += may_read_shared(load.groups[2]) ? 1 : 0;
    return std::string();
  });
  return count;
}

// Replaces the exchange or load with this number by what exchange(match, number) or load(match, number)
// returns.
template <class Exchange, class Load>
std::string replace_carriers(std::string_view ptx, Carriers carriers, Exchange exchange, Load load) {
  std::string text(ptx);
  std::size_t statement = 0;
  if (carriers.exchanges)
    text = replace_each(any_exchange(), text,
                        [&](const TextMatch& match) { return exchange(match, statement++); });
  if (carriers.shared_loads)
    text = replace_each(any_load(), text, [&](const TextMatch& match) {
      return may_read_shared(match.groups[2]) ? load(match, statement++) : match.groups[0];
    });
  return text;
}

}  // namespace

std::size_t count_statements(std::string_view ptx, Carriers carriers) {
  return (carriers.exchanges ? count_exchanges(ptx) : 0) +
         (carriers.shared_loads ? count_shared_loads(ptx) : 0);
}

std::string with_idle(std::string_view ptx, Carriers carriers, const std::vector<bool>& idle) {
  return replace_carriers(
      ptx, carriers,
      [&](const TextMatch& exchange, std::size_t statement) {
        return is_idle(idle, statement) ? own_value_for(exchange) : exchange.groups[0];
      },
      [&](const TextMatch& load, std::size_t statement) {
        return is_idle(idle, statement)
                   ? load.groups[0].substr(0, load.groups[0].find_first_of("@l")) + zeros_for(load)
                   : load.groups[0];
      });
}

std::string with_taps(std::string_view ptx, Carriers carriers) {
  return replace_carriers(ptx, carriers, with_taps_behind_exchange, with_taps_behind_load);
}

}  // namespace cudalab::ptx
