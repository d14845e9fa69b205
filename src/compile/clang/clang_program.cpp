// Builds a program with clang: the order of the steps, their files, and fat binaries.
#include "compile/clang/clang_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "compile/clang/clang.h"
#include "compile/program_libraries.h"
#include "core/error.h"
#include "core/files.h"
#include "core/programs/fat_binary_format.h"
#include "core/text.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

bool is_cuda(const fs::path& file) { return file.extension() == ".cu"; }

// "f" of ".extern .func (.param .b32 r) f" and of ".extern .global .align 4 .b8 f[]".
std::string declared_name(std::string_view declaration) {
  std::size_t end = declaration.size();
  const auto is_name = [](char c) { return is_word(c) || c == '$'; };
  const std::size_t result = declaration.find(')');  // of the results
  const bool is_function = declaration.find(".func") != declaration.npos;
  std::size_t at = is_function && result != declaration.npos ? result : declaration.rfind(' ');
  while (at < end && !is_name(declaration[at])) ++at;
  for (end = at; end < declaration.size() && is_name(declaration[end]);) ++end;
  return std::string(declaration.substr(at, end - at));
}

template <class Value>
void put(std::string& bytes, std::size_t offset, Value value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string as_define(const CompileRequest::Define& define) {
  return define.second.empty() ? "-D" + define.first : fmt::format("-D{}={}", define.first, define.second);
}

class ClangProgram {
 public:
  ClangProgram(const ProgramBuild& build, const std::vector<fs::path>& files, const BuildFolder& folder,
               const BuildStep& run)
      : build_(build), files_(files), steps_{build.compiler.path, folder, run} {}

  void build() {
    // A single file is always compiled as CUDA, whatever its extension.
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (files_.size() == 1 || is_cuda(files_[i]))
        ptx_.emplace_back(i, device_code(steps_, request_of(i), std::to_string(i), files_.size() > 1));
    const bool is_linked = ptx_.size() > 1 && std::ranges::any_of(ptx_, [](const auto& each) {
                             return !name_of_others(each.second).empty();
                           });
    for (const auto& [i, ptx] : ptx_) {
      const fs::path binary = steps_.folder.outside / fmt::format("{}.fatbin", i);
      std::ofstream(binary, std::ios::binary)
          << fat_binary_of(ptx, clang_architecture(build_.request), is_linked);
      compile_cuda_host_code(steps_, request_of(i), inside(fmt::format("{}.fatbin", i)), object(i));
    }
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (files_.size() > 1 && !is_cuda(files_[i])) compile_host_file(steps_, request_of(i), object(i));
    link();
  }

 private:
  std::string inside(const std::string& name) const { return (steps_.folder.inside / name).string(); }
  std::string object(std::size_t file) const { return inside(fmt::format("{}.o", file)); }

  CompileRequest request_of(std::size_t file) const {
    CompileRequest request = build_.request;
    request.file_name = files_[file].string();
    return request;
  }

  void link() const {
    std::vector<std::string> objects;
    for (std::size_t i = 0; i < files_.size(); ++i) objects.push_back(object(i));
    link_objects(steps_, objects, {build_.runtime, libraries_of(build_)}, inside("program"));
  }

  const ProgramBuild& build_;
  const std::vector<fs::path>& files_;
  ClangSteps steps_;
  // The PTX of the files with device code, by file index.
  std::vector<std::pair<std::size_t, std::string>> ptx_{};
};

void run_step(const ClangSteps& steps, std::vector<std::string> options,
              const std::vector<std::string>& more) {
  options.insert(options.begin(), steps.clang.string());
  options.insert(options.end(), more.begin(), more.end());
  steps.run(options);
}

// With the options that all sources have.
void compile_source(const ClangSteps& steps, std::vector<std::string> options,
                    const std::vector<std::string>& more) {
  options.insert(options.end(), steps.for_sources.begin(), steps.for_sources.end());
  run_step(steps, std::move(options), more);
}

}  // namespace

std::string name_of_others(const std::string& ptx) {
  constexpr std::string_view kOfTheGpu[] = {"vprintf", "malloc", "free", "__assertfail"}, kStart = ".extern ";
  for (std::size_t at = ptx.find(kStart); at != std::string::npos; at = ptx.find(kStart, at + 1)) {
    const std::string_view behind = std::string_view(ptx).substr(at, ptx.find_first_of("\n;", at) - at);
    if (behind.find(".shared") != behind.npos) continue;
    const std::string name = declared_name(behind);
    if (!std::ranges::count(kOfTheGpu, name) && !name.starts_with("__nv_")) return name;
  }
  return "";
}

