// Removes the host code from a .cu file, supplies what the removed headers declared, and explains errors that
// this causes.
#include "compile/sources/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compile/sources/host_parts.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {

// Advice on an error in a source of which parts were left out, by the names and lines that the error
// mentions.

namespace {

std::string_view last_name(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool mentions(std::string_view said, std::string_view name) {
  const auto quoted = [&](std::string_view word) {
    return said.find(fmt::format("\"{}\"", word)) != std::string_view::npos ||
           said.find(fmt::format("\"{}(", word)) != std::string_view::npos;  // nvcc shows the parameters, too
  };
  return !name.empty() && (quoted(name) || quoted(last_name(name)));
}

Message lines_of(const SourcePart& part) {
  if (part.first_line == part.last_line) return msg::part_line(part.first_line);
  return msg::part_lines(part.first_line, part.last_line);
}

// "lines 2 to 3 of book.h"
Message place_of(const SourcePart& part, const std::string& header) {
  return header.empty() ? lines_of(part)
                        : msg::part_in_file(lines_of(part), header.substr(header.rfind('/') + 1));
}

Message advice_on_left_out(std::span<const SourcePart> left_out, std::string_view said,
                           const std::string& header) {
  for (const SourcePart& part : left_out)
    if (mentions(said, part.name))
      return (part.is_function ? msg::host_function_left_out : msg::host_variable_left_out)(
          Code{part.name}, place_of(part, header));
  return {};
}

Message advice_on_kept(std::span<const SourcePart> kept, int line) {
  for (const SourcePart& part : kept)
    if (!part.name.empty() && part.first_line <= line && line <= part.last_line)
      return msg::host_part_kept(Code{part.name}, lines_of(part));
  return {};
}

}  // namespace

Message advice_on(const DeviceCode& code, std::string_view said, const std::string& file, int line) {
  Message advice = advice_on_left_out(code.left_out, said, "");
  for (const DeviceHeader& header : code.headers)
    if (advice.empty()) advice = advice_on_left_out(header.left_out, said, header.path);
  if (!advice.empty()) return advice;
  if (file.empty()) return advice_on_kept(code.kept, line);
  for (const DeviceHeader& header : code.headers)
    if (header.path == file) return advice_on_kept(header.kept, line);
  return {};
}

// Replacements for what kernels expect of host headers that were left out.

namespace {

// Macros and types that are inserted before the first line.
constexpr std::string_view kPreamble =
#include "embedded/stand_ins.cuh"
    ;

bool lacks_header(std::span<const SourcePart> left_out) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [](const SourcePart& part) { return part.is_include; });
}

}  // namespace

void add_stand_ins(DeviceCode& code) {
  bool lacks_one = lacks_header(code.left_out);
  for (const DeviceHeader& header : code.headers) lacks_one |= lacks_header(header.left_out);
  if (!lacks_one) return;
  code.text.insert(0, kPreamble);
  code.begin += kPreamble.size();
}

namespace {

// ---- parameters of kernels ---------------------------------------------------------------------------

std::string name_of_parameter(std::span<const SourceToken> tokens) {
  std::string name;
  std::size_t words = 0;
  for (const SourceToken& token : tokens) {
    if (token.is("=") || token.is("[")) break;
    if (token.kind != TokenKind::kWord) continue;
    name = token.text;
    ++words;
  }
  const bool typed = words > 1 && tokens.back().kind != TokenKind::kMark;
  return typed || (words > 1 && tokens.back().is("]")) ? name : "";
}

std::vector<DeclaredParameter> parameters_of(std::span<const SourceToken> tokens) {
  std::vector<DeclaredParameter> parameters;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= tokens.size(); ++at) {
    const bool ends = at == tokens.size() || (depth == 0 && tokens[at].is(","));
    if (!ends) {
      const std::string_view text = tokens[at].text;
      depth += text == "(" || text == "<" || text == "["   ? 1
               : text == ")" || text == ">" || text == "]" ? -1
                                                           : 0;
      continue;
    }
    const std::span<const SourceToken> one = tokens.subspan(begin, at - begin);
    if (!one.empty()) parameters.push_back({text_of(one), name_of_parameter(one)});
    begin = at + 1;
  }
  return parameters;
}

std::size_t closing_parenthesis(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    depth += tokens[at].is("(") ? 1 : tokens[at].is(")") ? -1 : 0;
    if (depth == 0) return at;
  }
  return tokens.size();
}

KernelDeclaration declaration_of(const Tokens& tokens, const Part& part) {
  const std::size_t open = part.parameters, close = closing_parenthesis(tokens, open);
  return {part.name, part.template_parameters,
          parameters_of(std::span(tokens).subspan(open + 1, close - open - 1)), tokens[open - 1].line,
          tokens[part.last - 1].line};
}

// ---- leaving out -------------------------------------------------------------------------------------

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at)
    if (text[at] != '\n') text[at] = ' ';
}

// Preprocessor lines stay: their conditions must still match, and other code may use their macros.
void blank(std::string& text, std::span<const SourceToken> tokens) {
  std::size_t begin = tokens.front().begin;
  for (const SourceToken& token : tokens) {
    if (token.kind != TokenKind::kDirective) continue;
    blank(text, begin, token.begin);
    begin = token.end();
  }
  if (tokens.back().end() > begin) blank(text, begin, tokens.back().end());
}

SourcePart describe(const Tokens& tokens, const Part& part) {
  return {part.name, tokens[part.first].line, tokens[part.last - 1].line, part.parameters != 0};
}

