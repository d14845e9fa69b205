// Loads NVRTC and wraps its programs.
#include "compile/nvrtc.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "compile/toolkit.h"
#include "core/error.h"

namespace cudalab::compile {
namespace {

constexpr int kMajors[] = {13, 12};

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

}  // namespace

Nvrtc::Nvrtc(SharedLibrary library, const NvrtcFunctions& functions)
    : library_(library), functions_(functions) {}

NvrtcSearch Nvrtc::look() {
  NvrtcSearch search;
  NvrtcFunctions functions{};
  const auto library = find_library("nvrtc", kMajors, "CUDALAB_NVRTC", [&](const SharedLibrary& candidate) {
    const char* lacking = take_functions(candidate, functions);
    if (lacking) search.passed_over.insert(fmt::format("{} lacks {}", candidate.path().string(), lacking));
    return lacking == nullptr;
  });
  if (!library) return search;
  load_builtins(library->path());
  search.found.reset(new Nvrtc(*library, functions));
  return search;
}

const NvrtcSearch& Nvrtc::search() {
  static std::mutex mutex;
  static std::map<std::string, NvrtcSearch> searches;  // by $CUDALAB_NVRTC
  const std::scoped_lock lock(mutex);
  const auto [known, is_new] = searches.try_emplace(environment("CUDALAB_NVRTC").value_or(""));
  if (is_new) known->second = look();
  return known->second;
}

std::shared_ptr<const Nvrtc> Nvrtc::find() { return search().found; }

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  functions_.version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

int Nvrtc::architecture_up_to(int wanted) const {
  int count = 0, best = 0;
  if (functions_.supported_count(&count) != NVRTC_SUCCESS) return 0;
  std::vector<int> architectures(static_cast<std::size_t>(count));
  if (functions_.supported_architectures(architectures.data()) != NVRTC_SUCCESS) return 0;
  for (const int architecture : architectures)
    if (architecture <= wanted && architecture > best) best = architecture;
  return best;
}

NvrtcProgram::NvrtcProgram(const NvrtcFunctions& functions, const std::string& source,
                           const std::string& name, const std::vector<HeaderText>& headers)
    : nvrtc_(functions) {
  std::vector<const char*> texts, names;
  for (const HeaderText& header : headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  check(nvrtc_.create(&program_, source.c_str(), name.c_str(), static_cast<int>(headers.size()), texts.data(),
                      names.data()),
        "nvrtcCreateProgram");
}

void NvrtcProgram::add_name(const std::string& expression) {
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

}  // namespace cudalab::compile
