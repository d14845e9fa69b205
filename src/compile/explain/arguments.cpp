// Reads given and wanted types from the messages of nvcc and clang, and finds the argument that they mean.
#include "compile/explain/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "compile/clang/clang.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

Code as_code(std::string_view text) { return Code{std::string(text)}; }

// ---- types -----------------------------------------------------------------------------------------------

struct Type {
  std::string base;  // without `const`, `struct` and stars: "unsigned char"
  int stars = 0;
  bool operator==(const Type&) const = default;
};

Type type_of(std::string_view text) {
  Type type;
  for (const SourceToken& token : tokens_of(text)) {
    type.stars += token.is("*") || token.is("[");
    if (token.kind != TokenKind::kWord || token.is("const") || token.is("struct") || token.is("volatile"))
      continue;
    type.base += (type.base.empty() ? "" : " ") + std::string(token.text);
  }
  return type;
}

// A type as the compiler writes it, and what its name stands for: 'size_t' (aka 'unsigned long').
struct GivenType {
  std::string text;
  Type type, meaning;
};

GivenType given_type(const std::string& text, const std::string& aka) {
  return {text, type_of(text), type_of(aka.empty() ? text : aka)};
}

bool is_number(const Type& type) {
  constexpr std::array<std::string_view, 17> kNumbers{
      "int",       "unsigned int",       "float",  "double",      "long",  "unsigned long",
      "long long", "unsigned long long", "char",   "unsigned",    "bool",  "unsigned char",
      "short",     "unsigned short",     "size_t", "signed char", "__half"};
  return type.stars == 0 && std::ranges::find(kNumbers, type.base) != kNumbers.end();
}

bool is_function(std::string_view text) {
  return text.find("(*)(") != std::string_view::npos || text.ends_with("()");
}

// ---- what the compiler says ------------------------------------------------------------------------------

struct Mismatch {
  std::string function;    // empty if the message does not name it
  std::size_t number = 0;  // of the argument, counted from 1; 0 if unknown
  GivenType given;
  std::vector<GivenType> wanted;  // by each candidate
};

// "void **, size_t" at its commas outside of brackets.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (text[at] == '(' || text[at] == '<')) ++depth;
    if (at < text.size() && (text[at] == ')' || text[at] == '>')) --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    parts.emplace_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

// EDG lists the types of all arguments, and the number of the argument that does not fit each candidate.
std::optional<Mismatch> in_words_of_nvidia(const Diagnosis& error) {
  static const TextPattern types(R"(argument types are: \(([^\n]*)\))"),
      candidate(R"re(function (?:template )?"(\w+)(?:<[^"(]*>)?\(([^"]*)\)" )re"
                R"re((?:does not match because argument #(\d+)|failed deduction))re"),
      function(R"(no instance of (?:overloaded function|function template) "(\w+))");
  const auto named = function.first_in(error.said);
  const auto given = types.first_in(error.notes);
  if (!named || !given) return std::nullopt;
  Mismatch mismatch{.function = named->groups[1]};
  const std::vector<std::string> all = listed(given->groups[1]);
  for (const TextMatch& match : candidate.all_in(error.notes)) {
    const std::vector<std::string> parameters = listed(match.groups[2]);
    if (parameters.size() != all.size()) continue;
    const std::size_t number = match.groups[3].empty() ? 0 : natural(match.groups[3]).value_or(0);
    if (number > 0 && mismatch.number > 0 && number != mismatch.number) return std::nullopt;
    if (number == 0) continue;
    mismatch.number = number;
    if (number <= all.size()) mismatch.wanted.push_back(given_type(parameters[number - 1], ""));
  }
  if (mismatch.number == 0 || mismatch.number > all.size()) return std::nullopt;
  mismatch.given = given_type(all[mismatch.number - 1], "");
  return mismatch;
}

