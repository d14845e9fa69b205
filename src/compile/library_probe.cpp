// This program, started with the library's name, does nothing else.
#include "compile/library_probe.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/this_program.h"

namespace cudalab::compile {
namespace {

constexpr const char* kProbe = "--probe-library";
constexpr ChildLimits kLimits{.cpu_seconds = 20, .wall_seconds = 30, .memory_bytes = 64ull << 30};

// The C library hands over main()'s arguments.
__attribute__((constructor)) void probe_where_asked(int count, char** words) {
  if (count != 3 || std::strcmp(words[1], kProbe) != 0) return;
  ::dlopen(words[2], RTLD_NOW | RTLD_LOCAL);
  ::_exit(0);
}

// A name without a folder is the loader's to look for.
std::string wherever_it_works(const std::string& library) {
  return library.find('/') == std::string::npos ? library : absolute_path(library).string();
}

std::string tried(const std::string& library) {
  ChildPool pool(kLimits);
  pool.start(0, {this_program_again().string(), kProbe, wherever_it_works(library)}, "/");
  const ChildEnd end = pool.wait().second;
  if (!end.stopped.empty()) return fmt::format("{} when it was loaded", end.stopped);
  return end.exit_code == 0 ? "" : fmt::format("ended who loaded it with exit code {}", end.exit_code);
}

}  // namespace

std::string crash_of_loading(const std::string& library) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(library);
  return found != known.end() ? found->second : known[library] = tried(library);
}

}  // namespace cudalab::compile
