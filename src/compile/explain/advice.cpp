// Gives advice on a compiler's error: names, headers, execution spaces, arguments and types.
#include "compile/explain/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <set>
#include <span>

#include "compile/clang/clang.h"
#include "compile/explain/arguments.h"
#include "core/error.h"
#include "core/files.h"
#include "core/spelling.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

using Groups = std::vector<std::string>;  // the whole match, then the pattern's capture groups

Code code(std::string_view text) { return Code{std::string(text)}; }

// ---- names that compilers call unknown -------------------------------------------------------------------

// Names of the C++ library and of C, and the header that declares each.
struct HeaderOf {
  std::string_view header, names;  // separated by blanks
  bool is_in_std = false;          // C++ declares them in namespace std only
};
constexpr HeaderOf kHeaders[] = {
    {"<cstdio>", "printf fprintf puts scanf fopen stderr snprintf"},
    {"<cstdlib>", "malloc free calloc exit rand srand atoi atof EXIT_FAILURE EXIT_SUCCESS"},
    {"<cstring>", "memset memcpy strcmp strlen"},
    {"<ctime>", "time clock CLOCKS_PER_SEC"},
    {"<cassert>", "assert"},
    {"<cfloat>", "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON"},
    {"<climits>", "INT_MAX INT_MIN UINT_MAX LONG_MAX LLONG_MAX ULLONG_MAX CHAR_BIT"},
    {"<cstdint>", "uint8_t uint32_t uint64_t int32_t int64_t"},
    {"<cmath>", "M_PI"},
    {"<curand_kernel.h>",
     "curandState curandState_t curandStateXORWOW_t curandStatePhilox4_32_10_t curandStateMRG32k3a_t "
     "curand_init "
     "curand curand_uniform curand_uniform4 curand_uniform_double curand_normal curand_normal2 "
     "curand_normal4 "
     "curand_normal_double curand_log_normal curand_poisson"},
    {"<curand.h>", "curandGenerator_t curandCreateGenerator curandGenerateUniform curandGenerateNormal"},
    {"<cublas_v2.h>", "cublasHandle_t cublasCreate cublasSgemm cublasSaxpy cublasDestroy"},
    {"<cufft.h>", "cufftHandle cufftComplex cufftPlan1d cufftPlan2d cufftPlanMany cufftExecC2C cufftDestroy"},
    {"<cusparse.h>", "cusparseHandle_t cusparseCreate cusparseCreateCsr cusparseSpMV cusparseDestroy"},
    {"<mma.h>", "wmma nvcuda"},
    {"<cuda_fp16.h>", "__half half __half2 half2 __float2half __half2float __hadd __hmul"},
    {"<cooperative_groups.h>",
     "cooperative_groups thread_block_tile this_thread_block this_grid tiled_partition"},
    {"<iostream>", "cout cerr cin endl", true},
    {"<vector>", "vector", true},
    {"<string>", "string", true},
    {"<memory>", "unique_ptr", true},
    {"<array>", "array", true},
    {"<chrono>", "chrono", true},
    {"<numeric>", "accumulate iota", true},
    {"<algorithm>", "sort fill generate max_element min_element count count_if for_each transform", true},
    {"<utility>", "swap", true},
    {"<map>", "map", true},
    {"<fstream>", "ifstream ofstream", true},
    {"<iomanip>", "setw", true},
    {"<random>", "mt19937", true},
    {"<limits>", "numeric_limits", true},
    {"<thread>", "thread", true},
    {"<sstream>", "stringstream", true},
    {"<functional>", "function", true},
};

bool is_among(std::string_view name, std::string_view names) {
  const auto words = split(names, ' ');
  return std::ranges::find(words, name) != words.end();
}

constexpr std::string_view kWindowsNames =
    "LARGE_INTEGER QueryPerformanceCounter QueryPerformanceFrequency DWORD GetTickCount Sleep HANDLE __int64 "
    "_getch getch LPSTR";
constexpr std::string_view kWindowsHeaders =
    "windows.h conio.h stdafx.h pch.h tchar.h process.h direct.h io.h winsock2.h";

bool is_windows_header(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return is_among(lower, kWindowsHeaders);
}

bool is_check_macro(std::string_view name) {
  static const TextPattern kPattern(
      "(?:CHECK|CUDA_?CHECK(?:_ERRORS?)?|CHECK_?CUDA(?:_ERRORS?)?|CUDA_?CALL|CUDA_?SAFE_?CALL|gpuErrchk|"
      "gpuErrorCheck|"
      "checkCuda|checkCudaErrors|getLastCudaError|HANDLE_ERROR|cudaCheck(?:Error|Errors)?|CUDA_ERROR_CHECK|"
      "CUDACHECK|cutilSafeCall)");
  return kPattern.fits(name).has_value();
}

constexpr std::string_view kBuiltIns = "threadIdx blockIdx blockDim gridDim warpSize";
bool is_built_in(std::string_view name) { return is_among(name, kBuiltIns); }

// Names that our headers do not declare literally, because clang has them built in or a macro declares them.
constexpr std::string_view kMoreNames =
    "__syncthreads __syncwarp __shfl_down_sync __shfl_up_sync __shfl_xor_sync __shfl_sync __ballot_sync "
    "__threadfence atomicAdd "
    "atomicSub atomicMax atomicMin atomicExch atomicCAS atomicAnd atomicOr atomicXor atomicInc cudaMalloc "
    "cudaFree cudaMemcpy "
    "cudaMemset cudaDeviceSynchronize cudaGetLastError cudaGetErrorString cudaMemcpyHostToDevice "
    "cudaMemcpyDeviceToHost cudaError_t "
    "cudaSuccess dim3 float2 float4 int2 int4 uint2 uint4 double2 sqrtf expf sinf cosf powf fabsf fminf "
    "fmaxf rsqrtf make_float2 "
    "make_float4 make_int2 printf";

