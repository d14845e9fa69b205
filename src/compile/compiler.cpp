// Compiles CUDA C++ to PTX through NVRTC, and reads the kernels' resource usage from ptxas. Results are
// cached on disk.
#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "compile/clang/clang.h"
#include "compile/compile_cache.h"
#include "compile/course_headers.h"
#include "compile/diagnosis.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "messages/compile.h"
#include "messages/core.h"

namespace cudalab::compile {
namespace fs = std::filesystem;

std::string with_requested_name(std::string ptx, const std::string& file_name) {
  constexpr std::string_view kFile = "\n\t.file\t";
  std::error_code ignored;
  const fs::path wanted = fs::absolute(file_name, ignored).lexically_normal();
  for (std::size_t at = ptx.find(kFile); at != std::string::npos; at = ptx.find(kFile, at + 1)) {
    const std::size_t begin = ptx.find('"', at) + 1, end = ptx.find('"', begin);
    if (begin == 0 || end == std::string::npos) break;
    if (fs::path(ptx.substr(begin, end - begin)).lexically_normal() == wanted)
      ptx.replace(begin, end - begin, file_name);
  }
  return ptx;
}

namespace {

// What ptxas prints for a kernel; with NVRTC, the third line begins with "ptxas         .":
//
//   ptxas info    : Compiling entry function 'SYMBOL' for 'sm_90'
//   ptxas info    : Function properties for SYMBOL
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 256 bytes cumulative stack size, 8192 bytes smem
constexpr std::string_view kPtxas = "ptxas ";
constexpr std::string_view kEntry = "Compiling entry function '", kProperties = "Function properties for ",
                           kUsed = ": Used ";

constexpr ChildLimits kPtxasLimits{.cpu_seconds = 60,
                                   .wall_seconds = 60,
                                   .memory_bytes = 4ull << 30,
                                   .output_bytes = 4u << 20,
                                   .file_bytes = 256u << 20};

// The text after `before`, up to `end`; empty if the line does not contain it.
std::optional<std::string_view> behind(std::string_view line, std::string_view before, char end) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find(end));
}

// The number before `unit`: 32 of "Used 32 registers, used 1 barriers", for " registers".
template <class T = std::uint64_t>
std::optional<T> number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  T number = 0;
  const auto [stopped, error] = std::from_chars(line.data() + begin, line.data() + end, number);
  return error == std::errc() && stopped == line.data() + end ? std::optional(number) : std::nullopt;
}

// Reads the log line by line. Functions that are not inlined have properties, too, but are not entries.
class LogReader {
 public:
  void read(std::string_view line) {
    if (const auto symbol = behind(line, kEntry, '\'')) return begin_entry(*symbol);
    if (const auto symbol = behind(line, kProperties, '\n')) {
      properties_of_entry_ = *symbol == symbol_;
      return;
    }
    if (number_before(line, " bytes stack frame")) return read_properties(line);
    if (line.find(kUsed) != std::string_view::npos) read_use(line);
  }
  ResourcesBySymbol take() { return std::move(found_); }

 private:
  void begin_entry(std::string_view symbol) {
    symbol_ = symbol;
    now_ = {};
    properties_of_entry_ = has_properties_ = false;
  }
  void read_properties(std::string_view line) {
    if (!std::exchange(properties_of_entry_, false)) return;
    const auto stores = number_before(line, " bytes spill stores");
    const auto loads = number_before(line, " bytes spill loads");
    if (!stores || !loads) return;
    now_.stack_bytes = *number_before(line, " bytes stack frame");
    now_.spill_store_bytes = *stores;
    now_.spill_load_bytes = *loads;
    has_properties_ = true;
  }
  void read_use(std::string_view line) {
    const auto registers = number_before<int>(line, " registers");
    if (!registers || !has_properties_ || symbol_.empty()) return;
    now_.registers = *registers;
    now_.shared_bytes = number_before(line, " bytes smem").value_or(0);
    now_.stack_bytes = number_before(line, " bytes cumulative stack size").value_or(now_.stack_bytes);
    found_.insert_or_assign(std::string(symbol_), now_);
    symbol_ = {};
  }

  std::string_view symbol_;  // the entry that the next lines are about; empty: none
  KernelResources now_;
  bool properties_of_entry_ = false, has_properties_ = false;
  ResourcesBySymbol found_;
};

}  // namespace

ResourcesBySymbol resources_in(std::string_view log) {
  LogReader reader;
  while (!log.empty()) reader.read(take_line(log));
  return reader.take();
}

