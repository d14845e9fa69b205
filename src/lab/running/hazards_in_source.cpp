#include "lab/running/hazards_in_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cudalab::lab {
namespace {

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The text with blanks in the place of comments and literals; lines stay.
std::string bare(std::string text) {
  enum { kCode, kLine, kBlock, kString } state = kCode;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\n') {
      if (state != kBlock) state = kCode;
      continue;
    }
    if (state == kCode && c == '/' && next == '/') state = kLine;
    if (state == kCode && c == '/' && next == '*') state = kBlock, text[i++] = ' ';
    if (state == kCode && (c == '"' || c == '\'')) {
      state = kString, quote = c;
    } else if (state == kString && c == '\\' && next != '\n') {
      text[i++] = ' ';
    } else if (state == kString && c == quote) {
      state = kCode;
      text[i] = ' ';
    } else if (state == kBlock && c == '*' && next == '/') {
      state = kCode;
      text[i++] = ' ';
      text[i] = ' ';
    }
    if (state != kCode) text[i] = ' ';
  }
  return text;
}

std::size_t begin_of_line(const std::string& text, int line) {
  std::size_t at = 0;
  for (int number = 1; number < line; ++number) {
    at = text.find('\n', at);
    if (at == std::string::npos) return at;
    ++at;
  }
  return at;
}

int line_at(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::size_t find_word(const std::string& text, const std::string& word, std::size_t from, std::size_t end) {
  for (std::size_t at = from; (at = text.find(word, at)) < end; ++at) {
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]);
    const std::size_t behind = at + word.size();
    if (begins && (behind >= text.size() || !is_part_of_word(text[behind]))) return at;
  }
  return std::string::npos;
}

std::size_t skip_blanks(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// Behind the bracket that closes the one at `at`.
std::size_t behind_bracket(const std::string& text, std::size_t at) {
  const char open = text[at], close = open == '(' ? ')' : '}';
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

bool stands_at(const std::string& text, const std::string& word, std::size_t at) {
  return find_word(text, word, at, at + 1) == at;
}

// Of the statement at `at`: `return …;`, or a block that ends with it.
std::optional<int> return_in(const std::string& text, std::size_t at) {
  if (at >= text.size()) return std::nullopt;
  if (stands_at(text, "return", at)) return line_at(text, at);
  if (text[at] != '{') return std::nullopt;
  const std::size_t end = behind_bracket(text, at) - 1;
  std::size_t last = std::string::npos;
  for (std::size_t found = at; (found = find_word(text, "return", found, end)) != std::string::npos; ++found)
    last = found;
  if (last == std::string::npos) return std::nullopt;
  const std::size_t semicolon = text.find(';', last);
  return semicolon < end && skip_blanks(text, semicolon + 1) == end ? std::optional(line_at(text, last))
                                                                    : std::nullopt;
}

std::string text_of_line(const std::string& text, int line) {
  const std::size_t begin = begin_of_line(text, line);
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
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
  hazard.what.erase(std::min(hazard.what.find(": the branch in "), hazard.what.size()));
  hazard.what += fmt::format(": they return in line {}", line);
  hazard.fix =
      "return behind the last barrier, or put only the work into the `if`: a card goes on without threads "
      "that have "
      "ended (PTX manual, barrier: \"non-exited threads\"), and what these should have done for their block "
      "is "
      "missing";
}

// Compilers put a trap where the program's behaviour is undefined for certain.
void explain_trap(Hazard& hazard, const std::string& text) {
  const std::string line = text_of_line(text, hazard.where.line);
  for (const char* word : {"trap", "assert", "asm", "abort", "__brkpt"})
    if (line.find(word) != std::string::npos) return;
  hazard.what =
      "stops at a trap that the compiler has put in the place of this code: it saw that the code stores "
      "through a null "
      "pointer, or does something else that can never be right";
  hazard.fix = "find out why the pointer is null here: it has not been set, or not been passed to the kernel";
}

}  // namespace

std::optional<int> return_behind_if(const std::string& source, int line) {
  const std::string text = bare(source);
  const std::size_t begin = begin_of_line(text, line);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t at = find_word(text, "if", begin, std::min(text.find('\n', begin), text.size()));
  if (at == std::string::npos) return std::nullopt;
  const std::size_t bracket = text.find('(', at);
  if (bracket == std::string::npos) return std::nullopt;
  return return_in(text, skip_blanks(text, behind_bracket(text, bracket)));
}

void explain_by_source(std::vector<Hazard>& hazards, const std::string& file, const std::string& source) {
  for (Hazard& hazard : hazards) {
    if (const auto line = line_of_return(hazard, file, source)) explain_return(hazard, *line);
    if (hazard.kind == HazardKind::kTrap && hazard.where.file == file) explain_trap(hazard, source);
  }
}

void advise_kernel_only(std::vector<Hazard>& hazards) {
  for (Hazard& hazard : hazards)
    if (hazard.kind == HazardKind::kUninitialisedRead && hazard.fix.find("cudaMemset") != std::string::npos)
      hazard.fix =
          "let the kernel write the element before it reads it: the program around the kernel does not fill "
          "it";
}

}  // namespace cudalab::lab
