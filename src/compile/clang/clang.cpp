// Runs clang on a copy of the source in a temporary folder, and rewrites its PTX in the form that the other
// compilers write.
#include "compile/clang/clang.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "compile/clang/untrusted.h"
#include "compile/compile_cache.h"
#include "compile/compiler_program.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/processes/this_process.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// ---- finding it --------------------------------------------------------------------------------------
constexpr int kNewestClang = 25;  // the newest version that is searched by number

// The version from `clang++ -dumpversion` ("19.1.7"); 0 if the program prints anything else.
int asked_version(const fs::path& program) {
  const TemporaryFolder folder("cudalab-clang-");
  ChildPool pool(compiler_child_limits(), true);
  pool.start(0, {program.string(), "-dumpversion"}, folder.path());
  const ChildEnd end = pool.wait().second;
  int version = 0;
  if (end.exit_code == 0) std::from_chars(end.output.data(), end.output.data() + end.output.size(), version);
  return version;
}

std::optional<FoundClang> usable(const fs::path& program, int version) {
  if (version < kLeastClang) return std::nullopt;
  return FoundClang{program, version};
}

std::optional<FoundClang> search_clang() {
  if (const auto named = environment("CUDALAB_CLANG")) return usable(*named, asked_version(*named));
  for (int version = kNewestClang; version >= kLeastClang; --version)
    if (const auto program = find_program(fmt::format("clang++-{}", version)))
      return usable(*program, version);
  const auto program = find_program("clang++");
  return program ? usable(*program, asked_version(*program)) : std::nullopt;
}

// ---- options -----------------------------------------------------------------------------------------
// An option of NVRTC and nvcc, without its leading dashes, and the clang options for it. A name that ends in
// '=' stands for all options with that prefix; {} is replaced by the rest.
struct OptionRow {
  std::string_view name;
  std::vector<std::string> clang;
};

const std::vector<OptionRow>& option_rows() {
  static const std::vector<OptionRow> rows{
      {"use_fast_math",
       {"-fcuda-flush-denormals-to-zero", "-D__CUDALAB_FLUSH_TO_ZERO__", "-D__CUDALAB_FAST_MATH__"}},
      {"ftz=true", {"-fcuda-flush-denormals-to-zero", "-D__CUDALAB_FLUSH_TO_ZERO__"}},
      {"ftz=false", {}},
      {"prec-div=false", {}},  // see clang_ptx_words
      {"prec-div=true", {}},
      {"prec-sqrt=false", {"-D__CUDALAB_APPROXIMATE_ROOTS__"}},
      {"prec-sqrt=true", {}},
      {"fmad=false", {}},  // see common_words
      {"fmad=true", {}},
      {"G", {"-g", "--cuda-noopt-device-debug"}},
      {"device-debug", {"-g", "--cuda-noopt-device-debug"}},
      {"lineinfo", {}},
      {"generate-line-info", {}},
      {"rdc=true", {"-fgpu-rdc"}},
      {"relocatable-device-code=true", {"-fgpu-rdc"}},
      {"dc", {"-fgpu-rdc"}},
      {"std=", {"-std={}"}},
      {"include-path=", {"-I{}"}},
      {"define-macro=", {"-D{}"}},
      {"undefine-macro=", {"-U{}"}},
      {"pre-include=", {"-include", "{}"}},
      {"default-device", {}},  // changes the source: see source_for_clang
      {"device-as-default-execution-space", {}},
      {"w", {"-w"}},
      {"disable-warnings", {"-w"}},
      // Hints to ptxas, and options that clang always implies.
      {"maxrregcount=", {}},
      {"expt-relaxed-constexpr", {}},
      {"expt-extended-lambda", {}},
      {"extended-lambda", {}},
      {"extra-device-vectorization", {}},
      {"restrict", {}},
      {"dopt=on", {}},
      {"device-int128", {}},
  };
  return rows;
}

bool fits(const OptionRow& row, std::string_view option) {
  return row.name.ends_with('=') ? option.starts_with(row.name) : option == row.name;
}

