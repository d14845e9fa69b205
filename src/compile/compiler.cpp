// Turns a CompileRequest into NVRTC's options, and what NVRTC says into a CompiledSource or a one-line error.
#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "compile/compile_cache.h"
#include "compile/nvrtc.h"
#include "compile/source_includes.h"
#include "compile/toolkit.h"
#include "core/digest.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

std::shared_ptr<const Nvrtc> require_nvrtc() {
  if (auto nvrtc = Nvrtc::find()) return nvrtc;
  if (const auto place = environment("CUDALAB_NVRTC"))
    throw unavailable_error(
        "no CUDA compiler: CUDALAB_NVRTC={} is no libnvrtc.so.13 or .12 that loads, and no "
        "directory of one; unset it to search the usual places",
        *place);
  throw unavailable_error(
      "no CUDA compiler: libnvrtc.so.13 or .12 was not found; install the CUDA Toolkit "
      "(https://developer.nvidia.com/cuda-downloads) or set CUDA_HOME to where it is");
}

int architecture(const Nvrtc& nvrtc, const CompileRequest& request) {
  const int best = nvrtc.architecture_up_to(10 * request.compute_major + request.compute_minor);
  if (best == 0)
    throw unavailable_error(
        "NVRTC {} no longer compiles for compute capability {}.{}; set CUDA_HOME to an older "
        "CUDA Toolkit, or run with --device virtual",
        nvrtc.version(), request.compute_major, request.compute_minor);
  return best;
}

bool names_a_standard(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("--std=") || option.starts_with("-std=");
  });
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

// ---- the cache's key ---------------------------------------------------------------------------------

// Directories that further options add; nothing where an option includes files that its text does not name.
std::optional<std::vector<std::string>> searched_directories(const CompileRequest& request) {
  std::vector<std::string> directories = request.include_directories;
  for (const std::string& option : request.options) {
    if (option == "-I" || option == "--include-path" || option.find("-include=") != std::string::npos ||
        option.ends_with("-include"))
      return std::nullopt;
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.push_back(option.substr(prefix.size()));
  }
  return directories;
}

