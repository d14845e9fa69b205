// Joins the scan for host code to the compiler, and its findings to the compiler's errors.
#include "compile/compile_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "compile/nvrtc.h"
#include "compile/toolkit.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> header_directories(const CompileRequest& request) {
  std::vector<fs::path> directories{fs::path(request.file_name).parent_path()};
  for (const std::string& directory : request.include_directories) directories.emplace_back(directory);
  for (const std::string& option : request.options)
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.emplace_back(option.substr(prefix.size()));
  if (const auto nvrtc = Nvrtc::find())
    if (const auto headers = find_toolkit_headers(nvrtc->path()))
      directories.insert(directories.end(), headers->directories.begin(), headers->directories.end());
  return directories;
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

}  // namespace

DeviceCode device_code_of(const CompileRequest& request) {
  if (makes_all_device_code(request)) {
    DeviceCode code = device_code_of(request.source, [](std::string_view) { return false; });
    code.text = request.source;
    return code;
  }
  std::vector<fs::path> directories;
  return device_code_of(request.source, [&](std::string_view header) {
    if (directories.empty()) directories = header_directories(request);
    std::error_code ignored;
    return std::none_of(directories.begin(), directories.end(),
                        [&](const fs::path& directory) { return fs::exists(directory / header, ignored); });
  });
}

CompiledSource compile_kernels(const CompileRequest& request) {
  const DeviceCode code = device_code_of(request);
  CompileRequest kernels = request;
  kernels.source = code.text;
  try {
    return compile(kernels);
  } catch (const CompileError& error) {
    const int line = line_in(error.what(), request.file_name);
    const std::string advice =
        line > 0 ? advice_on(code, error.what(), line) : advice_on_header(error.what(), request.file_name);
    throw CompileError(error.what() + advice, error.log());
  }
}

}  // namespace cudalab::compile
