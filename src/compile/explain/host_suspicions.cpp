// Rules for host code: sizes, addresses, variables of the GPU and launches that are probably not meant.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "compile/explain/suspicion_rules.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {

// ---- variables of the GPU ----------------------------------------------------------------------------

namespace {

struct DeviceVariable {
  std::string_view name;
  std::size_t at = 0;  // the token of its declaration
  bool is_constant = false, has_value = false;
};

// A name in capitals, which may stand for `__managed__`.
bool may_be_macro(const SourceToken& token) {
  return token.kind == TokenKind::kWord &&
         std::ranges::none_of(token.text, [](char c) { return c >= 'a' && c <= 'z'; }) &&
         token.text.size() > 1;
}

// The variables that the source declares `__constant__` or `__device__` outside of functions, and that are
// neither managed nor only declared.
std::vector<DeviceVariable> device_variables(const Facts& facts) {
  const Tokens& tokens = facts.tokens;
  std::vector<DeviceVariable> found;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const bool is_constant = tokens[at].is("__constant__");
    if ((!is_constant && !tokens[at].is("__device__")) || function_around(facts, at)) continue;
    std::size_t end = at + 1;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is("=") && !tokens[end].is("(") &&
           !tokens[end].is("[") && !tokens[end].is("{"))
      ++end;
    if (end >= tokens.size() || tokens[end].is("(") || tokens[end - 1].kind != TokenKind::kWord) continue;
    const auto before = type_of(tokens, at), type = std::span(tokens).subspan(at, end - at);
    if (has_word(before, "extern") || has_word(type, "extern") || has_word(before, "__managed__") ||
        has_word(type, "__managed__") || has_word(type, "struct") || has_word(type, "class") ||
        has_word(type, "operator") || std::ranges::any_of(before, may_be_macro) ||
        std::ranges::any_of(type, may_be_macro))
      continue;
    DeviceVariable variable{tokens[end - 1].text, end - 1, is_constant};
    for (; end < tokens.size() && !tokens[end].is(";"); ++end)
      variable.has_value |= tokens[end].is("=") || tokens[end].is("{");
    found.push_back(variable);
  }
  return found;
}

// Uses of the variable in functions of the host. A parameter or a local variable of that name hides it.
std::vector<std::size_t> host_uses(const Facts& facts, const DeviceVariable& variable) {
  std::vector<std::size_t> uses;
  for (std::size_t at = 2; at + 1 < facts.tokens.size(); ++at) {
    if (!facts.tokens[at].is(variable.name) || facts.tokens[at - 1].is(".") || facts.tokens[at - 1].is(">"))
      continue;
    const FoundFunction* function = function_around(facts, at);
    if (!function || function->is_device) continue;
    const auto declared = declaration_for(facts, variable.name, at);
    const auto parameters = std::span(facts.tokens).subspan(function->open, function->body - function->open);
    const bool may_be_declared =
        facts.tokens[at - 1].is("*") && facts.tokens[at - 2].kind == TokenKind::kWord;
    if (may_be_declared || has_word(parameters, variable.name) ||
        (declared && function_around(facts, *declared)))
      continue;
    uses.push_back(at);
  }
  return uses;
}

bool is_used_in_device_code(const Facts& facts, const DeviceVariable& variable) {
  for (std::size_t at = 0; at < facts.tokens.size(); ++at)
    if (facts.tokens[at].is(variable.name) && is_in_device_code(facts, at)) return true;
  return false;
}

// Whether the host names the variable without using its value: in a call that takes a symbol, in a macro or a
// function of the source that may pass it on, or in sizeof.
bool is_named_only(const Facts& facts, std::size_t at) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t open = call_around(tokens, at); open != 0; open = call_around(tokens, open)) {
    const std::string_view name = tokens[open - 1].text;
    if (name.find("Symbol") != std::string_view::npos || name == "sizeof" || facts.function_named(name))
      return true;
  }
  return at > 0 && tokens[at - 1].is("sizeof");
}

}  // namespace

