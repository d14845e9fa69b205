// Finds the libraries, headers and tools of a CUDA toolkit, and opens its shared libraries safely.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"

namespace cudalab::compile {

// A shared library, opened at run time; it stays loaded until the process ends.

class SharedLibrary {
 public:
  using Test = std::function<bool(const SharedLibrary&)>;

  // Opens a path, or a name such as "libcuda.so.1" that the loader looks up. Empty if it cannot be loaded
  // (`why_not` gets the reason), or if `is_usable` returns false; the library is then unloaded, because the
  // loader would use it for the next library of the same name.
  static std::optional<SharedLibrary> open(const std::string& name_or_path, const Test& is_usable = {},
                                           std::string* why_not = nullptr);

  // Null if the library has no such symbol.
  template <class Function>
  Function function(const char* symbol) const {
    return reinterpret_cast<Function>(find(symbol));
  }
  std::filesystem::path path() const;  // where it was found

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  void* find(const char* symbol) const;
  void* handle_;
};

// Checks whether a library can be loaded into this process: a truncated or damaged library may crash the
// process that loads it.

// Tries to load it in a separate process. Empty if that process survived, even if it found no such library;
// else the reason: "libcuda.so.1 crashed (Bus error) when it was loaded".
Message crash_of_loading(const std::string& library);

// The search for a CUDA toolkit's libraries, headers and tools on this machine. The order is: $CUDA_HOME and
// $CUDA_PATH; for libraries, the loader (ldconfig and LD_LIBRARY_PATH); $CONDA_PREFIX, /usr/local/cuda*,
// /opt/cuda; pip's nvidia/* packages.

// An environment variable's value; empty if it is unset or empty.
std::optional<std::string> environment(const char* name);

// The file name of a library, and an extra place to search.
struct LibraryName {
  std::string_view stem;        // "nvrtc": libnvrtc.so.13
  std::span<const int> majors;  // major versions, the preferred one first
  // An environment variable; if set, its file or folder is the only place searched.
  const char* place_variable = nullptr;
};

inline constexpr int kNvrtcMajors[] = {13, 12};
inline constexpr LibraryName kNvrtcLibrary{"nvrtc", kNvrtcMajors, "CUDALAB_NVRTC"};

// The callbacks of a search; each may be empty.
struct LibrarySearch {
  // Called before a library is loaded; false skips it.
  std::function<bool(const std::string& library)> may_try;
  SharedLibrary::Test is_usable;  // called after it is loaded
  std::function<void(const std::string& library, const std::string& why)>
      refused;  // called if a library exists but does not load
};

// The first library of that name that loads and is usable.
std::optional<SharedLibrary> find_library(const LibraryName& name, const LibrarySearch& search = {});

// The file of that name in the folders of a toolkit, without loading it: $CUDA_HOME and $CUDA_PATH first.
std::optional<std::filesystem::path> find_library_file(const std::string& name);

// Everything that the search depends on, as one text: if it is equal, find_library() finds the same library.
std::string places_of(const LibraryName& name);

// A text that changes when the file is replaced by another version.
std::string file_stamp(const std::filesystem::path& file);

struct ToolkitHeaders {
  std::vector<std::filesystem::path> directories;  // to search for #include, in this order
  int version = 0;                                 // CUDA_VERSION of cuda.h, such as 13000; 0 if unknown
};

// The headers that belong to the library at `library`, else the first in the search order. If
// $CUDALAB_CUDA_INCLUDE is set, only that place is searched.
std::optional<ToolkitHeaders> find_toolkit_headers(const std::filesystem::path& library);

// The folder of the toolkit that these headers belong to: the nearest one with nvcc, else the one above the
// headers.
std::filesystem::path toolkit_of(const ToolkitHeaders& headers);

// A program on the PATH or in a toolkit's bin/.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace cudalab::compile