std::string without_ptxas(std::string_view log) {
  std::string kept;
  while (!log.empty()) {
    const bool ends = log.find('\n') != std::string_view::npos;
    const std::string_view line = take_line(log);
    if (line.starts_with(kPtxas) || number_before(line, " bytes stack frame")) continue;
    kept += line;
    if (ends) kept += '\n';
  }
  std::erase(kept, '\0');  // NVRTC puts zeros between its own words and those of ptxas
  return kept.find_first_not_of('\n') == std::string::npos ? "" : kept;
}

// ptxas may refuse without an error message; NVRTC names an option that it does not know.
bool concerns_machine_code(std::string_view log) {
  const std::string words = without_ptxas(log);
  return words.find("error:") == std::string::npos || words.starts_with("nvrtc: error:");
}

ResourcesBySymbol resources_by_ptxas(const CompileRequest& request, const std::string& ptx,
                                     const fs::path& nvcc) {
  const fs::path ptxas = nvcc.parent_path() / "ptxas";
  std::error_code ignored;
  if (!fs::exists(ptxas, ignored)) return {};
  const TemporaryFolder folder("cudalab-ptxas-");
  const fs::path file = folder.path() / "kernels.ptx";
  std::ofstream(file, std::ios::binary) << ptx;
  ChildPool pool(kPtxasLimits);
  pool.start(0,
             {ptxas.string(), kPtxasVerbose,
              fmt::format("-arch=sm_{}{}", request.compute_major, request.compute_minor), "-o",
              (folder.path() / "kernels.cubin").string(), file.string()},
             folder.path());
  const ChildEnd end = pool.wait().second;
  return end.exit_code == 0 && end.stopped.empty() ? resources_in(end.output) : ResourcesBySymbol{};
}

namespace {

FoundNvrtc require_nvrtc() {
  FoundNvrtc nvrtc = found_nvrtc();
  if (nvrtc.is_found()) return nvrtc;
  const Argument::List passed_over(nvrtc.passed_over.begin(), nvrtc.passed_over.end());
  if (const auto place = environment("CUDALAB_NVRTC"))
    throw unavailable_error(passed_over.empty() ? msg::nvrtc_place_unusable(*place)
                                                : msg::nvrtc_place_unusable_because(*place, passed_over));
  throw unavailable_error(passed_over.empty() ? msg::nvrtc_missing()
                                              : msg::nvrtc_missing_because(passed_over));
}

int architecture(const FoundNvrtc& nvrtc, const CompileRequest& request) {
  int best = nvrtc.architecture_up_to(10 * request.compute_major + request.compute_minor);
  if (best == 0 && request.is_interpreted) best = nvrtc.lowest_architecture();
  if (best == 0)
    throw unavailable_error(msg::nvrtc_too_new(
        nvrtc.version, fmt::format("{}.{}", request.compute_major, request.compute_minor)));
  return best;
}

std::vector<std::string> nvrtc_options(const CompileRequest& request, const FoundNvrtc& nvrtc,
                                       int architecture, const std::vector<fs::path>& toolkit_directories) {
  std::vector<std::string> options{fmt::format("--gpu-architecture=compute_{}", architecture), "-lineinfo"};
  if (!names_a_standard(request.options)) options.emplace_back("--std=c++17");
  for (const auto& [name, value] : request.defines)
    options.push_back(value.empty() ? fmt::format("-D{}", name) : fmt::format("-D{}={}", name, value));
  for (const std::string& directory : request.include_directories)
    options.push_back("--include-path=" + directory);
  options.insert(options.end(), request.options.begin(), request.options.end());
  constexpr int kFirstWithFastCompile = 13;
  if (request.is_quick && std::atoi(nvrtc.version.c_str()) >= kFirstWithFastCompile)
    options.emplace_back("--Ofast-compile=mid");
  for (const fs::path& directory : toolkit_directories)
    options.push_back("--include-path=" + directory.string());
  return options;
}

// The options for machine code in addition to the unchanged PTX, and for ptxas's report.
std::vector<std::string> with_machine_code(std::vector<std::string> options) {
  constexpr std::string_view kPtxAlone = "--gpu-architecture=compute_";
  for (std::string& option : options)
    if (option.starts_with(kPtxAlone)) option.replace(0, kPtxAlone.size(), "--gpu-architecture=sm_");
  options.emplace_back(kNvrtcVerbose);
  return options;
}

// ---- messages ----------------------------------------------------------------------------------------

[[noreturn]] void throw_compile_error(const CompileRequest& request, const std::string& log,
                                      bool has_headers) {
  Diagnosis diagnosis = first_error(log, request.file_name);
  if (diagnosis.lacks_header && !has_headers)
    throw unavailable_error(
        msg::message_and_addition(diagnosis.message(), msg::advice_install_toolkit_headers()));
  if (diagnosis.lacks_header) diagnosis.advice = msg::advice_toolkit_headers_only();
  throw CompileError(std::move(diagnosis), log);
}

CompiledSource run_nvrtc(const CompileRequest& request, const FoundNvrtc& nvrtc,
                         std::vector<std::string> options, bool has_headers, bool is_separate = false) {
  constexpr const char* kSeparate = "--relocatable-device-code=true";
  if (is_separate) options.emplace_back(kSeparate);
  NvrtcOutcome outcome = compile_aside({.library = nvrtc.path,
                                        .folder = absolute_path("."),
                                        .source = request.source,
                                        .file_name = request.file_name,
                                        .options = options,
                                        .name_expressions = request.name_expressions,
                                        .headers = request.headers});
  const bool may_launch = request.source.find("<<<") != std::string::npos;
  if (!outcome.compiled && !is_separate && (may_launch || asks_for_separate_compilation(outcome.log)))
    return run_nvrtc(request, nvrtc, std::move(options), has_headers, true);
  if (!outcome.compiled) throw_compile_error(request, outcome.log, has_headers);
  return {.ptx = with_requested_name(std::move(outcome.ptx), request.file_name),
          .file_name = request.file_name,
          .lowered_names = std::move(outcome.lowered_names),
          .log = std::move(outcome.log)};
}

// The functions that kernels call, and the registers that they need, are known only after linking.
bool is_linked_later(const CompiledSource& compiled, const std::vector<std::string>& options) {
  const auto asks = [](const std::string& option) {
    return option.find("rdc=true") != std::string::npos ||
           option.find("relocatable-device-code=true") != std::string::npos;
  };
  return compiled.ptx.find(".extern .func") != std::string::npos || std::ranges::any_of(options, asks);
}

// If ptxas refuses the PTX, the PTX is still returned.
CompiledSource run_nvrtc_and_ptxas(const CompileRequest& request, const FoundNvrtc& nvrtc,
                                   const std::vector<std::string>& options, bool has_headers) {
  try {
    CompiledSource compiled = run_nvrtc(request, nvrtc, with_machine_code(options), has_headers);
    if (!is_linked_later(compiled, options)) compiled.resources = resources_in(compiled.log);
    compiled.log = without_ptxas(compiled.log);
    return compiled;
  } catch (const CompilerStopped& stopped) {
    // After one timeout, the compilation is not repeated.
    if (stopped.cause() == CompilerStopped::kTime) throw;
    return run_nvrtc(request, nvrtc, options, has_headers);
  } catch (const CompileError& error) {
    if (!concerns_machine_code(error.log())) throw;
    return run_nvrtc(request, nvrtc, options, has_headers);
  }
}

}  // namespace

