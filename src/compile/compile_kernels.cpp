// Compiles the kernels of a whole .cu file, with the user's headers, or uses PTX that was shipped with the
// program.
#include "compile/compile_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compile/clang/clang.h"
#include "compile/clang/untrusted.h"
#include "compile/compile_cache.h"
#include "compile/compiler_program.h"
#include "compile/diagnosis.h"
#include "compile/explain/explain.h"
#include "compile/nvcc.h"
#include "compile/nvrtc/compiler_process.h"
#include "compile/sources/host_code.h"
#include "compile/toolkit.h"
#include "compile/untrusted_source.h"
#include "core/files.h"
#include "core/processes/this_process.h"
#include "messages/compile.h"

namespace cudalab::compile {

// The user's files that a source includes, directly or indirectly, each stripped of host code as in
// host_code.h.

namespace {

// The search order of headers: beside the including file if the name is in quotes, then the user's folders,
// then the toolkit's.
struct HeaderDirectories {
  std::vector<std::filesystem::path> users, toolkit;
};

namespace fs = std::filesystem;

constexpr std::size_t kMostUserFiles = 2000;

class UserFiles {
 public:
  UserFiles(const std::string& source, const fs::path& folder, const HeaderDirectories& directories)
      : source_(source), folder_(folder), directories_(directories) {
    follow(source_, folder_);
    add_names(source_, names_);
    for (const auto& [path, text] : files_) add_names(text, names_);
  }

  DeviceCode stripped() const {
    DeviceCode code = strip(source_, folder_);
    for (const auto& [path, text] : files_) {
      DeviceCode header = strip(text, fs::path(path).parent_path());
      code.headers.push_back(
          {path, std::move(header.text), std::move(header.left_out), std::move(header.kept)});
    }
    add_stand_ins(code);
    return code;
  }

 private:
  void follow(const std::string& text, const fs::path& folder) {
    for (const IncludedHeader& header : included_headers(text)) {
      const auto file = users_file(header, folder);
      if (!file || files_.count(*file) || files_.size() == kMostUserFiles) continue;
      const std::string& content = files_[*file] = read_file(*file).value_or("");
      follow(content, fs::path(*file).parent_path());
    }
  }

  std::optional<std::string> users_file(const IncludedHeader& header, const fs::path& folder) const {
    if (header.in_quotes)
      if (auto file = file_in(folder, header)) return file;
    for (const fs::path& directory : directories_.users)
      if (auto file = file_in(directory, header)) return file;
    return std::nullopt;
  }

  static std::optional<std::string> file_in(const fs::path& directory, const IncludedHeader& header) {
    std::error_code ignored;
    const fs::path file = fs::absolute(directory / header.name, ignored).lexically_normal();
    return fs::is_regular_file(file, ignored) ? std::optional(file.string()) : std::nullopt;
  }

  DeviceCode strip(const std::string& text, const fs::path& folder) const {
    return device_code_of(text, names_, [&](const IncludedHeader& header) -> std::optional<std::string> {
      const auto file = users_file(header, folder);
      if (file) return files_.count(*file) ? *file : "";
      return is_toolkits(header) ? std::optional<std::string>("") : std::nullopt;
    });
  }

  // If no toolkit is installed, headers in angle brackets stay, and the compiler reports them.
  bool is_toolkits(const IncludedHeader& header) const {
    if (directories_.toolkit.empty()) return !header.in_quotes;
    for (const fs::path& directory : directories_.toolkit)
      if (is_there(directory / header.name)) return true;
    return false;
  }

