// Joins the scan for host code to the compiler, and its findings to the compiler's errors.
#include "compile/compile_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "compile/diagnosis.h"
#include "compile/nvcc.h"
#include "compile/nvrtc/compile_limits.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/shipped_kernels.h"
#include "compile/sources/removed_apis.h"
#include "compile/sources/user_headers.h"
#include "compile/toolkit.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

HeaderDirectories header_directories(const CompileRequest& request) {
  HeaderDirectories searched;
  std::vector<fs::path>& directories = searched.users;
  directories.push_back(fs::path(request.file_name).parent_path());
  for (const std::string& directory : request.include_directories) directories.emplace_back(directory);
  for (const std::string& option : request.options)
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.emplace_back(option.substr(prefix.size()));
  if (const FoundNvrtc nvrtc = found_nvrtc(); nvrtc.is_found())
    if (const auto headers = find_toolkit_headers(nvrtc.path)) searched.toolkit = headers->directories;
  return searched;
}

bool makes_all_device_code(const CompileRequest& request) {
  return std::any_of(request.options.begin(), request.options.end(), [](const std::string& option) {
    return option == "-default-device" || option == "--device-as-default-execution-space";
  });
}

// FILE and LINE of "FILE:LINE: error: …"; the line is 0 where it says none.
struct Place {
  std::string file;
  int line = 0;
};

Place place_of(std::string_view error) {
  const std::size_t end = error.find(": ");
  const std::string_view place = error.substr(0, end);
  const std::size_t colon = place.rfind(':');
  if (end == std::string_view::npos || colon == std::string_view::npos) return {};
  Place found{std::string(place.substr(0, colon))};
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), found.line);
  return found;
}

bool is_own(const Place& place, const CompileRequest& request) {
  return place.line > 0 && place.file == request.file_name;
}

std::string advice_on_toolkits(const Place& place) {
  if (place.line == 0) return "";
  return fmt::format(
      "; {} is included as it is: leave it out, or put what is for the host between #ifndef __CUDACC_RTC__ "
      "and #endif",
      fs::path(place.file).filename().string());
}

bool holds_host_code(std::span<const SourcePart> left_out) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [](const SourcePart& part) { return !part.is_include; });
}

bool holds_host_code(const DeviceCode& code) {
  return holds_host_code(code.left_out) ||
         std::any_of(code.headers.begin(), code.headers.end(),
                     [](const DeviceHeader& header) { return holds_host_code(header.left_out); });
}

fs::path require_nvcc() {
  if (auto nvcc = find_nvcc()) return *std::move(nvcc);
  throw unavailable_error(
      "--compiler nvcc needs nvcc and the host's compiler (g++), and one of them was not found; install the "
      "CUDA "
      "Toolkit (https://developer.nvidia.com/cuda-downloads), or use --compiler nvrtc");
}

CompileError with_advice(const CompileError& error, const CompileRequest& request, const DeviceCode& code) {
  if (!advice_on_removed(error.what()).empty()) return error;  // it says so already
  const Place place = place_of(error.what());
  const auto is_its = [&](const DeviceHeader& header) { return header.path == place.file; };
  const bool is_users = std::any_of(code.headers.begin(), code.headers.end(), is_its);
  const std::string advice = is_own(place, request) ? advice_on(code, error.what(), "", place.line)
                             : is_users             ? advice_on(code, error.what(), place.file, place.line)
                                                    : advice_on_toolkits(place);
  return CompileError(error.what() + advice, error.log());
}

CompiledSource compile_device_code(const CompileRequest& request, const DeviceCode& code) {
  CompileRequest kernels = request;
  kernels.source = code.text;
  for (const DeviceHeader& header : code.headers) kernels.headers.push_back({header.path, header.text});
  try {
    return compile(kernels);
  } catch (const CompilerStopped&) {
    throw;
  } catch (const CompileError& error) {
    throw with_advice(error, request, code);
  }
}

std::optional<CompiledSource> without_error(const CompileRequest& request, const DeviceCode& code) {
  try {
    return compile_device_code(request, code);
  } catch (const Error&) {
    return std::nullopt;
  }
}

CompiledSource by_nvcc_then_nvrtc(const CompileRequest& request, const DeviceCode& code,
                                  const fs::path& nvcc) {
  try {
    return compile_with_nvcc(request, nvcc);
  } catch (const CompilerStopped&) {
    throw;
  } catch (const CompileError& error) {
    if (auto compiled = without_error(request, code)) return *std::move(compiled);
    throw with_advice(error, request, code);
  } catch (const Error&) {
    if (auto compiled = without_error(request, code)) return *std::move(compiled);
    throw;
  }
}

// A mistake in the file itself is one for both compilers, unless it is about what a header would have said
// that was left out; what an included file holds, or lacks, may be the host's.
CompiledSource by_nvrtc_then_nvcc(const CompileRequest& request, const DeviceCode& code,
                                  const fs::path& nvcc) {
  try {
    return compile_device_code(request, code);
  } catch (const CompilerStopped& stopped) {
    if (stopped.cause() != CompilerStopped::kCrash) throw;
    return compile_with_nvcc(request, nvcc);
  } catch (const CompileError& error) {
    if (code.left_out.empty() && is_own(place_of(error.what()), request) &&
        !lacks_header({.text = error.what()}))
      throw;
    return compile_with_nvcc(request, nvcc);
  }
}

CompiledSource compiled_here(const CompileRequest& request) {
  if (request.compiler == Compiler::kNvcc) return compile_with_nvcc(request, require_nvcc());
  const DeviceCode code = device_code_of(request);
  const auto nvcc =
      request.compiler == Compiler::kNvrtc || makes_all_device_code(request) ? std::nullopt : find_nvcc();
  // Where the user says which NVRTC, it says what is wrong there.
  const bool lacks_nvrtc = !compiler_version() && !environment("CUDALAB_NVRTC");
  if (!nvcc && lacks_nvrtc)
    if (auto shipped = find_shipped(request)) return *std::move(shipped);
  if (!nvcc) return compile_device_code(request, code);
  if (lacks_nvrtc) return compile_with_nvcc(request, *nvcc);
  return holds_host_code(code) ? by_nvcc_then_nvrtc(request, code, *nvcc)
                               : by_nvrtc_then_nvcc(request, code, *nvcc);
}

}  // namespace

DeviceCode device_code_of(const CompileRequest& request) {
  if (!makes_all_device_code(request))
    return device_code_with_headers(request.source, request.file_name, header_directories(request));
  DeviceCode code = device_code_of(request.source, [](const IncludedHeader&) { return ""; });
  code.text = request.source;
  return code;
}

CompiledSource compile_kernels(const CompileRequest& request) {
  CompiledSource compiled = compiled_here(request);
  compiled.defines = request.defines;
  keep_for_shipping(request, compiled);
  return compiled;
}

}  // namespace cudalab::compile
