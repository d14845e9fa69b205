// Where a CUDA toolkit's libraries, headers and tools are on this machine: the search order, and nothing
// about what they do. Looked at, in this order: $CUDA_HOME and $CUDA_PATH; for libraries, the loader
// (ldconfig and LD_LIBRARY_PATH); $CONDA_PREFIX, /usr/local/cuda*, /opt/cuda; pip's nvidia/* packages.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/shared_library.h"

namespace cudalab::compile {

// An environment variable's value; nothing where it is unset or empty.
std::optional<std::string> environment(const char* name);

// "nvrtc", {13, 12}: the first libnvrtc.so.13 or .12 that loads and is usable. A file or a directory named by
// the environment variable `override_variable` is then the only place looked at.
std::optional<SharedLibrary> find_library(std::string_view stem, std::span<const int> majors,
                                          const char* override_variable = nullptr,
                                          const SharedLibrary::Test& is_usable = {});

struct ToolkitHeaders {
  std::vector<std::filesystem::path> directories;  // to search for #include, in this order
  int version = 0;                                 // CUDA_VERSION of cuda.h: 13000; 0 where it does not say
};

// The headers that belong to the library at `library`, else the first in the search order.
// $CUDALAB_CUDA_INCLUDE is then the only place looked at.
std::optional<ToolkitHeaders> find_toolkit_headers(const std::filesystem::path& library);

// A program on the PATH or in a toolkit's bin/.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace cudalab::compile
