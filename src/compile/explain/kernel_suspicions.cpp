// Rules for kernels: what is legal C++ in them, but probably not meant.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "compile/explain/suspicion_rules.h"
#include "messages/compile.h"

namespace cudalab::compile {

// Parameters of kernels that are references: they become addresses in host memory, unless the program has
// memory that both sides can use.
void add_references(const Facts& facts, Found& found) {
  constexpr std::array<std::string_view, 5> kOfBoth{"cudaMallocManaged", "__managed__", "cudaMallocHost",
                                                    "cudaHostAlloc", "cudaHostRegister"};
  const Tokens& tokens = facts.tokens;
  if (std::ranges::any_of(tokens, [&](const SourceToken& token) {
        return std::ranges::find(kOfBoth, token.text) != kOfBoth.end();
      }))
    return;
  for (const FoundFunction& function : facts.functions) {
    if (!function.is_kernel) continue;
    const std::size_t close = closing(tokens, function.open);
    std::size_t begin = function.open + 1;
    for (std::size_t at = begin; at <= close && at < tokens.size(); ++at) {
      if (!tokens[at].is(",") && at != close) continue;
      const auto parameter = std::span(tokens).subspan(begin, at - begin);
      const auto mark = std::ranges::find(parameter, std::string_view("&"), &SourceToken::text);
      if (mark != parameter.end() && mark != parameter.begin() && std::next(mark) != parameter.end()) {
        const auto first = std::span(parameter.begin(), mark),
                   last = std::span(std::next(mark), parameter.end());
        add_suspicion(
            facts, tokens[begin].line,
            msg::cause_reference_parameter(Code{std::string(function.name)}, Code{text_of(parameter)},
                                           Code{fmt::format("{} {}", text_of(first), text_of(last))}),
            found);
      }
      begin = at + 1;
    }
  }
}

// A store in a kernel to a variable that the file declares `__constant__`.
void add_constant_stores(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 2 < tokens.size(); ++at) {
    if (tokens[at].kind != TokenKind::kWord) continue;
    const FoundFunction* here = facts.function_at(tokens[at].line);
    std::size_t mark = at + 1;
    while (tokens[mark].is("[") && closing(tokens, mark) + 2 < tokens.size())
      mark = closing(tokens, mark) + 1;
    const bool is_store = tokens[mark].is("=") && !tokens[mark + 1].is("=");
    if (!here || !here->is_device || at < here->body || !is_store) continue;
    const std::vector<std::size_t> declared = declarations_of(facts, tokens[at].text);
    const auto is_constant = [&](std::size_t name) {
      if (facts.function_at(tokens[name].line)) return false;
      for (std::size_t back = name; back > 0 && !tokens[back - 1].is(";") && !tokens[back - 1].is("}");
           --back)
        if (tokens[back - 1].is("__constant__")) return true;
      return false;
    };
    if (declared.size() != 1 || !is_constant(declared.front())) continue;
    add_suspicion(facts, tokens[at].line, msg::cause_constant_store(), found);
  }
}

// `x == y;` as a statement.
void add_comparisons(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (const FoundFunction& function : facts.functions) {
    int depth = 0;
    std::size_t begin = function.body + 1;
    for (std::size_t at = begin; at + 1 < function.last; ++at) {
      depth += tokens[at].is("(") - tokens[at].is(")");
      const bool ends = depth == 0 && (tokens[at].is(";") || tokens[at].is("{") || tokens[at].is("}"));
      if (ends || (depth == 0 && tokens[at].is(")") && tokens[at + 1].kind == TokenKind::kWord))
        begin = at + 1;
      const bool compares = depth == 0 && tokens[at].is("=") && tokens[at + 1].is("=") &&
                            tokens[at].end() == tokens[at + 1].begin && !tokens[at - 1].is("!") &&
                            !tokens[at - 1].is("<") && !tokens[at - 1].is(">");
      if (!compares || tokens[begin].kind != TokenKind::kWord) continue;
      std::size_t left = begin + 1;  // the left side is a variable, an element or a member
      while (left < at &&
             (tokens[left].is("[") || tokens[left].is(".") || tokens[left].kind == TokenKind::kWord))
        left = tokens[left].is("[") ? closing(tokens, left) + 1 : left + 1;
      if (left != at || tokens[begin].is("return") || tokens[begin].is("case")) continue;
      add_suspicion(facts, tokens[at].line, msg::cause_equals(), found);
    }
  }
}