void add_uses_of_device_variables(const Facts& facts, Found& found) {
  for (const DeviceVariable& variable : device_variables(facts)) {
    const std::vector<std::size_t> uses = host_uses(facts, variable);
    const Code name{std::string(variable.name)};
    const auto direct = std::ranges::find_if(uses, [&](std::size_t at) { return !is_named_only(facts, at); });
    if (direct != uses.end())
      add_suspicion(facts, facts.tokens[*direct].line, msg::cause_device_variable_on_host(name), found);
    else if (uses.empty() && variable.is_constant && !variable.has_value && facts.function_named("main") &&
             is_used_in_device_code(facts, variable))
      add_suspicion(facts, facts.tokens[variable.at].line, msg::cause_constant_never_filled(name), found);
  }
}

// ---- sizes -------------------------------------------------------------------------------------------

namespace {

// Calls that take a number of bytes: the position of the memory and of the bytes among the arguments.
struct SizedCall {
  std::string_view name;
  std::size_t memory, bytes;
};
constexpr std::array kSizedCalls{
    SizedCall{"cudaMalloc", 0, 1},           SizedCall{"cudaMallocManaged", 0, 1},
    SizedCall{"cudaMallocHost", 0, 1},       SizedCall{"cudaMemcpy", 0, 2},
    SizedCall{"cudaMemcpyAsync", 0, 2},      SizedCall{"cudaMemcpyToSymbol", 0, 2},
    SizedCall{"cudaMemcpyFromSymbol", 0, 2}, SizedCall{"cudaMemset", 0, 2},
};

// The name in an argument: `d_x` of `(void**)&d_x`. Empty if there is more than a name, its address and a
// cast.
std::string_view name_in(const Tokens& tokens, const Range& argument) {
  const SourceToken &last = tokens[argument.second - 1], &before = tokens[argument.second - 2];
  const bool is_plain = argument.second == argument.first + 1 || before.is("&") || before.is(")");
  return is_plain && last.kind == TokenKind::kWord ? last.text : std::string_view{};
}

bool is_of_bytes(std::span<const SourceToken> type) {
  return std::ranges::any_of(type, [](const SourceToken& token) {
    return token.is("char") || token.is("void") || token.is("bool") || token.is("uint8_t") ||
           token.is("int8_t") || token.is("byte") || token.is("auto") || token.is("uchar");
  });
}

bool is_of_plain_type(std::span<const SourceToken> type) {
  return std::ranges::any_of(type, [](const SourceToken& token) {
    return token.is("float") || token.is("double") || token.is("int") || token.is("unsigned") ||
           token.is("short") || token.is("long") || token.is("size_t");
  });
}

// The bytes of a plain type; 0 for others, and for single bytes, which may stand for anything.
std::size_t plain_width(std::span<const SourceToken> type) {
  struct Width {
    std::string_view word;
    std::size_t bytes;
  };
  constexpr Width kWidths[]{{"double", 8}, {"long", 8},  {"size_t", 8},   {"uint64_t", 8}, {"int64_t", 8},
                            {"short", 2},  {"float", 4}, {"unsigned", 4}, {"int", 4}};
  if (is_of_bytes(type) || has_word(type, "vector")) return 0;
  for (const Width& width : kWidths)
    if (has_word(type, width.word)) return width.bytes;
  return 0;
}

bool names_bytes(std::string_view name) {
  return name.find("byte") != std::string_view::npos || name.find("Byte") != std::string_view::npos ||
         name.find("BYTE") != std::string_view::npos;
}

// Whether the source divides the name by a size elsewhere, so takes it as a number of bytes.
bool is_divided_by_size(const Tokens& tokens, std::string_view name) {
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at)
    if (tokens[at].is(name) && tokens[at + 1].is("/") && tokens[at + 2].is("sizeof")) return true;
  return false;
}