// Options that clang shares, each with its value attached.
bool is_shared(std::string_view option) {
  return option.starts_with("-I") || option.starts_with("-D") || option.starts_with("-U");
}

void add_translated(std::vector<std::string>& to, const std::string& option) {
  if (is_shared(option)) return to.push_back(option);
  std::string_view name = option;
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  const auto row = std::ranges::find_if(option_rows(), [&](const OptionRow& row) { return fits(row, name); });
  if (row == option_rows().end() || !option.starts_with('-'))
    throw usage_error(msg::clang_option_unknown(option));
  for (const std::string& word : row->clang)
    to.push_back(replaced(word, "{}", std::string(name.substr(row->name.size()))));
}

// Whether the request has the option, with one dash or two.
bool has_option(const CompileRequest& request, std::string_view name) {
  return std::ranges::any_of(request.options, [&](std::string_view option) {
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    return option == name;
  });
}

// PTX for one compute capability runs on all higher ones, so the highest that every supported clang knows is
// enough.
constexpr int kArchitectures[] = {90, 89, 87, 86, 80, 75, 72, 70, 62, 61, 60, 53, 52, 50};

// The options of both steps to PTX.
std::vector<std::string> common_words(const CompileRequest& request) {
  const bool for_debugger = std::ranges::count(request.options, kForDebugger) > 0;
  return {"-S",
          for_debugger ? "-O0" : "-O3",
          "-Xclang",
          "-target-feature",
          "-Xclang",
          "+ptx80",
          "-Xclang",
          "-fno-verbose-asm",
          "-fno-color-diagnostics",
          "-Wno-unused-command-line-argument",
          has_option(request, "fmad=false") ? "-ffp-contract=off" : "-ffp-contract=fast"};
}

