// The functions of NVRTC that the compiler uses, from a library found at run time. NVRTC replaces the
// handlers of signals in the process that compiles, and may crash it or take all memory: it is loaded by
// compile/nvrtc/server.cpp alone.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "compile/nvrtc/nvrtc_api.h"
#include "compile/nvrtc/task.h"

namespace cudalab::compile {

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
  // Nothing where the library is not there any more.
  static std::optional<Nvrtc> open(const std::filesystem::path& library);
  const NvrtcFunctions& functions() const { return functions_; }

 private:
  explicit Nvrtc(const NvrtcFunctions& functions) : functions_(functions) {}
  NvrtcFunctions functions_;
};

// NVRTC 12 or 13, in the search order of compile/toolkit.h. Whatever is tried stays loaded or is unloaded
// again in this process, which a damaged library may end: `may_try` is told each before.
FoundNvrtc find_nvrtc(const std::function<bool(const std::string& library)>& may_try);

// Throws Error(kUnavailable) where NVRTC itself fails.
NvrtcOutcome run(const NvrtcTask& task, const Nvrtc& nvrtc);

}  // namespace cudalab::compile
