// Facts from a kernel's source text that improve reports: elements by their indices, and details of hazards.
#include "lab/running/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "compile/sources/source_parts.h"
#include "messages/vgpu.h"

namespace cudalab::lab {
namespace {

using compile::SourceToken;
using compile::TokenKind;
using Tokens = compile::TokenSpan;

// ---- elements ----------------------------------------------------------------------------------------
bool takes_element(Tokens tokens, const std::string& name, int line, std::size_t dimensions) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].line == line && tokens[i].is(name) &&
        compile::brackets_behind(tokens.subspan(i + 1)).size() == dimensions)
      return true;
  return false;
}

std::vector<std::int64_t> indices_of(std::uint64_t flat, const std::vector<std::uint64_t>& inner) {
  std::vector<std::int64_t> indices;
  for (auto size = inner.rbegin(); size != inner.rend(); ++size) {
    indices.insert(indices.begin(), static_cast<std::int64_t>(flat % *size));
    flat /= *size;
  }
  indices.insert(indices.begin(), static_cast<std::int64_t>(flat));
  return indices;
}

bool is_flat_element_of(const Argument& argument, const std::string& name) {
  const auto* element = argument.as<Element>();
  return element && element->buffer == name && element->index.size() == 1 && element->index[0] >= 0;
}

bool names_element_of(const Message& message, const std::string& name) {
  bool found = false;
  for_each_argument(message, [&](const Argument& argument) { found |= is_flat_element_of(argument, name); });
  return found;
}

}  // namespace

Message named_by_rows(const Message& message, const std::string& name, int line, std::string_view source,
                      const Macros& given) {
  if (name.empty() || !names_element_of(message, name)) return message;
  const std::vector<SourceToken> tokens = compile::tokens_of(source);
  const compile::DeclaredArray* declared = nullptr;
  const std::vector<compile::DeclaredArray> shapes = compile::declared_arrays(tokens, given);
  for (const compile::DeclaredArray& shape : shapes)
    if (shape.name == name && shape.line <= line) declared = &shape;
  if (!declared || declared->inner.empty() || !takes_element(tokens, name, line, declared->inner.size() + 1))
    return message;
  return with_changed_arguments(message, [&](const Argument& argument) -> std::optional<Argument> {
    if (!is_flat_element_of(argument, name)) return std::nullopt;
    const auto flat = static_cast<std::uint64_t>(argument.as<Element>()->index[0]);
    return Element{name, indices_of(flat, declared->inner)};
  });
}

namespace {

std::size_t find(std::span<const SourceToken> tokens, std::string_view what, std::size_t from) {
  while (from < tokens.size() && !tokens[from].is(what)) ++from;
  return from;
}

// The index of the bracket that closes the one at `at`.
std::size_t closing_bracket(std::span<const SourceToken> tokens, std::size_t at) {
  const std::string_view open = tokens[at].text, close = open == "(" ? ")" : "}";
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    depth += tokens[at].is(open) ? 1 : tokens[at].is(close) ? -1 : 0;
    if (depth == 0) break;
  }
  return at;
}

// The line of the return in the statement at `at`: `return …;`, or a block that ends with one.
std::optional<int> return_in(std::span<const SourceToken> tokens, std::size_t at) {
  if (at >= tokens.size()) return std::nullopt;
  if (tokens[at].is("return")) return tokens[at].line;
  if (!tokens[at].is("{")) return std::nullopt;
  const std::size_t end = closing_bracket(tokens, at);
  std::size_t last = end;
  for (std::size_t i = at; i < end; ++i)
    if (tokens[i].is("return")) last = i;
  return find(tokens, ";", last) + 1 == end ? std::optional(tokens[last].line) : std::nullopt;
}