// CUDA names that our own headers declare: functions, types, constants.
const std::vector<std::string>& names_of_cuda() {
  static const std::vector<std::string> kNames = [] {
    std::set<std::string> names;
    for (const std::string_view list : {kBuiltIns, kMoreNames})
      for (const std::string_view name : split(list, ' ')) names.emplace(name);
    try {
      std::error_code ignored;
      for (fs::recursive_directory_iterator at(cuda_headers(), ignored), end; at != end;
           at.increment(ignored)) {
        if (!at->is_regular_file(ignored)) continue;
        const std::string text = read_text(at->path());
        for (const SourceToken& token : tokens_of(text)) {
          const bool is_public = token.text.starts_with("cuda") || token.text.starts_with("make_") ||
                                 token.text.starts_with("curand") ||
                                 (token.text.starts_with("__") && token.text.size() > 4);
          const bool is_ours =
              token.text.find("cudalab") != std::string_view::npos || token.text.starts_with("__nv");
          if (token.kind == TokenKind::kWord && is_public && !is_ours) names.emplace(token.text);
        }
      }
    } catch (const Error&) {  // if the headers are not installed, only the lists above are used
    }
    return std::vector<std::string>(names.begin(), names.end());
  }();
  return kNames;
}

const std::vector<std::string>& words_of_cpp() {
  static const std::vector<std::string> kWords{
      "float", "double",   "unsigned", "return", "const",  "constexpr", "while", "struct",
      "class", "template", "typename", "sizeof", "static", "extern",    "bool",  "char",
      "long",  "short",    "void",     "switch", "break",  "continue",  "else",  "namespace",
      "using", "size_t",   "nullptr",  "true",   "false"};
  return kWords;
}

// The name that begins with the word, as cudaStream_t with cudaStream, or whose end the word writes out, as
// cudaDeviceProperties that of cudaDeviceProp. Of several, the one that differs least.
std::string completed(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kShortest = 6, kLongestEnd = 8;
  std::string best;
  std::size_t best_more = kLongestEnd + 1;
  for (const std::string& name : names) {
    const auto [shorter, longer] = name.size() < word.size()
                                       ? std::pair<std::string_view, std::string_view>(name, word)
                                       : std::pair<std::string_view, std::string_view>(word, name);
    const std::string_view end = longer.substr(shorter.size());
    if (shorter.size() < kShortest || end.empty() || !longer.starts_with(shorter)) continue;
    const bool is_other_word =
        name.size() < word.size() && !std::ranges::all_of(end, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!is_other_word && end.size() < best_more) best = name, best_more = end.size();
  }
  return best;
}

// The name that a misspelled word probably means: equal except for letter case and underscores, a longer name
// with this beginning, or the nearest by edit distance.
std::string meant_by(std::string_view word, const std::vector<std::string>& names) {
  const auto core = [](std::string_view text) {
    std::string letters;
    for (const char c : text)
      if (c != '_') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return letters;
  };
  const std::string wanted = core(word);
  for (const std::string& name : names)
    if (name != word && core(name) == wanted) return name;
  if (word.size() < 3) return "";
  if (std::string longer = completed(word, names); !longer.empty()) return longer;
  std::string best;
  std::size_t best_distance = word.size() < 5 ? 2 : word.size() < 10 ? 3 : 4;
  for (const std::string& name : names) {
    if (name == word || name.size() < 3) continue;
    const std::size_t distance = edit_distance(wanted, core(name));
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

// The `__constant__` or `__device__` of the declaration whose name is at `at`; empty if it has none.
std::string_view space_at(const Facts& facts, std::size_t at) {
  for (; at > 0; --at) {
    const SourceToken& before = facts.tokens[at - 1];
    if (before.is(";") || before.is("{") || before.is("}") || before.is("(")) break;
    if (before.is("__constant__") || before.is("__device__")) return before.text;
  }
  return {};
}

// Advice on an unknown name that the source declares elsewhere: later, in another function, or in a scope
// that has ended.
Message advice_on_declared(const Facts& facts, std::string_view name, int line) {
  const FoundFunction* here = facts.function_at(line);
  if (const FoundFunction* function = facts.function_named(name); function && function->line > line)
    return msg::cause_declared_later(code(name), function->line);
  for (const std::size_t at : declarations_of(facts, name)) {
    // Two arguments of a call look like the names of a declaration.
    const bool may_be_argument =
        facts.tokens[at - 1].is(",") && (facts.tokens[at + 1].is(",") || facts.tokens[at + 1].is(")"));
    if (may_be_argument) continue;
    const int declared = facts.tokens[at].line;
    const FoundFunction* there = facts.function_at(declared);
    if (there && there != here) {
      if (const std::string_view space = space_at(facts, at); !space.empty())
        return msg::cause_space_in_function(code(space));
      if (here) return msg::cause_of_another_function(code(name), code(there->name));
    } else if (there && declared <= line) {
      return msg::cause_out_of_scope(code(name), declared);
    } else if (declared > line) {
      return msg::cause_declared_later(code(name), declared);
    }
  }
  return {};
}

// Names in capitals are macros, which command line options may define; the caller says how.
bool is_macro_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); });
}

bool is_called(const Facts& facts, std::string_view name, int line) {
  for (std::size_t at = 0; at + 1 < facts.tokens.size(); ++at)
    if (facts.tokens[at].line == line && facts.tokens[at].is(name)) return facts.tokens[at + 1].is("(");
  return false;
}

const HeaderOf* header_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kHeaders, [&](const HeaderOf& row) { return is_among(name, row.names); });
  return found == std::end(kHeaders) ? nullptr : &*found;
}