// Clang names the types and the argument in a note on each candidate.
std::optional<Mismatch> in_words_of_clang(const Diagnosis& error) {
  static const TextPattern function(R"(no matching function for call to '(\w+)')"),
      candidate(R"re((?:no known conversion from|cannot convert argument of incomplete type) '([^']*)')re"
                R"re((?: \(aka '([^']*)'\))? to '([^']*)'(?: \(aka '([^']*)'\))? for (\d+)\w\w argument)re");
  const auto named = function.first_in(error.said);
  if (!named) return std::nullopt;
  Mismatch mismatch{.function = named->groups[1]};
  for (const TextMatch& match : candidate.all_in(error.notes)) {
    const std::size_t number = natural(match.groups[5]).value_or(0);
    if (mismatch.number > 0 && number != mismatch.number) return std::nullopt;
    mismatch.number = number;
    mismatch.given = given_type(match.groups[1], match.groups[2]);
    mismatch.wanted.push_back(given_type(match.groups[3], match.groups[4]));
  }
  if (mismatch.number > 0) return mismatch;
  static const TextPattern deduction(R"(could not match '([^']*)' against '([^']*)'(?: \(aka '([^']*)'\))?)");
  const auto found = deduction.first_in(error.notes);
  if (!found) return std::nullopt;
  mismatch.given = given_type(found->groups[2], found->groups[3]);
  mismatch.wanted.push_back(given_type(found->groups[1], ""));
  return mismatch;
}

