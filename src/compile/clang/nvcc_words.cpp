// nvcc's options as a table, and the reader of a command line.
#include "compile/clang/nvcc_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/files.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

// What an option does. The comment says what `text` of its row is.
enum class Use {
  kProduct,       // see kProducts
  kOutput,        //
  kArchitecture,  //
  kLanguage,      //
  kRelocatable,   // "true" if the option has no value
  kDevice,        // the option of clang_options() for CUDA sources, {} for the value
  kSource,        // clang's option for every source, likewise
  kLink,          // clang's option for linking, likewise
  kBoth,          // for every source and for linking, likewise
  kLibrary,       //
  kVerbose,       //
  kNothing,       // it says how nvcc works, or how ptxas makes machine code
  kMachineCode    // refused
};

constexpr std::string_view kSplit = "{},";  // text of a row: a clang option for each part between commas

struct NvccOption {
  std::string_view name, long_name;  // without dashes; long_name may be empty
  bool has_value;
  Use use;
  std::string_view text = "";
};

// Options whose value follows the letter: -O2, -Iinclude, -I include.
constexpr NvccOption kAttached[]{
    {"I", "include-path", true, Use::kSource, "-I{}"},
    {"D", "define-macro", true, Use::kSource, "-D{}"},
    {"U", "undefine-macro", true, Use::kSource, "-U{}"},
    {"L", "library-path", true, Use::kLink, "-L{}"},
    {"l", "library", true, Use::kLibrary},
    {"O", "optimize", true, Use::kSource, "-O{}"},
    {"t", "threads", true, Use::kNothing},
};

// The first row with a name counts.
constexpr NvccOption kOptions[]{
    {"o", "output-file", true, Use::kOutput},
    {"c", "compile", false, Use::kProduct},
    {"dc", "device-c", false, Use::kProduct},
    {"dw", "device-w", false, Use::kProduct},
    {"dlink", "device-link", false, Use::kProduct},
    {"ptx", "", false, Use::kProduct},
    {"fatbin", "", false, Use::kProduct},
    {"E", "preprocess", false, Use::kProduct},
    {"M", "generate-dependencies", false, Use::kProduct},
    {"MM", "generate-nonsystem-dependencies", false, Use::kProduct},
    {"lib", "", false, Use::kProduct},
    {"link", "", false, Use::kProduct},
    {"arch", "gpu-architecture", true, Use::kArchitecture},
    {"code", "gpu-code", true, Use::kArchitecture},
    {"gencode", "generate-code", true, Use::kArchitecture},
    {"x", "", true, Use::kLanguage},
    {"rdc", "relocatable-device-code", true, Use::kRelocatable},
    {"G", "device-debug", false, Use::kDevice, "-G"},
    {"use_fast_math", "", false, Use::kDevice, "-use_fast_math"},
    {"ftz", "", true, Use::kDevice, "-ftz={}"},
    {"prec-div", "", true, Use::kDevice, "-prec-div={}"},
    {"prec-sqrt", "", true, Use::kDevice, "-prec-sqrt={}"},
    {"fmad", "", true, Use::kDevice, "-fmad={}"},
    {"g", "debug", false, Use::kSource, "-g"},
    {"std", "", true, Use::kSource, "-std={}"},
    {"isystem", "system-include", true, Use::kSource, "-isystem{}"},
    {"include", "pre-include", true, Use::kSource, "-include{}"},
    {"w", "disable-warnings", false, Use::kSource, "-w"},
    {"Werror", "", true, Use::kSource, "-Werror"},
    {"MD", "generate-dependencies-with-compile", false, Use::kSource, "-MD"},
    {"MMD", "generate-nonsystem-dependencies-with-compile", false, Use::kSource, "-MMD"},
    {"MP", "generate-dependency-targets", false, Use::kSource, "-MP"},
    {"MF", "dependency-output", true, Use::kSource, "-MF{}"},
    {"MT", "dependency-target-name", true, Use::kSource, "-MT{}"},
    {"Xcompiler", "compiler-options", true, Use::kBoth, kSplit},
    {"pg", "profile", false, Use::kBoth, "-pg"},
    {"Xlinker", "linker-options", true, Use::kLink, "-Wl,{}"},
    {"shared", "", false, Use::kLink, "-shared"},
    {"v", "verbose", false, Use::kVerbose},
    {"lineinfo", "generate-line-info", false, Use::kNothing},  // clang always writes lines
    {"expt-relaxed-constexpr", "", false, Use::kNothing},      // always so with clang
    {"expt-extended-lambda", "", false, Use::kNothing},
    {"extended-lambda", "", false, Use::kNothing},
    {"extra-device-vectorization", "", false, Use::kNothing},
    {"restrict", "", false, Use::kNothing},
    {"dopt", "", true, Use::kNothing},
    {"maxrregcount", "", true, Use::kNothing},
    {"Xptxas", "ptxas-options", true, Use::kNothing},
    {"Xnvlink", "nvlink-options", true, Use::kNothing},
    {"Xfatbin", "fatbin-options", true, Use::kNothing},
    {"Xarchive", "archive-options", true, Use::kNothing},
    {"m64", "", false, Use::kNothing},
    {"machine", "", true, Use::kNothing},
    {"ccbin", "compiler-bindir", true, Use::kNothing},
    {"cudart", "", true, Use::kNothing},
    {"cudadevrt", "", true, Use::kNothing},
    {"allow-unsupported-compiler", "", false, Use::kNothing},
    {"forward-unknown-to-host-compiler", "", false, Use::kNothing},
    {"res-usage", "resource-usage", false, Use::kNothing},
    {"keep", "", false, Use::kNothing},
    {"keep-dir", "", true, Use::kNothing},
    {"src-in-ptx", "source-in-ptx", false, Use::kNothing},
    {"diag-suppress", "", true, Use::kNothing},
    {"Wno-deprecated-gpu-targets", "", false, Use::kNothing},
    {"Wreorder", "", false, Use::kNothing},
    {"split-compile", "", true, Use::kNothing},
    {"cubin", "", false, Use::kMachineCode},
    {"dlto", "dlink-time-opt", false, Use::kMachineCode},
    {"ltoir", "", false, Use::kMachineCode},
    {"optix-ir", "", false, Use::kMachineCode},
};