Message advice_on_header_of(const Facts& facts, std::string_view name, const HeaderOf& row, int line) {
  const FoundFunction* here = facts.function_at(line);
  const std::string full = row.is_in_std ? fmt::format("std::{}", name) : std::string(name);
  if (row.is_in_std && here && here->is_device) return msg::cause_host_function(code(full));
  return row.is_in_std ? msg::cause_include_std(code(full), code(fmt::format("#include {}", row.header)))
                       : msg::cause_include(code(full), code(row.header));
}

// `value = 0;`: a declaration without its type.
bool is_assigned_first(const Facts& facts, std::string_view name, int line) {
  const auto first = std::ranges::find(facts.tokens, line, &SourceToken::line);
  return first + 1 < facts.tokens.end() && first->is(name) && first[1].is("=");
}

Message advice_on_name(const Facts& facts, std::string_view name, int line) {
  if (is_built_in(name)) return msg::cause_built_in_on_host(code(name));
  if (is_among(name, kWindowsNames)) return msg::cause_windows_name(code(name));
  if (is_check_macro(name)) return msg::cause_check_macro(code(name));
  if (is_assigned_first(facts, name, line) && facts.function_named(name) == nullptr)
    return msg::cause_undeclared(code(name));
  if (Message advice = advice_on_declared(facts, name, line); !advice.empty()) return advice;
  if (const HeaderOf* row = header_of(name)) return advice_on_header_of(facts, name, *row, line);
  const auto declared = declared_names(facts);
  for (const std::string& right : words_of_cpp())
    if (name.size() > 3 && edit_distance(name, right) == 1) return msg::cause_did_you_mean(Code{right});
  for (const std::vector<std::string>* names : {&declared, &names_of_cuda(), &words_of_cpp()})
    if (std::string right = meant_by(name, *names); !right.empty())
      return msg::cause_did_you_mean(Code{std::move(right)});
  if (is_macro_name(name)) return {};  // the caller says how to define it
  return is_called(facts, name, line) ? msg::cause_undeclared_function(code(name))
                                      : msg::cause_undeclared(code(name));
}

// ---- headers ---------------------------------------------------------------------------------------------

// Headers of the samples up to CUDA 4, and of the book CUDA by Example, that draw or check.
constexpr std::string_view kOldHeaders =
    "cutil.h cutil_inline.h cutil_inline_runtime.h cutil_gl_inline.h cutil_math.h shrUtils.h shrQATest.h "
    "sdkHelper.h cutil_inline_bankchecker.h";
constexpr std::string_view kBookHeaders = "cpu_bitmap.h cpu_anim.h gpu_anim.h gl_helper.h";

Message advice_on_missing_header(const std::string& name) {
  constexpr std::string_view kNames =
      "cstdio stdio.h cstdlib stdlib.h iostream vector string string.h cstring cmath math.h algorithm chrono "
      "random numeric fstream "
      "iomanip memory cassert assert.h cuda_runtime.h cuda.h cuda_fp16.h mma.h cooperative_groups.h "
      "device_launch_parameters.h curand_kernel.h sys/time.h time.h ctime cstdint limits cfloat";
  static const std::vector<std::string> kKnown = [] {
    const auto words = split(kNames, ' ');
    return std::vector<std::string>(words.begin(), words.end());
  }();
  if (is_windows_header(name))
    return name == "windows.h" || name == "Windows.h" ? msg::cause_windows_name(code(name))
                                                      : msg::cause_windows_header(code(name));
  const std::string file = name.substr(name.rfind('/') + 1);
  if (file.starts_with("nvToolsExt")) return msg::cause_nvtx_header(code(file));
  if (is_among(file, kOldHeaders)) return msg::cause_old_header(code(file));
  if (is_among(file, kBookHeaders)) return msg::cause_book_header(code(file));
  const std::string without_end = name.ends_with(".h") ? name.substr(0, name.size() - 2) : name + ".h";
  if (std::ranges::find(kKnown, without_end) != kKnown.end())
    return msg::cause_did_you_mean(Code{without_end});
  if (std::string right = nearest(name, kKnown); !right.empty())
    return msg::cause_did_you_mean(Code{std::move(right)});
  return msg::cause_header_missing(code(name));
}

// ---- calls across spaces ---------------------------------------------------------------------------------

// "reference" from "reference(const std::vector<float> &)", and "square" from "_Z6square1?".
std::string plain_name(std::string_view function) {
  static const TextPattern mangled(R"(_Z(\d+)(\w+).*)");
  if (const auto found = mangled.fits(function)) {
    const auto length = natural(found->groups[1]).value_or(0);
    return found->groups[2].substr(0, length);
  }
  std::string name(function.substr(0, function.find('(')));
  if (const std::size_t angle = name.find('<'); angle != std::string::npos) name.erase(angle);
  return std::string(trimmed(name));
}

// What device code uses in the place of a function of the host, whose name compilers write without `std::`.
struct Instead {
  std::string_view name, full, instead;
};
constexpr Instead kInstead[] = {
    {"max", "std::max", "max(a, b)"},
    {"min", "std::min", "min(a, b)"},
    {"clamp", "std::clamp", "min(max(x, low), high)"},
    {"cout", "std::cout", "printf"},
    {"cerr", "std::cerr", "printf"},
    {"endl", "std::endl", "printf"},
    {"fprintf", "fprintf", "printf"},
    {"to_string", "std::to_string", "printf"},
    {"exit", "exit", "return, or __trap()"},
    {"abort", "abort", "__trap()"},
    {"swap", "std::swap", "a temporary variable"},
    {"time", "time", "clock64()"},
    {"clock_gettime", "clock_gettime", "clock64()"},
    {"gettimeofday", "gettimeofday", "clock64()"},
    {"omp_get_thread_num", "omp_get_thread_num", "threadIdx.x"},
};
constexpr std::string_view kAlgorithms =
    "sort stable_sort fill fill_n copy copy_n accumulate reduce count count_if find find_if max_element "
    "min_element for_each transform inner_product iota partial_sum reverse lower_bound upper_bound "
    "binary_search any_of all_of none_of generate unique rotate inclusive_scan exclusive_scan";

