#include "lab/running/hazards_in_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "compile/sources/source_tokens.h"
#include "lab/running/array_shapes.h"

namespace cudalab::lab {
namespace {

using compile::SourceToken;

std::size_t find(std::span<const SourceToken> tokens, std::string_view what, std::size_t from) {
  while (from < tokens.size() && !tokens[from].is(what)) ++from;
  return from;
}

// Of the bracket that closes the one at `at`.
std::size_t closing_bracket(std::span<const SourceToken> tokens, std::size_t at) {
  const std::string_view open = tokens[at].text, close = open == "(" ? ")" : "}";
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    depth += tokens[at].is(open) ? 1 : tokens[at].is(close) ? -1 : 0;
    if (depth == 0) break;
  }
  return at;
}

// Of the statement at `at`: `return …;`, or a block that ends with it.
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

// "… never reach: the branch in line 3 leads them around it, and they end"
void explain_return(Hazard& hazard, int line) {
  hazard.other->line = line;
  const std::string what = hazard.what.text();
  hazard.what = what.substr(0, what.find(": the branch in ")) + fmt::format(": they return in line {}", line);
  hazard.fix =
      "return behind the last barrier, or put only the work into the `if`: a card goes on without threads "
      "that have "
      "ended (PTX manual, barrier: \"non-exited threads\"), and what these should have done for their block "
      "is "
      "missing";
}

// Compilers put a trap where the program's behaviour is undefined for certain.
void explain_trap(Hazard& hazard, const std::string& text) {
  const std::string_view line = text_of_line(text, hazard.where.line);
  for (const char* word : {"trap", "assert", "asm", "abort", "__brkpt"})
    if (line.find(word) != std::string_view::npos) return;
  hazard.what =
      "stops at a trap that the compiler has put in the place of this code: it saw that the code stores "
      "through a null "
      "pointer, or does something else that can never be right";
  hazard.fix = "find out why the pointer is null here: it has not been set, or not been passed to the kernel";
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

// Whoever asks the compiler for -G could have other code there than what is graded.
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
    if (hazard.kind == HazardKind::kTrap) explain_trap(hazard, source);
    hazard.what = named_by_rows(hazard.what.text(), hazard.buffer, hazard.where.line, source, given);
  }
}

void advise_kernel_only(std::vector<Hazard>& hazards) {
  for (Hazard& hazard : hazards)
    if (hazard.kind == HazardKind::kUninitialisedRead && hazard.fix.text().find("cudaMemset") != std::string::npos)
      hazard.fix =
          "let the kernel write the element before it reads it: the program around the kernel does not fill "
          "it";
}

}  // namespace cudalab::lab
