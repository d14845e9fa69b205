// Replaces calls of llvm.memcpy in LLVM IR text, which has one instruction per line, by vector loads and
// stores:
//   call void @llvm.memcpy.p0.p0.i64(ptr align 16 TO, ptr align 16 FROM, i64 16, i1 false), !dbg !28, …
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "compile/clang/clang.h"

namespace cudalab::compile {
namespace {

constexpr unsigned kVectorBytes = 16, kMostBytes = 128;

// "a, f(b, c)" -> "a", "f(b, c)"
std::vector<std::string_view> arguments_in(std::string_view text) {
  std::vector<std::string_view> arguments;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
    if (c != ',' || depth > 0) continue;
    std::string_view argument = text.substr(begin, i - begin);
    argument.remove_prefix(std::min(argument.find_first_not_of(' '), argument.size()));
    arguments.push_back(argument);
    begin = i + 1;
  }
  return arguments;
}

unsigned number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  unsigned number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + word.size(), text.data() + text.size(), number);
  return number;
}

// The value and the type of an argument such as "ptr noundef align 16 %3"; types are "ptr" and "ptr
// addrspace(3)".
struct Side {
  std::string_view type, value;
};

std::optional<Side> aligned_side(std::string_view argument) {
  constexpr std::string_view kAlign = "align ";
  const std::size_t at = argument.find(kAlign);
  if (at == std::string_view::npos || number_behind(argument, kAlign) % kVectorBytes != 0)
    return std::nullopt;
  const std::size_t space = argument.find(' ', at + kAlign.size());
  if (space == std::string_view::npos) return std::nullopt;
  std::string_view value = argument.substr(space + 1);
  if (value.starts_with("dereferenceable")) return std::nullopt;
  const bool has_space = argument.starts_with("ptr addrspace(");
  return Side{has_space ? argument.substr(0, argument.find(')') + 1) : argument.substr(0, 3), value};
}

// The debug location of the call: ", !dbg !28".
std::string_view debug_location(std::string_view line) {
  const std::size_t at = line.find(", !dbg !");
  if (at == std::string_view::npos) return "";
  return line.substr(at, line.find_first_not_of("0123456789", at + 8) - at);
}

// The lines that replace a call; empty if the line stays. `number` makes the names unique.
std::optional<std::string> as_vectors(std::string_view line, std::size_t number) {
  constexpr std::string_view kCall = "call void @llvm.memcpy.";
  const std::size_t call = line.find(kCall);
  if (call == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.find('(', call), close = line.rfind("i1 false)");
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  const auto arguments = arguments_in(line.substr(open + 1, close - open - 1));
  if (arguments.size() < 3) return std::nullopt;
  const auto to = aligned_side(arguments[0]), from = aligned_side(arguments[1]);
  const unsigned bytes = number_behind(arguments[2], "i64 ");
  if (!to || !from || bytes == 0 || bytes > kMostBytes || bytes % kVectorBytes != 0) return std::nullopt;
  const std::string_view place = debug_location(line);
  std::string loads, stores;
  for (unsigned at = 0; at < bytes; at += kVectorBytes) {
    const std::string name = fmt::format("%cudalab.{}.{}", number, at);
    loads += fmt::format("  {0}.from = getelementptr i8, {1} {2}, i64 {3}{4}\n", name, from->type,
                         from->value, at, place);
    loads += fmt::format("  {0} = load <4 x i32>, {1} {0}.from, align 16{2}\n", name, from->type, place);
    stores += fmt::format("  {0}.to = getelementptr i8, {1} {2}, i64 {3}{4}\n", name, to->type, to->value, at,
                          place);
    stores += fmt::format("  store <4 x i32> {0}, {1} {0}.to, align 16{2}\n", name, to->type, place);
  }
  return loads + stores;
}

}  // namespace

std::string with_vector_copies(const std::string& llvm_text) {
  std::string text;
  text.reserve(llvm_text.size());
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < llvm_text.size(); ++number) {
    const std::size_t end = std::min(llvm_text.find('\n', begin), llvm_text.size() - 1) + 1;
    const std::string_view line = std::string_view(llvm_text).substr(begin, end - begin);
    text += as_vectors(line, number).value_or(std::string(line));
    begin = end;
  }
  return text;
}

}  // namespace cudalab::compile