Message advice_on_host_function(const Facts& facts, std::string_view function) {
  std::string name = plain_name(function);
  if (const std::size_t scope = name.rfind("::");
      scope != std::string::npos && !name.starts_with("std::vector") && !name.starts_with("std::_Vector"))
    name.erase(0, scope + 2);  // `Complex::operator *`
  std::erase(name, ' ');
  if (name.starts_with("operator") && function.find("std::") == std::string_view::npos)
    for (const SourceToken& token : facts.tokens)
      if (token.is("operator") && facts.source.substr(token.begin).starts_with(name))
        return msg::cause_host_function_here(code(name), token.line);
  if (function.find("std::basic_ostream") != std::string_view::npos) name = "cout";
  if (const FoundFunction* found = facts.function_named(name))
    return msg::cause_host_function_here(code(name), found->line);
  if (name.starts_with("std::vector") || name.starts_with("std::_Vector") || name.find("vector") == 0)
    return msg::cause_vector_in_kernel();
  if (name == "rand" || name == "srand" || name == "drand48") return msg::cause_rand_in_kernel(code(name));
  if (const auto instead = std::ranges::find(kInstead, name, &Instead::name); instead != std::end(kInstead))
    return msg::cause_host_function_instead(code(instead->full), code(instead->instead));
  if (is_among(name, kAlgorithms)) return msg::cause_host_algorithm(code("std::" + name));
  return msg::cause_host_function(code(name));
}

std::string_view built_in_on(const Facts& facts, int line) {
  for (const SourceToken& token : facts.tokens)
    if (token.line == line && is_built_in(token.text)) return token.text;
  return {};
}

Message advice_on_device_function(const Facts& facts, std::string_view function, int line) {
  const std::string name = plain_name(function);
  if (const HeaderOf* row = header_of(name)) return advice_on_header_of(facts, name, *row, line);
  const FoundFunction* here = facts.function_at(line);
  if (const std::string_view built_in = built_in_on(facts, line);
      !built_in.empty() && here && here->name == "main")
    return msg::cause_built_in_on_host(code(built_in));
  const FoundFunction* found = facts.function_named(name);
  // A function other than `main` that uses device features lacks its qualifier.
  if (here && here->name != "main" && !here->is_device)
    return msg::cause_qualifier_missing(code(here->name), here->line);
  return found ? msg::cause_device_function_here(code(name), found->line)
               : msg::cause_device_function(code(name));
}

// ---- arguments -------------------------------------------------------------------------------------------

struct KnownCall {
  std::string_view name, call;
};
constexpr KnownCall kCalls[] = {
    {"cudaMalloc", "cudaMalloc(&pointer, bytes)"},
    {"cudaMallocHost", "cudaMallocHost(&pointer, bytes)"},
    {"cudaMallocManaged", "cudaMallocManaged(&pointer, bytes)"},
    {"cudaMemcpy", "cudaMemcpy(destination, source, bytes, cudaMemcpyHostToDevice)"},
    {"cudaMemcpyAsync", "cudaMemcpyAsync(destination, source, bytes, cudaMemcpyHostToDevice, stream)"},
    {"cudaMemset", "cudaMemset(pointer, byte, bytes)"},
    {"cudaFree", "cudaFree(pointer)"},
    {"cudaEventCreate", "cudaEventCreate(&event)"},
    {"cudaEventRecord", "cudaEventRecord(event)"},
    {"cudaEventSynchronize", "cudaEventSynchronize(event)"},
    {"cudaEventElapsedTime", "cudaEventElapsedTime(&milliseconds, begin, end)"},
    {"cudaMemcpyToSymbol", "cudaMemcpyToSymbol(variable, source, bytes)"},
    {"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbol(destination, variable, bytes)"},
    {"cudaStreamCreate", "cudaStreamCreate(&stream)"},
    {"cudaGetErrorString", "cudaGetErrorString(error)"},
    {"cudaSetDevice", "cudaSetDevice(number)"},
    {"cudaGetDeviceProperties", "cudaGetDeviceProperties(&properties, number)"},
    {"atomicAdd", "atomicAdd(&variable, value)"},
    {"atomicMax", "atomicMax(&variable, value)"},
    {"atomicMin", "atomicMin(&variable, value)"},
    {"atomicSub", "atomicSub(&variable, value)"},
    {"atomicExch", "atomicExch(&variable, value)"},
    {"atomicCAS", "atomicCAS(&variable, expected, value)"},
    {"__shfl_down_sync", "__shfl_down_sync(0xffffffff, value, distance)"},
    {"__shfl_up_sync", "__shfl_up_sync(0xffffffff, value, distance)"},
    {"__shfl_xor_sync", "__shfl_xor_sync(0xffffffff, value, mask)"},
    {"__shfl_sync", "__shfl_sync(0xffffffff, value, lane)"},
    {"__ballot_sync", "__ballot_sync(0xffffffff, condition)"},
    {"__any_sync", "__any_sync(0xffffffff, condition)"},
    {"__all_sync", "__all_sync(0xffffffff, condition)"},
    {"atomicInc", "atomicInc(&variable, limit)"},
    {"atomicAnd", "atomicAnd(&variable, value)"},
    {"atomicOr", "atomicOr(&variable, value)"},
    {"atomicXor", "atomicXor(&variable, value)"},
    {"cudaMallocPitch", "cudaMallocPitch(&pointer, &pitch, width_in_bytes, height)"},
    {"cudaMemcpy2D",
     "cudaMemcpy2D(destination, destination_pitch, source, source_pitch, width_in_bytes, height, "
     "cudaMemcpyHostToDevice)"},
    {"cudaMemcpyFromSymbolAsync",
     "cudaMemcpyFromSymbolAsync(destination, variable, bytes, offset, "
     "cudaMemcpyDeviceToHost, stream)"},
    {"cudaMemsetAsync", "cudaMemsetAsync(pointer, byte, bytes, stream)"},
    {"cudaStreamSynchronize", "cudaStreamSynchronize(stream)"},
    {"cudaStreamDestroy", "cudaStreamDestroy(stream)"},
    {"cudaEventDestroy", "cudaEventDestroy(event)"},
    {"cudaStreamWaitEvent", "cudaStreamWaitEvent(stream, event, 0)"},
    {"cudaGetDeviceCount", "cudaGetDeviceCount(&count)"},
    {"cudaFreeHost", "cudaFreeHost(pointer)"},
    {"cudaHostAlloc", "cudaHostAlloc(&pointer, bytes, cudaHostAllocDefault)"},
    {"curand_init", "curand_init(seed, sequence, offset, &state)"},
    {"__syncthreads", "__syncthreads()"},
};

