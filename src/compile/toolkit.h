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

// A dynamic library that is opened at run time; it stays loaded for the life of the process.

class SharedLibrary {
 public:
  using Test = std::function<bool(const SharedLibrary&)>;

  // A path, or a name such as "libcuda.so.1" that the loader looks up. Nothing where it cannot be loaded,
  // which is told in `why_not`, or `is_usable` says no: it is unloaded then, or the loader would take it for
  // the next one of its name.
  static std::optional<SharedLibrary> open(const std::string& name_or_path, const Test& is_usable = {},
                                           std::string* why_not = nullptr);

  // Null where the library has no such symbol.
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

// Whether a library may be loaded into this process: one that is cut off or damaged can end whoever loads it.

// Tries it in a process of its own. Empty where that process lived on, also where it found no such library;
// else what became of it: "libcuda.so.1 crashed (Bus error) when it was loaded".
Message crash_of_loading(const std::string& library);

// Where a CUDA toolkit's libraries, headers and tools are on this machine: the search order, and nothing
// about what they do. Looked at, in this order: $CUDA_HOME and $CUDA_PATH; for libraries, the loader
// (ldconfig and LD_LIBRARY_PATH); $CONDA_PREFIX, /usr/local/cuda*, /opt/cuda; pip's nvidia/* packages.

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
