// A dynamic library that is opened at run time; it stays loaded for the life of the process.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace cudalab::compile {

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

}  // namespace cudalab::compile
