// Builds programs: processes, limits, sandbox, cache, and nvcc's options. clang's steps are in
// clang/clang_program.cpp.
#include "compile/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "compile/clang/clang.h"
#include "compile/clang/clang_program.h"
#include "compile/compile_cache.h"
#include "compile/compiler_program.h"
#include "compile/course_headers.h"
#include "compile/diagnosis.h"
#include "compile/explain/explain.h"
#include "compile/nvcc.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/program_libraries.h"
#include "compile/sources/source_parts.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
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

constexpr const char *kStrangersSource = "program.cu", *kProgram = "program";

void add_headers(const ProgramBuild& build, std::vector<std::string>& options) {
  if (const fs::path headers = nvml_headers_for(build.compiler.path); !headers.empty())
    options.push_back("-I" + headers.string());
}

std::vector<std::string> options_of_program(const ProgramBuild& build) {
  const CompileRequest& request = build.request;
  const std::string architecture = fmt::format("compute_{}{}", request.compute_major, request.compute_minor);
  std::vector<std::string> options{"--cudart",  "shared",   "-g",
                                   "-lineinfo", "-gencode", fmt::format("arch={0},code={0}", architecture)};
  add_standard_and_defines(options, request);
  for (const std::string& folder : request.include_directories)
    options.push_back("-I" + absolute_path(folder).string());
  options.insert(options.end(), request.options.begin(), request.options.end());
  add_headers(build, options);
  return options;
}

// The command line of a compiler in the sandbox, which may read only the system, the files that `build`
// needs, and the folder of the source.
std::vector<std::string> confined(const std::vector<std::string>& words, const ProgramBuild& build,
                                  const fs::path& folder) {
  SandboxPlan plan;
  plan.folder = folder;
  plan.may_write = true;
  plan.file_bytes = kLimitsOfABuild.file_bytes;
  plan.environment = {{"TMPDIR", kSandboxFolder}};
  const auto show = [&plan](const fs::path& path) {
    if (!path.string().starts_with("/usr/")) plan.shown.emplace_back(path, path.string());
  };
  std::error_code failed;  // cannot fail: the compiler ran before
  show(fs::weakly_canonical(words.front(), failed).parent_path().parent_path());
  if (const fs::path headers = course_headers(); !headers.empty()) show(headers);
  if (const fs::path headers = nvml_headers_for(build.compiler.path); !headers.empty()) show(headers);
  if (build.compiler.kind == Compiler::kClang) {
    show(cuda_headers());
    show(build.runtime);
  }
  for (const fs::path& library : libraries_of(build)) show(library);
  return in_sandbox(plan, words);
}

// The input files in nvcc's command line: a single file is always CUDA, several files are compiled by their
// extensions.
std::vector<std::string> inputs(const ProgramBuild& build, const fs::path& source) {
  if (build.others.empty()) return {"-x", "cu", source.string()};
  std::vector<std::string> files{source.string()};
  for (const std::string& other : build.others) files.push_back(absolute_path(other).string());
  return files;
}

// Options of nvcc's for linking with the libraries that the program uses.
std::vector<std::string> library_words(const ProgramBuild& build) {
  // They call functions that only our libcudart has, and nvcc links with NVIDIA's.
  std::vector<std::string> words{"-Xlinker", "--as-needed,--allow-shlib-undefined"};
  for (const fs::path& library : libraries_of(build)) {
    words.push_back("-L" + library.parent_path().string());
    words.push_back("-l:" + library.filename().string());
  }
  return words;
}

// Runs nvcc until an attempt succeeds, and returns the result of the last one. The device code of one file is
// compiled as a whole, unless nvcc asks for separate compilation. Several files are compiled for linking; if
// that fails, because their device code uses the same names, as a whole each.
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

bool has_texture_references(const CompileRequest& request) {
  return std::ranges::any_of(request.options, [](const std::string& option) {
    return option.find("texture_references.h") != std::string::npos;
  });
}

// With --compat texture-references, the advice to use it would mislead.
CompileError without_advice_on_textures(const CompileError& error) {
  Diagnosis diagnosis = error.diagnosis();
  const auto clear = [](Diagnosis& one) {
    if (one.advice.id() == msg::advice_texture_objects().id()) one.advice = {};
  };
  clear(diagnosis);
  std::ranges::for_each(diagnosis.others, clear);
  return {std::move(diagnosis), error.log()};
}

// Runs the compiler's processes in the build's folder.
class Builder {
 public:
  explicit Builder(const ProgramBuild& build) : build_(build), pool_(kLimitsOfABuild, true) {
    folder_ = {own_.path(), build.is_strangers ? fs::path(kSandboxFolder) : own_.path()};
    if (!build.is_strangers) return;
    require_sandbox();
    std::ofstream(own_ / kStrangersSource, std::ios::binary) << build.request.source;
    hand_over(own_.path());
  }

  const BuildFolder& folder() const { return folder_; }
  fs::path source() const {
    return build_.is_strangers ? folder_.inside / kStrangersSource : absolute_path(build_.request.file_name);
  }

