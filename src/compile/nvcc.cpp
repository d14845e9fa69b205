// Runs nvcc: CUDA C++ to PTX for files with host code, and whole programs to executables.
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

constexpr ChildLimits kLimitsOfABuild{.cpu_seconds = 300,
                                      .wall_seconds = 300,
                                      .memory_bytes = 12ull << 30,
                                      .output_bytes = 1u << 20,
                                      .file_bytes = 512u << 20};

constexpr const char* kStrangersSource = "program.cu";

std::vector<std::string> options_of_program(const CompileRequest& request) {
  const std::string architecture = fmt::format("compute_{}{}", request.compute_major, request.compute_minor);
  std::vector<std::string> options{"--cudart",  "shared",   "-g",
                                   "-lineinfo", "-gencode", fmt::format("arch={0},code={0}", architecture)};
  add_standard_and_defines(options, request);
  for (const std::string& folder : request.include_directories)
    options.push_back("-I" + absolute_path(folder).string());
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
}

// The words of nvcc where it may read nothing but the system and the folder, which holds the source.
std::vector<std::string> confined(const std::vector<std::string>& words, const fs::path& folder) {
  SandboxPlan plan;
  plan.folder = folder;
  plan.may_write = true;
  plan.file_bytes = kLimitsOfABuild.file_bytes;
  plan.environment = {{"TMPDIR", kSandboxFolder}};
  std::error_code failed;  // the compiler ran a moment ago
  const fs::path toolkit = fs::weakly_canonical(words.front(), failed).parent_path().parent_path();
  if (!toolkit.string().starts_with("/usr/")) plan.shown.emplace_back(toolkit, toolkit.string());
  return in_sandbox(plan, words);
}

// What nvcc is to compile and link: of a single file whatever it is called, of several as their names say.
std::vector<std::string> inputs(const ProgramBuild& build, const fs::path& source) {
  if (build.others.empty()) return {"-x", "cu", source.string()};
  std::vector<std::string> files{source.string()};
  for (const std::string& other : build.others) files.push_back(absolute_path(other).string());
  return files;
}

// nvcc's tries, until one succeeds, and the last one's end. Of one file device code is a whole unless nvcc
// asks for more; that of several is linked, unless each file has device code of the same names for itself.
template <class Run>
ChildEnd first_success(const ProgramBuild& build, const Run& run) {
  constexpr const char *kLinked = "-rdc=true", *kWhole = "";
  if (!build.others.empty()) {
    const ChildEnd linked = run(kLinked);
    if (linked.exit_code == 0) return linked;
    const ChildEnd whole = run(kWhole);
    return whole.exit_code == 0 ? whole : linked;
  }
  const ChildEnd whole = run(kWhole);
  return whole.exit_code != 0 && asks_for_separate_compilation(whole.output) ? run(kLinked) : whole;
}

std::string built(const ProgramBuild& build, const std::vector<std::string>& options) {
  const TemporaryFolder folder("cudalab-build-");
  const fs::path place = build.is_strangers ? fs::path(kSandboxFolder) : folder.path();
  const fs::path source =
      build.is_strangers ? place / kStrangersSource : absolute_path(build.request.file_name);
  const std::vector<std::string> files = inputs(build, source);
  if (build.is_strangers) {
    require_sandbox();
    std::ofstream(folder / kStrangersSource, std::ios::binary) << build.request.source;
    hand_over(folder.path());
  }
  const fs::path program = folder.path() / "program";
  ChildPool pool(kLimitsOfABuild, true);
  const auto run = [&](const char* more) {
    std::vector<std::string> words{build.nvcc.string()};
    words.insert(words.end(), options.begin(), options.end());
    if (*more) words.emplace_back(more);
    words.insert(words.end(), files.begin(), files.end());
    words.insert(words.end(), {"-o", (place / "program").string()});
    pool.start(0, build.is_strangers ? confined(words, folder.path()) : words, folder.path());
    return pool.wait().second;
  };
  const ChildEnd end = first_success(build, run);
  const Message why = msg::nvcc_stopped(build.request.file_name, end.stopped);
  if (end.was_late) throw OutOfTime(why);
  if (!end.stopped.empty()) throw unavailable_error(why);
  if (end.exit_code == 0) return read_bytes(program, CompileCache::kLargestEntry);
  const std::string log = replaced(end.output, source.string(), build.request.file_name);
  throw_first_error(log, build.request.file_name);
}

// What further files have to say for the key; nothing where it cannot be known.
std::optional<std::vector<std::string>> keys_of_others(const ProgramBuild& build) {
  std::vector<std::string> keys;
  for (const std::string& other : build.others) {
    CompileRequest request = build.request;
    request.source = read_text(other);
    request.file_name = other;
    const auto key = cache_key(request, "part", {}, {});
    if (!key) return std::nullopt;
    keys.push_back(*key);
  }
  return keys;
}

}  // namespace

bool has_main(std::string_view source) {
  const std::vector<SourceToken> tokens = tokens_of(source);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i)
    if (tokens[i].kind == TokenKind::kWord && tokens[i].is("main") && tokens[i + 1].is("(") &&
        tokens[i - 1].kind == TokenKind::kWord && !tokens[i - 1].is("return"))
      return true;
  return false;
}

void require_source(const std::string& file) {
  constexpr std::string_view kSources[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  if (std::ranges::find(kSources, fs::path(file).extension().string()) == std::end(kSources))
    throw usage_error(msg::program_source_unknown(file));
}

void build_program(const ProgramBuild& build, const fs::path& to) {
  const std::vector<std::string> options = options_of_program(build.request);
  const fs::path tools[] = {build.nvcc, find_program("g++").value_or("")};
  const CompileCache cache(cache_directory());
  std::vector<std::string> decisive = options;
  std::error_code ignored;  // the program's debug information names the file by its whole path
  decisive.push_back(fs::absolute(build.request.file_name, ignored).string());
  const auto parts = keys_of_others(build);
  if (parts) decisive.insert(decisive.end(), parts->begin(), parts->end());
  const auto key =
      build.is_strangers || !parts ? std::nullopt : cache_key(build.request, "program", tools, decisive);
  auto program = key ? cache.find(*key) : std::nullopt;
  if (!program) {
    program = CompiledSource{.ptx = built(build, options), .file_name = build.request.file_name};
    if (key) cache.store(*key, *program);
  }
  std::ofstream(to, std::ios::binary) << program->ptx;
  std::error_code failed;
  fs::permissions(to, fs::perms::owner_all, failed);
  if (failed) throw unavailable_error(msg::program_not_executable(to.string(), failed.message()));
}

namespace {

// The source under its own name, and behind it the instances of templates that were asked for: taking a
// kernel's address makes it, whatever else the host does.
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
  return run_compiler(words, {"source.cu", source_text(request)}, "source.ptx", request.file_name, folder);
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
