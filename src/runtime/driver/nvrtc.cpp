// Functions of NVRTC that this library intercepts: a program that compiles for a real GPU (sm_90) and asks
// for the machine code gets PTX, which the virtual GPU needs.
#include <dlfcn.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Program = void*;

// Programs that were compiled for a real architecture. Never destroyed, like the runtime.
struct Retargeted {
  std::mutex mutex;
  std::set<Program> programs;
};
Retargeted& retargeted() {
  static auto& all = *new Retargeted;
  return all;
}

bool is_retargeted(Program program) {
  const std::lock_guard lock(retargeted().mutex);
  return retargeted().programs.contains(program);
}

// "sm_90a" of "--gpu-architecture=sm_90a" becomes "compute_90a"; returns whether there was one.
bool retarget(std::string& option) {
  constexpr std::string_view kReal = "sm_", kVirtual = "compute_";
  const std::size_t equals = option.find('=');
  const std::string_view name = std::string_view(option).substr(0, equals);
  if (equals == std::string::npos || (name != "--gpu-architecture" && name != "-arch")) return false;
  if (!std::string_view(option).substr(equals + 1).starts_with(kReal)) return false;
  option.replace(equals + 1, kReal.size(), kVirtual);
  return true;
}

template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  constexpr int kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR
  auto* const next = reinterpret_cast<int (*)(Arguments...)>(::dlsym(RTLD_NEXT, name));
  return next ? next(arguments...) : kInternalError;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvrtcCompileProgram(Program program, int count, const char* const* options) {
  bool is_real = false;
  std::vector<std::string> texts(options, options + count);
  for (std::string& text : texts) is_real |= retarget(text);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  {
    const std::lock_guard lock(retargeted().mutex);
    if (is_real)
      retargeted().programs.insert(program);
    else
      retargeted().programs.erase(program);  // the handle of a destroyed program may come again
  }
  return call("nvrtcCompileProgram", program, count, static_cast<const char* const*>(pointers.data()));
}
int nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  return call(is_retargeted(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}
int nvrtcGetCUBIN(Program program, char* code) {
  return call(is_retargeted(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, code);
}

}  // extern "C"
#pragma GCC visibility pop