// The header's name in `#include <x.h>`; empty for another directive, or for a macro.
std::optional<IncludedHeader> header_in(const SourceToken& token) {
  if (token.kind != TokenKind::kDirective || directive_name(token) != "include") return std::nullopt;
  const std::string_view rest = directive_rest(token);
  if (rest.size() < 3 || (rest[0] != '<' && rest[0] != '"')) return std::nullopt;
  return IncludedHeader{rest.substr(1, rest.find_first_of(">\"", 1) - 1), rest[0] == '"'};
}

// A text that replaces [begin, end).
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};
using Edits = std::vector<Edit>;

void apply(Edits& edits, std::string& text) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string edited;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    edited.append(text, at, edit.begin - at).append(edit.text);
    at = edit.end;
  }
  text = edited.append(text, at, std::string::npos);
}

// extern "C"__global__: nvcc accepts it, but in C++ it is a literal with a suffix.
void part_literals_from_words(const Tokens& tokens, Edits& edits) {
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    const SourceToken &literal = tokens[at - 1], &word = tokens[at];
    const bool touch = literal.kind == TokenKind::kText && literal.end() == word.begin;
    if (touch && literal.text.ends_with('"') && is_space(word.text))
      edits.push_back({word.begin, word.begin, " "});
  }
}

void replace_includes(const Tokens& tokens, const FindHeader& find, DeviceCode& code, Edits& edits) {
  for (const SourceToken& token : tokens) {
    const auto header = header_in(token);
    if (!header) continue;
    const auto found = find(*header);
    if (found && !found->empty() && (header->in_quotes || !is_host_header(header->name))) {
      edits.push_back({token.begin, token.end(), "#include \"" + *found + "\""});
    } else if (!found || is_host_header(header->name)) {
      blank(code.text, token.begin, token.end());
      code.left_out.push_back({.name = std::string(header->name),
                               .first_line = token.line,
                               .last_line = token.line,
                               .is_include = true});
    }
  }
}

std::size_t place_of_constexpr(const Tokens& tokens, const Part& part) {
  std::size_t at = part.first;
  while (!tokens[at].is("constexpr")) ++at;
  return tokens[at].begin;
}

// `static struct Point { … } origin;` becomes `struct Point { … };`
void blank_variable(std::string& text, const Tokens& tokens, const Part& part) {
  blank(text, std::span(tokens).subspan(part.declarators, part.last - 1 - part.declarators));
  for (std::size_t at = part.first; !is_class_key(tokens[at].text); ++at)
    blank(text, tokens[at].begin, tokens[at].end());
}

void sort_parts(const Tokens& tokens, const SharedNames& names, DeviceCode& code, Edits& edits) {
  const HostJudge judge(tokens, names);
  for (const Part& part : parts_of(tokens, names.macros)) {
    const bool is_hosts = judge.belongs_to_host(part);
    if (is_hosts)
      code.left_out.push_back(describe(tokens, part));
    else if (!judge.is_annotated(part))
      code.kept.push_back(describe(tokens, part));
    if (is_hosts)
      blank(code.text, std::span(tokens).subspan(part.first, part.last - part.first));
    else if (judge.defines_host_variable(part))
      blank_variable(code.text, tokens, part);
    else if (judge.is_kernel(part) && part.body != 0)
      code.kernels.push_back(declaration_of(tokens, part));
    else if (judge.is_constexpr_function(part)) {
      const std::size_t place = place_of_constexpr(tokens, part);
      edits.push_back({place, place, "__device__ "});
    }
  }
}

}  // namespace

DeviceCode device_code_of(std::string_view source, const SharedNames& names, const FindHeader& find) {
  const Tokens tokens = tokens_of(source);
  DeviceCode code;
  Edits edits;
  code.text = source;
  try {
    sort_parts(tokens, names, code, edits);
  } catch (Unbalanced) {
    code = DeviceCode{std::string(source), {}, {}, {}, {}};
    edits.clear();
  }
  replace_includes(tokens, find, code, edits);
  part_literals_from_words(tokens, edits);
  apply(edits, code.text);
  return code;
}

std::string signature(const KernelDeclaration& declaration) {
  const auto text_of = [](const DeclaredParameter& parameter) { return parameter.text; };
  const std::string arguments =
      declaration.template_parameters.empty() ? "" : "<" + declaration.template_parameters + ">";
  return fmt::format("{}{}({})", declaration.name, arguments, joined(declaration.parameters, ", ", text_of));
}

DeviceCode device_code_of(std::string_view source, const FindHeader& find) {
  SharedNames names;
  add_names(source, names);
  DeviceCode code = device_code_of(source, names, find);
  add_stand_ins(code);
  return code;
}

std::optional<Condition> condition_around(std::string_view source, int line) {
  std::vector<Condition> open;
  for (const SourceToken& token : tokens_of(source)) {
    if (token.line >= line) break;
    if (token.kind != TokenKind::kDirective) continue;
    const std::string_view name = directive_name(token);
    if (name == "endif" && !open.empty()) open.pop_back();
    if (name.starts_with("el") && !open.empty()) open.pop_back();  // else, elif
    if (name.starts_with("if") || name.starts_with("el"))
      open.push_back({std::string(trimmed(token.text.substr(0, token.text.find('\n')))), token.line});
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

std::vector<IncludedHeader> included_headers(std::string_view source) {
  std::vector<IncludedHeader> headers;
  for (const SourceToken& token : tokens_of(source))
    if (const auto header = header_in(token)) headers.push_back(*header);
  return headers;
}

}  // namespace cudalab::compile