std::string_view text_of_line(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// ---- hazards -----------------------------------------------------------------------------------------
std::optional<int> line_of_return(const Hazard& hazard, const std::string& file, const std::string& text) {
  const bool is_ours =
      hazard.kind == HazardKind::kBarrierDivergence && hazard.other && hazard.other->file == file;
  return is_ours ? return_behind_if(text, hazard.other->line) : std::nullopt;
}

// Rewrites the message about a branch that lets threads skip a barrier.
Message with_return(const Message& what, int line) {
  if (what.id() != "barrier_gone_around") return msg::hazard_returned_before(what, line);
  return msg::barrier_returned_before(*what.argument("absent"), *what.argument("threads"),
                                      *what.argument("first"), line);
}

void explain_return(Hazard& hazard, int line) {
  hazard.other->line = line;
  hazard.what = with_return(hazard.what, line);
  hazard.fix = msg::advice_return_behind_barrier();
}

// Compilers emit a trap where the behaviour is certainly undefined.
void explain_trap(Hazard& hazard, const std::string& text) {
  const std::string_view line = text_of_line(text, hazard.where.line);
  for (const char* word : {"trap", "assert", "asm", "abort", "__brkpt"})
    if (line.find(word) != std::string_view::npos) return;
  hazard.what = msg::trap_of_compiler();
  hazard.fix = msg::advice_trap_null_pointer();
}

// ---- indices out of bounds ---------------------------------------------------------------------------
struct Loop {
  std::string_view variable;
  int first = 0, last = 0;  // lines
};

// `for (unsigned k = …; …; …)` with its body.
std::vector<Loop> loops_in(Tokens tokens) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("for") || !tokens[i + 1].is("(")) continue;
    const std::size_t close = closing_bracket(tokens, i + 1), assigned = find(tokens, "=", i);
    if (close + 1 >= tokens.size() || assigned > close) continue;
    const std::size_t end =
        tokens[close + 1].is("{") ? closing_bracket(tokens, close + 1) : find(tokens, ";", close + 1);
    loops.push_back(
        {tokens[assigned - 1].text, tokens[i].line, tokens[std::min(end, tokens.size() - 1)].line});
  }
  return loops;
}

bool mentions(Tokens tokens, int line, std::string_view word) {
  return std::ranges::any_of(tokens,
                             [&](const SourceToken& token) { return token.line == line && token.is(word); });
}

// The innermost loop around the line whose variable the line mentions.
std::optional<Loop> loop_of_index(Tokens tokens, int line) {
  std::optional<Loop> found;
  for (const Loop& loop : loops_in(tokens))
    if (loop.first < line && line <= loop.last && mentions(tokens, line, loop.variable)) found = loop;
  return found;
}

void advise_loop_bound(Hazard& hazard, Tokens tokens) {
  const std::string_view id = hazard.fix.id();
  if (id != "advice_guard_access" && id != "advice_check_shared_index") return;
  if (const auto loop = loop_of_index(tokens, hazard.where.line))
    hazard.fix = msg::advice_loop_bound(Code{std::string(loop->variable)}, loop->first);
}

bool is_byte_type(const SourceToken& token) {
  return token.is("char") || token.is("void") || token.is("byte") || token.is("uint8_t") ||
         token.is("int8_t");
}

// Whether the source declares the name with a type of one byte: `char* name`, `unsigned char name[]`.
bool has_bytes(Tokens tokens, std::string_view name) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!tokens[i].is(name)) continue;
    std::size_t type = i - 1;
    while (type > 0 && (tokens[type].is("*") || tokens[type].is("__restrict__") || tokens[type].is("const")))
      --type;
    if (is_byte_type(tokens[type])) return true;
  }
  return false;
}

// The declaration `T* name = base + … sizeof …;` of a pointer to elements.
struct PointerByBytes {
  std::string_view name;
  int line = 0;
};

std::optional<PointerByBytes> pointer_by_bytes(Tokens tokens, int accessed_in) {
  for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("=") || tokens[i - 1].kind != TokenKind::kWord || !tokens[i - 2].is("*")) continue;
    const Tokens value = tokens.subspan(i + 1, std::min(find(tokens, ";", i), find(tokens, ",", i)) - i - 1);
    const std::string_view name = tokens[i - 1].text;
    const std::size_t plus = find(value, "+", 0), size = find(value, "sizeof", plus);
    if (size == value.size() || has_bytes(tokens, name) || !mentions(tokens, accessed_in, name)) continue;
    const bool counts_bytes = std::ranges::any_of(value.first(plus), [&](const SourceToken& token) {
      return is_byte_type(token) || (token.kind == TokenKind::kWord && has_bytes(tokens, token.text));
    });
    if (!counts_bytes) return PointerByBytes{name, tokens[i - 1].line};
  }
  return std::nullopt;
}