// ---- the index of a thread ---------------------------------------------------------------------------

namespace {

// Whether the grid of a launch is written as one block: `1`, `dim3(1, 1)`, or the name of such a value.
bool is_one_block(const Facts& facts, Range grid) {
  const Tokens& tokens = facts.tokens;
  if (grid.second == grid.first + 1 && tokens[grid.first].kind == TokenKind::kWord) {
    const auto declared = declaration_for(facts, tokens[grid.first].text, grid.first);
    if (!declared) return false;
    grid = {*declared + 1, *declared + 1};
    while (grid.second < tokens.size() && !tokens[grid.second].is(";")) ++grid.second;
  }
  return std::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(grid.first),
                     tokens.begin() + static_cast<std::ptrdiff_t>(grid.second), [](const SourceToken& token) {
                       return token.is("1") || token.is("dim3") || token.kind == TokenKind::kMark;
                     });
}

// Whether some launch of the kernel may have several blocks.
bool is_launched_with_blocks(const Facts& facts, std::string_view kernel) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is(kernel)) continue;
    const std::size_t mark = behind_template_arguments(tokens, at + 1);
    if (mark >= tokens.size() || run_of(tokens, mark, "<") < 3) continue;
    const std::vector<Range> parts = configuration_at(tokens, mark);
    if (!parts.empty() && !is_one_block(facts, parts[0])) return true;
  }
  return false;
}

}  // namespace

// Kernels that are launched with several blocks and use threadIdx, but neither blockIdx nor anything that may
// use it: a function of the source, cooperative groups, or an atomic operation that hands out work.
void add_kernels_without_block(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (const FoundFunction& function : facts.functions) {
    if (!function.is_kernel || !is_launched_with_blocks(facts, function.name)) continue;
    const auto body = std::span(tokens).subspan(function.body, function.last - function.body);
    const auto may_know_block = [&](const SourceToken& token) {
      return token.is("blockIdx") || token.is("asm") || token.is("cooperative_groups") || token.is("cg") ||
             token.text.starts_with("this_") || token.text.starts_with("atomic") ||
             facts.function_named(token.text) != nullptr;
    };
    const auto thread = std::ranges::find(body, std::string_view("threadIdx"), &SourceToken::text);
    if (thread == body.end() || std::ranges::any_of(body, may_know_block)) continue;
    add_suspicion(facts, thread->line, msg::cause_no_block_index(Code{std::string(function.name)}), found);
  }
}