  ChildEnd run(const std::vector<std::string>& words) {
    pool_.start(0, build_.is_strangers ? confined(words, build_, own_.path()) : words, own_.path());
    ChildEnd end = pool_.wait().second;
    const Message why = msg::program_compiler_stopped(
        build_.request.file_name, fs::path(words.front()).filename().string(), end.stopped);
    if (end.was_late) throw OutOfTime(why);
    if (!end.stopped.empty()) throw unavailable_error(why);
    return end;
  }
  void require(const ChildEnd& end) const {
    if (end.exit_code == 0) return;
    const std::string log = replaced(end.output, source().string(), build_.request.file_name);
    try {
      if (build_.compiler.kind == Compiler::kClang)
        throw_clang_error(log, build_.request.source, build_.request.file_name);
      throw_first_error(log, build_.request.file_name);
    } catch (const CompileError& error) {
      const CompileError all = explained(error, build_.request.source, build_.request.file_name);
      throw has_texture_references(build_.request) ? without_advice_on_textures(all) : all;
    }
  }

 private:
  const ProgramBuild& build_;
  TemporaryFolder own_{"cudalab-build-"};
  BuildFolder folder_;
  ChildPool pool_;
};

// Returns nvcc's output.
std::string build_with_nvcc(const ProgramBuild& build, Builder& builder) {
  const std::vector<std::string> options = options_of_program(build), files = inputs(build, builder.source());
  const auto run = [&](const char* more) {
    std::vector<std::string> words{build.compiler.path.string()};
    words.insert(words.end(), options.begin(), options.end());
    if (*more) words.emplace_back(more);
    words.insert(words.end(), files.begin(), files.end());
    const std::vector<std::string> libraries = library_words(build);
    words.insert(words.end(), libraries.begin(), libraries.end());
    words.insert(words.end(), {"-o", (builder.folder().inside / kProgram).string()});
    return builder.run(words);
  };
  const ChildEnd end = first_success(build, run);
  builder.require(end);
  return replaced(end.output, builder.source().string(), build.request.file_name);
}

// The program, and the compiler's output.
CompiledSource built(const ProgramBuild& build) {
  Builder builder(build);
  CompiledSource program{.file_name = build.request.file_name};
  if (build.compiler.kind == Compiler::kClang) {
    std::vector<fs::path> files{builder.source()};
    for (const std::string& other : build.others) files.push_back(absolute_path(other));
    build_with_clang(build, files, builder.folder(), [&](const std::vector<std::string>& words) {
      const ChildEnd end = builder.run(words);
      builder.require(end);
      program.log += replaced(end.output, builder.source().string(), build.request.file_name);
    });
  } else {
    program.log = build_with_nvcc(build, builder);
  }
  program.ptx = read_bytes(builder.folder().outside / kProgram, CompileCache::kLargestEntry);
  return program;
}

// The keys of the further files; empty if one cannot be determined.
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

fs::path ProgramCompiler::libraries() const {
  return kind == Compiler::kNvcc ? path.parent_path().parent_path() / "lib64" : fs::path();
}

std::optional<ProgramCompiler> find_program_compiler(Compiler wanted) {
  const Compiler asked = chosen_compiler(wanted);
  if (asked != Compiler::kClang)
    if (auto nvcc = find_nvcc()) return ProgramCompiler{Compiler::kNvcc, *std::move(nvcc)};
  if (asked == Compiler::kNvcc) return std::nullopt;
  if (auto clang = find_clang()) return ProgramCompiler{Compiler::kClang, std::move(clang->path)};
  return std::nullopt;
}

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

BuiltProgram build_program(const ProgramBuild& asked, const fs::path& to) {
  ProgramBuild build = asked;
  const std::vector<std::string> provided = provided_headers(build.request);
  if (!provided.empty())
    for (const fs::path& folder : course_header_folders())
      build.request.include_directories.push_back(folder.string());
  const bool by_clang = build.compiler.kind == Compiler::kClang;
  const fs::path tools[] = {build.compiler.path, by_clang ? build.runtime : find_program("g++").value_or("")};
  const CompileCache cache(cache_directory());
  std::vector<std::string> decisive = by_clang ? clang_host_words(build.request) : options_of_program(build);
  if (by_clang) decisive.push_back(cuda_headers_stamp());
  for (const fs::path& library : libraries_of(build)) decisive.push_back(library.string());
  std::error_code ignored;  // the debug information contains the file's absolute path
  decisive.push_back(fs::absolute(build.request.file_name, ignored).string());
  const auto parts = keys_of_others(build);
  if (parts) decisive.insert(decisive.end(), parts->begin(), parts->end());
  const auto key = build.is_strangers || !parts
                       ? std::nullopt
                       : cache_key(build.request, by_clang ? "program and log by clang" : "program and log",
                                   tools, decisive);
  auto program = key ? cache.find(*key) : std::nullopt;
  if (!program) {
    program = built(build);
    if (key) cache.store(*key, *program);
  }
  std::ofstream(to, std::ios::binary) << program->ptx;
  std::error_code failed;
  fs::permissions(to, fs::perms::owner_all, failed);
  if (failed) throw unavailable_error(msg::program_not_executable(to.string(), failed.message()));
  return {provided, program->log};
}

}  // namespace cudalab::compile
