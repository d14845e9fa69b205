// Runs nvcc on a copy of the source in a temporary folder.
#include "compile/nvcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "compile/compile_cache.h"
#include "compile/compiler.h"
#include "compile/compiler_program.h"
#include "compile/diagnosis.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/sources/source_parts.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

// The source under its own name, followed by the requested template instances. Taking a kernel's address
// instantiates it.
std::string source_text(const CompileRequest& request) {
  std::string text = marked_source(request);
  if (request.name_expressions.empty()) return text;
  text += "#line 1 \"names\"\nnamespace { void* const cudalab_instances[] __attribute__((used)) = {";
  for (const std::string& name : request.name_expressions) text += fmt::format("(void*)&{}, ", name);
  return text + "}; }\n";
}

std::vector<std::string> options_for(const CompileRequest& request) {
  std::vector<std::string> options{
      "-ptx", "-lineinfo", fmt::format("-arch=compute_{}{}", request.compute_major, request.compute_minor)};
  add_standard_and_defines(options, request);
  std::error_code ignored;
  const fs::path own = fs::absolute(request.file_name, ignored).parent_path();
  options.push_back("-I" + own.string());
  for (const std::string& directory : request.include_directories)
    options.push_back("-I" + fs::absolute(directory, ignored).string());
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
}

ProgramOutcome compile_in(const fs::path& folder, const CompileRequest& request, const fs::path& nvcc,
                          const std::vector<std::string>& options) {
  std::vector<std::string> words{nvcc.string()};
  words.insert(words.end(), options.begin(), options.end());
  return run_compiler(words, {"source.cu", source_text(request)}, "source.ptx", request.file_name, {folder});
}

std::vector<std::string> with(std::vector<std::string> options, const char* more) {
  options.emplace_back(more);
  return options;
}

CompiledSource run_nvcc(const CompileRequest& request, const fs::path& nvcc,
                        const std::vector<std::string>& options) {
  const TemporaryFolder folder("cudalab-nvcc-");
  ProgramOutcome outcome = compile_in(folder.path(), request, nvcc, options);
  if (outcome.made.empty() && asks_for_separate_compilation(outcome.log))
    outcome = compile_in(folder.path(), request, nvcc, with(options, "-rdc=true"));
  if (outcome.made.empty()) throw_first_error(outcome.log, request.file_name);
  CompiledSource compiled{.ptx = std::move(outcome.made),
                          .file_name = request.file_name,
                          .log = std::move(outcome.log),
                          .made_by = Compiler::kNvcc};
  if (request.wants_resources) compiled.resources = resources_by_ptxas(request, compiled.ptx, nvcc);
  compiled.ptx = with_requested_name(std::move(compiled.ptx), request.file_name);
  return compiled;
}

std::optional<fs::path> find_host_compiler() {
  for (const char* name : {"g++", "c++"})
    if (auto found = find_program(name)) return found;
  return std::nullopt;
}

// The environment variables that affect nvcc and the host compiler.
std::string environment_text() {
  std::string text;
  for (const char* name :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"})
    text += fmt::format("\n{}={}", name, environment(name).value_or(""));
  return text;
}

}  // namespace

std::optional<fs::path> find_nvcc() { return find_host_compiler() ? find_program("nvcc") : std::nullopt; }

void add_standard_and_defines(std::vector<std::string>& options, const CompileRequest& request) {
  if (!names_a_standard(request.options)) options.emplace_back("--std=c++17");
  for (const auto& [name, value] : request.defines)
    options.push_back(value.empty() ? "-D" + name : fmt::format("-D{}={}", name, value));
}

CompiledSource compile_with_nvcc(const CompileRequest& request, const fs::path& nvcc) {
  const std::vector<std::string> options = options_for(request);
  const fs::path tools[] = {nvcc, find_host_compiler().value_or("")};
  const CompileCache cache(cache_directory());
  const std::string compiler = request.wants_resources ? "nvcc and ptxas" : "nvcc";
  const auto key = cache_key(request, compiler + environment_text(), tools, options);
  if (auto known = key ? cache.find(*key) : std::nullopt) {
    known->made_by = Compiler::kNvcc;
    return std::move(*known);
  }
  CompiledSource compiled = run_nvcc(request, nvcc, options);
  if (key) cache.store(*key, compiled);
  return compiled;
}

}  // namespace cudalab::compile
