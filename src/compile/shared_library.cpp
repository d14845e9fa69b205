// dlopen, dlsym and dlinfo behind compile/shared_library.h.
#include "compile/shared_library.h"

#include <dlfcn.h>
#include <link.h>

namespace cudalab::compile {

std::optional<SharedLibrary> SharedLibrary::open(const std::string& name_or_path, const Test& is_usable,
                                                 std::string* why_not) {
  void* handle = dlopen(name_or_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    if (why_not && why) *why_not = why;
    return std::nullopt;
  }
  const SharedLibrary library(handle);
  if (is_usable && !is_usable(library)) {
    dlclose(handle);
    return std::nullopt;
  }
  // Unloading what was used is not worth its risks: these libraries start threads and register exit handlers.
  dlopen(name_or_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return library;
}

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle_, symbol); }

std::filesystem::path SharedLibrary::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
  return map->l_name;
}

}  // namespace cudalab::compile