// Whether an expression is a count without a size: numbers, and integers whose initial values are seen and
// are such counts, too.
bool lacks_size(const Facts& facts, const Range& bytes) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = bytes.first; at < bytes.second; ++at) {
    // `n * 4` and `n << 2` count bytes.
    const bool may_be_size =
        tokens[at].is("2") || tokens[at].is("4") || tokens[at].is("8") || tokens[at].is("<");
    if (tokens[at].is("sizeof") || tokens[at].is(".") || tokens[at].is("(") || tokens[at].is("{") ||
        (may_be_size && bytes.second > bytes.first + 1))
      return false;
    if (tokens[at].kind != TokenKind::kWord) continue;
    const auto declared = declaration_for(facts, tokens[at].text, bytes.first);
    if (!declared || *declared + 1 >= bytes.first || !tokens[*declared + 1].is("=") ||
        names_bytes(tokens[at].text) || is_divided_by_size(tokens, tokens[at].text) ||
        !is_of_plain_type(type_of(tokens, *declared)))
      return false;
    std::size_t end = *declared + 2;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",")) ++end;
    if (!lacks_size(facts, {*declared + 2, end})) return false;
  }
  return true;
}

}  // namespace

// The first use of each such count.
void add_sizes_without_type(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  std::set<std::string> said;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const auto call = std::ranges::find(kSizedCalls, tokens[at].text, &SizedCall::name);
    if (call == kSizedCalls.end() || !tokens[at + 1].is("(")) continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.size() <= call->bytes) continue;
    const std::string_view memory = name_in(tokens, arguments[call->memory]);
    const auto declared = declaration_for(facts, memory, at);
    if (memory.empty() || !declared) continue;
    const auto type = type_of(tokens, *declared);
    const Range& bytes = arguments[call->bytes];
    if (is_of_bytes(type) || !is_of_plain_type(type) || !lacks_size(facts, bytes)) continue;
    const std::string given = code_of(tokens, bytes);
    // A number may well count bytes, unless it is the length of the array.
    const bool has_names =
        std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(bytes.first),
                    tokens.begin() + static_cast<std::ptrdiff_t>(bytes.second),
                    [](const SourceToken& token) { return token.kind == TokenKind::kWord; });
    const bool is_length =
        *declared + 2 < tokens.size() && tokens[*declared + 1].is("[") && tokens[*declared + 2].is(given);
    if ((!has_names && !is_length) || !said.insert(given).second) continue;
    add_suspicion(facts, tokens[bytes.first].line,
                  msg::cause_size_without_type(Code{given}, Code{std::string(tokens[at].text)}), found);
  }
}

// `sizeof(x)` of a pointer, but where the pointer itself is copied.
void add_sizes_of_pointers(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (!tokens[at].is("sizeof")) continue;
    const std::size_t name = tokens[at + 1].is("(") ? at + 2 : at + 1;
    if (tokens[name].kind != TokenKind::kWord || name + 1 >= tokens.size() ||
        (name == at + 2 && !tokens[name + 1].is(")")))
      continue;
    const auto declared = declaration_for(facts, tokens[name].text, at);
    if (!declared || !tokens[*declared - 1].is("*") || tokens[*declared + 1].is("[")) continue;
    const std::size_t open = call_around(tokens, at);
    const bool allocates = open != 0 && tokens[open - 1].text.starts_with("cudaMalloc");
    // One element of the size of a pointer has the right size by chance.
    if (allocates && plain_width(type_of(tokens, *declared)) == sizeof(void*)) continue;
    bool is_pointer_copied = false;
    if (open != 0 && !allocates)
      for (const auto& [first, last] : arguments_of(tokens, open))
        is_pointer_copied |=
            last == first + 2 && tokens[first].is("&") && tokens[first + 1].is(tokens[name].text);
    if (is_pointer_copied) continue;
    add_suspicion(facts, tokens[at].line, msg::cause_size_of_pointer(Code{std::string(tokens[name].text)}),
                  found);
  }
}

// `&v` of a std::vector in a copy.
void add_addresses_of_vectors(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].text.starts_with("cudaMemcpy") || !tokens[at + 1].is("(")) continue;
    for (const auto& [first, last] : arguments_of(tokens, at + 1)) {
      if (last != first + 2 || !tokens[first].is("&")) continue;
      const auto declared = declaration_for(facts, tokens[first + 1].text, at);
      if (declared && has_word(type_of(tokens, *declared), "vector") && tokens[*declared - 1].is(">"))
        add_suspicion(facts, tokens[first].line,
                      msg::cause_address_of_vector(Code{std::string(tokens[first + 1].text)}), found);
    }
  }
}

