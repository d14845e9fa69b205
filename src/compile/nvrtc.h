// The functions of NVRTC that the compiler uses, from a library found at run time.
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "compile/shared_library.h"

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

class Nvrtc;

struct NvrtcSearch {
  std::shared_ptr<const Nvrtc> found;
  std::set<std::string> passed_over;  // "/opt/old/libnvrtc.so.12 lacks nvrtcGetPTX"
};

class Nvrtc {
 public:
  // Null where NVRTC 12 or 13 is not installed. Loaded once a process and place ($CUDALAB_NVRTC).
  static std::shared_ptr<const Nvrtc> find();
  static const NvrtcSearch& search();  // the same, with what was no NVRTC

  std::string version() const;  // "13.0"
  std::filesystem::path path() const { return library_.path(); }
  // The highest compute_XY (as 10 * major + minor) that it compiles for, at most `wanted`; 0 where none is.
  int architecture_up_to(int wanted) const;
  const NvrtcFunctions& functions() const { return functions_; }

 private:
  Nvrtc(SharedLibrary library, const NvrtcFunctions& functions);
  static NvrtcSearch look();
  SharedLibrary library_;
  NvrtcFunctions functions_;
};

// One program of NVRTC, destroyed with the object.
class NvrtcProgram {
 public:
  NvrtcProgram(const NvrtcFunctions& functions, const std::string& source, const std::string& name,
               const std::vector<HeaderText>& headers = {});
  ~NvrtcProgram() { nvrtc_.destroy(&program_); }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  void add_name(const std::string& expression);
  bool compile(const std::vector<std::string>& options);  // false: the log says why
  std::string log() const;
  std::string ptx() const;
  std::string lowered_name(const std::string& expression) const;

 private:
  void check(nvrtcResult result, const char* call) const;
  const NvrtcFunctions& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace cudalab::compile
