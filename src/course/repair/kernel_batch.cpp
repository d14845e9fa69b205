// Puts each variant into a namespace of its own. Kernels have C linkage, so their names get a suffix.
#include "course/repair/kernel_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compile/diagnosis.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/sources/source_parts.h"
#include "core/text.h"

namespace cudalab::course {
namespace {

using compile::SourceToken;
using compile::TokenKind;

std::string suffix_of(std::size_t variant) { return fmt::format("_variant{}", variant); }

// Separates #include lines from the rest, because they must not be in a namespace.
struct Pieces {
  std::string includes, text;
};

Pieces pieces_of(const std::string& source, const std::vector<std::string>& kernels,
                 const std::string& suffix) {
  Pieces pieces;
  std::size_t done = 0;
  const auto copy_up_to = [&](std::size_t end) {
    pieces.text += source.substr(done, end - done);
    done = end;
  };
  for (const SourceToken& token : compile::tokens_of(source)) {
    if (token.kind == TokenKind::kDirective && compile::directive_name(token) == "include") {
      copy_up_to(token.begin);
      pieces.includes += std::string(token.text) + "\n";
      done = token.end();
    } else if (token.kind == TokenKind::kWord && std::ranges::find(kernels, token.text) != kernels.end()) {
      copy_up_to(token.end());
      pieces.text += suffix;
    }
  }
  copy_up_to(source.size());
  return pieces;
}

// The lab's code in front of the variant: functions that the kernel calls, other kernels.
std::string text_before(const compile::CompileRequest& request, const std::string& variant) {
  if (!request.source.ends_with(variant)) return "";
  return request.source.substr(0, request.source.size() - variant.size());
}

std::string key_of(const compile::CompileRequest& request, const std::string& before) {
  std::string key = fmt::format("{}.{}\n{}", request.compute_major, request.compute_minor, before);
  for (const std::string& name : request.name_expressions) key += "\n" + name;
  for (const auto& [name, value] : request.defines) key += fmt::format("\n{}={}", name, value);
  for (const std::string& option : request.options) key += "\n" + option;
  return key;
}

}  // namespace

std::vector<std::string> kernel_names(const std::string& source) {
  std::vector<std::string> names;
  const std::vector<SourceToken> tokens = compile::tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__global__")) continue;
    std::size_t at = i + 1;
    while (at + 1 < tokens.size() && !(tokens[at].kind == TokenKind::kWord && tokens[at + 1].is("(") &&
                                       !compile::is_attribute(tokens[at].text)))
      ++at;
    if (at + 1 < tokens.size()) names.emplace_back(tokens[at].text);
  }
  return names;
}

namespace {

// Whether the name contains the suffix as a whole: "_variant1", but not as a part of "_variant12".
bool has_suffix(std::string_view name, std::string_view suffix) {
  for (std::size_t at = name.find(suffix); at != std::string_view::npos; at = name.find(suffix, at + 1))
    if (at + suffix.size() == name.size() || !is_digit(name[at + suffix.size()])) return true;
  return false;
}

// Whether a token of the source declares the name as a type.
bool declares_type(const std::vector<SourceToken>& tokens, std::string_view name) {
  constexpr std::array<std::string_view, 5> kDeclaring{"struct", "class", "enum", "using", "union"};
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].is(name) && std::ranges::find(kDeclaring, tokens[i - 1].text) != kDeclaring.end())
      return true;
  return false;
}

}  // namespace

std::string ptx_of_variant(const std::string& ptx, const std::string& suffix) {
  std::string kept;
  bool is_left_out = false;
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    const std::string_view line = std::string_view(ptx).substr(begin, end - begin);
    begin = end;
    if (const std::size_t entry = line.find(".entry "); entry != std::string_view::npos) {
      const std::string_view name = line.substr(entry + 7);
      const std::string_view kernel = name.substr(0, name.find('('));
      is_left_out = kernel.find("_variant") != std::string_view::npos && !has_suffix(kernel, suffix);
    }
    if (!is_left_out) kept += line;
    if (line.starts_with("}")) is_left_out = false;
  }
  return replaced(std::move(kept), suffix, "");
}

std::string name_in_variant(const std::string& name, const std::string& source, std::size_t variant) {
  const std::string space = fmt::format("variant{}::", variant);
  const std::size_t arguments = std::min(name.find('<'), name.size());
  std::string text = space + name.substr(0, arguments) + suffix_of(variant);
  const std::vector<SourceToken> declared = compile::tokens_of(source);
  for (const SourceToken& token : compile::tokens_of(std::string_view(name).substr(arguments))) {
    const bool is_own = token.kind == TokenKind::kWord && declares_type(declared, token.text);
    text += (is_own ? space : " ") + std::string(token.text);
  }
  return text;
}