namespace {

// The type in the first `sizeof(T)` of an expression, or of the value of the variable that it names.
std::optional<Range> type_in_size(const Facts& facts, const Range& bytes, int depth = 0) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = bytes.first; at + 1 < bytes.second; ++at) {
    if (!tokens[at].is("sizeof") || !tokens[at + 1].is("(")) continue;
    const std::size_t close = closing(tokens, at + 1);
    if (close >= tokens.size()) return std::nullopt;
    return Range{at + 2, close};
  }
  if (bytes.second != bytes.first + 1 || tokens[bytes.first].kind != TokenKind::kWord || depth > 0)
    return std::nullopt;
  const auto declared = declaration_for(facts, tokens[bytes.first].text, bytes.first);
  if (!declared || *declared + 2 >= tokens.size() || !tokens[*declared + 1].is("=")) return std::nullopt;
  std::size_t end = *declared + 2;
  while (end < tokens.size() && !tokens[end].is(";")) ++end;
  return type_in_size(facts, {*declared + 2, end}, depth + 1);
}

// Whether the name is a pointer to data, `float *x`, or an array of them, `float x[4]`.
bool is_of_elements(const Tokens& tokens, std::size_t declared) {
  const bool is_pointer = tokens[declared - 1].is("*") && declared >= 2 && !tokens[declared - 2].is("*");
  return is_pointer != (declared + 1 < tokens.size() && tokens[declared + 1].is("["));
}

}  // namespace

void add_sizes_of_other_types(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const auto call = std::ranges::find(kSizedCalls, tokens[at].text, &SizedCall::name);
    if (call == kSizedCalls.end() || !tokens[at + 1].is("(")) continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.size() <= call->bytes) continue;
    const std::string_view memory = name_in(tokens, arguments[call->memory]);
    const auto declared = declaration_for(facts, memory, at);
    const auto counted = type_in_size(facts, arguments[call->bytes]);
    if (memory.empty() || !declared || !counted || !is_of_elements(tokens, *declared)) continue;
    const auto type = std::span(tokens).subspan(counted->first, counted->second - counted->first);
    const std::size_t own = plain_width(type_of(tokens, *declared)), given = plain_width(type);
    // Too much is no mistake that shows.
    if (given == 0 || own <= given || has_word(type, "*")) continue;
    add_suspicion(
        facts, tokens[arguments[call->bytes].first].line,
        msg::cause_size_of_other_type(Code{std::string(memory)}, own,
                                      Code{fmt::format("sizeof({})", code_of(tokens, *counted))}, given),
        found);
  }
}

namespace {

// Whether something may read the elements of the memory: all but the runtime's own calls, and its copies to
// the host. Memory that is only set and copied within the GPU has no elements.
bool are_elements_read(const Tokens& tokens, std::string_view memory, std::size_t declared) {
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    if (!tokens[at].is(memory) || at == declared) continue;
    const std::size_t open = call_around(tokens, at);
    if (open == 0 || !tokens[open - 1].text.starts_with("cuda")) return true;
    const std::size_t close = closing(tokens, open);
    for (std::size_t i = open; i < close && i < tokens.size(); ++i)
      if (tokens[i].is("cudaMemcpyDeviceToHost") || tokens[i].is("cudaMemcpyDefault")) return true;
  }
  return false;
}

}  // namespace

// `cudaMemset(d, 1, …)` of memory whose elements are wider than a byte. Patterns such as 0x7f may be meant.
void add_memsets_of_values(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!(tokens[at].is("cudaMemset") || tokens[at].is("cudaMemsetAsync")) || !tokens[at + 1].is("("))
      continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.size() < 3) continue;
    const auto declared = declaration_for(facts, name_in(tokens, arguments[0]), at);
    const auto value = constant_value(facts, arguments[1]);
    constexpr long long kMost = 100;  // 127 and 255 are patterns
    if (!declared || !value || *value < 1 || *value > kMost || plain_width(type_of(tokens, *declared)) < 2 ||
        !are_elements_read(tokens, name_in(tokens, arguments[0]), *declared))
      continue;
    add_suspicion(facts, tokens[at].line,
                  msg::cause_memset_of_value(Code{std::string(tokens[at].text)}, *value,
                                             fmt::format("0x{0:02x}{0:02x}{0:02x}{0:02x}", *value)),
                  found);
  }
}

