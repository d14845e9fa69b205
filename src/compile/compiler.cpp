// Turns a CompileRequest into NVRTC's options, and what NVRTC says into a CompiledSource or a one-line error.
#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "compile/cache_key.h"
#include "compile/compile_cache.h"
#include "compile/diagnosis.h"
#include "compile/line_files.h"
#include "compile/nvrtc/compile_limits.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/resources.h"
#include "compile/sources/removed_apis.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// " (FILE lacks nvrtcGetPTX)", where there is one that will not do.
std::string what_was_passed_over(const FoundNvrtc& nvrtc) {
  return nvrtc.passed_over.empty() ? "" : fmt::format(" ({})", joined(nvrtc.passed_over));
}

FoundNvrtc require_nvrtc() {
  FoundNvrtc nvrtc = found_nvrtc();
  if (nvrtc.is_found()) return nvrtc;
  if (const auto place = environment("CUDALAB_NVRTC"))
    throw unavailable_error(
        "no CUDA compiler: CUDALAB_NVRTC={} is no libnvrtc.so.13 or .12 that loads, and no "
        "directory of one{}; unset it to search the usual places",
        *place, what_was_passed_over(nvrtc));
  throw unavailable_error(
      "no CUDA compiler: libnvrtc.so.13 or .12 was not found{}; `cudalab doctor` names the small package "
      "that "
      "has it, or set CUDA_HOME to where a CUDA Toolkit is",
      what_was_passed_over(nvrtc));
}

int architecture(const FoundNvrtc& nvrtc, const CompileRequest& request) {
  int best = nvrtc.architecture_up_to(10 * request.compute_major + request.compute_minor);
  if (best == 0 && request.is_interpreted) best = nvrtc.lowest_architecture();
  if (best == 0)
    throw unavailable_error(
        "NVRTC {} no longer compiles for compute capability {}.{}; set CUDA_HOME to an older "
        "CUDA Toolkit, or run with --device virtual",
        nvrtc.version, request.compute_major, request.compute_minor);
  return best;
}

std::vector<std::string> nvrtc_options(const CompileRequest& request, int architecture,
                                       const std::vector<fs::path>& toolkit_directories) {
  std::vector<std::string> options{fmt::format("--gpu-architecture=compute_{}", architecture), "-lineinfo"};
  if (!names_a_standard(request.options)) options.emplace_back("--std=c++17");
  for (const auto& [name, value] : request.defines)
    options.push_back(value.empty() ? fmt::format("-D{}", name) : fmt::format("-D{}={}", name, value));
  for (const std::string& directory : request.include_directories)
    options.push_back("--include-path=" + directory);
  options.insert(options.end(), request.options.begin(), request.options.end());
  for (const fs::path& directory : toolkit_directories)
    options.push_back("--include-path=" + directory.string());
  return options;
}

// For machine code beside the PTX, which stays the same, and what ptxas says about it.
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
  const Diagnosis diagnosis = first_error(log, request.file_name);
  const auto& [place, text] = diagnosis;
  const bool lacks = lacks_header(diagnosis);
  if (lacks && !has_headers)
    throw unavailable_error(
        "{}: {}; the CUDA Toolkit's headers were not found either: install the toolkit, or set "
        "CUDA_HOME to where it is",
        place, text);
  const std::string advice =
      lacks ? "; only the toolkit's headers and those beside the kernel can be included: "
              "remove host headers such as <stdio.h>"
            : advice_on_removed(text);
  throw CompileError(fmt::format("{}: {}{}", place, text, advice), log);
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

// The functions that kernels call then, and the registers that these take, are not known yet.
bool is_linked_later(const CompiledSource& compiled, const std::vector<std::string>& options) {
  const auto asks = [](const std::string& option) {
    return option.find("rdc=true") != std::string::npos ||
           option.find("relocatable-device-code=true") != std::string::npos;
  };
  return compiled.ptx.find(".extern .func") != std::string::npos || std::ranges::any_of(options, asks);
}

// What ptxas refuses has PTX all the same.
CompiledSource run_nvrtc_and_ptxas(const CompileRequest& request, const FoundNvrtc& nvrtc,
                                   const std::vector<std::string>& options, bool has_headers) {
  try {
    CompiledSource compiled = run_nvrtc(request, nvrtc, with_machine_code(options), has_headers);
    if (!is_linked_later(compiled, options)) compiled.resources = resources_in(compiled.log);
    compiled.log = without_ptxas(compiled.log);
    return compiled;
  } catch (const CompilerStopped& stopped) {
    if (stopped.cause() == CompilerStopped::kTime) throw;  // who waits once for that long does not wait twice
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
}

CompiledSource compile(const CompileRequest& request) {
  const FoundNvrtc nvrtc = require_nvrtc();
  const auto headers = find_toolkit_headers(nvrtc.path);
  const std::vector<fs::path> toolkit_directories = headers ? headers->directories : std::vector<fs::path>();
  const int best = architecture(nvrtc, request);
  const auto options = nvrtc_options(request, best, toolkit_directories);
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

std::optional<std::string> compiler_version() {
  const FoundNvrtc nvrtc = found_nvrtc();
  return nvrtc.is_found() ? std::optional(nvrtc.version) : std::nullopt;
}

}  // namespace cudalab::compile
