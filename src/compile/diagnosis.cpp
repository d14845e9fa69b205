// Reads the errors and warnings in compiler output, and explains CUDA APIs that were removed.
#include "compile/diagnosis.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/text.h"
#include "core/text_pattern.h"
#include "messages/compile.h"
#include "messages/core.h"

namespace cudalab::compile {
namespace {

// A name, or a prefix of several: "cudaBindTexture*". The error must also contain `with`.
struct Removed {
  std::string_view name, with;
  Message (*advice)();
};

// The first matching row is used.
constexpr std::array<Removed, 48> kRemoved{{
    // clang-format off
    {"texture", "is not a template", msg::advice_texture_objects},
    {"texture", "undefined", msg::advice_texture_objects},
    {"texture", "no template named", msg::advice_texture_objects},
    {"surface", "no template named", msg::advice_surface_objects},
    {"textureReference", "", msg::advice_texture_objects},
    {"cudaReadModeElementType", "undefined", msg::advice_texture_objects},
    {"cudaBindTexture*", "", msg::advice_texture_objects},
    {"cudaUnbindTexture", "", msg::advice_texture_objects},
    {"cudaGetTextureReference", "", msg::advice_texture_objects},
    {"surface", "is not a template", msg::advice_surface_objects},
    {"surface", "undefined", msg::advice_surface_objects},
    {"surfaceReference", "", msg::advice_surface_objects},
    {"cudaBindSurface*", "", msg::advice_surface_objects},
    {"__shfl", "", msg::advice_shuffle_sync},
    {"__shfl_up", "", msg::advice_shuffle_sync},
    {"__shfl_down", "", msg::advice_shuffle_sync},
    {"__shfl_xor", "", msg::advice_shuffle_sync},
    {"__ballot", "", msg::advice_vote_sync},
    {"__any", "", msg::advice_vote_sync},
    {"__all", "", msg::advice_vote_sync},
    {"cudaDeviceSynchronize", "", msg::advice_tail_launch_stream},
    {"cudaThreadSynchronize", "", msg::advice_device_synchronize},
    {"cudaThreadExit", "", msg::advice_device_reset},
    {"cudaMemcpyToArray", "", msg::advice_copy_to_array},
    {"cudaMemcpyFromArray", "", msg::advice_copy_from_array},
    {"cudaConfigureCall", "", msg::advice_launch_syntax},
    {"cudaSetupArgument", "", msg::advice_launch_syntax},
    {"this_multi_grid", "", msg::advice_one_device_group},
    {"multi_grid_group", "", msg::advice_one_device_group},
    {"Max", "\"cub\"", msg::advice_cuda_functional},
    {"Min", "\"cub\"", msg::advice_cuda_functional},
    {"Sum", "\"cub\"", msg::advice_cuda_functional},
    {"cudaMemLocation", "from \"int\"", msg::advice_memory_location},
    {"cudaMemPrefetchAsync", "no matching function", msg::advice_memory_location},
    {"cudaMemAdvise", "no matching function", msg::advice_memory_location},
    {"CUSPARSE_MV_ALG*", "", msg::advice_cusparse_algorithms},
    {"CUSPARSE_CSRMV_ALG*", "", msg::advice_cusparse_algorithms},
    {"CUSPARSE_COOMV_ALG*", "", msg::advice_cusparse_algorithms},
    {"CUSPARSE_MM_ALG*", "", msg::advice_cusparse_algorithms},
    {"CUSPARSE_CSRMM_ALG*", "", msg::advice_cusparse_algorithms},
    {"CUSPARSE_COOMM_ALG*", "", msg::advice_cusparse_algorithms},
    {"unary_function", "", msg::advice_no_functor_base},
    {"binary_function", "", msg::advice_no_functor_base},
    {"clockRate", "cudaDeviceProp", msg::advice_device_attribute},
    {"memoryClockRate", "cudaDeviceProp", msg::advice_device_attribute},
    {"computeMode", "cudaDeviceProp", msg::advice_device_attribute},
    {"deviceOverlap", "cudaDeviceProp", msg::advice_device_attribute},
    {"kernelExecTimeoutEnabled", "cudaDeviceProp", msg::advice_device_attribute},
    // clang-format on
}};

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

Message advice_on_removed(std::string_view said) {
  said = said.substr(0, said.find("did you mean"));  // a name that is right
  for (const Removed& row : kRemoved)
    if (names(said, row.name) && said.find(row.with) != std::string_view::npos) return row.advice();
  return {};
}

// ---- a diagnosis as a message ------------------------------------------------------------------------

void Diagnosis::add_advice(Message more) {
  if (more.empty()) return;
  advice = advice.empty() ? std::move(more) : msg::message_and_addition(std::move(advice), std::move(more));
}

Argument Diagnosis::problem() const {
  Argument problem = instead.empty() ? Argument(said) : Argument(instead);
  return advice.empty() ? problem : Argument(msg::message_and_addition(std::move(problem), advice));
}

Message Diagnosis::text() const {
  const Argument all = problem();
  const auto* message = all.as<Message>();
  return message ? *message : Message::verbatim(said);
}

Message Diagnosis::with_kind() const { return msg::compiler_message(kind, problem()); }

Message Diagnosis::message() const {
  return where.line > 0 ? msg::compiler_message_at(where.file, where.line, kind, problem())
                        : msg::compiler_message_in(where.file, kind, problem());
}

std::string readable_name(const std::string& name) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> words(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return words ? words.get() : name;
}

namespace {

std::string_view line_at(std::string_view log, std::size_t position) {
  const std::size_t before = log.rfind('\n', position);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return log.substr(begin, log.find('\n', position) - begin);
}

// "a.cu(12)" and "a.cu:12:5"
SourceLine place_of(std::string_view location, const std::string& file_name) {
  static const TextPattern nvidia(R"((.*)\((\d+)\))"), gnu(R"((.*?):(\d+)(:\d+)?)");
  for (const TextPattern* form : {&nvidia, &gnu})
    if (const auto found = form->fits(location)) {
      SourceLine where{std::string(found->groups[1])};
      const std::string number(found->groups[2]);
      std::from_chars(number.data(), number.data() + number.size(), where.line);
      return where;
    }
  return {file_name};
}

// The kernel name that NVRTC could not resolve, from the log line that quotes it; empty if there is none.
std::string_view unresolved_name(std::string_view log) {
  constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
  const std::size_t at = log.find(kPragma);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kPragma.size();
  return log.substr(begin, log.find('\n', begin) - begin);
}

// Libraries that are not linked, by the prefix of their functions.
struct LibraryNames {
  std::string_view begins, library;
};
constexpr LibraryNames kLibraries[] = {
    {"cublas", "cuBLAS"}, {"cufft", "cuFFT"},       {"curand", "cuRAND"}, {"cusparse", "cuSPARSE"},
    {"nppi", "NPP"},      {"cusolver", "cuSOLVER"}, {"cudnn", "cuDNN"},   {"nccl", "NCCL"},
    {"glut", "OpenGL"},   {"gl", "OpenGL"},         {"nvml", "NVML"},     {"nvrtc", "NVRTC"},
    {"cu", ""},  // the driver itself
};

bool is_capital(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= 'A' && text[at] <= 'Z';
}

std::optional<Argument> library_of(std::string_view function) {
  for (const LibraryNames& row : kLibraries) {
    const bool may_be_anything = row.begins.size() < 3;  // "cuInit" is the driver's, "cut" is not
    if (function.starts_with(row.begins) && (!may_be_anything || is_capital(function, row.begins.size())))
      return row.library.empty() ? Argument(msg::driver_api()) : Argument(row.library);
  }
  return std::nullopt;
}

// The name in quotes after "undefined reference to", in messages of ld and nvlink.
std::string_view undefined_name(std::string_view log) {
  constexpr std::string_view kWords = "ndefined reference to ";
  const std::size_t at = log.find(kWords);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + kWords.size() + 1;
  return log.substr(std::min(begin, log.size()), log.find('\'', begin) - begin);
}

Message worded_undefined(const std::string& name) {
  const auto library = library_of(name);
  return library ? msg::function_of_library(Code{name}, *library) : msg::function_defined_nowhere(Code{name});
}

bool says_header_is_missing(std::string_view said) {
  return said.find("open source file") != std::string_view::npos ||
         said.ends_with("No such file or directory") || said.ends_with("file not found");
}

// The NAME in `identifier "NAME" is undefined`.
std::string undefined_identifier(std::string_view said) {
  constexpr std::string_view kBefore = "identifier \"", kAfter = "\" is undefined";
  const std::size_t begin = said.find(kBefore), end = said.find(kAfter);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return std::string(said.substr(begin + kBefore.size(), end - begin - kBefore.size()));
}

Diagnosis error_at(SourceLine where, std::string kind, std::string_view said, Message instead = {}) {
  Diagnosis error{std::move(where), std::move(kind), std::string(said), std::move(instead)};
  error.advice = advice_on_removed(said);
  error.lacks_header = says_header_is_missing(said);
  error.undefined_name = undefined_identifier(said);
  return error;
}

// LOCATION ': ' ['catastrophic ' | 'fatal '] 'error' [' #' NUMBER] ': ' TEXT, in the line that contains the
// position `at`.
Diagnosis error_in_line(std::string_view log, std::size_t at, const std::string& file_name) {
  constexpr const char* kError = "error";
  const std::string_view line = line_at(log, at);
  const std::string_view location = line.substr(0, line.find(": "));
  const std::string_view text = line.substr(line.find(kError, at - (line.data() - log.data())));
  const std::size_t colon = text.find(": ");
  const std::string_view said = colon == std::string_view::npos ? text : text.substr(colon + 2);
  if (location.starts_with("__nv_name_map"))
    return error_at({file_name}, kError, said,
                    msg::kernel_name_unresolved(Code{std::string(unresolved_name(log))}, said));
  const std::string kind(colon == std::string_view::npos ? kError : text.substr(0, colon));
  return error_at(place_of(location, file_name), kind, said);
}

// The notes in a part of the log. NVIDIA's front end writes types in lines of their own.
std::string notes_between(std::string_view log, std::size_t begin, std::size_t end) {
  constexpr std::string_view kNote = ": note";
  std::string notes;
  for (const std::string_view types : {"argument types are: ", "operand types are: "})
    if (const std::size_t at = log.find(types, begin); at < end)
      notes += std::string(trimmed(line_at(log, at))) + "\n";
  for (std::size_t at = log.find(kNote, begin); at < std::min(end, log.size());
       at = log.find(kNote, at + 1)) {
    const std::string_view line = line_at(log, at);
    const std::size_t colon = line.find(": ", line.find(kNote) + 2);
    if (colon != std::string_view::npos) notes += std::string(line.substr(colon + 2)) + "\n";
  }
  return notes;
}

std::size_t next_error(std::string_view log, std::size_t from) {
  return std::min(
      {log.find(": error", from), log.find(": catastrophic error", from), log.find(": fatal error", from)});
}

// What ptxas rejects: LOCATION 'error   : ' TEXT, where the location is a line of PTX. The source line is
// that of the compiler's warning, if it warned of a removed function, such as a vote without a mask. Remarks
// in parentheses in that warning repeat the advice.
std::optional<Diagnosis> error_of_ptxas(std::string_view log, const std::string& file_name) {
  constexpr std::string_view kMark = "error   : ";
  const std::size_t at = log.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  for (const Diagnosis& warning : warnings_in(log, file_name))
    if (!advice_on_removed(warning.said).empty())
      return error_at(warning.where, "error", warning.said.substr(0, warning.said.find(" (")));
  const std::size_t begin = at + kMark.size();
  return error_at({file_name}, "error", log.substr(begin, log.find('\n', begin) - begin));
}

}  // namespace

Diagnosis first_error(std::string_view log, const std::string& file_name) {
  constexpr const char* kError = "error";
  if (const std::size_t fatal = log.find("nvcc fatal"); fatal != std::string_view::npos) {
    const std::string_view line = line_at(log, fatal);
    return error_at({file_name}, kError, line.substr(std::min(line.find(": ") + 2, line.size())));
  }
  if (const std::string_view undefined = undefined_name(log); !undefined.empty()) {
    const std::string name = readable_name(std::string(undefined));
    return error_at({file_name}, kError, name, worded_undefined(name));
  }
  const std::size_t at = next_error(log, 0);
  if (at == std::string_view::npos)
    return error_of_ptxas(log, file_name)
        .value_or(error_at({file_name}, kError, "", msg::compiler_gave_no_reason()));
  return error_in_line(log, at, file_name);
}

std::vector<Diagnosis> errors_in(std::string_view log, const std::string& file_name) {
  std::vector<Diagnosis> errors;
  for (std::size_t at = next_error(log, 0); at != std::string_view::npos; at = next_error(log, at + 1)) {
    Diagnosis error = error_in_line(log, at, file_name);
    error.notes = notes_between(log, at, next_error(log, at + 1));
    if (error.where.line > 0) errors.push_back(std::move(error));
    at = std::min(log.find('\n', at), log.size() - 1);
  }
  if (errors.empty())
    if (auto rejected = error_of_ptxas(log, file_name); rejected && rejected->where.line > 0)
      errors.push_back(*std::move(rejected));
  return errors;
}

namespace {

// 'warning: ' FILE '(' LINE '): Warning: ' TEXT
std::vector<Diagnosis> warnings_of_nvvm(std::string_view log, const std::string& file_name) {
  constexpr std::string_view kBegin = "warning: ", kMark = ": Warning: ";
  std::vector<Diagnosis> warnings;
  for (std::size_t at = log.find(kMark); at != std::string_view::npos; at = log.find(kMark, at + 1)) {
    std::string_view line = line_at(log, at);
    const std::size_t mark = line.find(kMark);
    std::string_view location = line.substr(0, mark);
    if (location.starts_with(kBegin)) location.remove_prefix(kBegin.size());
    warnings.push_back({.where = place_of(location, file_name),
                        .kind = "warning",
                        .said = std::string(line.substr(mark + kMark.size()))});
  }
  return warnings;
}

}  // namespace

// LOCATION ': warning' [' #' NUMBER '-D'] ': ' TEXT
std::vector<Diagnosis> warnings_in(std::string_view log, const std::string& file_name) {
  constexpr std::string_view kMark = ": warning";
  std::vector<Diagnosis> warnings = warnings_of_nvvm(log, file_name);
  for (std::size_t at = log.find(kMark); at != std::string_view::npos; at = log.find(kMark, at + 1)) {
    const std::string_view line = line_at(log, at);
    const std::string_view text = line.substr(std::min(line.find(kMark) + 2, line.size()));
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) continue;  // not a warning's line
    warnings.push_back({.where = place_of(line.substr(0, line.find(kMark)), file_name),
                        .kind = "warning",
                        .said = std::string(text.substr(colon + 2))});
  }
  return warnings;
}

bool asks_for_separate_compilation(std::string_view log) {
  return log.find("requires separate compilation mode") != std::string_view::npos ||  // nvcc
         log.find("as the required runtime APIs are not declared") != std::string_view::npos;
}

}  // namespace cudalab::compile
