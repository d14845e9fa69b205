// The part of NVRTC that is loaded at run time (compile/nvrtc/server.cpp), as NVRTC's documentation declares
// it. No header of CUDA is needed to build.
#pragma once

#include <cstddef>

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