// ---- addresses ---------------------------------------------------------------------------------------

// `cudaMalloc((void**)d_x, …)` of a pointer: the cast hides that its address is missing.
void add_missing_addresses(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].text.starts_with("cudaMalloc") || !tokens[at + 1].is("(")) continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.empty()) continue;
    const auto [first, last] = arguments.front();
    const bool is_cast = last == first + 6 && tokens[first].is("(") && tokens[first + 1].is("void") &&
                         tokens[first + 2].is("*") && tokens[first + 3].is("*");
    if (!is_cast || tokens[last - 1].kind != TokenKind::kWord) continue;
    const auto declared = declaration_for(facts, tokens[last - 1].text, at);
    if (!declared || *declared < 2 || !tokens[*declared - 1].is("*") || tokens[*declared - 2].is("*"))
      continue;
    const std::string name(tokens[last - 1].text);
    add_suspicion(facts, tokens[first].line,
                  msg::cause_address_missing(Code{std::string(tokens[at].text)},
                                             Code{fmt::format("(void**)&{}", name)}),
                  found);
  }
}

namespace {

// The variable of `cudaMalloc(&x, …)` or `cudaMalloc((void**)&x, …)` whose name is at a token; 0 if there is
// none.
std::size_t allocated_at(const Tokens& tokens, std::size_t at) {
  if (!tokens[at].text.starts_with("cudaMalloc") || at + 1 >= tokens.size() || !tokens[at + 1].is("("))
    return 0;
  const std::vector<Range> arguments = arguments_of(tokens, at + 1);
  if (arguments.size() < 2) return 0;
  const std::size_t name = arguments.front().second - 1;
  return tokens[name].kind == TokenKind::kWord && tokens[name - 1].is("&") ? name : 0;
}

}  // namespace

// A second allocation for the same pointer in a sequence of statements, where nothing uses the first.
void add_second_allocations(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::size_t name = allocated_at(tokens, at);
    for (std::size_t next = name + 1; name > 0 && next < tokens.size(); ++next) {
      if (tokens[next].is("{") || tokens[next].is("}")) break;
      if (!tokens[next].is(tokens[name].text)) continue;
      const std::size_t call = call_around(tokens, next);
      if (call == 0 || allocated_at(tokens, call - 1) != next) break;  // another use
      add_suspicion(facts, tokens[next].line,
                    msg::cause_allocated_twice(Code{std::string(tokens[name].text)}, tokens[name].line),
                    found);
      break;
    }
  }
}

// `cudaEventElapsedTime(&ms, stop, start)` where `start` is recorded before `stop`, each once in the
// function.
void add_exchanged_events(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const FoundFunction* function = function_around(facts, at);
    if (!tokens[at].is("cudaEventElapsedTime") || !tokens[at + 1].is("(") || !function) continue;
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (arguments.size() != 3) continue;
    const std::string first = code_of(tokens, arguments[1]), second = code_of(tokens, arguments[2]);
    std::vector<std::size_t> of_first, of_second;  // the calls that record them
    for (std::size_t call = function->body; call < at; ++call) {
      if (!tokens[call].is("cudaEventRecord") || !tokens[call + 1].is("(")) continue;
      const std::vector<Range> recorded = arguments_of(tokens, call + 1);
      const std::string event = recorded.empty() ? "" : code_of(tokens, recorded.front());
      if (event == first) of_first.push_back(call);
      if (event == second) of_second.push_back(call);
    }
    if (of_first.size() == 1 && of_second.size() == 1 && of_second.front() < of_first.front())
      add_suspicion(facts, tokens[at].line, msg::cause_exchanged_events(Code{second}, Code{first}), found);
  }
}

// ---- launches ----------------------------------------------------------------------------------------

