// An entry of the cache holds the program's bytes where others hold PTX.
#include "compile/program_build.h"

#include <algorithm>
#include <fstream>

#include "compile/cache_key.h"
#include "compile/compile_cache.h"
#include "compile/diagnosis.h"
#include "compile/nvcc.h"
#include "compile/sources/removed_apis.h"
#include "compile/sources/source_tokens.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/out_of_time.h"
#include "core/processes/sandbox.h"
#include "core/temporary_folder.h"
#include "core/text.h"

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
  const std::string why = fmt::format("{}: nvcc {}", build.request.file_name, end.stopped);
  if (end.was_late) throw OutOfTime(why);
  if (!end.stopped.empty()) throw unavailable_error("{}", why);
  if (end.exit_code == 0) return read_bytes(program, CompileCache::kLargestEntry);
  const std::string log = replaced(end.output, source.string(), build.request.file_name);
  const Diagnosis diagnosis = first_error(log, build.request.file_name);
  throw CompileError(
      fmt::format("{}: {}{}", diagnosis.place, diagnosis.text, advice_on_removed(diagnosis.text)), log);
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
    throw usage_error(
        "{}: a program is built of .cu, .cpp, .cc, .cxx and .c files; headers are found where they are "
        "included, and the program's own arguments stand behind `--`",
        file);
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
  if (failed) throw unavailable_error("cannot make {} a program: {}", to.string(), failed.message());
}

}  // namespace cudalab::compile
