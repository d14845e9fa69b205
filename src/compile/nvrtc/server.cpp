// The process in which NVRTC compiles: it loads the library and serves requests until its input ends.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/nvrtc/task.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/processes/message_socket.h"
#include "core/processes/syscall_filter.h"
#include "core/processes/this_process.h"
#include "core/programs/program_record.h"
#include "messages/compile.h"

// The NVRTC declarations that are used, copied from its documentation, so no CUDA header is needed to build.
using nvrtcProgram = struct _nvrtcProgram*;

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
};

extern "C" {
nvrtcResult nvrtcVersion(int* major, int* minor);
nvrtcResult nvrtcGetNumSupportedArchs(int* count);
nvrtcResult nvrtcGetSupportedArchs(int* architectures);
const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** lowered);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log);
}

namespace cudalab::compile {

// The NVRTC functions that the compiler uses, from a library found at run time. NVRTC replaces the process's
// signal handlers, and may crash it or exhaust its memory, so only compile/nvrtc/server.cpp loads it.

namespace {

struct NvrtcFunctions {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetNumSupportedArchs) supported_count;
  decltype(&nvrtcGetSupportedArchs) supported_architectures;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcAddNameExpression) add_name;
  decltype(&nvrtcGetLoweredName) lowered_name;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetPTXSize) ptx_size;
  decltype(&nvrtcGetPTX) ptx;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
};

class Nvrtc {
 public:
  // Empty if the library no longer exists.
  static std::optional<Nvrtc> open(const std::filesystem::path& library);
  const NvrtcFunctions& functions() const { return functions_; }

 private:
  explicit Nvrtc(const NvrtcFunctions& functions) : functions_(functions) {}
  NvrtcFunctions functions_;
};

// NVRTC opens its builtins library by file name, and the loader searches only its own directories. Loading it
// first, from NVRTC's folder, makes it known under that name.
void load_builtins(const std::filesystem::path& nvrtc) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(nvrtc.parent_path(), ignored), end; at != end;
       at.increment(ignored))
    if (at->path().filename().string().starts_with("libnvrtc-builtins.so."))
      SharedLibrary::open(at->path().string());
}

// Fills `f`, and returns the first symbol that the library lacks; null if it has all of them.
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

// An NVRTC program; the destructor destroys it.
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
  throw unavailable_error(msg::nvrtc_failed(call, nvrtc_.error_string(result)));
}

std::optional<Nvrtc> Nvrtc::open(const std::filesystem::path& path) {
  NvrtcFunctions functions{};
  const auto is_whole = [&](const SharedLibrary& candidate) { return !take_functions(candidate, functions); };
  const auto library = SharedLibrary::open(path.string(), is_whole);
  if (!library) return std::nullopt;
  load_builtins(library->path());
  return Nvrtc(functions);
}

// NVRTC 12 or 13, in the search order of compile/toolkit.h. This process loads each candidate, and a damaged
// library may end it: `may_try` is called before each.
FoundNvrtc find_nvrtc(const std::function<bool(const std::string& library)>& may_try) {
  FoundNvrtc found;
  const auto is_usable = [&](const SharedLibrary& candidate) {
    NvrtcFunctions functions{};
    const char* lacking = take_functions(candidate, functions);
    if (lacking) found.passed_over.push_back(msg::library_lacks_function(candidate.path().string(), lacking));
    if (lacking) return false;
    found.version = version_of(functions);
    found.architectures = architectures_of(functions);
    return true;
  };
  const auto refused = [&](const std::string& library, const std::string& why) {
    found.passed_over.push_back(msg::library_does_not_load(library, why));
  };
  if (const auto library = find_library(kNvrtcLibrary, {may_try, is_usable, refused}))
    found.path = library->path();
  return found;
}

// Throws Error(kUnavailable) if NVRTC itself fails.
NvrtcOutcome run(const NvrtcTask& task, const Nvrtc& nvrtc) {
  NvrtcProgram program(nvrtc.functions(), task);
  NvrtcOutcome outcome{.compiled = program.compile(task.options), .log = program.log()};
  if (!outcome.compiled) return outcome;
  outcome.ptx = program.ptx();
  for (const std::string& name : task.name_expressions)
    outcome.lowered_names[name] = program.lowered_name(name);
  return outcome;
}