// `make_float3(x, y, z)`.
std::string call_of_vector(std::string_view name) {
  constexpr std::string_view kBegin = "make_", kComponents[] = {"x", "x, y", "x, y, z", "x, y, z, w"};
  if (!name.starts_with(kBegin) || name.back() < '1' || name.back() > '4') return "";
  return fmt::format("{}({})", name, kComponents[name.back() - '1']);
}

const KnownCall* known_call(std::string_view name) {
  const auto found = std::ranges::find(kCalls, name, &KnownCall::name);
  return found == std::end(kCalls) ? nullptr : &*found;
}

// "template <typename T, int N> " if the function is a template.
std::string template_of(const Facts& facts, const FoundFunction& function) {
  if (function.first >= function.open || !facts.tokens[function.first].is("template")) return "";
  const std::size_t end = closing(facts.tokens, function.first + 1);
  if (end >= function.open) return "";
  return text_of(std::span(facts.tokens).subspan(function.first, end + 1 - function.first)) + " ";
}

// The parameters of the function that the line calls, from the source or the runtime API.
Message advice_on_arguments(const Facts& facts, int line) {
  for (const std::string_view name : functions_called_on(facts, line)) {
    if (const KnownCall* call = known_call(name)) return msg::cause_call_arguments(code(call->call));
    if (std::string call = call_of_vector(name); !call.empty())
      return msg::cause_call_arguments(Code{std::move(call)});
    const FoundFunction* function = facts.function_named(name);
    if (function && function->line <= line && facts.function_at(line) != function)
      return msg::cause_function_arguments(
          function->line, code(fmt::format("{}{}({})", template_of(facts, *function), function->name,
                                           parameters_of(facts, *function))));
    if (std::string declared = declaration_in_headers(name); !declared.empty())
      return msg::cause_declaration(Code{std::move(declared)});
  }
  return {};
}

Message advice_on_no_match(const Facts& facts, std::string_view function, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at].line != line || !tokens[at].is(function) || !tokens[at + 1].is("(")) continue;
    const bool has_address = tokens[at + 2].is("&");
    const bool takes_address =
        known_call(function) && known_call(function)->call.find("(&") != std::string_view::npos;
    if (takes_address && !has_address) {
      std::size_t name = at + 2;
      const std::size_t end = closing(tokens, at + 1);
      while (name < end &&
             (tokens[name].kind != TokenKind::kWord || tokens[name].is("void") || tokens[name].is("float")))
        ++name;
      return msg::cause_address_missing(code(function),
                                        code(fmt::format("&{}", name < end ? tokens[name].text : "pointer")));
    }
  }
  return advice_on_arguments(facts, line);
}

// The name of the std::vector or other container in the arguments on a line.
std::string container_on(const Facts& facts, int line) {
  for (const SourceToken& token : facts.tokens) {
    if (token.line != line || token.kind != TokenKind::kWord) continue;
    for (const std::size_t at : declarations_of(facts, token.text)) {
      if (at == 0 || !facts.tokens[at - 1].is(">")) {
        const bool follows_other = at > 0 && facts.tokens[at - 1].is(",");
        if (!follows_other) continue;
      }
      return std::string(token.text);
    }
  }
  return "v";
}

// The array that an assignment on the line writes to: the identifier before `[…] =`.
std::string assigned_on(const Facts& facts, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].line != line || tokens[at].kind != TokenKind::kWord || !tokens[at + 1].is("[")) continue;
    const std::size_t behind = closing(tokens, at + 1) + 1;
    if (behind < tokens.size() &&
        (tokens[behind].is("=") || (behind + 1 < tokens.size() && tokens[behind + 1].is("="))) &&
        !tokens[behind + 1].is("=="))
      return std::string(tokens[at].text);
  }
  return "";
}

Message advice_on_const(const Facts& facts, int line) {
  const std::string name = assigned_on(facts, line);
  return name.empty() ? msg::cause_const() : msg::cause_const_array(code(name));
}

bool has_token(const Facts& facts, int line, std::string_view word) {
  return std::ranges::any_of(facts.tokens,
                             [&](const SourceToken& token) { return token.line == line && token.is(word); });
}

// `__shared__ float tile[n]`: suggests a declaration with `extern` and without a size.
Message advice_on_size(const Facts& facts, int line) {
  if (!has_token(facts, line, "__shared__")) return msg::cause_array_size();
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at)
    if (tokens[at].line == line && tokens[at].kind == TokenKind::kWord && tokens[at + 1].is("["))
      return msg::cause_shared_size(
          code(fmt::format("extern __shared__ {} {}[];", tokens[at - 1].text, tokens[at].text)));
  return msg::cause_array_size();
}

// `threadIdx` used as a number.
Message advice_on_operands(const Facts& facts, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at)
    if (tokens[at].line == line && is_built_in(tokens[at].text) && !tokens[at].is("warpSize") &&
        !tokens[at + 1].is("."))
      return msg::cause_component_missing(code(tokens[at].text), code(fmt::format("{}.x", tokens[at].text)));
  return {};
}

