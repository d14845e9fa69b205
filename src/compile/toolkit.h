// Where a CUDA toolkit's libraries, headers and tools are on this machine: the search order, and nothing
// about what they do. Looked at, in this order: $CUDA_HOME and $CUDA_PATH; for libraries, the loader
// (ldconfig and LD_LIBRARY_PATH); $CONDA_PREFIX, /usr/local/cuda*, /opt/cuda; pip's nvidia/* packages.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/shared_library.h"

namespace cudalab::compile {

// An environment variable's value; nothing where it is unset or empty.
std::optional<std::string> environment(const char* name);

// What a library is called, and where else than usually it may be.
struct LibraryName {
  std::string_view stem;                 // "nvrtc": libnvrtc.so.13
  std::span<const int> majors;           // in this order
  const char* place_variable = nullptr;  // an environment variable; its file or folder is then the only place
};

inline constexpr int kNvrtcMajors[] = {13, 12};
inline constexpr LibraryName kNvrtcLibrary{"nvrtc", kNvrtcMajors, "CUDALAB_NVRTC"};

// Who takes part in a search; any may be left out.
struct LibrarySearch {
  std::function<bool(const std::string& library)> may_try;  // before it is loaded
  SharedLibrary::Test is_usable;                            // once it is
  std::function<void(const std::string& library, const std::string& why)>
      refused;  // it is there, and does not load
};

// The first library of that name that loads and is usable.
std::optional<SharedLibrary> find_library(const LibraryName& name, const LibrarySearch& search = {});

// All that the search goes by, as one text: where it is the same, find_library() finds the same.
std::string places_of(const LibraryName& name);

// Changes when another version of the file is put in the same place.
std::string file_stamp(const std::filesystem::path& file);

struct ToolkitHeaders {
  std::vector<std::filesystem::path> directories;  // to search for #include, in this order
  int version = 0;                                 // CUDA_VERSION of cuda.h: 13000; 0 where it does not say
};

// The headers that belong to the library at `library`, else the first in the search order.
// $CUDALAB_CUDA_INCLUDE is then the only place looked at.
std::optional<ToolkitHeaders> find_toolkit_headers(const std::filesystem::path& library);

// The folder of the toolkit that these headers are of: that has its nvcc, else the one above them.
std::filesystem::path toolkit_of(const ToolkitHeaders& headers);

// A program on the PATH or in a toolkit's bin/.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace cudalab::compile