namespace {

// `blockIdx.x`: a built-in variable with a dimension. An empty name if there is none at this token.
struct BuiltIn {
  std::string_view name, dimension;
};
BuiltIn built_in_at(const Tokens& tokens, std::size_t at) {
  constexpr std::array<std::string_view, 4> kNames{"threadIdx", "blockIdx", "blockDim", "gridDim"};
  const bool is_one = at + 2 < tokens.size() && tokens[at + 1].is(".") &&
                      std::ranges::find(kNames, tokens[at].text) != kNames.end();
  return is_one ? BuiltIn{tokens[at].text, tokens[at + 2].text} : BuiltIn{};
}

// Three built-in variables and the two operators between them.
struct ThreeBuiltIns {
  BuiltIn first, second, third;
  std::string_view operators[2];
  Range range;
};
std::optional<ThreeBuiltIns> three_built_ins_at(const Tokens& tokens, std::size_t at) {
  constexpr std::size_t kOne = 3, kAll = 3 * kOne + 2;  // tokens of `blockIdx.x`, of all
  if (at + kAll > tokens.size()) return std::nullopt;
  const ThreeBuiltIns found{built_in_at(tokens, at),
                            built_in_at(tokens, at + kOne + 1),
                            built_in_at(tokens, at + 2 * (kOne + 1)),
                            {tokens[at + kOne].text, tokens[at + 2 * kOne + 1].text},
                            {at, at + kAll}};
  if (found.first.name.empty() || found.second.name.empty() || found.third.name.empty()) return std::nullopt;
  return found;
}

// `a * b + c` or `c + a * b` of built-in variables, from a token on.
struct IndexFormula {
  BuiltIn a, b, c;
  Range range;
};
std::optional<IndexFormula> index_formula_at(const Tokens& tokens, std::size_t at) {
  const auto found = three_built_ins_at(tokens, at);
  if (!found) return std::nullopt;
  const auto& [first, second, third, operators, range] = *found;
  if (operators[0] == "*" && operators[1] == "+") return IndexFormula{first, second, third, range};
  if (operators[0] == "+" && operators[1] == "*") return IndexFormula{second, third, first, range};
  return std::nullopt;
}

// The position in the grid is the block times the block's size, plus the thread. Dimensions differ on purpose
// where square tiles are transposed (`blockIdx.y * blockDim.y + threadIdx.x`, `blockIdx.y * blockDim.x +
// threadIdx.x`) and where a row of blocks has threads in two dimensions (`blockIdx.x * blockDim.y +
// threadIdx.y`).
bool is_position(const IndexFormula& formula) {
  const bool has_size = formula.a.name == "blockDim" || formula.b.name == "blockDim";
  const bool has_block = formula.a.name == "blockIdx" || formula.b.name == "blockIdx";
  if (has_block && has_size) {
    const bool is_size_first = formula.a.name == "blockDim";
    const std::string_view size = (is_size_first ? formula.a : formula.b).dimension,
                           block = (is_size_first ? formula.b : formula.a).dimension;
    return formula.c.name == "threadIdx" && (size == block || size == formula.c.dimension);
  }
  // Other products may be meant, but those of a thread with a size and a block, and of a block with the grid.
  const bool has_thread = formula.a.name == "threadIdx" || formula.b.name == "threadIdx";
  const bool has_grid = formula.a.name == "gridDim" || formula.b.name == "gridDim";
  const bool is_thread_of_block = has_thread && has_size && formula.c.name == "blockIdx";
  const bool is_block_of_grid =
      has_block && has_grid && formula.c.name == "threadIdx" && formula.a.dimension == formula.b.dimension;
  return !is_thread_of_block && !is_block_of_grid && !(has_thread && has_block);
}

// `blockIdx.x + blockDim.x + threadIdx.x`, or the product of the three: the tokens, in any order of the
// three.
std::optional<Range> plain_chain_at(const Tokens& tokens, std::size_t at) {
  const auto found = three_built_ins_at(tokens, at);
  if (!found || found->operators[0] != found->operators[1] ||
      (found->operators[0] != "+" && found->operators[0] != "*"))
    return std::nullopt;
  std::array<std::string_view, 3> names{found->first.name, found->second.name, found->third.name};
  std::ranges::sort(names);
  const bool is_position = names == std::array<std::string_view, 3>{"blockDim", "blockIdx", "threadIdx"};
  return is_position ? std::optional(found->range) : std::nullopt;
}

}  // namespace

void add_index_formulas(const Facts& facts, Found& found) {
  for (std::size_t at = 0; at < facts.tokens.size(); ++at) {
    const auto formula = index_formula_at(facts.tokens, at);
    const auto chain = plain_chain_at(facts.tokens, at);
    const bool is_wrong = chain || (formula && !is_position(*formula));
    if (!is_wrong || !is_in_device_code(facts, at)) continue;
    const std::string_view dimension = chain ? built_in_at(facts.tokens, at).dimension : formula->c.dimension;
    add_suspicion(
        facts, facts.tokens[at].line,
        msg::cause_index_formula(Code{code_of(facts.tokens, chain ? *chain : formula->range)},
                                 Code{fmt::format("blockIdx.{0} * blockDim.{0} + threadIdx.{0}", dimension)}),
        found);
  }
}