std::string device_code(const ClangSteps& steps, const CompileRequest& asked, const std::string& stem,
                        bool is_relocatable) {
  CompileRequest request = asked;
  if (is_relocatable) request.options.emplace_back("-rdc=true");
  const fs::path &in = steps.folder.inside, &out = steps.folder.outside;
  compile_source(steps, clang_device_words(request),
                 {"-o", (in / (stem + ".ll")).string(), request.file_name});
  const std::string llvm_text = with_vector_copies(read_file(out / (stem + ".ll")).value_or(""));
  std::ofstream(out / (stem + ".vectors.ll"), std::ios::binary) << llvm_text;
  run_step(steps, clang_ptx_words(request),
           {"-o", (in / (stem + ".ptx")).string(), (in / (stem + ".vectors.ll")).string()});
  return with_cluster_dimensions(without_line_zero(read_file(out / (stem + ".ptx")).value_or("")), llvm_text);
}

void compile_cuda_host_code(const ClangSteps& steps, const CompileRequest& request,
                            const std::string& fat_binary, const std::string& object) {
  compile_source(
      steps, clang_host_words(request),
      {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat_binary, "-o", object, request.file_name});
}

void preprocess_cuda(const ClangSteps& steps, const CompileRequest& request, const std::string& text) {
  compile_source(steps, clang_host_words(request), {"-o", text, request.file_name});
}

void compile_host_file(const ClangSteps& steps, const CompileRequest& request, const std::string& object) {
  std::vector<std::string> words{
      "-c", "-g", "-O1", "-fno-color-diagnostics", "-isystem", cuda_headers().string()};
  for (const CompileRequest::Define& define : request.defines) words.push_back(as_define(define));
  for (const std::string& directory : request.include_directories)
    words.push_back("-I" + absolute_path(directory).string());
  if (fs::path(request.file_name).extension() == ".c") words.insert(words.end(), {"-x", "c"});
  compile_source(steps, std::move(words), {"-o", object, request.file_name});
}

void link_objects(const ClangSteps& steps, const std::vector<std::string>& objects,
                  const LinkedLibraries& libraries, const std::string& program) {
  // The runtime is kept even if only the device code needs it.
  std::vector<std::string> words{"-Wl,--as-needed"};
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-Wl,--no-as-needed", libraries.runtime.string(), "-Wl,--as-needed"});
  for (const fs::path& library : libraries.as_needed) words.push_back(library.string());
  run_step(steps, std::move(words), {"-pthread", "-ldl", "-lm", "-o", program});
}

void build_with_clang(const ProgramBuild& build, const std::vector<fs::path>& files,
                      const BuildFolder& folder, const BuildStep& run) {
  ClangProgram(build, files, folder, run).build();
}

std::string fat_binary_of(const std::string& ptx, int architecture, bool is_linked) {
  constexpr std::size_t kContainer = 16, kEntry = 64, kAlignment = 8;
  constexpr std::uint64_t kOf64Bits = 1, kOfLinux = 0x10;
  // Padded with zeros.
  const std::size_t payload = (ptx.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  std::string bytes(kContainer + kEntry + payload, '\0');
  put<std::uint32_t>(bytes, 0, kFatBinaryMagic);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, kContainer);
  put<std::uint64_t>(bytes, 8, kEntry + payload);
  put<std::uint16_t>(bytes, kContainer, kFatBinaryPtx);
  put<std::uint16_t>(bytes, kContainer + 2, 0x101);
  put<std::uint32_t>(bytes, kContainer + 4, kEntry);
  put<std::uint64_t>(bytes, kContainer + 8, payload);
  put<std::uint16_t>(bytes, kContainer + 26, 8);  // PTX ISA 8.0
  put<std::uint32_t>(bytes, kContainer + 28, static_cast<std::uint32_t>(architecture));
  put<std::uint64_t>(bytes, kContainer + 40, kOf64Bits | kOfLinux | (is_linked ? kFatBinaryLinkedFlag : 0));
  std::memcpy(bytes.data() + kContainer + kEntry, ptx.data(), ptx.size());
  return bytes;
}

}  // namespace cudalab::compile