// The options of both steps from CUDA C++.
std::vector<std::string> source_words(const CompileRequest& request) {
  // clang-format off
  std::vector<std::string> options{
      "-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-fdeclspec",
      "-Xclang", "-target-sdk-version=12.3",
      fmt::format("--cuda-gpu-arch=sm_{}", clang_architecture(request)),
      "-Wno-unknown-cuda-version", "-isystem", cuda_headers().string(), "-include", "cuda_runtime.h"};
  // clang-format on
  if (!names_a_standard(request.options)) options.emplace_back("-std=c++17");
  for (const auto& [name, value] : request.defines)
    options.push_back(value.empty() ? "-D" + name : fmt::format("-D{}={}", name, value));
  std::error_code ignored;
  options.push_back("-I" + fs::absolute(request.file_name, ignored).parent_path().string());
  for (const std::string& directory : request.include_directories)
    options.push_back("-I" + fs::absolute(directory, ignored).string());
  const std::vector<std::string> own = clang_options(request.options);
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

// ---- the source --------------------------------------------------------------------------------------
// The source under its own name, followed by the requested template instances, which are instantiated by
// taking their addresses.
std::string source_for_clang(const CompileRequest& request) {
  std::string text;
  if (makes_all_device_code(request)) text += "#pragma clang force_cuda_host_device begin\n";
  text += marked_source(request);
  if (request.name_expressions.empty()) return text;
  text += "#line 1 \"names\"\n";
  for (std::size_t i = 0; i < request.name_expressions.size(); ++i)
    text += fmt::format("inline void* cudalab_instance_{}() {{ return (void*)&{}; }}\n", i,
                        request.name_expressions[i]);
  return text;
}

// ---- what is missing ----------------------------------------------------------------------------------
// CUDA features that need NVIDIA's headers or compiler. A sign that begins with a quote, and a sentence, are
// recognised in clang's message, a name in the source line.
struct MissingFeature {
  std::string_view sign, feature;
  bool is_in(std::string_view said, std::string_view line) const {
    const bool is_name = std::ranges::all_of(sign, [](char c) { return is_word(c); });
    return (is_name ? line : said).find(sign) != std::string_view::npos;
  }
};
constexpr MissingFeature kMissing[] = {{"'thrust/", "Thrust"},
                                       {"'cub/", "CUB"},
                                       {"'cuda/", "this header of libcu++"},
                                       {"'curandStateMtgp32", "cuRAND's MTGP32"},
                                       {"'curandStateSobol", "cuRAND's Sobol"},
                                       {"'curandStateScrambled", "cuRAND's Sobol"},
                                       {"'curand_mtgp32", "cuRAND's MTGP32"},
                                       {"'cublasLt", "cuBLASLt"},
                                       {"'cublasXt", "cuBLASXt"},
                                       {"'cufftXt", "cufftXt"},
                                       {"'cuda_fp8.h'", "FP8"},
                                       {"reference to __global__ function", "a launch from a kernel"},
                                       {"__managed__", "__managed__"}};

std::string line_of(const std::string& source, std::uint32_t number) {
  const std::vector<std::string_view> lines = split(source, '\n');
  return number > 0 && number <= lines.size() ? std::string(lines[number - 1]) : "";
}

// Kernels alone have no host code that could use a managed variable, so it is one of the device.
std::vector<std::string> words_for_kernels(const CompileRequest& request) {
  std::vector<std::string> words = clang_device_words(request);
  words.emplace_back("-DCUDALAB_ONLY_KERNELS");
  return words;
}

CompiledSource run_clang(const CompileRequest& request, const FoundClang& clang,
                         const std::vector<std::string>& front, const std::vector<std::string>& back,
                         const CompilerPlace& place) {
  const auto words = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{clang.path.string()};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  };
  ProgramOutcome outcome = run_compiler(words(front), {"source.cu", source_for_clang(request)}, "source.ll",
                                        request.file_name, place);
  if (outcome.made.empty()) throw_clang_error(outcome.log, request.source, request.file_name);
  const std::string front_log = std::move(outcome.log), llvm_text = with_vector_copies(outcome.made);
  outcome = run_compiler(words(back), {"vectors.ll", llvm_text}, "source.ptx", request.file_name, place);
  if (outcome.made.empty()) throw_clang_error(outcome.log, request.source, request.file_name);
  std::string ptx = with_cluster_dimensions(without_line_zero(outcome.made), llvm_text);
  return {.ptx = with_requested_name(std::move(ptx), request.file_name),
          .file_name = request.file_name,
          .log = front_log + outcome.log,
          .made_by = Compiler::kClang};
}

}  // namespace

std::optional<FoundClang> find_clang() {
  static const std::optional<FoundClang> found = search_clang();
  return found;
}

int clang_architecture(const CompileRequest& request) {
  const int wanted = 10 * request.compute_major + request.compute_minor;
  for (const int known : kArchitectures)
    if (known <= wanted) return known;
  if (request.is_interpreted) return *std::rbegin(kArchitectures);
  throw unavailable_error(
      msg::clang_capability_too_low(fmt::format("{}.{}", request.compute_major, request.compute_minor)));
}

std::vector<std::string> clang_device_words(const CompileRequest& request) {
  std::vector<std::string> words = source_words(request);
  const std::vector<std::string> common = common_words(request);
  words.insert(words.end(),
               {"--cuda-device-only", "-gline-tables-only", "-emit-llvm", "-Xclang", "-disable-llvm-passes"});
  words.insert(words.end(), common.begin(), common.end());
  return words;
}

std::vector<std::string> clang_ptx_words(const CompileRequest& request) {
  std::vector<std::string> words{"-x", "ir", "--target=nvptx64-nvidia-cuda",
                                 fmt::format("-march=sm_{}", clang_architecture(request)), "-nogpulib"};
  // 0: div.approx, 1: div.full, 2: IEEE 754.
  const int division = has_option(request, "use_fast_math")    ? 0
                       : has_option(request, "prec-div=false") ? 1
                                                               : 2;
  words.insert(words.end(), {"-mllvm", fmt::format("-nvptx-prec-divf32={}", division)});
  const std::vector<std::string> common = common_words(request);
  words.insert(words.end(), common.begin(), common.end());
  return words;
}