// The vector type of an operand in "operand types are: float3 * float" and "('float3' and 'float')".
Message advice_on_vectors(const Groups& groups) {
  static const TextPattern vector(R"re(\b((?:u?(?:char|short|int|long|longlong)|float|double)[1-4])\b)re");
  const auto found = vector.first_in(groups[1]);
  if (!found) return {};
  return msg::cause_vector_operators(code(found->groups[1]), code("c.x = a.x + b.x"));
}

Message advice_on_return(const Facts& facts, int line) {
  const FoundFunction* here = facts.function_at(line);
  return here && here->is_kernel ? msg::cause_kernel_returns(code(here->name)) : Message();
}

Message advice_on_twice(const Facts& facts, std::string_view name, int line) {
  for (const std::size_t at : declarations_of(facts, name))
    if (facts.tokens[at].line < line && facts.function_at(facts.tokens[at].line) == facts.function_at(line))
      return msg::cause_declared_twice(code(name), facts.tokens[at].line);
  return {};
}

Message advice_on_conversion(const Facts& facts, std::string_view from, int line) {
  if (from.find("vector<") != std::string_view::npos || from.find("array<") != std::string_view::npos)
    return msg::cause_host_vector(code(fmt::format("{}.data()", container_on(facts, line))));
  return {};
}

// ---- the table -------------------------------------------------------------------------------------------

using Advice = Message (*)(const Facts&, const Groups&, int line);

Message on_name(const Facts& facts, const Groups& groups, int line) {
  return advice_on_name(facts, groups[1], line);
}
Message on_host(const Facts& facts, const Groups& groups, int) {
  return advice_on_host_function(facts, groups[1]);
}
Message on_device(const Facts& facts, const Groups& groups, int line) {
  return advice_on_device_function(facts, groups[1], line);
}
Message on_arguments(const Facts& facts, const Groups&, int line) { return advice_on_arguments(facts, line); }
Message on_match(const Facts& facts, const Groups& groups, int line) {
  return advice_on_no_match(facts, groups[1], line);
}
Message on_conversion(const Facts& facts, const Groups& groups, int line) {
  return advice_on_conversion(facts, groups[1], line);
}
Message on_size(const Facts& facts, const Groups&, int line) { return advice_on_size(facts, line); }
Message on_const(const Facts& facts, const Groups&, int line) { return advice_on_const(facts, line); }
Message on_operands(const Facts& facts, const Groups&, int line) { return advice_on_operands(facts, line); }
Message on_host_variable(const Facts& facts, const Groups& groups, int line) {
  for (const std::size_t at : declarations_of(facts, groups[1])) {
    const int declared = facts.tokens[at].line;
    if (declared < line && !facts.function_at(declared))
      return msg::cause_host_variable(code(groups[1]), declared);
  }
  return {};
}
// `p += q` of a vector type: clang does not name the type.
Message on_assigned_vector(const Facts& facts, const Groups&, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at].line != line || tokens[at].kind != TokenKind::kWord || !tokens[at + 2].is("=")) continue;
    for (const std::size_t declared : declarations_of(facts, tokens[at].text))
      if (Message advice = advice_on_vectors({"", std::string(tokens[declared - 1].text)}); !advice.empty())
        return advice;
  }
  return {};
}
Message on_star(const Facts&, const Groups&, int) { return msg::cause_star_on_value(); }
Message on_builtin(const Facts& facts, const Groups&, int line) {
  for (std::size_t at = 0; at + 1 < facts.tokens.size(); ++at)
    if (facts.tokens[at].line == line && facts.tokens[at].text.starts_with("__") &&
        facts.tokens[at + 1].is(";"))
      return msg::cause_call_parentheses(code(facts.tokens[at].text),
                                         code(fmt::format("{}()", facts.tokens[at].text)));
  return {};
}
Message on_vectors(const Facts&, const Groups& groups, int) { return advice_on_vectors(groups); }
Message on_ambiguous(const Facts& facts, const Groups& groups, int) {
  const bool is_own = !declarations_of(facts, groups[1]).empty() || facts.function_named(groups[1]);
  const bool uses_std = facts.source.find("using namespace std") != std::string_view::npos;
  return is_own && uses_std ? msg::cause_ambiguous(code(groups[1]), code("::" + groups[1])) : Message();
}
Message on_other_type(const Facts& facts, const Groups& groups, int line) {
  if (!has_token(facts, line, "__shared__") || !has_token(facts, line, "extern")) return {};
  for (const std::size_t at : declarations_of(facts, groups[1]))
    if (facts.tokens[at].line < line) return msg::cause_shared_types(facts.tokens[at].line, code(groups[1]));
  return {};
}
Message on_inference(const Facts&, const Groups& groups, int) {
  return msg::cause_template_argument(code(groups[1] + "<float>(…)"));
}
Message on_constant_store(const Facts&, const Groups&, int) { return msg::cause_constant_store(); }
// A namespace that no header declares, or an alias without its declaration.
Message on_namespace(const Facts& facts, const Groups&, int line) {
  const Tokens& tokens = facts.tokens;
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at].line != line || tokens[at].kind != TokenKind::kWord) continue;
    if (const HeaderOf* row = header_of(tokens[at].text); row && !row->is_in_std)
      return msg::cause_include(code(tokens[at].text), code(row->header));
    if (tokens[at].is("cg") && tokens[at + 1].is(":") &&
        !(facts.source.find("namespace cg") != std::string_view::npos))
      return (facts.source.find("cooperative_groups.h") != std::string_view::npos)
                 ? msg::cause_namespace_alias(code("cg"), code("namespace cg = cooperative_groups;"))
                 : msg::cause_include(code("cooperative_groups"), code("<cooperative_groups.h>"));
  }
  return {};
}
Message on_twice(const Facts& facts, const Groups& groups, int line) {
  return advice_on_twice(facts, groups[1], line);
}
Message on_return(const Facts& facts, const Groups&, int line) { return advice_on_return(facts, line); }
Message on_initial(const Facts&, const Groups&, int) { return msg::cause_shared_initial(); }
Message on_space(const Facts&, const Groups& groups, int) {
  return msg::cause_space_in_function(code(groups[1]));
}
Message on_header(const Facts&, const Groups& groups, int) { return advice_on_missing_header(groups[1]); }
Message on_vector(const Facts&, const Groups&, int) { return msg::cause_vector_in_kernel(); }
Message on_cast(const Facts&, const Groups&, int) { return msg::cause_cast(); }
// A value is passed where a call needs the address of a variable.
Message on_address(const Facts& facts, const Groups&, int line) {
  for (const SourceToken& token : facts.tokens)
    if (token.line == line && known_call(token.text)) return advice_on_no_match(facts, token.text, line);
  return {};
}
Message on_pointer(const Facts&, const Groups&, int) { return msg::cause_no_array(); }

