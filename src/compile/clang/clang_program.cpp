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

// Whether the PTX refers to a function or variable that another file of the program defines.
bool refers_to_others(const std::string& ptx) {
  for (std::size_t at = ptx.find(".extern "); at != std::string::npos; at = ptx.find(".extern ", at + 1)) {
    const std::string_view behind = std::string_view(ptx).substr(at, ptx.find('\n', at) - at);
    const bool is_the_gpus = behind.find(" vprintf") != behind.npos ||
                             behind.find(" malloc") != behind.npos || behind.find(" free") != behind.npos ||
                             behind.find("__assertfail") != behind.npos ||
                             behind.find("__nv_") != behind.npos;
    if (behind.find(".shared") == behind.npos && !is_the_gpus) return true;
  }
  return false;
}

template <class Value>
void put(std::string& bytes, std::size_t offset, Value value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

class ClangProgram {
 public:
  ClangProgram(const ProgramBuild& build, const std::vector<fs::path>& files, const BuildFolder& folder,
               const BuildStep& run)
      : build_(build), files_(files), folder_(folder), run_(run) {}

  void build() {
    // A single file is always compiled as CUDA, whatever its extension.
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (files_.size() == 1 || is_cuda(files_[i])) ptx_.emplace_back(i, device_code(i));
    const bool is_linked = ptx_.size() > 1 && std::ranges::any_of(ptx_, [](const auto& each) {
                             return refers_to_others(each.second);
                           });
    for (const auto& [i, ptx] : ptx_) {
      std::ofstream(folder_.outside / name(i, "fatbin"), std::ios::binary)
          << fat_binary_of(ptx, clang_architecture(build_.request), is_linked);
      run(clang_host_words(request_of(i)), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                                            inside(i, "fatbin"), "-o", inside(i, "o"), files_[i].string()});
    }
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (files_.size() > 1 && !is_cuda(files_[i])) host_code(i);
    link();
  }

 private:
  static std::string name(std::size_t file, const char* ending) { return fmt::format("{}.{}", file, ending); }
  std::string inside(std::size_t file, const char* ending) const {
    return (folder_.inside / name(file, ending)).string();
  }

  CompileRequest request_of(std::size_t file) const {
    CompileRequest request = build_.request;
    request.file_name = files_[file].string();
    return request;
  }

  void run(std::vector<std::string> options, std::initializer_list<std::string> more) const {
    options.insert(options.begin(), build_.compiler.path.string());
    options.insert(options.end(), more);
    run_(options);
  }

  std::string device_code(std::size_t file) const {
    CompileRequest request = request_of(file);
    if (files_.size() > 1) request.options.emplace_back("-rdc=true");
    run(clang_device_words(request), {"-o", inside(file, "ll"), files_[file].string()});
    const std::string text = read_file(folder_.outside / name(file, "ll")).value_or("");
    std::ofstream(folder_.outside / name(file, "vectors.ll"), std::ios::binary) << with_vector_copies(text);
    run(clang_ptx_words(request), {"-o", inside(file, "ptx"), inside(file, "vectors.ll")});
    return without_line_zero(read_file(folder_.outside / name(file, "ptx")).value_or(""));
  }

  // A file without device code, which may include our headers of the runtime API.
  void host_code(std::size_t file) const {
    std::vector<std::string> words{
        "-c", "-g", "-O1", "-fno-color-diagnostics", "-isystem", cuda_headers().string()};
    for (const auto& [key, value] : build_.request.defines)
      words.push_back(value.empty() ? "-D" + key : fmt::format("-D{}={}", key, value));
    for (const std::string& directory : build_.request.include_directories)
      words.push_back("-I" + absolute_path(directory).string());
    if (files_[file].extension() == ".c") words.insert(words.end(), {"-x", "c"});
    run(std::move(words), {"-o", inside(file, "o"), files_[file].string()});
  }

  void link() const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < files_.size(); ++i) words.push_back(inside(i, "o"));
    words.push_back(build_.runtime.string());
    words.emplace_back("-Wl,--as-needed");
    for (const fs::path& library : libraries_of(build_)) words.push_back(library.string());
    run(std::move(words), {"-pthread", "-ldl", "-lm", "-o", (folder_.inside / "program").string()});
  }

  const ProgramBuild& build_;
  const std::vector<fs::path>& files_;
  const BuildFolder& folder_;
  const BuildStep& run_;
  // The PTX of the files with device code, by file index.
  std::vector<std::pair<std::size_t, std::string>> ptx_{};
};

}  // namespace

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