std::vector<std::string> clang_host_words(const CompileRequest& request) {
  std::vector<std::string> words = source_words(request);
  words.insert(words.end(), {"--cuda-host-only", "-c", "-g", "-O1", "-fno-color-diagnostics",
                             "-Wno-unused-command-line-argument"});
  return words;
}

std::string without_line_zero(const std::string& ptx) {
  std::string kept;
  kept.reserve(ptx.size());
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    const std::string_view line = std::string_view(ptx).substr(begin, end - begin);
    begin = end;
    const std::size_t file = line.find_first_not_of(" \t");
    if (file != std::string_view::npos && line.substr(file).starts_with(".loc")) {
      const std::size_t number = line.find_first_of("0123456789");
      const std::size_t blank = number == std::string_view::npos ? number : line.find(' ', number);
      if (blank != std::string_view::npos && line.substr(blank).starts_with(" 0 ")) continue;
    }
    kept += line;
  }
  return kept;
}

std::string cuda_headers_stamp() {
  std::string text;
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(cuda_headers(), ignored), end; at != end; at.increment(ignored))
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  std::ranges::sort(files);
  for (const fs::path& file : files) text += file_stamp(file) + "\n";
  return text;
}

void throw_clang_error(const std::string& log, const std::string& source, const std::string& file_name) {
  Diagnosis diagnosis = first_error(log, file_name);
  const std::string line =
      diagnosis.where.file == file_name ? line_of(source, diagnosis.where.line) : std::string();
  for (const MissingFeature& missing : kMissing)
    if (missing.is_in(diagnosis.said, line)) {
      diagnosis.add_advice(msg::clang_lacks_feature(std::string(missing.feature)));
      diagnosis.is_unsupported = true;
      break;
    }
  throw CompileError(std::move(diagnosis), log);
}

fs::path cuda_headers() {
  const fs::path program = this_program();
  const fs::path own = fs::path("include") / "cudalab" / "cuda";
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / own;
  if (!program.empty() && is_folder(installed)) return installed;
  const fs::path built_from = fs::path(CUDALAB_BUILT_FROM) / own;
  if (is_folder(built_from)) return built_from;
  throw unavailable_error(msg::clang_headers_missing(installed.string(), built_from.string()));
}

std::vector<std::string> clang_options(const std::vector<std::string>& options) {
  std::vector<std::string> translated;
  for (const std::string& option : options) add_translated(translated, option);
  return translated;
}

CompiledSource compile_untrusted_with_clang(const CompileRequest& request, const FoundClang& clang) {
  require_sandbox();
  const TemporaryFolder folder("cudalab-clang-");
  std::error_code failed;  // cannot fail: the program was found
  const fs::path installed = fs::weakly_canonical(clang.path, failed).parent_path().parent_path();
  return run_clang(request, clang, words_for_kernels(request), clang_ptx_words(request),
                   {folder.path(), {{installed, cuda_headers()}}});
}

CompiledSource compile_with_clang(const CompileRequest& request, const FoundClang& clang) {
  const std::vector<std::string> front = words_for_kernels(request), back = clang_ptx_words(request);
  std::vector<std::string> decisive = front;
  decisive.insert(decisive.end(), back.begin(), back.end());
  const fs::path tools[] = {clang.path};
  const CompileCache cache(cache_directory());
  const auto key =
      cache_key(request, fmt::format("clang {}\n{}", clang.version, cuda_headers_stamp()), tools, decisive);
  if (auto known = key ? cache.find(*key) : std::nullopt) {
    known->made_by = Compiler::kClang;
    return std::move(*known);
  }
  const TemporaryFolder folder("cudalab-clang-");
  CompiledSource compiled = run_clang(request, clang, front, back, {folder.path()});
  if (key) cache.store(*key, compiled);
  return compiled;
}

}  // namespace cudalab::compile
