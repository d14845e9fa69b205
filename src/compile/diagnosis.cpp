// Explains compiler output: the first error, and CUDA APIs that were removed and what replaced them.
#include "compile/diagnosis.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "core/text_pattern.h"

namespace cudalab::compile {
namespace {

// A name, or the beginning of several: "cudaBindTexture*". The error must have `with` in it, too.
struct Removed {
  std::string_view name, with, advice;
};

constexpr std::string_view kTexture =
    "texture references were removed in CUDA 12: give the kernel a cudaTextureObject_t "
    "(cudaCreateTextureObject) "
    "and read it with tex1Dfetch<float>(object, i) or tex2D<float>(object, x, y)";
constexpr std::string_view kSurface =
    "surface references were removed in CUDA 12: give the kernel a cudaSurfaceObject_t "
    "(cudaCreateSurfaceObject)";
constexpr std::string_view kShuffle =
    "shuffles without _sync are gone since compute capability 7.0: write "
    "__shfl_down_sync(0xffffffff, value, 1), whose mask names the lanes that take part";
constexpr std::string_view kVote =
    "votes without _sync are gone since compute capability 7.0: write __ballot_sync(0xffffffff, predicate), "
    "whose mask names the lanes that take part";
constexpr std::string_view kReduction =
    "CUB's operators were removed in CUDA 13: use cuda::maximum<>{}, cuda::minimum<>{} or "
    "cuda::std::plus<>{} of "
    "<cuda/functional>";
constexpr std::string_view kAttribute =
    "it was removed from cudaDeviceProp in CUDA 13: ask cudaDeviceGetAttribute, as for cudaDevAttrClockRate";
constexpr std::string_view kChildren =
    "a kernel cannot wait for kernels that it launched since CUDA 12: launch what comes behind them "
    "into cudaStreamTailLaunch";
constexpr std::string_view kLaunch =
    "it was removed in CUDA 10: launch with kernel<<<grid, block>>>(…) or cudaLaunchKernel";
constexpr std::string_view kMultiDevice =
    "groups of several devices were removed in CUDA 13: synchronise within one device (this_grid), "
    "and with events between devices";
constexpr std::string_view kBaseClass =
    "it was removed from Thrust in CUDA 13: a functor needs no base class";
constexpr std::string_view kToArray =
    "it was removed in CUDA 12: cudaMemcpy2DToArray copies rows into an array";
constexpr std::string_view kFromArray =
    "it was removed in CUDA 12: cudaMemcpy2DFromArray copies rows from an array";

// The first row that fits counts.
constexpr std::array<Removed, 37> kRemoved{{
    // clang-format off
    {"texture", "is not a template", kTexture},
    {"texture", "undefined", kTexture},
    {"textureReference", "", kTexture},
    {"cudaReadModeElementType", "undefined", kTexture},
    {"cudaBindTexture*", "", kTexture},
    {"cudaUnbindTexture", "", kTexture},
    {"cudaGetTextureReference", "", kTexture},
    {"surface", "is not a template", kSurface},
    {"surface", "undefined", kSurface},
    {"surfaceReference", "", kSurface},
    {"cudaBindSurface*", "", kSurface},
    {"__shfl", "", kShuffle},
    {"__shfl_up", "", kShuffle},
    {"__shfl_down", "", kShuffle},
    {"__shfl_xor", "", kShuffle},
    {"__ballot", "", kVote},
    {"__any", "", kVote},
    {"__all", "", kVote},
    {"cudaDeviceSynchronize", "", kChildren},
    {"cudaThreadSynchronize", "", "it is called cudaDeviceSynchronize now"},
    {"cudaThreadExit", "", "it is called cudaDeviceReset now"},
    {"cudaMemcpyToArray", "", kToArray},
    {"cudaMemcpyFromArray", "", kFromArray},
    {"cudaConfigureCall", "", kLaunch},
    {"cudaSetupArgument", "", kLaunch},
    {"this_multi_grid", "", kMultiDevice},
    {"multi_grid_group", "", kMultiDevice},
    {"Max", "\"cub\"", kReduction},
    {"Min", "\"cub\"", kReduction},
    {"Sum", "\"cub\"", kReduction},
    {"unary_function", "", kBaseClass},
    {"binary_function", "", kBaseClass},
    {"clockRate", "cudaDeviceProp", kAttribute},
    {"memoryClockRate", "cudaDeviceProp", kAttribute},
    {"computeMode", "cudaDeviceProp", kAttribute},
    {"deviceOverlap", "cudaDeviceProp", kAttribute},
    {"kernelExecTimeoutEnabled", "cudaDeviceProp", kAttribute},
    // clang-format on
}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool names(std::string_view error, std::string_view name) {
  const bool is_beginning = name.ends_with('*');
  if (is_beginning) name.remove_suffix(1);
  for (std::size_t at = error.find(name); at != std::string_view::npos; at = error.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word(error[at - 1]);
    if (begins && (is_beginning || end == error.size() || !is_word(error[end]))) return true;
  }
  return false;
}

}  // namespace

std::string advice_on_removed(std::string_view error) {
  const std::size_t text = error.find("error: ");  // not the file's name before it
  if (text != std::string_view::npos) error.remove_prefix(text);
  for (const Removed& row : kRemoved)
    if (names(error, row.name) && error.find(row.with) != std::string_view::npos)
      return fmt::format("; {}", row.advice);
  return "";
}

namespace {

std::string_view line_at(std::string_view log, std::size_t position) {
  const std::size_t before = log.rfind('\n', position);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', position) - begin);
}

// "a.cu(12)" and "a.cu:12:5" -> "a.cu:12"
std::string place_of(std::string_view location, const std::string& file_name) {
  static const TextPattern nvidia(R"((.*)\((\d+)\))"), gnu(R"((.*?):(\d+)(:\d+)?)");
  for (const TextPattern* form : {&nvidia, &gnu})
    if (const auto found = form->fits(location))
      return fmt::format("{}:{}", found->groups[1], found->groups[2]);
  return file_name;
}

// The kernel name that NVRTC could not resolve, from the line of the log that quotes it; empty where none is.
std::string_view unresolved_name(std::string_view log) {
  constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
  const std::size_t at = log.find(kPragma);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kPragma.size();
  return log.substr(begin, log.find('\n', begin) - begin);
}

// Functions of libraries that the linker is not given, by how their names begin.
struct LibraryNames {
  std::string_view begins, library;
};
constexpr LibraryNames kLibraries[] = {
    {"cublas", "cuBLAS"},
    {"cufft", "cuFFT"},
    {"curand", "cuRAND"},
    {"cusparse", "cuSPARSE"},
    {"nppi", "NPP"},
    {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},
    {"nccl", "NCCL"},
    {"glut", "OpenGL"},
    {"gl", "OpenGL"},
    {"nvml", "NVML"},
    {"nvrtc", "NVRTC"},
    {"cu", "the CUDA driver API"},
};

bool is_capital(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= 'A' && text[at] <= 'Z';
}

std::string_view library_of(std::string_view function) {
  for (const LibraryNames& row : kLibraries) {
    const bool may_be_anything = row.begins.size() < 3;  // "cuInit" is the driver's, "cut" is not
    if (function.starts_with(row.begins) && (!may_be_anything || is_capital(function, row.begins.size())))
      return row.library;
  }
  return {};
}

// As the source spells it: nvlink does not.
std::string readable_name(const std::string& name) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> words(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return words ? words.get() : name;
}

// Between the quotes behind "undefined reference to"; of ld and of nvlink.
std::string_view undefined_name(std::string_view log) {
  constexpr std::string_view kWords = "ndefined reference to ";
  const std::size_t at = log.find(kWords);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kWords.size() + 1;
  return log.substr(std::min(begin, log.size()), log.find('\'', begin) - begin);
}

std::string text_of_undefined(const std::string& name) {
  if (const std::string_view library = library_of(name); !library.empty())
    return fmt::format(
        "error: `{}` is a function of {}, which speaks to the driver itself; run the program on a card, or "
        "write that part as a kernel",
        name, library);
  return fmt::format(
      "error: `{}` is declared, and nothing defines it; name the file that does, too, or a library as in "
      "--option=-lNAME",
      name);
}

}  // namespace

// LOCATION ': ' ['catastrophic ' | 'fatal '] 'error' [' #' NUMBER] ': ' TEXT
Diagnosis first_error(std::string_view log, const std::string& file_name) {
  if (const std::size_t fatal = log.find("nvcc fatal"); fatal != std::string_view::npos) {
    const std::string_view line = line_at(log, fatal);
    return {file_name, fmt::format("error: {}", line.substr(std::min(line.find(": ") + 2, line.size())))};
  }
  if (const std::string_view name = undefined_name(log); !name.empty())
    return {file_name, text_of_undefined(readable_name(std::string(name)))};
  const std::size_t at =
      std::min({log.find(": error"), log.find(": catastrophic error"), log.find(": fatal error")});
  if (at == std::string_view::npos)
    return {file_name,
            "error: the compiler failed without saying why; it may lack memory, processes or open files, see "
            "`ulimit -a`"};
  const std::string_view line = line_at(log, at);
  const std::string_view location = line.substr(0, line.find(": "));
  const std::string_view text = line.substr(line.find("error"));
  if (location.starts_with("__nv_name_map"))
    return {file_name, fmt::format("error: `{}` names no kernel of this file: {}", unresolved_name(log),
                                   text.substr(text.find(": ") + 2))};
  return {place_of(location, file_name), std::string(text)};
}

// LOCATION ': warning' [' #' NUMBER '-D'] ': ' TEXT
std::vector<Diagnosis> warnings_in(std::string_view log, const std::string& file_name) {
  constexpr std::string_view kMark = ": warning";
  std::vector<Diagnosis> warnings;
  for (std::size_t at = log.find(kMark); at != std::string_view::npos; at = log.find(kMark, at + 1)) {
    const std::string_view line = line_at(log, at);
    const std::string_view text = line.substr(std::min(line.find(kMark) + 2, line.size()));
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) continue;  // the text of something else
    warnings.push_back({place_of(line.substr(0, line.find(kMark)), file_name),
                        fmt::format("warning: {}", text.substr(colon + 2))});
  }
  return warnings;
}

bool lacks_header(const Diagnosis& diagnosis) {
  return diagnosis.text.find("open source file") != std::string::npos ||
         diagnosis.text.ends_with("No such file or directory") || diagnosis.text.ends_with("file not found");
}

bool asks_for_separate_compilation(std::string_view log) {
  return log.find("requires separate compilation mode") != std::string_view::npos ||  // nvcc
         log.find("as the required runtime APIs are not declared") != std::string_view::npos;
}

}  // namespace cudalab::compile