// A component of `threadIdx` in upper case, or a misspelled member.
Message on_member(const Facts& facts, const Groups& groups, int) {
  const auto found =
      groups[1].size() == 1 ? std::string_view("XYZ").find(groups[1][0]) : std::string_view::npos;
  if (found != std::string_view::npos)
    return msg::cause_did_you_mean(code(std::string_view("xyz").substr(found, 1)));
  std::string right = meant_by(groups[1], declared_names(facts));
  return right.empty() ? Message() : msg::cause_did_you_mean(Code{std::move(right)});
}

Message on_std(const Facts& facts, const Groups& groups, int line) {
  const HeaderOf* row = header_of(groups[1]);
  return row ? advice_on_header_of(facts, groups[1], *row, line) : Message();
}

// A name of namespace std in a line that the compiler cannot parse.
Message on_std_on_line(const Facts& facts, const Groups&, int line) {
  for (std::size_t at = 0; at + 3 < facts.tokens.size(); ++at) {
    const SourceToken* token = &facts.tokens[at];
    if (token->line != line || !token->is("std") || !token[1].is(":") || !token[2].is(":")) continue;
    if (const HeaderOf* row = header_of(token[3].text))
      return advice_on_header_of(facts, token[3].text, *row, line);
  }
  return {};
}

Message on_shared_on_host(const Facts& facts, const Groups&, int line) {
  const FoundFunction* here = facts.function_at(line);
  return here ? msg::cause_qualifier_missing(code(here->name), here->line) : Message();
}

