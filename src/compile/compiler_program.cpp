// Files, processes and limits of compilers that are separate programs.
#include "compile/compiler_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "compile/diagnosis.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMostOutput = 1u << 20, kLargestFile = 256u << 20;

// The text as a C string literal.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

// The command in the sandbox, where the compiler can write in the place's folder only.
std::vector<std::string> confined(const std::vector<std::string>& words, const CompilerPlace& place) {
  SandboxPlan plan;
  plan.folder = place.folder;
  plan.may_write = true;
  plan.file_bytes = kLargestFile;
  plan.memory_bytes = static_cast<std::uint64_t>(kProgramLimits.memory_mib) << 20;
  plan.environment = {{"TMPDIR", kSandboxFolder}};
  for (const fs::path& shown : *place.sandbox)
    if (!shown.string().starts_with("/usr/")) plan.shown.emplace_back(shown, shown.string());
  hand_over(place.folder);
  return in_sandbox(plan, words);
}

}  // namespace

Compiler chosen_compiler(Compiler asked) {
  const auto named = environment(kCompilerVariable);
  if (asked != Compiler::kAuto || !named) return asked;
  if (const auto compiler = value_called(*named, kCompilerNames)) return *compiler;
  throw usage_error(msg::compiler_variable_wrong(kCompilerVariable, *named));
}

ChildLimits compiler_child_limits() {
  const CompileLimits limits = compile_limits(kProgramLimits);
  return {.cpu_seconds = limits.seconds,
          .wall_seconds = limits.seconds,
          .memory_bytes = static_cast<std::uint64_t>(limits.memory_mib) << 20,
          .output_bytes = kMostOutput,
          .file_bytes = kLargestFile};
}

bool makes_all_device_code(const CompileRequest& request) {
  return std::ranges::any_of(request.options, [](const std::string& option) {
    return option == "-default-device" || option == "--device-as-default-execution-space";
  });
}

std::string full_name(const std::string& file_name) {
  std::error_code ignored;
  return fs::absolute(file_name, ignored).lexically_normal().string();
}

std::string marked_source(const CompileRequest& request) {
  return fmt::format("#line 1 {}\n{}\n", quoted(full_name(request.file_name)), request.source);
}

ProgramOutcome run_compiler(const std::vector<std::string>& words, const SourceFile& source,
                            const std::string& result, const std::string& file_name,
                            const CompilerPlace& place) {
  const fs::path& folder = place.folder;
  const fs::path inside = place.sandbox ? fs::path(kSandboxFolder) : folder;
  std::ofstream(folder / source.name, std::ios::binary) << source.text;
  std::vector<std::string> command = words;
  command.insert(command.end(), {"-o", (inside / result).string(), (inside / source.name).string()});
  ChildPool pool(compiler_child_limits(), true);
  pool.start(0, place.sandbox ? confined(command, place) : command, folder);
  const ChildEnd end = pool.wait().second;
  const CompileLimits limits = compile_limits(kProgramLimits);
  if (end.was_late) throw CompilerStopped(file_name, CompilerStopped::kTime, limits);
  if (!end.stopped.empty()) throw CompilerStopped(file_name, CompilerStopped::kCrash, limits, end.stopped);
  if (says_out_of_memory(end.output)) throw CompilerStopped(file_name, CompilerStopped::kMemory, limits);
  return {end.exit_code == 0 ? read_file(folder / result).value_or("") : "",
          replaced(end.output, full_name(file_name), file_name)};
}

void throw_first_error(const std::string& log, const std::string& file_name) {
  throw CompileError(first_error(log, file_name), log);
}

}  // namespace cudalab::compile
