// Runs nvcc on a copy of the source in a folder of its own, and reads what it wrote.
#include "compile/nvcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "compile/cache_key.h"
#include "compile/compile_cache.h"
#include "compile/diagnosis.h"
#include "compile/line_files.h"
#include "compile/nvrtc/compile_limits.h"
#include "compile/resources.h"
#include "compile/sources/removed_apis.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/temporary_folder.h"
#include "core/text.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// Besides those of compile/nvrtc/compile_limits.h.
constexpr CompileLimits kUsual{.memory_mib = 8192};
constexpr std::uint64_t kMostOutput = 1u << 20, kLargestFile = 256u << 20;

ChildLimits child_limits() {
  const CompileLimits limits = compile_limits(kUsual);
  return {.cpu_seconds = limits.seconds,
          .wall_seconds = limits.seconds,
          .memory_bytes = static_cast<std::uint64_t>(limits.memory_mib) << 20,
          .output_bytes = kMostOutput,
          .file_bytes = kLargestFile};
}

// An escape for a string literal of C.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

// The source under its own name, and behind it the instances of templates that were asked for: taking a
// kernel's address makes it, whatever else the host does.
std::string source_text(const CompileRequest& request) {
  std::error_code ignored;
  std::string text = fmt::format("#line 1 {}\n{}\n",
                                 quoted(fs::absolute(request.file_name, ignored).lexically_normal().string()),
                                 request.source);
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

std::string compile_in(const fs::path& folder, const CompileRequest& request, const fs::path& nvcc,
                       const std::vector<std::string>& options, std::string& log) {
  const fs::path source = folder / "source.cu", ptx = folder / "source.ptx";
  std::ofstream(source, std::ios::binary) << source_text(request);
  std::vector<std::string> words{nvcc.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-o", ptx.string(), source.string()});
  ChildPool pool(child_limits(), true);
  pool.start(0, words, folder);
  const ChildEnd end = pool.wait().second;
  log = end.output;
  if (end.was_late) throw CompilerStopped(request.file_name, CompilerStopped::kTime, compile_limits(kUsual));
  if (!end.stopped.empty())
    throw CompilerStopped(request.file_name, CompilerStopped::kCrash, compile_limits(kUsual), end.stopped);
  if (says_out_of_memory(log))
    throw CompilerStopped(request.file_name, CompilerStopped::kMemory, compile_limits(kUsual));
  return end.exit_code == 0 ? read_file(ptx).value_or("") : "";
}

// Paths of the log as the user gave them.
std::string with_own_names(std::string log, const std::string& file_name) {
  std::error_code ignored;
  return replaced(std::move(log), fs::absolute(file_name, ignored).lexically_normal().string(), file_name);
}

std::vector<std::string> with(std::vector<std::string> options, const char* more) {
  options.emplace_back(more);
  return options;
}

CompiledSource run_nvcc(const CompileRequest& request, const fs::path& nvcc,
                        const std::vector<std::string>& options) {
  const TemporaryFolder folder("cudalab-nvcc-");
  CompiledSource compiled{.file_name = request.file_name, .made_by = Compiler::kNvcc};
  compiled.ptx = compile_in(folder.path(), request, nvcc, options, compiled.log);
  if (compiled.ptx.empty() && asks_for_separate_compilation(compiled.log))
    compiled.ptx = compile_in(folder.path(), request, nvcc, with(options, "-rdc=true"), compiled.log);
  compiled.log = with_own_names(compiled.log, request.file_name);
  if (compiled.ptx.empty()) {
    const Diagnosis diagnosis = first_error(compiled.log, request.file_name);
    throw CompileError(
        fmt::format("{}: {}{}", diagnosis.place, diagnosis.text, advice_on_removed(diagnosis.text)),
        compiled.log);
  }
  if (request.wants_resources) compiled.resources = resources_by_ptxas(request, compiled.ptx, nvcc);
  compiled.ptx = with_requested_name(std::move(compiled.ptx), request.file_name);
  return compiled;
}

std::optional<fs::path> find_host_compiler() {
  for (const char* name : {"g++", "c++"})
    if (auto found = find_program(name)) return found;
  return std::nullopt;
}

// What nvcc and the host's compiler read besides their options.
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