bool names_a_standard(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("--std=") || option.starts_with("-std=");
  });
}

void CompilerChoice::add_to(CompileRequest& request) const {
  request.compiler = compiler;
  request.include_directories.insert(request.include_directories.end(), include_directories.begin(),
                                     include_directories.end());
  if (!standard.empty()) request.options.push_back("--std=" + standard);
  if (has_texture_references)
    request.options.push_back("--pre-include=" + texture_references_header().string());
}

CompiledSource compile(const CompileRequest& request) {
  const FoundNvrtc nvrtc = require_nvrtc();
  const auto headers = find_toolkit_headers(nvrtc.path);
  const std::vector<fs::path> toolkit_directories = headers ? headers->directories : std::vector<fs::path>();
  const int best = architecture(nvrtc, request);
  const auto options = nvrtc_options(request, nvrtc, best, toolkit_directories);
  const bool for_card = request.wants_resources && best == 10 * request.compute_major + request.compute_minor;
  const CompileCache cache(cache_directory());
  std::vector<fs::path> tools{nvrtc.path};
  for (const fs::path& directory : toolkit_directories) tools.push_back(directory / "cuda.h");
  const auto key =
      cache_key(request, "nvrtc " + nvrtc.version, tools, for_card ? with_machine_code(options) : options);
  if (auto known = key ? cache.find(*key) : std::nullopt) return std::move(*known);
  CompiledSource compiled = for_card ? run_nvrtc_and_ptxas(request, nvrtc, options, headers.has_value())
                                     : run_nvrtc(request, nvrtc, options, headers.has_value());
  if (key) cache.store(*key, compiled);
  return compiled;
}

void require_compiler() { require_nvrtc(); }

bool has_compiler() {
  return found_nvrtc().is_found() || (!environment("CUDALAB_NVRTC") && find_clang().has_value());
}

std::optional<std::string> compiler_version() {
  const FoundNvrtc nvrtc = found_nvrtc();
  return nvrtc.is_found() ? std::optional(nvrtc.version) : std::nullopt;
}

}  // namespace cudalab::compile