struct Rule {
  const char* words;
  Advice advice;
};
// Messages of EDG (NVRTC, nvcc), clang and GCC, and functions that explain them. The first rule that matches
// and gives advice is used.
constexpr Rule kRules[] = {
    // clang-format off
    {R"re(cannot open source file "([^"]+)")re", on_header},
    {R"re(^([^ :]+): No such file or directory)re", on_header},
    {R"re('([^']+)' file not found)re", on_header},
    {R"re(namespace "std(?:::[^"]*)?" has no member "(\w+)")re", on_std},
    {R"re(no (?:member|type|template) named '(\w+)' in namespace 'std')re", on_std},
    {R"re('(\w+)' is not a member of 'std')re", on_std},
    {R"re(no member named '(\w+)')re", on_member},
    {R"re(has no member (?:named )?["'](\w+)["'])re", on_member},
    {R"re(name must be a namespace name|expected namespace name|must be a class or namespace name|)re"
     R"re(use of undeclared identifier 'cg')re", on_namespace},
    {R"re(identifier "(\w+)" is undefined(?! in device code))re", on_name},
    {R"re(use of undeclared identifier '(\w+)')re", on_name},
    {R"re(unknown type name '(\w+)')re", on_name},
    {R"re('(\w+)' was not declared in this scope)re", on_name},
    {R"re('(\w+)' does not name a type)re", on_name},
    {R"re(a variable length array|variable length array declaration|variable-length array|)re"
     R"re(expression must have a constant value)re", on_size},
    {R"re(calling a (?:constexpr )?__host__ function\("(.+)"\) from a )re"
     R"re(__(?:global|device|host__ __device)__)re", on_host},
    {R"re(reference to __host__ variable '(cout|cerr|clog|endl)' in __)re", on_host},
    {R"re(identifier "(\w+)" is undefined in device code)re", on_host_variable},
    {R"re(reference to __host__ variable '(\w+)' in __)re", on_host_variable},
    {R"re(reference to __host__ function '([^']+)' in __(?:global|device|host__ __device)__)re", on_host},
    {R"re(calling a __device__ function\("(.+)"\) from a __host__)re", on_device},
    {R"re(reference to __device__ function '([^']+)' in __host__)re", on_device},
    {R"re(no known conversion from '([^']*(?:vector|array)<[^']*)')re", on_conversion},
    {R"re(no (?:matching|viable)[^\n]*std::vector<[^]*call to __host__)re", on_vector},
    {R"re(no matching function for call to '(\w+)'[^]*call to __host__ function from )re"
     R"re(__(?:global|device)__)re", on_host},
    {R"re(no matching function for call to '(\w+)'[^]*call to __device__ function )re"
     R"re(from __host__)re", on_device},
    {R"re(no matching function for call to '(\w+)'[^]*)re"
     R"re(couldn't infer template argument 'T')re", on_inference},
    {R"re(no matching function for call to '(\w+)')re", on_match},
    {R"re(no suitable constructor exists to convert from "[^"]*" to "[^"]*(?:vector|array)<)re", on_vector},
    {R"re(explicit type is missing|qualified name is not allowed)re", on_std_on_line},
    {R"re(no viable overloaded operator\[\])re", on_operands},
    {R"re("(\w+)" is ambiguous|reference to '(\w+)' is ambiguous)re", on_ambiguous},
    {R"re(declaration is incompatible with previous "(\w+)")re", on_other_type},
    {R"re(redeclaration of '(\w+)' with a different type)re", on_other_type},
    {R"re([Cc]annot store to pointer that points to constant memory)re", on_constant_store},
    {R"re((__constant__), __device__, and __managed__ are not allowed)re", on_space},
    {R"re(candidate function template "(tex\w+|surf\w+)<T>\((?:(?!\bT\b)[^"])*\)" )re"
     R"re(failed deduction)re", on_inference},
    {R"re(no instance of (?:overloaded function|function template) "(\w+)[^"]*" matches)re", on_match},
    {R"re(too (?:few|many) arguments)re", on_arguments},
    {R"re(no suitable (?:conversion function|user-defined conversion|constructor exists )re"
     R"re(to convert) from "([^"]+)")re", on_conversion},
    {R"re(no viable conversion from '([^']+)')re", on_conversion},
    {R"re(argument of type "([^"]*(?:vector|array)<[^"]*)" is incompatible)re", on_conversion},
    {R"re(argument of type "([^"]+)" is incompatible with parameter of type "\1 \*")re", on_address},
    {R"re(argument of type "[^"]*"[^\n]* is incompatible with parameter of type|)re"
     R"re(cannot initialize a parameter of type)re", on_arguments},
    {R"re(operand of "\*" must be a pointer|indirection requires pointer operand)re", on_star},
    {R"re(builtin functions must be directly called)re", on_builtin},
    {R"re(no viable overloaded '[-+*/]=')re", on_assigned_vector},
    {R"re(a value of type "void \*" cannot|with an rvalue of type 'void \*'|)re"
     R"re(from incompatible type 'void \*'|invalid conversion from 'void\*')re", on_cast},
    {R"re(initializer not allowed for __shared__|)re"
     R"re(dynamic initialization is not supported for a.* __shared__|)re"
     R"re(initialization is not supported for __shared__)re", on_initial},
    {R"re("?(__constant__|__device__|__managed__)"? variable declaration is not allowed inside)re", on_space},
    {R"re(static "__shared__" variable declaration is not allowed inside a host|)re"
     R"re(__shared__ local variables not allowed in __host__)re", on_shared_on_host},
    {R"re((__constant__|__device__) (?:and __shared__ )?(?:variables must be global|are )re"
     R"re(not allowed on non-static local))re", on_space},
    {R"re(expression must be a modifiable lvalue|read-only variable is not assignable|)re"
     R"re(cannot assign to|assignment of read-only)re", on_const},
    {R"re(no operator "[^"]+" matches these operands|)re"
     R"re(invalid operands to binary expression|subscript is not an integer|)re"
     R"re(no match for 'operator)re", on_operands},
    {R"re(operand types are: ([^\n]*)|)re"
     R"re(invalid operands to binary expression \(([^)]*\)))re", on_vectors},
    {R"re(no suitable conversion function from "(?:const )?)re"
     R"re((?:uint3|dim3|__cuda_builtin\w+)" )re", on_operands},
    {R"re(return value type does not match|void function '\w+' should not return|)re"
     R"re(return-statement with a value)re", on_return},
    {R"re("(\w+)" has already been declared)re", on_twice},
    {R"re(redefinition of '(\w+)')re", on_twice},
    {R"re(expression must have pointer-to-object type|subscripted value is not an array)re", on_pointer},
    // clang-format on
};

const std::deque<TextPattern>& patterns() {
  static const std::deque<TextPattern> kPatterns = [] {
    std::deque<TextPattern> made;
    for (const Rule& rule : kRules) made.emplace_back(rule.words);
    return made;
  }();
  return kPatterns;
}

// A call with fewer arguments than the function needs may fit another overload better, which is not meant.
Message advice_on_few_arguments(const Facts& facts, const Diagnosis& error) {
  static const TextPattern function(
      R"re(no instance of overloaded function "(\w+)"|no matching function for call to '(\w+)')re");
  const auto found = function.first_in(error.said);
  if (!found) return {};
  const std::string name = found->groups[1].empty() ? found->groups[2] : found->groups[1];
  const KnownCall* call = known_call(name);
  const std::size_t given = arguments_of_call(facts, name, error.where.line);
  if (!call || given == 0) return {};
  const std::size_t needed = 1 + std::ranges::count(call->call, ',');
  const bool stream_is_optional = call->call.ends_with(", stream)") || call->call.ends_with("Default)");
  return given + stream_is_optional < needed ? msg::cause_call_arguments(code(call->call)) : Message();
}

// A pattern may have a group for each compiler: the one that is used becomes the first.
Groups with_first_name(Groups groups) {
  if (groups.size() > 2 && groups[1].empty()) groups[1] = groups[2];
  return groups;
}

}  // namespace

Message advice_for(const Facts& facts, const Diagnosis& error) {
  const std::string text = error.notes.empty() ? error.said : error.said + "\n" + error.notes;
  if (Message advice = advice_on_few_arguments(facts, error); !advice.empty()) return advice;
  if (Message advice = advice_on_argument_types(facts, error); !advice.empty()) return advice;
  // clang suggests a name itself, but it does not know the variables of other functions.
  const bool has_suggestion = error.said.find("did you mean '") != std::string::npos;
  for (std::size_t i = 0; i < std::size(kRules); ++i) {
    const auto found = patterns()[i].first_in(text);
    if (!found) continue;
    Message advice = kRules[i].advice(facts, with_first_name(found->groups), error.where.line);
    if (has_suggestion && advice.id() != "cause_of_another_function") continue;
    if (!advice.empty()) return advice;
  }
  return {};
}

}  // namespace cudalab::compile
