// Joins the scan for host code to the compiler, and its findings to the compiler's errors.
#include "compile/compile_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "compile/diagnosis.h"
#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "compile/toolkit.h"
#include "core/files.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

struct HeaderDirectories {
  std::vector<fs::path> users, toolkit;
};

bool is_in(const std::vector<fs::path>& directories, std::string_view header) {
  return std::any_of(directories.begin(), directories.end(),
                     [&](const fs::path& directory) { return is_there(directory / header); });
}

HeaderDirectories header_directories(const CompileRequest& request) {
  HeaderDirectories searched;
  std::vector<fs::path>& directories = searched.users;
  directories.push_back(fs::path(request.file_name).parent_path());
  for (const std::string& directory : request.include_directories) directories.emplace_back(directory);
  for (const std::string& option : request.options)
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.emplace_back(option.substr(prefix.size()));
  if (const auto nvrtc = Nvrtc::find())
    if (const auto headers = find_toolkit_headers(nvrtc->path())) searched.toolkit = headers->directories;
  return searched;
}

bool makes_all_device_code(const CompileRequest& request) {
  return std::any_of(request.options.begin(), request.options.end(), [](const std::string& option) {
    return option == "-default-device" || option == "--device-as-default-execution-space";
  });
}

// The line in "FILE:LINE: error: …"; 0 where it is another file's.
int line_in(std::string_view error, const std::string& file_name) {
  int line = 0;
  if (error.starts_with(file_name + ":"))
    std::from_chars(error.data() + file_name.size() + 1, error.data() + error.size(), line);
  return line;
}

// "common.h" of "common.h:1: error: …"
std::string advice_on_header(std::string_view error, const std::string& file_name) {
  const std::size_t colon = error.find(':');
  const std::string header = fs::path(error.substr(0, colon)).filename().string();
  if (error.starts_with(file_name) || colon == std::string_view::npos) return "";
  return fmt::format(
      "; {} is included as it is: leave it out, or put what is for the host between #ifndef __CUDACC_RTC__ "
      "and #endif",
      header);
}

bool holds_host_code(const DeviceCode& code) {
  return std::any_of(code.left_out.begin(), code.left_out.end(),
                     [](const SourcePart& part) { return !part.is_include; });
}

fs::path require_nvcc() {
  if (auto nvcc = find_nvcc()) return *std::move(nvcc);
  throw unavailable_error(
      "--compiler nvcc needs nvcc and the host's compiler (g++), and one of them was not found; install the "
      "CUDA "
      "Toolkit (https://developer.nvidia.com/cuda-downloads), or use --compiler nvrtc");
}

CompileError with_advice(const CompileError& error, const CompileRequest& request, const DeviceCode& code) {
  const int line = line_in(error.what(), request.file_name);
  const std::string advice =
      line > 0 ? advice_on(code, error.what(), line) : advice_on_header(error.what(), request.file_name);
  return CompileError(error.what() + advice, error.log());
}

CompiledSource compile_device_code(const CompileRequest& request, const DeviceCode& code) {
  CompileRequest kernels = request;
  kernels.source = code.text;
  try {
    return compile(kernels);
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
  } catch (const CompileError& error) {
    if (auto compiled = without_error(request, code)) return *std::move(compiled);
    throw with_advice(error, request, code);
  } catch (const Error&) {
    if (auto compiled = without_error(request, code)) return *std::move(compiled);
    throw;
  }
}

// A mistake in the file itself is one for both compilers; what an included file holds, or lacks, may be the
// host's.
CompiledSource by_nvrtc_then_nvcc(const CompileRequest& request, const DeviceCode& code,
                                  const fs::path& nvcc) {
  try {
    return compile_device_code(request, code);
  } catch (const CompileError& error) {
    const bool is_own = line_in(error.what(), request.file_name) > 0;
    if (is_own && !lacks_header({.text = error.what()})) throw;
    return compile_with_nvcc(request, nvcc);
  }
}

}  // namespace

DeviceCode device_code_of(const CompileRequest& request) {
  if (makes_all_device_code(request)) {
    DeviceCode code = device_code_of(request.source, [](const IncludedHeader&) { return false; });
    code.text = request.source;
    return code;
  }
  std::optional<HeaderDirectories> searched;
  return device_code_of(request.source, [&](const IncludedHeader& header) {
    if (!searched) searched = header_directories(request);
    if (!header.in_quotes && searched->toolkit.empty())
      return false;  // the toolkit's, and the compiler says so
    return !is_in(searched->users, header.name) && !is_in(searched->toolkit, header.name);
  });
}

CompiledSource compile_kernels(const CompileRequest& request) {
  if (request.compiler == Compiler::kNvcc) return compile_with_nvcc(request, require_nvcc());
  const DeviceCode code = device_code_of(request);
  const auto nvcc =
      request.compiler == Compiler::kNvrtc || makes_all_device_code(request) ? std::nullopt : find_nvcc();
  if (!nvcc) return compile_device_code(request, code);
  const bool lacks_nvrtc =
      !compiler_version() && !environment("CUDALAB_NVRTC");  // else it says what is wrong there
  if (lacks_nvrtc) return compile_with_nvcc(request, *nvcc);
  return holds_host_code(code) ? by_nvcc_then_nvrtc(request, code, *nvcc)
                               : by_nvrtc_then_nvcc(request, code, *nvcc);
}

}  // namespace cudalab::compile