struct ProductRow {
  std::string_view option;
  Product product;
  bool is_relocatable = false;
};
constexpr ProductRow kProducts[]{
    {"c", Product::kObjects},        {"dc", Product::kObjects, true}, {"dw", Product::kObjects},
    {"dlink", Product::kDeviceLink}, {"ptx", Product::kPtx},          {"fatbin", Product::kFatBinaries},
    {"E", Product::kPreprocessed},   {"M", Product::kDependencies},   {"MM", Product::kDependencies},
    {"lib", Product::kArchive},      {"link", Product::kProgram}};

// Libraries whose place cudalab knows: it links those that the program uses.
constexpr std::string_view kOwnLibraries[]{"cudart", "cudart_static", "cudadevrt", "cuda",  "cublas",
                                           "cufft",  "curand",        "cusparse",  "nvrtc", "nvidia-ml"};

// Libraries that cudalab does not have. Programs often name them without calling them; a call is an undefined
// reference.
constexpr std::string_view kAbsentLibraries[]{"cublasLt",   "cufftw", "cusolver",
                                              "cusparseLt", "cudnn",  "nccl"};

struct Extension {
  std::string_view ending;
  InputKind kind;
};
constexpr Extension kExtensions[]{{".cu", InputKind::kCuda},  {".cpp", InputKind::kHost},
                                  {".cc", InputKind::kHost},  {".cxx", InputKind::kHost},
                                  {".c", InputKind::kHost},   {".o", InputKind::kLinked},
                                  {".a", InputKind::kLinked}, {".so", InputKind::kLinked}};

template <std::size_t kSize>
const NvccOption* option_in(const NvccOption (&table)[kSize], std::string_view name) {
  const auto row = std::ranges::find_if(table, [&](const NvccOption& option) {
    return option.name == name || (!option.long_name.empty() && option.long_name == name);
  });
  return row == std::end(table) ? nullptr : row;
}

// An option of the command line with its attached value: -std=c++17, -O2.
struct ReadOption {
  const NvccOption* row = nullptr;
  std::optional<std::string> value;
};

