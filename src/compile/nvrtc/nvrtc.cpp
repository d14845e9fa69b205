// Loads NVRTC and wraps its programs.
#include "compile/nvrtc/nvrtc.h"

#include <fmt/format.h>

#include <vector>

#include "compile/shared_library.h"
#include "compile/toolkit.h"
#include "core/error.h"

namespace cudalab::compile {
namespace {

// NVRTC opens its builtins by file name alone, which the loader finds only in its own directories: loading
// them first, from beside NVRTC, makes them known under that name.
void load_builtins(const std::filesystem::path& nvrtc) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(nvrtc.parent_path(), ignored), end; at != end;
       at.increment(ignored))
    if (at->path().filename().string().starts_with("libnvrtc-builtins.so."))
      SharedLibrary::open(at->path().string());
}

// Fills `f`, and returns the first symbol that the library lacks; null where it has them all.
const char* take_functions(const SharedLibrary& library, NvrtcFunctions& f) {
  const char* lacking = nullptr;
  const auto take = [&]<class Function>(const char* symbol, Function& function) {
    function = library.function<Function>(symbol);
    if (!function && !lacking) lacking = symbol;
  };
  take("nvrtcVersion", f.version);
  take("nvrtcGetNumSupportedArchs", f.supported_count);
  take("nvrtcGetSupportedArchs", f.supported_architectures);
  take("nvrtcGetErrorString", f.error_string);
  take("nvrtcCreateProgram", f.create);
  take("nvrtcDestroyProgram", f.destroy);
  take("nvrtcAddNameExpression", f.add_name);
  take("nvrtcGetLoweredName", f.lowered_name);
  take("nvrtcCompileProgram", f.compile);
  take("nvrtcGetPTXSize", f.ptx_size);
  take("nvrtcGetPTX", f.ptx);
  take("nvrtcGetProgramLogSize", f.log_size);
  take("nvrtcGetProgramLog", f.log);
  return lacking;
}

// NVRTC's sizes count the terminating zero.
std::string without_terminator(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

std::string version_of(const NvrtcFunctions& nvrtc) {
  int major = 0, minor = 0;
  nvrtc.version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::vector<int> architectures_of(const NvrtcFunctions& nvrtc) {
  int count = 0;
  if (nvrtc.supported_count(&count) != NVRTC_SUCCESS) return {};
  std::vector<int> architectures(static_cast<std::size_t>(count));
  if (nvrtc.supported_architectures(architectures.data()) != NVRTC_SUCCESS) return {};
  return architectures;
}

// One program of NVRTC, destroyed with the object.
class NvrtcProgram {
 public:
  NvrtcProgram(const NvrtcFunctions& functions, const NvrtcTask& task);
  ~NvrtcProgram() { nvrtc_.destroy(&program_); }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  bool compile(const std::vector<std::string>& options);  // false: the log says why
  std::string log() const;
  std::string ptx() const;
  std::string lowered_name(const std::string& expression) const;

 private:
  void check(nvrtcResult result, const char* call) const;
  const NvrtcFunctions& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

NvrtcProgram::NvrtcProgram(const NvrtcFunctions& functions, const NvrtcTask& task) : nvrtc_(functions) {
  std::vector<const char*> texts, names;
  for (const HeaderText& header : task.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  check(nvrtc_.create(&program_, task.source.c_str(), task.file_name.c_str(),
                      static_cast<int>(task.headers.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  for (const std::string& expression : task.name_expressions)
    check(nvrtc_.add_name(program_, expression.c_str()), "nvrtcAddNameExpression");
}

bool NvrtcProgram::compile(const std::vector<std::string>& options) {
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const nvrtcResult result = nvrtc_.compile(program_, static_cast<int>(texts.size()), texts.data());
  if (result == NVRTC_SUCCESS) return true;
  if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION ||
      result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    return false;
  check(result, "nvrtcCompileProgram");
  return false;
}

std::string NvrtcProgram::log() const {
  std::size_t size = 0;
  check(nvrtc_.log_size(program_, &size), "nvrtcGetProgramLogSize");
  std::string text(size, '\0');
  check(nvrtc_.log(program_, text.data()), "nvrtcGetProgramLog");
  return without_terminator(std::move(text));
}

std::string NvrtcProgram::ptx() const {
  std::size_t size = 0;
  check(nvrtc_.ptx_size(program_, &size), "nvrtcGetPTXSize");
  std::string text(size, '\0');
  check(nvrtc_.ptx(program_, text.data()), "nvrtcGetPTX");
  return without_terminator(std::move(text));
}

std::string NvrtcProgram::lowered_name(const std::string& expression) const {
  const char* lowered = nullptr;
  check(nvrtc_.lowered_name(program_, expression.c_str(), &lowered), "nvrtcGetLoweredName");
  return lowered;
}

void NvrtcProgram::check(nvrtcResult result, const char* call) const {
  if (result == NVRTC_SUCCESS) return;
  throw unavailable_error("NVRTC failed in {}: {}; `cudalab doctor` shows which NVRTC is used", call,
                          nvrtc_.error_string(result));
}

}  // namespace

std::optional<Nvrtc> Nvrtc::open(const std::filesystem::path& path) {
  NvrtcFunctions functions{};
  const auto is_whole = [&](const SharedLibrary& candidate) { return !take_functions(candidate, functions); };
  const auto library = SharedLibrary::open(path.string(), is_whole);
  if (!library) return std::nullopt;
  load_builtins(library->path());
  return Nvrtc(functions);
}

FoundNvrtc find_nvrtc(const std::function<bool(const std::string& library)>& may_try) {
  FoundNvrtc found;
  const auto is_usable = [&](const SharedLibrary& candidate) {
    NvrtcFunctions functions{};
    const char* lacking = take_functions(candidate, functions);
    if (lacking) found.passed_over.insert(fmt::format("{} lacks {}", candidate.path().string(), lacking));
    if (lacking) return false;
    found.version = version_of(functions);
    found.architectures = architectures_of(functions);
    return true;
  };
  const auto refused = [&](const std::string& library, const std::string& why) {
    found.passed_over.insert(fmt::format("{} does not load: {}", library, why));
  };
  if (const auto library = find_library(kNvrtcLibrary, {may_try, is_usable, refused}))
    found.path = library->path();
  return found;
}

NvrtcOutcome run(const NvrtcTask& task, const Nvrtc& nvrtc) {
  NvrtcProgram program(nvrtc.functions(), task);
  NvrtcOutcome outcome{.compiled = program.compile(task.options), .log = program.log()};
  if (!outcome.compiled) return outcome;
  outcome.ptx = program.ptx();
  for (const std::string& name : task.name_expressions)
    outcome.lowered_names[name] = program.lowered_name(name);
  return outcome;
}

}  // namespace cudalab::compile