// Changes when another version is installed in the same place.
std::string stamp(const fs::path& file) {
  std::error_code ignored;
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

// Everything that the PTX depends on, or nothing where that cannot be known.
std::optional<std::string> cache_key(const CompileRequest& request, const Nvrtc& nvrtc,
                                     const std::vector<std::string>& options,
                                     const std::vector<fs::path>& toolkit_directories) {
  const auto directories = searched_directories(request);
  const auto includes =
      directories ? user_includes(request.source, fs::path(request.file_name).parent_path(), *directories)
                  : std::nullopt;
  if (!includes) return std::nullopt;
  Digester key;
  for (const std::string& field : {request.source, request.file_name, nvrtc.version(), stamp(nvrtc.path())})
    key.add_field(field);
  key.add_field(std::to_string(options.size()));
  for (const std::string& option : options) key.add_field(option);
  for (const fs::path& directory : toolkit_directories) key.add_field(stamp(directory / "cuda.h"));
  key.add_field("names");
  for (const std::string& name : request.name_expressions) key.add_field(name);
  std::error_code ignored;
  // The line table names included files by their absolute paths.
  key.add_field(includes->empty() ? std::string() : fs::current_path(ignored).string());
  for (const auto& [path, content] : *includes) {
    key.add_field(path.string());
    key.add_field(content);
  }
  return key.hex();
}

// ---- messages ----------------------------------------------------------------------------------------

struct Diagnosis {
  std::string place;  // "FILE:LINE"; only the file where the log names no line
  std::string text;   // "error: …"
};

std::string_view line_at(std::string_view log, std::size_t position) {
  const std::size_t before = log.rfind('\n', position);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', position) - begin);
}

// "a.cu(12)" -> "a.cu:12"
std::string place_of(std::string_view location, const std::string& file_name) {
  const std::size_t open = location.rfind('(');
  if (open == std::string_view::npos || !location.ends_with(')')) return file_name;
  return fmt::format("{}:{}", location.substr(0, open),
                     location.substr(open + 1, location.size() - open - 2));
}

// The kernel name that NVRTC could not resolve, from the line of the log that quotes it; empty where none is.
std::string_view unresolved_name(std::string_view log) {
  constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
  const std::size_t at = log.find(kPragma);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kPragma.size();
  return log.substr(begin, log.find('\n', begin) - begin);
}

// LOCATION ': ' ['catastrophic '] 'error' [' #' NUMBER] ': ' TEXT
Diagnosis first_error(std::string_view log, const std::string& file_name) {
  const std::size_t at = std::min(log.find(": error"), log.find(": catastrophic error"));
  if (at == std::string_view::npos) return {file_name, "error: the compiler failed without saying why"};
  const std::string_view line = line_at(log, at);
  const std::string_view location = line.substr(0, line.find(": "));
  const std::string_view text = line.substr(line.find("error"));
  if (location.starts_with("__nv_name_map"))
    return {file_name, fmt::format("error: `{}` names no kernel of this file: {}", unresolved_name(log),
                                   text.substr(text.find(": ") + 2))};
  return {place_of(location, file_name), std::string(text)};
}

[[noreturn]] void throw_compile_error(const CompileRequest& request, const std::string& log,
                                      bool has_headers) {
  const auto [place, text] = first_error(log, request.file_name);
  const bool lacks_header = text.find("open source file") != std::string::npos;
  if (lacks_header && !has_headers)
    throw unavailable_error(
        "{}: {}; the CUDA Toolkit's headers were not found either: install the toolkit, or set "
        "CUDA_HOME to where it is",
        place, text);
  const char* advice = lacks_header
                           ? "; only the toolkit's headers and those beside the kernel can be included: "
                             "remove host headers such as <stdio.h>"
                           : "";
  throw CompileError(fmt::format("{}: {}{}", place, text, advice), log);
}

// ---- line tables -------------------------------------------------------------------------------------

// NVRTC writes absolute paths into `.file`; the source itself shall appear under the name that the request
// gave.
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

CompiledSource run_nvrtc(const CompileRequest& request, const Nvrtc& nvrtc,
                         const std::vector<std::string>& options, bool has_headers) {
  NvrtcProgram program(nvrtc.functions(), request.source, request.file_name);
  for (const std::string& name : request.name_expressions) program.add_name(name);
  const bool compiled = program.compile(options);
  CompiledSource result;
  result.log = program.log();
  if (!compiled) throw_compile_error(request, result.log, has_headers);
  result.file_name = request.file_name;
  result.ptx = with_requested_name(program.ptx(), request.file_name);
  for (const std::string& name : request.name_expressions)
    result.lowered_names[name] = program.lowered_name(name);
  return result;
}

}  // namespace

CompiledSource compile(const CompileRequest& request) {
  const auto nvrtc = require_nvrtc();
  const auto headers = find_toolkit_headers(nvrtc->path());
  const std::vector<fs::path> toolkit_directories = headers ? headers->directories : std::vector<fs::path>();
  const auto options = nvrtc_options(request, architecture(*nvrtc, request), toolkit_directories);
  const CompileCache cache(cache_directory());
  const auto key = cache_key(request, *nvrtc, options, toolkit_directories);
  if (auto known = key ? cache.find(*key) : std::nullopt) return std::move(*known);
  CompiledSource compiled = run_nvrtc(request, *nvrtc, options, headers.has_value());
  if (key) cache.store(*key, compiled);
  return compiled;
}

std::optional<std::string> compiler_version() {
  const auto nvrtc = Nvrtc::find();
  return nvrtc ? std::optional(nvrtc->version()) : std::nullopt;
}

}  // namespace cudalab::compile