constexpr const char* kServe = "--serve-compiler";

double seconds_used() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;  // rounds up
}

// Limits the processor time from now on, below the hard limit, at which the system would kill this process
// without a distinct signal.
void limit_processor_seconds(double seconds) {
  rlimit limit{};
  ::getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min(limit.rlim_max - 1, static_cast<rlim_t>(std::ceil(seconds_used() + seconds)));
  ::setrlimit(RLIMIT_CPU, &limit);
}

Fields answer_of(std::string_view kind, Fields fields) {
  fields.insert(fields.begin(), std::string(kind));
  return fields;
}

Fields answer_to_find(int socket, const Fields& passed_over) {
  const auto may_try = [&](const std::string& library) {
    if (std::find(passed_over.begin(), passed_over.end(), library) != passed_over.end()) return false;
    return send_fields(socket, {std::string(kTrying), library});
  };
  return answer_of(kFound, to_fields(find_nvrtc(may_try)));
}

// ---- lifetime of the server ----------------------------------------------------------------------------

struct Opened {
  std::string stamp;  // file_stamp of the loaded file
  std::optional<Nvrtc> nvrtc;
};

std::map<std::string, Opened>& opened() {
  static std::map<std::string, Opened> libraries;
  return libraries;
}

bool is_replaced_on_disk(const std::pair<const std::string, Opened>& library) {
  return file_stamp(library.first) != library.second.stamp;
}

// Whether compilations have used up the address space: less than half of the limit is too little for the next
// one.
bool is_short_of_room() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const auto half = static_cast<std::size_t>(limit.rlim_cur / 2);
  void* room = ::mmap(nullptr, half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return true;
  ::munmap(room, half);
  return false;
}

// Whether a new process should replace this one.
bool is_worn_out(int answers) {
  constexpr int kMostAnswers = 1000;
  return answers > 0 && (answers >= kMostAnswers || is_short_of_room() ||
                         std::ranges::any_of(opened(), is_replaced_on_disk));
}

// ---- answers ---------------------------------------------------------------------------------------------

Fields answer_to_task(const NvrtcTask& task) {
  const auto [known, is_new] = opened().try_emplace(task.library.string());
  if (is_new) known->second = {file_stamp(task.library), Nvrtc::open(task.library)};
  if (!known->second.nvrtc) throw unavailable_error(msg::nvrtc_loads_no_more(task.library.string()));
  if (::chdir(task.folder.c_str()) != 0) ::chdir("/");  // relative paths are then not found
  return answer_of(kDone, to_fields(run(task, *known->second.nvrtc)));
}

Fields answer(int socket, Fields request) {
  if (request.empty()) return {};
  const std::string kind = request.front();
  request.erase(request.begin());
  if (kind == kFind) return answer_to_find(socket, request);
  if (kind != kCompile || request.empty()) return {};
  limit_processor_seconds(std::atof(request.front().c_str()));
  request.erase(request.begin());
  return answer_to_task(nvrtc_task_from(request));
}

// Serves requests until the socket closes or the process is worn out. A client that receives no kBegun starts
// a new process.
[[noreturn]] void serve(int socket) {
  filter_own_syscalls();  // the source may be untrusted
  for (int answers = 0;; ++answers) {
    const Received request = receive_fields(socket);
    if (!request.fields || is_worn_out(answers) || !send_fields(socket, {std::string(kBegun)})) ::_exit(0);
    Fields fields;
    try {
      fields = answer(socket, *request.fields);
    } catch (const Error& error) {
      fields = {std::string(kFailed), bytes_of(error.message())};
    }
    if (fields.empty() || !send_fields(socket, fields)) ::_exit(0);
  }
}

// The C library passes main()'s arguments to constructors. Global objects of other files may not be
// constructed yet; the server uses none.
__attribute__((constructor)) void serve_where_asked(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], kServe) == 0) serve(std::atoi(words[2]));
}

}  // namespace

std::vector<std::string> words_of_server(int socket) {
  return {this_program_again().string(), kServe, std::to_string(socket)};
}

}  // namespace cudalab::compile