// One parameter, of a function that the message does not name.
std::optional<Mismatch> of_one_parameter(const Diagnosis& error) {
  struct Form {
    TextPattern pattern;
    std::size_t given, wanted;  // groups of the types; the next group is what the type's name stands for
  };
  static const Form kForms[] = {
      {TextPattern(
           R"re(argument of type "([^"]*)"(?: \(aka "([^"]*)"\))? is incompatible with parameter of )re"
           R"re(type "([^"]*)"(?: \(aka "([^"]*)"\))?)re"),
       1, 3},
      {TextPattern(R"re(no suitable conversion function from "([^"]*)"(?: \(aka "([^"]*)"\))? to )re"
                   R"re("([^"]*)"(?: \(aka "([^"]*)"\))? exists)re"),
       1, 3},
      {TextPattern(R"re(cannot initialize a parameter of type '([^']*)'(?: \(aka '([^']*)'\))? with an? )re"
                   R"re([lrx]+value of type '([^']*)'(?: \(aka '([^']*)'\))?)re"),
       3, 1}};
  for (const Form& form : kForms)
    if (const auto found = form.pattern.first_in(error.said))
      return Mismatch{.given = given_type(found->groups[form.given], found->groups[form.given + 1]),
                      .wanted = {given_type(found->groups[form.wanted], found->groups[form.wanted + 1])}};
  return std::nullopt;
}

std::optional<Mismatch> mismatch_in(const Diagnosis& error) {
  if (auto mismatch = in_words_of_nvidia(error)) return mismatch;
  if (auto mismatch = in_words_of_clang(error)) return mismatch;
  return of_one_parameter(error);
}

// ---- calls in the source ---------------------------------------------------------------------------------

struct CallArgument {
  std::size_t first = 0, last = 0;  // tokens [first, last)
};

struct Call {
  std::size_t name = 0;
  bool is_configuration = false;  // the arguments are those between <<< and >>>
  std::vector<CallArgument> arguments;
};

std::vector<CallArgument> arguments_between(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::vector<CallArgument> arguments;
  int depth = 0;
  std::size_t begin = first;
  for (std::size_t at = first; at < last; ++at) {
    depth += tokens[at].is("(") || tokens[at].is("[") || tokens[at].is("{");
    depth -= tokens[at].is(")") || tokens[at].is("]") || tokens[at].is("}");
    if (!tokens[at].is(",") || depth > 0) continue;
    arguments.push_back({begin, at});
    begin = at + 1;
  }
  if (begin < last) arguments.push_back({begin, last});
  return arguments;
}

bool are_marks(const Tokens& tokens, std::size_t at, std::string_view mark) {
  return at + 2 < tokens.size() && tokens[at].is(mark) && tokens[at + 1].is(mark) && tokens[at + 2].is(mark);
}

// The calls that begin or end in a line, or contain it; launches count as two calls.
std::vector<Call> calls_on(const Facts& facts, int line) {
  const Tokens& tokens = facts.tokens;
  std::vector<Call> calls;
  for (std::size_t at = 0; at + 1 < tokens.size() && tokens[at].line <= line; ++at) {
    if (tokens[at].kind != TokenKind::kWord) continue;
    std::size_t open = behind_template_arguments(tokens, at + 1);
    if (are_marks(tokens, open, "<")) {
      std::size_t end = open + 3;
      while (end < tokens.size() && !are_marks(tokens, end, ">") && !tokens[end].is(";")) ++end;
      if (!are_marks(tokens, end, ">")) continue;
      if (tokens[end].line >= line) calls.push_back({at, true, arguments_between(tokens, open + 3, end)});
      open = end + 3;
    }
    if (open >= tokens.size() || !tokens[open].is("(")) continue;
    const std::size_t close = closing(tokens, open);
    if (close < tokens.size() && tokens[close].line >= line)
      calls.push_back({at, false, arguments_between(tokens, open + 1, close)});
  }
  return calls;
}

std::string text_of_argument(const Tokens& tokens, const CallArgument& argument) {
  return text_of(std::span(tokens).subspan(argument.first, argument.last - argument.first));
}

// A variable with a prefix: `&x`, `*x`, `x`.
struct SimpleArgument {
  std::string_view prefix, name;  // `&`, `*` or nothing
  bool is_element = false;        // `x[i]`
};

std::optional<SimpleArgument> simple(const Tokens& tokens, CallArgument argument) {
  SimpleArgument found;
  if (argument.first < argument.last && (tokens[argument.first].is("&") || tokens[argument.first].is("*")))
    found.prefix = tokens[argument.first++].text;
  if (argument.first >= argument.last || tokens[argument.first].kind != TokenKind::kWord) return std::nullopt;
  found.name = tokens[argument.first++].text;
  if (argument.first == argument.last) return found;
  found.is_element = tokens[argument.first].is("[") && closing(tokens, argument.first) + 1 == argument.last;
  return found.is_element ? std::optional(found) : std::nullopt;
}

// A declaration of a variable: its line, and whether it has a `*` or `[]`.
struct Declared {
  int line = 0;
  bool is_pointer = false;
  Type type;
};

Declared declared_at(const Tokens& tokens, std::size_t name) {
  Declared declared{.line = tokens[name].line};
  std::size_t at = name;
  for (; at > 0 && (tokens[at - 1].is("*") || tokens[at - 1].is("const")); --at)
    declared.type.stars += tokens[at - 1].is("*");
  declared.is_pointer = declared.type.stars > 0 || (name + 1 < tokens.size() && tokens[name + 1].is("["));
  // The type is before the first name of the declaration; a parenthesis begins parameters.
  while (at > 0 && !tokens[at - 1].is(";") && !tokens[at - 1].is("{") && !tokens[at - 1].is("}") &&
         !tokens[at - 1].is("(") && tokens[at - 1].kind != TokenKind::kDirective)
    --at;
  if (at < name)
    declared.type.base = std::string(tokens[at].is("const") ? tokens[at + 1].text : tokens[at].text);
  return declared;
}

// The declaration that a line sees: the last one before it in the same function, or one outside of functions.
std::optional<Declared> declaration_before(const Facts& facts, std::string_view name, int line) {
  std::optional<Declared> found;
  for (const std::size_t at : declarations_of(facts, name)) {
    const int there = facts.tokens[at].line;
    const FoundFunction* function = facts.function_at(there);
    if (there <= line && (!function || function == facts.function_at(line)))
      found = declared_at(facts.tokens, at);
  }
  return found;
}

// Whether an argument may have the given type, by the declaration of its variable.
bool may_have_type(const Facts& facts, const CallArgument& argument, const GivenType& given, int line) {
  const auto variable = simple(facts.tokens, argument);
  if (!variable) return false;
  if (is_function(given.text))
    return !declaration_before(facts, variable->name, line) && variable->prefix.empty();
  const auto declared = declaration_before(facts, variable->name, line);
  if (!declared) return false;
  int stars =
      declared->type.stars + (variable->prefix == "&") - (variable->prefix == "*") - variable->is_element;
  if (declared->is_pointer && declared->type.stars == 0) ++stars;  // an array
  const auto fits = [&](const Type& type) {
    return type.stars == stars && type.base.find(declared->type.base) != std::string::npos;
  };
  return fits(given.type) || fits(given.meaning);
}

struct Place {
  Call call;
  std::size_t number = 0;  // of the argument, counted from 1
};

std::optional<Place> place_of(const Facts& facts, const Mismatch& mismatch, int line) {
  std::optional<Place> found;
  for (Call& call : calls_on(facts, line)) {
    if (!mismatch.function.empty() && !facts.tokens[call.name].is(mismatch.function)) continue;
    if (mismatch.number > 0 && !call.is_configuration) {
      if (mismatch.number > call.arguments.size()) continue;
      if (found) return std::nullopt;  // two calls of this function
      found = Place{std::move(call), mismatch.number};
      continue;
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (mismatch.number == 0 && may_have_type(facts, call.arguments[i], mismatch.given, line)) {
        if (found && found->call.name == call.name) return std::nullopt;  // two arguments of this type
        found = Place{call, i + 1};
      }
  }
  return found;
}

// ---- advice ----------------------------------------------------------------------------------------------

bool differ_by_stars(const Type& given, const Type& wanted, int more) {
  return wanted.stars == given.stars + more &&
         (wanted.base == given.base || wanted.base == "void" || wanted.base == "T" || wanted.base == "State");
}

// Whether each candidate wants a pointer to what is given (`more` is 1), or what the given pointer points to.
bool all_differ_by_stars(const Mismatch& mismatch, int more) {
  const bool one_fits = std::ranges::any_of(mismatch.wanted, [&](const GivenType& wanted) {
    return differ_by_stars(mismatch.given.type, wanted.type, more) ||
           differ_by_stars(mismatch.given.meaning, wanted.meaning, more);
  });
  const int stars = mismatch.given.type.stars;
  const bool all_are = std::ranges::all_of(
      mismatch.wanted, [&](const GivenType& wanted) { return wanted.type.stars == stars + more; });
  // The name of a structure may stand for another: curandState for curandStateXORWOW_t.
  const bool is_class = more == 1 && stars == 0 && !is_number(mismatch.given.meaning) &&
                        mismatch.given.text.find('<') == std::string::npos;
  return all_are && (one_fits || is_class);
}

// The wanted type with the base of the given one; for `void **`, the only type.
std::string best_wanted(const Mismatch& mismatch, int more) {
  const auto found = std::ranges::find_if(mismatch.wanted, [&](const GivenType& wanted) {
    return wanted.type.base == mismatch.given.type.base &&
           wanted.type.stars == mismatch.given.type.stars + more;
  });
  if (found != mismatch.wanted.end()) return found->text;
  // Another structure of a list of overloads, such as curandStateMRG32k3a_t, is not the one that is meant.
  const GivenType& wanted = mismatch.wanted.front();
  return more > 0 && wanted.type.base != "void" ? mismatch.given.text + " *" : wanted.text;
}

// Whether a call of cudaMalloc stores an address in the variable, which is therefore meant as a pointer.
bool is_allocated(const Facts& facts, std::string_view name) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 2; at < tokens.size(); ++at) {
    if (!tokens[at].is(name) || !tokens[at - 1].is("&")) continue;
    std::size_t open = at - 1;  // before `(void **)`
    while (open > 1 &&
           (tokens[open - 1].is(")") || tokens[open - 1].is("*") ||
            tokens[open - 1].kind == TokenKind::kWord ||
            (tokens[open - 1].is("(") && !tokens[open].is("&"))) &&
           !tokens[open - 1].text.starts_with("cuda"))
      --open;
    if (tokens[open - 1].text.starts_with("cudaMalloc") ||
        (open > 1 && tokens[open - 1].is("(") && tokens[open - 2].text.starts_with("cudaMalloc")))
      return true;
  }
  return false;
}

Message written(const Facts& facts, const Place& place, const Mismatch& mismatch, int more,
                const std::string& right) {
  const Tokens& tokens = facts.tokens;
  return msg::cause_argument_write(place.number, as_code(tokens[place.call.name].text),
                                   as_code(text_of_argument(tokens, place.call.arguments[place.number - 1])),
                                   as_code(mismatch.given.text), Code{best_wanted(mismatch, more)},
                                   Code{right});
}

// A pointer is wanted, and the argument has one `*` too few.
Message advice_on_address(const Facts& facts, const Place& place, const Mismatch& mismatch, int line) {
  const auto variable = simple(facts.tokens, place.call.arguments[place.number - 1]);
  if (!variable) return {};
  const auto declared = declaration_before(facts, variable->name, line);
  const std::string name(variable->name);
  if (variable->prefix == "*") return written(facts, place, mismatch, 1, name);
  const bool lacks_star = declared && !declared->is_pointer && !variable->is_element;
  // `float *d_x, d_y`
  if (lacks_star && is_allocated(facts, variable->name))
    return msg::cause_not_pointer(declared->line, as_code(name), Code{"*" + name});
  if (variable->prefix == "&") return {};
  const std::string element =
      variable->is_element ? text_of_argument(facts.tokens, place.call.arguments[place.number - 1]) : name;
  const FoundFunction* function = facts.function_named(facts.tokens[place.call.name].text);
  if (function && function->is_kernel) return {};  // the address of a variable of the host does not help it
  const bool stores_address =
      std::ranges::any_of(mismatch.wanted, [](const GivenType& wanted) { return wanted.type.stars > 1; });
  return stores_address
             ? msg::cause_address_missing(as_code(facts.tokens[place.call.name].text), Code{"&" + element})
             : written(facts, place, mismatch, 1, "&" + element);
}

// The argument has one `*` too many.
Message advice_on_value(const Facts& facts, const Place& place, const Mismatch& mismatch) {
  const auto variable = simple(facts.tokens, place.call.arguments[place.number - 1]);
  if (!variable || variable->prefix != "&" || variable->is_element) return {};
  return written(facts, place, mismatch, -1, std::string(variable->name));
}

// `atomicAdd` of unsigned char: each overload takes a pointer to another type.
Message advice_on_versions(const Mismatch& mismatch) {
  std::vector<std::string> types;
  for (const GivenType& wanted : mismatch.wanted) {
    if (wanted.type.stars != mismatch.given.type.stars || wanted.type.stars == 0) return {};
    if (wanted.type.base == mismatch.given.type.base || wanted.type.base == "void") return {};
    types.push_back(wanted.type.base);
  }
  std::ranges::sort(types);
  const auto [first, last] = std::ranges::unique(types);
  types.erase(first, last);
  if (types.size() < 2 || mismatch.function.empty()) return {};
  return msg::cause_no_version(as_code(mismatch.function), as_code(mismatch.given.type.base),
                               as_code(fmt::format("{}", fmt::join(types, ", "))));
}

// The parameter of a function of the source.
Message advice_on_own_function(const Facts& facts, const Place& place) {
  const FoundFunction* function = facts.function_named(facts.tokens[place.call.name].text);
  if (!function || place.call.is_configuration) return {};
  const std::string all = parameters_of(facts, *function);
  const std::vector<std::string> parameters = listed(all);
  if (place.call.arguments.size() != parameters.size())
    return msg::cause_function_arguments(function->line, Code{fmt::format("{}({})", function->name, all)});
  if (place.number > parameters.size()) return {};
  return msg::cause_argument_mismatch(
      place.number, as_code(function->name),
      as_code(text_of_argument(facts.tokens, place.call.arguments[place.number - 1])), function->line,
      as_code(parameters[place.number - 1]));
}

// `cudaError_t error = cudaGetLastError;`
Message advice_on_parentheses(const Facts& facts, std::string_view given, int line) {
  if (!is_function(given)) return {};
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    const bool ends = tokens[at + 1].is(";") || tokens[at + 1].is(",") || tokens[at + 1].is(")");
    const bool begins = tokens[at - 1].is("=") || tokens[at - 1].is("(") || tokens[at - 1].is("return") ||
                        tokens[at - 1].is(",");
    if (tokens[at].line != line || tokens[at].kind != TokenKind::kWord || !ends || !begins) continue;
    if (declaration_before(facts, tokens[at].text, line)) continue;
    return msg::cause_call_parentheses(as_code(tokens[at].text), Code{std::string(tokens[at].text) + "()"});
  }
  return {};
}

// A function in the place of its value, in a declaration, an assignment or a comparison.
Message advice_on_function_value(const Facts& facts, const Diagnosis& error) {
  static const TextPattern nvidia(R"re(a value of type "([^"]*)")re"),
      clang(R"re((?:with an [lrx]+value of type|from incompatible type) '([^']*)')re");
  for (const TextPattern* form : {&nvidia, &clang})
    if (const auto found = form->first_in(error.said))
      return advice_on_parentheses(facts, found->groups[1], error.where.line);
  return {};
}

}  // namespace

Message advice_on_argument_types(const Facts& facts, const Diagnosis& error) {
  if (Message advice = advice_on_function_value(facts, error); !advice.empty()) return advice;
  const auto mismatch = mismatch_in(error);
  // A template has its own advice: a std::vector is no pointer.
  if (!mismatch || mismatch->given.text.find('<') != std::string::npos) return {};
  const int line = error.where.line;
  if (mismatch->given.text.find("Stream_t") != std::string::npos &&
      is_number(mismatch->wanted.front().meaning) && !mismatch->wanted.front().text.starts_with("cuda") &&
      mismatch->function.empty())
    for (const Call& call : calls_on(facts, line))
      if (call.is_configuration && call.arguments.size() == 3)
        return msg::cause_stream_fourth(
            Code{fmt::format("<<<{}, {}, 0, {}>>>", text_of_argument(facts.tokens, call.arguments[0]),
                             text_of_argument(facts.tokens, call.arguments[1]),
                             text_of_argument(facts.tokens, call.arguments[2]))});
  if (mismatch->number > 0)
    if (Message advice = advice_on_versions(*mismatch); !advice.empty()) return advice;
  const auto place = place_of(facts, *mismatch, line);
  if (!place || place->call.is_configuration || mismatch->wanted.empty()) return {};
  const FoundFunction* own = facts.function_named(facts.tokens[place->call.name].text);
  const bool is_count_right =
      !own || listed(parameters_of(facts, *own)).size() == place->call.arguments.size();
  if (is_count_right && all_differ_by_stars(*mismatch, 1))
    if (Message advice = advice_on_address(facts, *place, *mismatch, line); !advice.empty()) return advice;
  if (is_count_right && all_differ_by_stars(*mismatch, -1))
    if (Message advice = advice_on_value(facts, *place, *mismatch); !advice.empty()) return advice;
  return advice_on_own_function(facts, *place);
}

std::size_t arguments_of_call(const Facts& facts, std::string_view name, int line) {
  for (const Call& call : calls_on(facts, line))
    if (facts.tokens[call.name].is(name) && !call.is_configuration) return call.arguments.size();
  return 0;
}

std::vector<std::string_view> functions_called_on(const Facts& facts, int line) {
  std::vector<std::string_view> names;
  for (const Call& call : calls_on(facts, line)) names.push_back(facts.tokens[call.name].text);
  return names;
}

// ---- declarations in headers -----------------------------------------------------------------------------

namespace {

void add_declarations(const std::string& text, std::map<std::string, std::string, std::less<>>& all) {
  const Tokens tokens = tokens_of(text);
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (tokens[at].kind != TokenKind::kWord || !tokens[at + 1].is("(")) continue;
    if (tokens[at - 1].kind != TokenKind::kWord && !tokens[at - 1].is("*")) continue;
    if (tokens[at - 1].is("return") || !tokens[at].text.starts_with("cu")) continue;
    const std::size_t close = closing(tokens, at + 1);
    if (close + 1 >= tokens.size() || !(tokens[close + 1].is(";") || tokens[close + 1].is("{"))) continue;
    const std::string declared = text_of(std::span(tokens).subspan(at, close + 1 - at));
    all.try_emplace(std::string(tokens[at].text), declared);
  }
}

}  // namespace

std::string declaration_in_headers(std::string_view name) {
  static const std::map<std::string, std::string, std::less<>> kAll = [] {
    std::map<std::string, std::string, std::less<>> all;
    try {
      for (const char* file : {"cuda_runtime_api.h", "detail/host_functions.h", "curand_kernel.h",
                               "detail/random_distributions.h", "curand.h", "cuda.h"})
        add_declarations(read_text(cuda_headers() / file), all);
    } catch (const Error&) {  // the headers are not installed
    }
    return all;
  }();
  const auto found = kAll.find(name);
  return found == kAll.end() ? "" : found->second;
}

}  // namespace cudalab::compile