// The host looks up a variable by its name without the namespace: "_ZN8variant06addendE" becomes "addend".
std::string with_plain_variables(std::string ptx, std::size_t variant) {
  const std::string space = fmt::format("variant{}", variant);
  const std::string prefix = fmt::format("_ZN{}{}", space.size(), space);
  for (std::size_t at = ptx.find(prefix); at != std::string::npos; at = ptx.find(prefix, at + 1)) {
    std::size_t begin = at + prefix.size(), length = 0;
    for (; begin < ptx.size() && ptx[begin] >= '0' && ptx[begin] <= '9'; ++begin)
      length = length * 10 + static_cast<std::size_t>(ptx[begin] - '0');
    const std::size_t end = begin + length;
    const bool is_variable = length > 0 && end + 1 < ptx.size() && ptx[end] == 'E' && !is_word(ptx[end + 1]);
    if (is_variable) ptx.replace(at, end + 1 - at, ptx.substr(begin, length));
  }
  return ptx;
}

KernelBatch::KernelBatch(std::vector<std::string> sources, Compile compile)
    : sources_(std::move(sources)), compile_(std::move(compile)) {}

std::optional<compile::CompiledSource> KernelBatch::compiled(std::size_t variant,
                                                             const compile::CompileRequest& request) {
  const std::lock_guard lock(mutex_);
  const std::string before = text_before(request, sources_[variant]);
  const auto [found, is_new] = made_.try_emplace(key_of(request, before));
  if (is_new) {
    found->second.resize(sources_.size());
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < sources_.size(); ++i) all.insert(i);
    compile_variants(std::move(all), request, before, found->second);
  }
  return found->second[variant];
}

namespace {

constexpr std::string_view kFilePrefix = "variant-";

// The variants in which the compiler found errors.
std::set<std::size_t> variants_with_errors(const compile::CompileError& error, const std::string& file_name) {
  std::set<std::size_t> found;
  for (const compile::Diagnosis& one : compile::errors_in(error.log(), file_name))
    if (one.where.file.starts_with(kFilePrefix))
      if (const auto variant = natural(std::string_view(one.where.file).substr(kFilePrefix.size())))
        found.insert(*variant);
  return found;
}

}  // namespace

// Leaves out variants that do not compile, and compiles the rest again. Tries NVRTC alone first: with kAuto,
// an error would run nvcc as well, which takes several times as long.
void KernelBatch::compile_variants(std::set<std::size_t> variants, const compile::CompileRequest& request,
                                   const std::string& before, Made& made) {
  compile::CompileRequest all = request;
  if (request.compiler == compile::Compiler::kAuto) all.compiler = compile::Compiler::kNvrtc;
  // Switches to the requested compiler. Returns false if it was in use already.
  const auto falls_back = [&] { return std::exchange(all.compiler, request.compiler) != request.compiler; };
  while (!variants.empty()) {
    all.wants_resources = false;
    all.is_quick = true;
    all.source = before + "\n";
    std::string text;
    for (const std::size_t i : variants) {
      const Pieces pieces = pieces_of(sources_[i], kernel_names(sources_[i]), suffix_of(i));
      if (i == *variants.begin()) all.source = pieces.includes + all.source;
      text +=
          fmt::format("namespace variant{} {{\n#line 1 \"{}{}\"\n{}\n}}\n", i, kFilePrefix, i, pieces.text);
    }
    all.source += text;
    all.name_expressions.clear();
    for (const std::size_t i : variants)
      for (const std::string& name : request.name_expressions)
        all.name_expressions.push_back(name_in_variant(name, sources_[i], i));
    try {
      const compile::CompiledSource compiled = compile_(all);
      for (const std::size_t i : variants) {
        compile::CompiledSource own = compiled;
        own.ptx = with_plain_variables(ptx_of_variant(compiled.ptx, suffix_of(i)), i);
        own.lowered_names.clear();
        for (const std::string& name : request.name_expressions)
          if (const auto found = compiled.lowered_names.find(name_in_variant(name, sources_[i], i));
              found != compiled.lowered_names.end())
            own.lowered_names[name] = replaced(found->second, suffix_of(i), "");
        made[i] = std::move(own);
      }
      return;
    } catch (const compile::CompilerStopped&) {
      return;  // the compiler exceeded its time or memory limit
    } catch (const compile::CompileError& error) {
      const std::set<std::size_t> wrong = variants_with_errors(error, request.file_name);
      if (wrong.empty() && !falls_back()) return;
      for (const std::size_t variant : wrong) variants.erase(variant);
    } catch (const Error&) {
      if (!falls_back()) return;
    }
  }
}

}  // namespace cudalab::course