// A loop that begins at the thread's position in the grid, and goes on by the size of a block.
void add_strides_of_a_block(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is("for") || !tokens[at + 1].is("(") || !is_in_device_code(facts, at)) continue;
    const std::size_t end = closing(tokens, at + 1);
    if (end >= tokens.size() || end < at + 9) continue;
    const std::size_t step = end - 5;  // of `i += blockDim.x)`
    const SourceToken& variable = tokens[step - 1];
    if (!tokens[step].is("+") || !tokens[step + 1].is("=") || variable.kind != TokenKind::kWord ||
        built_in_at(tokens, step + 2).name != "blockDim")
      continue;
    // Where the loop's variable gets its first value: here, or in its declaration.
    std::size_t begin = at + 2;
    while (begin < end && !tokens[begin].is(";")) ++begin;
    std::size_t first = at + 2;
    if (const auto declared = declaration_for(facts, variable.text, at); begin == at + 2 && declared) {
      first = *declared;
      begin = first;
      while (begin < at && !tokens[begin].is(";")) ++begin;
    }
    bool starts_in_grid = false;
    for (std::size_t part = first; part < begin; ++part)
      if (const auto formula = index_formula_at(tokens, part)) starts_in_grid |= is_position(*formula);
    if (starts_in_grid)
      add_suspicion(facts, tokens[step].line,
                    msg::cause_stride_of_a_block(Code{fmt::format("{} += blockDim.{}", variable.text,
                                                                  built_in_at(tokens, step + 2).dimension)}),
                    found);
  }
}

// ---- numbers -----------------------------------------------------------------------------------------

namespace {

bool is_integer(const Tokens& tokens, std::size_t declared) {
  const auto type = type_of(tokens, declared);
  if (tokens[declared - 1].is("*") || has_word(type, "float") || has_word(type, "double")) return false;
  for (const char* word : {"int", "unsigned", "long", "size_t", "short"})
    if (has_word(type, word)) return true;
  return false;
}

std::optional<long> integer_at(const SourceToken& token) {
  if (token.kind != TokenKind::kText || token.text.empty()) return std::nullopt;
  if (!std::ranges::all_of(token.text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return std::strtol(std::string(token.text).c_str(), nullptr, 10);
}

}  // namespace

// `1 / n` and `1 / 2`: the quotient of two integers, of which nothing but 0 remains.
void add_integer_divisions(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 2; at + 1 < tokens.size(); ++at) {
    if (!tokens[at].is("/")) continue;
    const auto dividend = integer_at(tokens[at - 1]), number = integer_at(tokens[at + 1]);
    const SourceToken& before = tokens[at - 2];
    // In `x * 1 / n` the dividend is a product, which may be a floating-point number.
    const bool is_whole = before.is("(") || before.is("=") || before.is("+") || before.is("-") ||
                          before.is(",") || before.is("return");
    if (!dividend || *dividend == 0 || !is_whole) continue;
    bool is_zero = number && *dividend < *number;
    if (tokens[at + 1].kind == TokenKind::kWord && at + 2 < tokens.size() && !tokens[at + 2].is("(") &&
        !tokens[at + 2].is(".") && !tokens[at + 2].is("[") && *dividend == 1) {
      const auto declared = declaration_for(facts, tokens[at + 1].text, at);
      is_zero = declared && has_word(type_of(tokens, *declared), "int") &&
                !has_word(type_of(tokens, *declared), "*");
    }
    if (!is_zero) continue;
    const std::string divisor(tokens[at + 1].text);
    // `n + 255 / 256` means `(n + 255) / 256`.
    if (before.is("+") && number && *dividend + 1 == *number && at >= 3 &&
        tokens[at - 3].kind == TokenKind::kWord) {
      const std::string count(tokens[at - 3].text);
      add_suspicion(facts, tokens[at].line,
                    msg::cause_rounding_without_parentheses(
                        Code{fmt::format("{} + {} / {}", count, *dividend, divisor)},
                        Code{fmt::format("({} + {}) / {}", count, *dividend, divisor)}),
                    found);
      continue;
    }
    add_suspicion(facts, tokens[at].line,
                  msg::cause_integer_division(Code{fmt::format("{} / {}", *dividend, divisor)},
                                              Code{fmt::format("{}.0 / {}", *dividend, divisor)}),
                  found);
  }
}

// `double mean = sum / n;` of integers only: the fraction is lost before the value becomes a floating-point
// number.
void add_truncated_quotients(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 2 < tokens.size(); ++at) {
    if (!tokens[at + 1].is("=") || !(tokens[at - 1].is("double") || tokens[at - 1].is("float"))) continue;
    Range value{at + 2, at + 2};
    while (value.second < tokens.size() && !tokens[value.second].is(";")) ++value.second;
    bool divides = false, are_integers = true, has_names = false;
    for (std::size_t part = value.first; part < value.second && are_integers; ++part) {
      const SourceToken& token = tokens[part];
      divides |= token.is("/");
      if (token.kind == TokenKind::kText) {
        are_integers = integer_at(token).has_value();
      } else if (token.kind == TokenKind::kWord) {
        const auto declared = declaration_for(facts, token.text, at);
        has_names = true;
        are_integers = declared && is_integer(tokens, *declared) && !tokens[*declared + 1].is("[") &&
                       !tokens[part + 1].is("(");
      } else {
        are_integers = token.is("/") || token.is("*") || token.is("+") || token.is("-") || token.is("(") ||
                       token.is(")");
      }
    }
    if (divides && are_integers && has_names)
      add_suspicion(
          facts, tokens[at].line,
          msg::cause_truncated_quotient(Code{code_of(tokens, value)}, Code{std::string(tokens[at].text)},
                                        Code{fmt::format("({})", tokens[at - 1].text)}),
          found);
  }
}