// Past the end by a factor sizeof: a number of bytes was added to a pointer to elements.
void explain_bytes_added(Hazard& hazard, Tokens tokens) {
  if (hazard.what.id() != "access_past_dynamic_shared" && hazard.what.id() != "access_past_end") return;
  const auto pointer = pointer_by_bytes(tokens, hazard.where.line);
  if (!pointer) return;
  hazard.other = SourceLine{hazard.where.file, pointer->line};
  hazard.fix = msg::advice_pointer_counts_elements(pointer->line, Code{std::string(pointer->name)});
}

// ---- races that the compiler may have made -----------------------------------------------------------
bool is_race(const Hazard& hazard) { return hazard.pair != RacePair::kNone; }

bool are_of_the_same_lines(const Hazard& a, const Hazard& b) {
  if (!a.other || !b.other || a.where.file.empty()) return false;
  return (a.where == b.where && *a.other == *b.other) || (a.where == *b.other && *a.other == b.where);
}

bool is_found_in(const std::vector<Hazard>& again, const Hazard& race) {
  return std::ranges::any_of(again, [&](const Hazard& other) {
    const bool is_on_the_same = !race.buffer.empty() && other.buffer == race.buffer;
    return is_race(other) && other.kind == race.kind &&
           (is_on_the_same || are_of_the_same_lines(other, race));
  });
}

}  // namespace

bool want_confirmation(const std::vector<Hazard>& hazards) {
  return std::ranges::any_of(hazards, &Hazard::is_with_plain_load);
}

// Undefines __CUDACC_DEBUG__, so a source that tests for -G cannot show other code than the graded build.
std::string source_as_it_stands(const std::string& source, const std::string& file) {
  return fmt::format("#undef __CUDACC_DEBUG__\n#line 1 \"{}\"\n{}", file, source);
}

std::vector<Hazard> take_unconfirmed(std::vector<Hazard>& hazards, const std::vector<Hazard>& again) {
  const auto taken = std::stable_partition(hazards.begin(), hazards.end(), [&](const Hazard& hazard) {
    return !hazard.is_with_plain_load || is_found_in(again, hazard);
  });
  std::vector<Hazard> unconfirmed(std::make_move_iterator(taken), std::make_move_iterator(hazards.end()));
  hazards.erase(taken, hazards.end());
  return unconfirmed;
}

std::optional<int> return_behind_if(const std::string& source, int line) {
  const std::vector<SourceToken> tokens = compile::tokens_of(source);
  const auto branch = std::ranges::find_if(
      tokens, [line](const SourceToken& token) { return token.line == line && token.is("if"); });
  const std::size_t bracket = find(tokens, "(", static_cast<std::size_t>(branch - tokens.begin()));
  if (bracket == tokens.size()) return std::nullopt;
  return return_in(tokens, closing_bracket(tokens, bracket) + 1);
}

void explain_by_source(std::vector<Hazard>& hazards, const std::string& file, const std::string& source,
                       const Macros& given) {
  for (Hazard& hazard : hazards) {
    if (const auto line = line_of_return(hazard, file, source)) explain_return(hazard, *line);
    if (hazard.where.file != file) continue;
    if (hazard.what.id() == "trap_reached") explain_trap(hazard, source);
    if (hazard.kind == HazardKind::kOutOfBounds) {
      const std::vector<SourceToken> tokens = compile::tokens_of(source);
      advise_loop_bound(hazard, tokens);
      explain_bytes_added(hazard, tokens);
    }
    hazard.what = named_by_rows(hazard.what, hazard.buffer, hazard.where.line, source, given);
  }
}

void advise_kernel_only(std::vector<Hazard>& hazards) {
  for (Hazard& hazard : hazards)
    if (hazard.fix.id() == "advice_set_before_launch") hazard.fix = msg::advice_kernel_writes_first();
}

}  // namespace cudalab::lab
