// A dynamic library that is opened at run time; it stays loaded for the life of the process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cudalab::compile {

class SharedLibrary {
 public:
  // A path, or a name such as "libcuda.so.1" that the loader looks up. Nothing where it cannot be loaded.
  static std::optional<SharedLibrary> open(const std::string& name_or_path);

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