  const std::string& source_;
  const fs::path folder_;
  const HeaderDirectories& directories_;
  std::map<std::string, std::string> files_;  // absolute path -> text
  SharedNames names_;                         // views into the texts
};

// The source of `file_name` and, in DeviceCode::headers, the user's files that it includes. An #include of
// such a file is replaced by its absolute path. After kMostUserFiles files, further ones are included
// unchanged.
DeviceCode device_code_with_headers(const std::string& source, const std::string& file_name,
                                    const HeaderDirectories& directories) {
  return UserFiles(source, fs::path(file_name).parent_path(), directories).stripped();
}

}  // namespace

namespace {

std::optional<fs::path> shipped_directory() {
  if (const auto named = environment("CUDALAB_PTX")) return fs::path(*named);
  const fs::path program = this_program();
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / "ptx";
  return !program.empty() && is_folder(installed) ? std::optional(installed) : std::nullopt;
}

// The key is independent of the compiler and of the paths of the compiler and the toolkit's headers.
std::optional<std::string> shipped_key(const CompileRequest& request) {
  std::vector<std::string> decisive{fmt::format("compute_{}{}", request.compute_major, request.compute_minor),
                                    request.wants_resources ? "with resources" : ""};
  for (const auto& [name, value] : request.defines) decisive.push_back(fmt::format("-D{}={}", name, value));
  for (const std::string& directory : request.include_directories) decisive.push_back("-I" + directory);
  decisive.insert(decisive.end(), request.options.begin(), request.options.end());
  return cache_key(request, "shipped/1", {}, decisive);
}

}  // namespace

std::optional<CompiledSource> find_shipped(const CompileRequest& request) {
  const auto directory = shipped_directory();
  const auto key = directory ? shipped_key(request) : std::nullopt;
  const auto entry = key ? read_file(*directory / *key) : std::nullopt;
  return entry ? compiled_from_entry(*key, *entry) : std::nullopt;
}

void keep_for_shipping(const CompileRequest& request, const CompiledSource& compiled) {
  const auto folder = environment("CUDALAB_KEEP_PTX");
  const auto key = folder ? shipped_key(request) : std::nullopt;
  if (!key) return;
  std::error_code ignored;
  fs::create_directories(*folder, ignored);
  const fs::path file = fs::path(*folder) / *key;
  std::ofstream out(file, std::ios::binary);
  if (!(out << entry_of(*key, compiled)).flush())
    throw usage_error(msg::kernel_file_not_written(file.string()));
}

bool has_shipped_kernels() { return shipped_directory().has_value(); }

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

bool is_own(const SourceLine& where, const CompileRequest& request) {
  return where.line > 0 && where.file == request.file_name;
}

Message advice_on_toolkits(const SourceLine& where) {
  if (where.line == 0) return {};
  return msg::advice_host_header(fs::path(where.file).filename().string());
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
  throw unavailable_error(msg::nvcc_missing());
}

CompileError with_advice(const CompileError& error, const CompileRequest& request, const DeviceCode& code) {
  Diagnosis diagnosis = error.diagnosis();
  if (!advice_on_removed(diagnosis.said).empty()) return error;  // the error already has this advice
  const SourceLine where = diagnosis.where;
  const auto is_its = [&](const DeviceHeader& header) { return header.path == where.file; };
  const bool is_users = std::any_of(code.headers.begin(), code.headers.end(), is_its);
  diagnosis.add_advice(is_own(where, request) ? advice_on(code, diagnosis.said, "", where.line)
                       : is_users             ? advice_on(code, diagnosis.said, where.file, where.line)
                                              : advice_on_toolkits(where));
  return {std::move(diagnosis), error.log()};
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

// Nvcc is tried after an error of NVRTC, except if the error is in the file itself and no part of the file
// was left out: nvcc would report the same. Included files may contain host code or lack a host header.
CompiledSource by_nvrtc_then_nvcc(const CompileRequest& request, const DeviceCode& code,
                                  const fs::path& nvcc) {
  try {
    return compile_device_code(request, code);
  } catch (const CompilerStopped& stopped) {
    if (stopped.cause() != CompilerStopped::kCrash) throw;
    return compile_with_nvcc(request, nvcc);
  } catch (const CompileError& error) {
    const Diagnosis& diagnosis = error.diagnosis();
    if (code.left_out.empty() && is_own(diagnosis.where, request) && !diagnosis.lacks_header) throw;
    return compile_with_nvcc(request, nvcc);
  }
}

FoundClang require_clang() {
  if (auto clang = find_clang()) return *std::move(clang);
  throw unavailable_error(msg::clang_missing(kLeastClang));
}

CompiledSource compiled_here(const CompileRequest& asked) {
  CompileRequest request = asked;
  request.compiler = chosen_compiler(asked.compiler);
  if (request.compiler == Compiler::kClang) return compile_with_clang(request, require_clang());
  if (request.compiler == Compiler::kNvcc) return compile_with_nvcc(request, require_nvcc());
  const DeviceCode code = device_code_of(request);
  const auto nvcc =
      request.compiler == Compiler::kNvrtc || makes_all_device_code(request) ? std::nullopt : find_nvcc();
  // If the user names an NVRTC, NVRTC is used, and reports its own errors.
  const bool lacks_nvrtc = !compiler_version() && !environment("CUDALAB_NVRTC");
  if (!nvcc && lacks_nvrtc)
    if (auto shipped = find_shipped(request)) return *std::move(shipped);
  if (!nvcc && lacks_nvrtc && request.compiler == Compiler::kAuto)
    if (const auto clang = find_clang()) return compile_with_clang(request, *clang);
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

namespace {

template <class Compile>
CompiledSource compiled_or_explained(const CompileRequest& request, const Compile& compile_it) {
  try {
    return compile_it(request);
  } catch (const CompilerStopped&) {
    throw;
  } catch (const CompileError& error) {
    throw explained(error, request.source, request.file_name);
  }
}

}  // namespace

CompiledSource compile_kernels(const CompileRequest& request) {
  CompiledSource compiled = compiled_or_explained(request, compiled_here);
  compiled.defines = request.defines;
  keep_for_shipping(request, compiled);
  return compiled;
}

bool is_untrusted_by_clang() {
  if (chosen_compiler(Compiler::kAuto) == Compiler::kClang) return true;
  return !compiler_version() && !environment("CUDALAB_NVRTC") && find_clang();
}

CompiledSource compile_untrusted(const CompileRequest& asked) {
  CompileRequest request = asked;
  request.compiler = Compiler::kNvrtc;
  if (!is_untrusted_by_clang()) return compile_kernels(request);
  if (auto shipped = find_shipped(request)) return *std::move(shipped);
  CompiledSource compiled = compiled_or_explained(request, [](const CompileRequest& each) {
    return compile_untrusted_with_clang(each, require_clang());
  });
  compiled.defines = request.defines;
  return compiled;
}

}  // namespace cudalab::compile