namespace {

// A number, or a vector of numbers such as `float3`.
bool is_number_type(std::string_view type) {
  constexpr std::array<std::string_view, 14> kNumbers{"float", "double",   "int",       "unsigned", "long",
                                                      "uint",  "char",     "uchar",     "short",    "ushort",
                                                      "ulong", "longlong", "ulonglong", "half"};
  if (type.size() > 1 && type.back() >= '2' && type.back() <= '4') type.remove_suffix(1);
  return std::ranges::find(kNumbers, type) != kNumbers.end();
}

// Whether a use of a variable, or of one of its members, adds to it: `sum += x`, `sum.x += x`, `++n`, `n++`.
bool adds_to(const Tokens& tokens, std::size_t use) {
  const auto are_marks = [&](std::size_t first, std::string_view one, std::string_view other) {
    return tokens[first].is(one) && tokens[first + 1].is(other) &&
           tokens[first].end() == tokens[first + 1].begin;
  };
  const std::size_t behind = tokens[use + 1].is(".") ? use + 3 : use + 1;
  if (behind + 1 >= tokens.size()) return false;
  return are_marks(behind, "+", "=") || are_marks(behind, "-", "=") || are_marks(behind, "*", "=") ||
         are_marks(behind, "+", "+") || are_marks(use - 2, "+", "+");
}

}  // namespace

// `float sum;` whose next use is `sum += …`.
void add_unset_sums(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 3 < tokens.size(); ++at) {
    if (!tokens[at + 1].is(";") || !is_number_type(tokens[at - 1].text) ||
        tokens[at].kind != TokenKind::kWord)
      continue;
    const FoundFunction* function = function_around(facts, at);
    const auto type = type_of(tokens, at);
    if (!function || has_word(type, "static") || has_word(type, "__shared__") || has_word(type, "extern"))
      continue;
    std::size_t use = at + 2;
    while (use < function->last && !tokens[use].is(tokens[at].text)) ++use;
    if (use + 2 >= function->last || tokens[use - 1].is("&") || tokens[use - 1].is(".")) continue;
    if (adds_to(tokens, use))
      add_suspicion(facts, tokens[at].line,
                    msg::cause_unset_sum(Code{std::string(tokens[at].text)}, tokens[use].line), found);
  }
}

// ---- macros ------------------------------------------------------------------------------------------