std::optional<ReadOption> option_from(std::string_view word) {
  std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  if (const NvccOption* attached = option_in(kOptions, name)) return ReadOption{attached, {}};
  const std::size_t equals = name.find('=');
  const std::string_view before = name.substr(0, equals);
  for (const NvccOption* row : {option_in(kOptions, before), option_in(kAttached, before)})
    if (row && equals != name.npos) return ReadOption{row, std::string(name.substr(equals + 1))};
  if (const NvccOption* row = option_in(kAttached, name)) return ReadOption{row, {}};
  const NvccOption* row = word.starts_with("--") ? nullptr : option_in(kAttached, name.substr(0, 1));
  if (!row) return std::nullopt;
  return ReadOption{row, std::string(name.substr(1))};
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  NvccPlan read() {
    for (at_ = 0; at_ < words_.size(); ++at_)
      words_[at_].size() > 1 && words_[at_].starts_with('-') ? read_option() : read_input();
    if (plan_.inputs.empty()) throw usage_error(msg::cc_input_missing());
    choose_architecture();
    check_output();
    return std::move(plan_);
  }

 private:
  void read_option() {
    const std::string word = words_[at_];
    const auto option = option_from(word);
    if (!option) throw usage_error(msg::cc_option_unknown(word));
    std::string value = option->value.value_or("");
    if (option->row->has_value && !option->value) {
      if (++at_ == words_.size()) throw usage_error(msg::cc_value_missing(word));
      value = words_[at_];
    }
    apply(*option->row, word, value);
  }

  // nvcc splits values at commas where it passes them to other programs.
  static std::vector<std::string> clang_words(const NvccOption& row, const std::string& value) {
    if (row.text != kSplit) return {replaced(std::string(row.text), "{}", value)};
    std::vector<std::string> words;
    for (const std::string_view part : split(value, ',')) words.emplace_back(part);
    return words;
  }
  static void add(std::vector<std::string>& to, const std::vector<std::string>& words) {
    to.insert(to.end(), words.begin(), words.end());
  }

  void apply(const NvccOption& row, const std::string& word, const std::string& value) {
    const std::vector<std::string> words = clang_words(row, value);
    switch (row.use) {
      case Use::kProduct: return set_product(row.name);
      case Use::kOutput: plan_.output = value; return;
      case Use::kArchitecture: architectures_ += " " + value; return;
      case Use::kLanguage: language_ = value; return;
      case Use::kRelocatable: plan_.is_relocatable = value == "true"; return;
      case Use::kDevice: return add(plan_.request.options, words);
      case Use::kSource: return add(plan_.sources, words);
      case Use::kLink: return add(plan_.link, words);
      case Use::kBoth: add(plan_.sources, words); return add(plan_.link, words);
      case Use::kLibrary: return add_library(value);
      case Use::kVerbose: plan_.shows_commands = true; return;
      case Use::kNothing: return;
      case Use::kMachineCode: throw usage_error(msg::cc_makes_no_machine_code(word));
    }
  }

  void set_product(std::string_view option) {
    const auto row = std::ranges::find(kProducts, option, &ProductRow::option);
    plan_.product = row->product;
    plan_.is_relocatable = plan_.is_relocatable || row->is_relocatable;
    if (row->product == Product::kPreprocessed || row->product == Product::kDependencies)
      plan_.sources.push_back(fmt::format("-{}", option));
  }

  void add_library(const std::string& name) {
    const auto is_in = [&](const auto& names) { return std::ranges::count(names, name) > 0; };
    if (!is_in(kOwnLibraries) && !is_in(kAbsentLibraries)) plan_.link.push_back("-l" + name);
  }

  void read_input() {
    const std::string& file = words_[at_];
    if (!is_there(file)) throw usage_error(msg::cc_input_not_found(file));
    if (!language_.empty())
      return plan_.inputs.push_back({file, language_ == "cu" ? InputKind::kCuda : InputKind::kHost}), void();
    const std::string name = fs::path(file).filename().string();
    const auto row = std::ranges::find(kExtensions, fs::path(name).extension().string(), &Extension::ending);
    const bool is_known = row != std::end(kExtensions);
    if (!is_known && name.find(".so.") == name.npos) throw usage_error(msg::cc_input_unknown(file));
    plan_.inputs.push_back({file, is_known ? row->kind : InputKind::kLinked});
  }

  // The highest that is named: its PTX has the most instructions.
  void choose_architecture() {
    int highest = 0;
    for (std::size_t at = architectures_.find('_'); at != architectures_.npos;
         at = architectures_.find('_', at + 1)) {
      int number = 0;
      std::from_chars(architectures_.data() + at + 1, architectures_.data() + architectures_.size(), number);
      highest = std::max(highest, number);
    }
    plan_.request.is_interpreted = true;
    if (highest == 0) return;
    plan_.request.compute_major = highest / 10;
    plan_.request.compute_minor = highest % 10;
  }

  void check_output() const {
    constexpr Product kOnePerSource[]{Product::kObjects, Product::kPtx, Product::kFatBinaries};
    const auto sources = std::ranges::count_if(
        plan_.inputs, [](const InputFile& input) { return input.kind != InputKind::kLinked; });
    if (plan_.output.empty() && plan_.product == Product::kArchive)
      throw usage_error(msg::cc_archive_unnamed());
    if (!plan_.output.empty() && sources > 1 && std::ranges::count(kOnePerSource, plan_.product))
      throw usage_error(msg::cc_output_for_several(plan_.output, sources));
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  NvccPlan plan_;
  std::string architectures_, language_;
};

// nvcc's extension for a product that is made once per source.
std::string_view extension_of(Product product) {
  return product == Product::kPtx ? ".ptx" : product == Product::kFatBinaries ? ".fatbin" : ".o";
}

}  // namespace

std::string NvccPlan::output_for(const InputFile& input) const {
  if (!output.empty()) return output;
  return fs::path(input.path).stem().string() + std::string(extension_of(product));
}

NvccPlan nvcc_plan(const std::vector<std::string>& words) { return Reader(words).read(); }

}  // namespace cudalab::compile