namespace {

bool names_threads(std::string_view name) {
  const std::string text = lower_case(name);
  constexpr std::array<std::string_view, 5> kShapes{"block", "blocksize", "block_size", "dimblock", "tpb"};
  return text.find("thread") != std::string::npos || std::ranges::find(kShapes, text) != kShapes.end();
}

bool names_blocks(std::string_view name) {
  const std::string text = lower_case(name);
  const bool has_threads = text.find("thread") != std::string::npos;
  return !has_threads && (text.find("blocks") != std::string::npos || text.find("grid") != std::string::npos);
}

// Calls `use` with the place of each launch's `<<<` and the parts of its configuration.
template <class Use>
void for_each_launch(const Facts& facts, Use use) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 3 < tokens.size(); ++at) {
    const bool begins = run_of(tokens, at, "<") >= 3 && !tokens[at - 1].is("<");
    if (const std::vector<Range> parts = begins ? configuration_at(tokens, at) : std::vector<Range>();
        parts.size() >= 2)
      use(at, parts);
  }
}

// Whether the kernel of the launch at `mark` may go over more elements than there are threads: it has a loop.
bool may_loop_over_grid(const Facts& facts, std::size_t mark) {
  std::size_t name = mark - 1;
  if (facts.tokens[name].is(">")) {  // kernel<float><<<
    while (name > 1 && !facts.tokens[name].is("<")) --name;
    --name;
  }
  const FoundFunction* kernel = facts.function_named(facts.tokens[name].text);
  if (!kernel) return true;
  const auto body = std::span(facts.tokens).subspan(kernel->body, kernel->last - kernel->body);
  return has_word(body, "for") || has_word(body, "while");
}

bool is_one_word(const Tokens& tokens, const Range& range) {
  return range.second == range.first + 1 && tokens[range.first].kind == TokenKind::kWord;
}

}  // namespace

void add_exchanged_launches(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for_each_launch(facts, [&](std::size_t, const std::vector<Range>& parts) {
    if (!is_one_word(tokens, parts[0]) || !is_one_word(tokens, parts[1])) return;
    const std::string_view grid = tokens[parts[0].first].text, block = tokens[parts[1].first].text;
    if (names_threads(grid) && names_blocks(block))
      add_suspicion(facts, tokens[parts[0].first].line,
                    msg::cause_launch_exchanged(Code{fmt::format("<<<{}, {}>>>", block, grid)},
                                                Code{fmt::format("<<<{}, {}>>>", grid, block)}),
                    found);
  });
}

// The number of blocks `n / t` of two constants with a remainder, in the launch or in the value that it
// names.
void add_grids_rounded_down(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for_each_launch(facts, [&](std::size_t mark, const std::vector<Range>& parts) {
    if (may_loop_over_grid(facts, mark)) return;
    Range grid = parts[0];
    if (is_one_word(tokens, grid)) {
      const auto declared = declaration_for(facts, tokens[grid.first].text, grid.first);
      if (!declared) return;
      grid = {*declared + 1, *declared + 1};
      while (grid.second < tokens.size() && !tokens[grid.second].is(";")) ++grid.second;
    }
    for (std::size_t at = grid.first; at < grid.second; ++at) {
      if (!tokens[at].is("/") || at == grid.first) continue;
      const bool begins = at - 1 == grid.first || tokens[at - 2].is("(") || tokens[at - 2].is(",") ||
                          tokens[at - 2].is("=") || tokens[at - 2].is("{");
      const bool ends =
          at + 2 == grid.second || tokens[at + 2].is(")") || tokens[at + 2].is(",") || tokens[at + 2].is("}");
      if (!begins || !ends) continue;
      const auto elements = constant_value(facts, {at - 1, at}),
                 threads = constant_value(facts, {at + 1, at + 2});
      if (!elements || !threads || *threads < 2 || *elements < *threads || *elements % *threads == 0)
        continue;
      const std::string n(tokens[at - 1].text), t(tokens[at + 1].text);
      add_suspicion(facts, tokens[at].line,
                    msg::cause_grid_rounded_down(Code{fmt::format("{} / {}", n, t)}, *elements / *threads,
                                                 *elements % *threads, *elements,
                                                 Code{fmt::format("({} + {} - 1) / {}", n, t, t)}),
                    found);
    }
  });
}

}  // namespace cudalab::compile