namespace {

// `#define SQUARE(x) x * x`: the name, its parameters, and the tokens of its body.
struct Macro {
  std::string_view name;
  std::vector<std::string_view> parameters;
  Tokens body;
  int line = 0;
};
std::optional<Macro> macro_in(const SourceToken& token) {
  if (token.kind != TokenKind::kDirective || directive_name(token) != "define") return std::nullopt;
  Tokens all = tokens_of(directive_rest(token));
  const bool has_parameters = all.size() > 2 && all[1].is("(") && all[0].end() == all[1].begin;
  const std::size_t close = has_parameters ? closing(all, 1) : all.size();
  if (close >= all.size()) return std::nullopt;
  Macro macro{all[0].text, {}, {}, token.line};
  for (std::size_t at = 2; at < close; ++at)
    if (all[at].kind == TokenKind::kWord) macro.parameters.push_back(all[at].text);
  macro.body.assign(all.begin() + static_cast<std::ptrdiff_t>(close) + 1, all.end());
  return macro;
}

bool multiplies(const SourceToken& token) { return token.is("*") || token.is("/") || token.is("%"); }

// Whether the macro uses a parameter as a factor without parentheses.
bool is_bare_factor(const Macro& macro, std::string_view parameter) {
  for (std::size_t at = 0; at < macro.body.size(); ++at)
    if (macro.body[at].is(parameter) && ((at > 0 && multiplies(macro.body[at - 1])) ||
                                         (at + 1 < macro.body.size() && multiplies(macro.body[at + 1]))))
      return true;
  return false;
}

// Whether an argument is a sum or a difference outside of brackets.
bool is_sum(const Tokens& tokens, const Range& argument) {
  int depth = 0;
  for (std::size_t at = argument.first; at < argument.second; ++at) {
    depth += tokens[at].is("(") || tokens[at].is("[");
    depth -= tokens[at].is(")") || tokens[at].is("]");
    if (depth == 0 && at > argument.first && (tokens[at].is("+") || tokens[at].is("-"))) return true;
  }
  return false;
}

}  // namespace

// A sum as the argument of a macro that multiplies its parameter without parentheses.
void add_macros_without_parentheses(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (const SourceToken& directive : tokens) {
    const auto macro = macro_in(directive);
    for (std::size_t at = 0; macro && at + 1 < tokens.size(); ++at) {
      if (!tokens[at].is(macro->name) || !tokens[at + 1].is("(")) continue;
      const std::vector<Range> arguments = arguments_of(tokens, at + 1);
      for (std::size_t i = 0; i < std::min(arguments.size(), macro->parameters.size()); ++i) {
        if (!is_bare_factor(*macro, macro->parameters[i]) || !is_sum(tokens, arguments[i])) continue;
        add_suspicion(facts, macro->line,
                      msg::cause_macro_parentheses(Code{std::string(macro->name)}, tokens[at].line,
                                                   Code{code_of(tokens, arguments[i])},
                                                   Code{fmt::format("({})", macro->parameters[i])}),
                      found);
        return;
      }
    }
  }
}

// `counts[text[i]]` or `atomicAdd(counts + text[i], 1)` with a plain char: where it is signed, characters
// from 128 on give negative indices.
void add_character_subscripts(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t name = 2; name + 1 < tokens.size(); ++name) {
    if (tokens[name].kind != TokenKind::kWord) continue;
    const bool is_element = tokens[name + 1].is("[");
    const std::size_t behind = is_element ? closing(tokens, name + 1) + 1 : name + 1;
    if (behind >= tokens.size()) continue;
    const bool is_subscript = tokens[name - 1].is("[") && tokens[behind].is("]") &&
                              (tokens[name - 2].kind == TokenKind::kWord || tokens[name - 2].is("]"));
    const std::size_t call =
        tokens[name - 1].is("+") && tokens[behind].is(",") ? call_around(tokens, name) : 0;
    const bool is_offset = call > 0 && tokens[call - 1].text.starts_with("atomic");
    const auto declared = declaration_for(facts, tokens[name].text, name);
    if (!(is_subscript || is_offset) || !declared || *declared == name) continue;
    const auto type = type_of(tokens, *declared);
    const bool is_pointer = has_word(type, "*") || tokens[*declared + 1].is("[");
    if (!has_word(type, "char") || has_word(type, "unsigned") || is_pointer != is_element) continue;
    const std::string index = code_of(tokens, {name, behind});
    add_suspicion(facts, tokens[name].line,
                  msg::cause_character_index(Code{index}, Code{fmt::format("(unsigned char){}", index)}),
                  found);
  }
}

