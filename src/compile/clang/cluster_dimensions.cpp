// __cluster_dims__: no version of clang that we support knows it. Our header makes it an annotation, which
// LLVM IR keeps in a list:
//   @.args = private unnamed_addr constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
//   @llvm.global.annotations = appending global [1 x {…}] [{…} { ptr @kernel, ptr @.str, ptr @.str1, i32 2,
//   ptr @.args }]
// The PTX of the kernel gets the directives that nvcc writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "compile/clang/clang.h"
#include "core/text.h"

namespace cudalab::compile {
namespace {

using Dimensions = std::array<unsigned, 3>;
constexpr std::string_view kAnnotation = "c\"cudalab.cluster_dims\\00\"";

std::string_view name_in(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_of(" ,}", at), text.size());
  return text.substr(at, end - at);
}

// The names of the globals ("@.str") whose definition contains `sign`.
std::vector<std::string_view> globals_with(std::string_view llvm_text, std::string_view sign) {
  std::vector<std::string_view> names;
  for (std::size_t at = llvm_text.find(sign); at != llvm_text.npos; at = llvm_text.find(sign, at + 1)) {
    const std::size_t line = llvm_text.rfind('\n', at) + 1;
    names.push_back(name_in(llvm_text, line));
  }
  return names;
}

// The values of "@.args = … constant { i32, i32 } { i32 2, i32 1 }, …".
Dimensions dimensions_of(std::string_view llvm_text, std::string_view global) {
  Dimensions dimensions{1, 1, 1};
  const std::size_t line = llvm_text.find(fmt::format("\n{} = ", global));
  if (line == llvm_text.npos) return dimensions;
  std::string_view rest = llvm_text.substr(line + 1);
  rest = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.rfind('{'), rest.size()));
  for (unsigned& dimension : dimensions) {
    const std::size_t at = rest.find("i32 ");
    if (at == rest.npos) break;
    rest.remove_prefix(at + 4);
    std::from_chars(rest.data(), rest.data() + rest.size(), dimension);
  }
  return dimensions;
}

std::map<std::string, Dimensions> dimensions_in(std::string_view llvm_text) {
  std::map<std::string, Dimensions> found;
  const std::size_t list = llvm_text.find("\n@llvm.global.annotations = ");
  if (list == llvm_text.npos) return found;
  const std::vector<std::string_view> signs = globals_with(llvm_text, kAnnotation);
  const std::string_view entries = llvm_text.substr(list + 1, llvm_text.find('\n', list + 1) - list - 1);
  for (std::size_t at = entries.find("{ ptr @"); at != entries.npos; at = entries.find("{ ptr @", at + 1)) {
    const auto fields = split(entries.substr(at, entries.find('}', at) - at), ',');
    if (fields.size() < 5) continue;
    const auto global = [](std::string_view field) { return name_in(field, field.find('@')); };
    if (std::ranges::count(signs, global(fields[1])))
      found[std::string(global(fields[0]).substr(1))] = dimensions_of(llvm_text, global(fields[4]));
  }
  return found;
}

}  // namespace

std::string with_cluster_dimensions(std::string ptx, std::string_view llvm_text) {
  if (llvm_text.find(kAnnotation) == llvm_text.npos) return ptx;
  for (const auto& [kernel, size] : dimensions_in(llvm_text)) {
    const std::size_t entry = ptx.find(fmt::format(".entry {}(", kernel));
    const std::size_t body = entry == ptx.npos ? entry : ptx.find("\n{", entry);
    if (body != ptx.npos)
      ptx.insert(body,
                 fmt::format("\n.explicitcluster\n.reqnctapercluster {}, {}, {}", size[0], size[1], size[2]));
  }
  return ptx;
}

}  // namespace cudalab::compile