namespace {

// Whether an argument is the same for all threads as far as the source shows: numbers, names of constants,
// and parameters of the kernel that are no pointers.
bool is_same_for_all(const Facts& facts, const Range& argument) {
  const FoundFunction* function = function_around(facts, argument.first);
  for (std::size_t at = argument.first; at < argument.second; ++at) {
    const SourceToken& token = facts.tokens[at];
    if (token.kind != TokenKind::kWord || constant_value(facts, {at, at + 1})) continue;
    const auto declared = declaration_for(facts, token.text, at);
    const bool is_parameter = declared && function && function->is_kernel && function->open < *declared &&
                              *declared < function->body && !has_word(type_of(facts.tokens, *declared), "*");
    if (!is_parameter) return false;
  }
  return true;
}

// `i = blockDim.x / 2` at a token: a loop that halves the block.
bool halves_block_at(const Tokens& tokens, std::size_t at) {
  if (at + 5 >= tokens.size() || !tokens[at].is("=") || built_in_at(tokens, at + 1).name != "blockDim")
    return false;
  const bool divides = tokens[at + 4].is("/") && tokens[at + 5].is("2");
  return divides || (at + 6 < tokens.size() && run_of(tokens, at + 4, ">") == 2 && tokens[at + 6].is("1"));
}

// Whether all launches are <<<1, 1>>>.
bool has_only_single_threads(const Facts& facts) {
  const Tokens& tokens = facts.tokens;
  int launches = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (run_of(tokens, at, "<") < 3) continue;
    const std::vector<Range> parts = configuration_at(tokens, at);
    if (parts.size() < 2) continue;
    ++launches;
    if (code_of(tokens, parts[0]) != "1" || code_of(tokens, parts[1]) != "1") return false;
  }
  return launches > 0;
}

}  // namespace

// Random numbers of a state that no curand_init has set, and states that are the same for all threads.
void add_random_states(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  const auto sets_state = [](const SourceToken& token) {
    return token.is("curand_init") || token.text.starts_with("curandMakeMTGP32");
  };
  const bool is_set_somewhere = std::ranges::any_of(tokens, sets_state);
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (!tokens[at + 1].is("(") || !is_in_device_code(facts, at)) continue;
    const bool draws = tokens[at].is("curand") || tokens[at].text.starts_with("curand_uniform") ||
                       tokens[at].text.starts_with("curand_normal") ||
                       tokens[at].text.starts_with("curand_poisson");
    if (draws && !is_set_somewhere)
      return add_suspicion(facts, tokens[at].line,
                           msg::cause_random_not_set(Code{std::string(tokens[at].text)}), found);
    const std::vector<Range> arguments = arguments_of(tokens, at + 1);
    if (tokens[at].is("curand_init") && arguments.size() == 4 && !has_only_single_threads(facts) &&
        is_same_for_all(facts, arguments[0]) && is_same_for_all(facts, arguments[1]) &&
        is_same_for_all(facts, arguments[2]))
      add_suspicion(facts, tokens[at].line, msg::cause_random_same(), found);
  }
}

// A launch with a block whose size is no power of two, of a kernel that halves the block in a loop.
void add_halved_blocks(const Facts& facts, Found& found) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const FoundFunction* kernel = facts.function_named(tokens[at].text);
    const std::size_t mark = behind_template_arguments(tokens, at + 1);
    if (!kernel || !kernel->is_kernel || run_of(tokens, mark, "<") != 3) continue;
    const std::vector<Range> parts = configuration_at(tokens, mark);
    const auto size = parts.size() > 1 ? constant_value(facts, parts[1]) : std::nullopt;
    if (!size || *size < 2 || (*size & (*size - 1)) == 0) continue;
    for (std::size_t loop = kernel->body; loop < kernel->last; ++loop)
      if (halves_block_at(tokens, loop)) {
        add_suspicion(facts, tokens[at].line,
                      msg::cause_halved_block(Code{std::string(kernel->name)}, tokens[loop].line, *size),
                      found);
        break;
      }
  }
}

}  // namespace cudalab::compile
