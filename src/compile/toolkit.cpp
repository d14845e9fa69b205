// Finds the libraries, headers and tools of a CUDA toolkit, and opens its shared libraries safely.
#include "compile/toolkit.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/this_process.h"
#include "messages/compile.h"

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
  // A library that was used is never unloaded: these libraries start threads and register exit handlers.
  dlopen(name_or_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return library;
}

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle_, symbol); }

std::filesystem::path SharedLibrary::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
  return map->l_name;
}

namespace {

constexpr const char* kProbe = "--probe-library";
constexpr ChildLimits kLimits{.cpu_seconds = 20, .wall_seconds = 30, .memory_bytes = 64ull << 30};

// The C library passes main()'s arguments to constructors.
__attribute__((constructor)) void probe_where_asked(int count, char** words) {
  if (count != 3 || std::strcmp(words[1], kProbe) != 0) return;
  ::dlopen(words[2], RTLD_NOW | RTLD_LOCAL);
  ::_exit(0);
}

// The loader looks up a name without a folder.
std::string wherever_it_works(const std::string& library) {
  return library.find('/') == std::string::npos ? library : absolute_path(library).string();
}

Message tried(const std::string& library) {
  ChildPool pool(kLimits);
  pool.start(0, {this_program_again().string(), kProbe, wherever_it_works(library)}, "/");
  const ChildEnd end = pool.wait().second;
  if (!end.stopped.empty()) return msg::library_stopped_when_loaded(library, end.stopped);
  return end.exit_code == 0 ? Message() : msg::library_ended_its_loader(library, end.exit_code);
}

}  // namespace

Message crash_of_loading(const std::string& library) {
  static std::mutex mutex;
  static std::map<std::string, Message> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(library);
  return found != known.end() ? found->second : known[library] = tried(library);
}

namespace fs = std::filesystem;
namespace {

// The entries of a directory whose names start with `prefix`, the highest version first; empty if the
// directory does not exist.
std::vector<fs::path> entries(const fs::path& directory, std::string_view prefix = {}) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator at(directory, ignored), end; at != end; at.increment(ignored))
    if (at->path().filename().string().starts_with(prefix)) found.push_back(at->path());
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

// pip installs each part of the toolkit as nvidia/PART/{lib,include} below a Python's packages.
void append_pip_roots(const fs::path& prefix, std::vector<fs::path>& roots) {
  for (const fs::path& python : entries(prefix / "lib", "python3"))
    for (const char* packages : {"site-packages", "dist-packages"})
      for (const fs::path& part : entries(python / packages / "nvidia")) roots.push_back(part);
}

// Toolkit folders that the user named; they are searched before the loader.
std::vector<fs::path> named_roots() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment(variable)) roots.push_back(*root);
  return roots;
}

std::vector<fs::path> usual_roots() {
  std::vector<fs::path> roots;
  if (const auto conda = environment("CONDA_PREFIX")) roots.push_back(*conda);
  for (const fs::path& root : entries("/usr/local", "cuda")) roots.push_back(root);
  roots.emplace_back("/opt/cuda");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto prefix = environment(variable)) append_pip_roots(*prefix, roots);
  if (const auto home = environment("HOME")) append_pip_roots(fs::path(*home) / ".local", roots);
  append_pip_roots("/usr/local", roots);
  append_pip_roots("/usr", roots);
  return roots;
}

// root/PART and root/targets/*/PART for every part that exists.
std::vector<fs::path> directories_in(const fs::path& root, std::initializer_list<const char*> parts) {
  std::vector<fs::path> found;
  for (const char* part : parts)
    if (is_there(root / part)) found.push_back(root / part);
  for (const fs::path& target : entries(root / "targets"))
    for (const char* part : parts)
      if (is_there(target / part)) found.push_back(target / part);
  return found;
}

std::string file_name(const LibraryName& name, int major) {
  return fmt::format("lib{}.so.{}", name.stem, major);
}

// The loader's message without the library's name at its start.
std::string reason_in(std::string sentence, const std::string& library) {
  const std::string begin = library + ": ";
  return sentence.starts_with(begin) ? sentence.substr(begin.size()) : sentence;
}

// A missing file is not worth reporting, because many places are searched.
bool is_absence(const std::string& sentence) { return sentence.find("No such file") != std::string::npos; }

std::optional<SharedLibrary> try_to_open(const std::string& library, const LibrarySearch& search) {
  if (search.may_try && !search.may_try(library)) return std::nullopt;
  std::string why_not;
  auto opened = SharedLibrary::open(library, search.is_usable, &why_not);
  if (!why_not.empty() && !is_absence(why_not) && search.refused)
    search.refused(library, reason_in(why_not, library));
  return opened;
}

// The library's files in a folder, the preferred one first.
std::vector<fs::path> libraries_in(const fs::path& directory, const LibraryName& name) {
  std::vector<fs::path> files;
  for (const int major : name.majors)
    if (is_there(directory / file_name(name, major))) files.push_back(directory / file_name(name, major));
  return files;
}

std::vector<fs::path> libraries_in_roots(const std::vector<fs::path>& roots, const LibraryName& name) {
  std::vector<fs::path> files;
  for (const fs::path& root : roots)
    for (const fs::path& directory : directories_in(root, {"lib64", "lib"}))
      for (fs::path& file : libraries_in(directory, name)) files.push_back(std::move(file));
  return files;
}

std::optional<SharedLibrary> open_first(const std::vector<fs::path>& files, const LibrarySearch& search) {
  for (const fs::path& file : files)
    if (auto library = try_to_open(file.string(), search)) return library;
  return std::nullopt;
}

std::optional<SharedLibrary> open_through_loader(const LibraryName& name, const LibrarySearch& search) {
  for (const int major : name.majors)
    if (auto library = try_to_open(file_name(name, major), search)) return library;
  return std::nullopt;
}

// The place that $CUDALAB_NVRTC or a similar variable names.
std::optional<fs::path> named_place(const LibraryName& name) {
  const auto place = name.place_variable ? environment(name.place_variable) : std::nullopt;
  return place ? std::optional<fs::path>(*place) : std::nullopt;
}

std::vector<fs::path> libraries_at(const fs::path& place, const LibraryName& name) {
  return is_folder(place) ? libraries_in(place, name) : std::vector<fs::path>{place};
}

// The toolkit folders that a library may belong to: ROOT/lib/libX.so, ROOT/targets/ARCH/lib/libX.so.
std::vector<fs::path> roots_of(const fs::path& library) {
  std::vector<fs::path> roots;
  std::error_code ignored;
  for (const fs::path& file : {library, fs::canonical(library, ignored)})
    if (!file.empty()) roots.push_back(file.parent_path().parent_path());
  return roots;
}

int cuda_version(const fs::path& include_directory) {
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  std::ifstream header(include_directory / "cuda.h");
  for (std::string line; std::getline(header, line);)
    if (line.starts_with(kDefine)) return std::atoi(line.c_str() + kDefine.size());
  return 0;
}

// The folder of the C++ libraries (cuda/std, cub, thrust), if it is not the include directory: CUDA 13 has
// them in cccl/, pip in a separate package.
std::optional<fs::path> cpp_libraries(const fs::path& include_directory, const std::vector<fs::path>& roots) {
  if (is_there(include_directory / "cuda" / "std")) return std::nullopt;
  if (is_there(include_directory / "cccl")) return include_directory / "cccl";
  for (const fs::path& root : roots)
    for (const fs::path& directory : directories_in(root, {"include/cccl", "include"}))
      if (is_there(directory / "cuda" / "std")) return directory;
  return std::nullopt;
}

std::optional<ToolkitHeaders> headers_in(const fs::path& directory, const std::vector<fs::path>& roots) {
  if (!is_there(directory / "cuda_fp16.h")) return std::nullopt;
  ToolkitHeaders headers{{directory}, cuda_version(directory)};
  if (const auto more = cpp_libraries(directory, roots)) headers.directories.push_back(*more);
  return headers;
}

bool is_executable(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

// The directories in a variable such as PATH.
std::vector<fs::path> directories_of(const char* variable) {
  std::vector<fs::path> directories;
  const std::string path = environment(variable).value_or("");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) directories.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return directories;
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

std::string file_stamp(const fs::path& file) {
  std::error_code ignored;
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

std::optional<SharedLibrary> find_library(const LibraryName& name, const LibrarySearch& search) {
  if (const auto place = named_place(name)) return open_first(libraries_at(*place, name), search);
  if (auto library = open_first(libraries_in_roots(named_roots(), name), search)) return library;
  if (auto library = open_through_loader(name, search)) return library;
  return open_first(libraries_in_roots(usual_roots(), name), search);
}

std::optional<fs::path> find_library_file(const std::string& name) {
  for (const auto& roots : {named_roots(), usual_roots()})
    for (const fs::path& root : roots)
      for (const fs::path& directory : directories_in(root, {"lib64", "lib"}))
        if (is_there(directory / name)) return directory / name;
  return std::nullopt;
}

std::string places_of(const LibraryName& name) {
  std::vector<fs::path> files;
  if (const auto place = named_place(name)) {
    files = libraries_at(*place, name);
  } else {
    files = libraries_in_roots(named_roots(), name);
    files.emplace_back("/etc/ld.so.cache");
    for (const fs::path& directory : directories_of("LD_LIBRARY_PATH"))
      for (fs::path& file : libraries_in(directory, name)) files.push_back(std::move(file));
    for (fs::path& file : libraries_in_roots(usual_roots(), name)) files.push_back(std::move(file));
  }
  std::string text;
  for (const fs::path& file : files) text += file_stamp(file) + "\n";
  return text;
}

std::optional<ToolkitHeaders> find_toolkit_headers(const fs::path& library) {
  if (const auto place = environment("CUDALAB_CUDA_INCLUDE")) return headers_in(*place, {});
  std::vector<fs::path> roots = roots_of(library);
  for (const auto& more : {named_roots(), usual_roots()}) roots.insert(roots.end(), more.begin(), more.end());
  roots.emplace_back("/usr");
  for (const fs::path& root : roots)
    for (const fs::path& directory : directories_in(root, {"include"}))
      if (auto headers = headers_in(directory, roots)) return headers;
  return std::nullopt;
}

std::optional<fs::path> find_program(std::string_view name) {
  for (const fs::path& directory : directories_of("PATH"))
    if (is_executable(directory / name)) return directory / name;
  std::vector<fs::path> roots = named_roots();
  for (const fs::path& root : usual_roots()) roots.push_back(root);
  for (const fs::path& root : roots)
    if (is_executable(root / "bin" / name)) return root / "bin" / name;
  return std::nullopt;
}

std::filesystem::path toolkit_of(const ToolkitHeaders& headers) {
  const std::filesystem::path above = headers.directories.front().parent_path();
  std::filesystem::path folder = above;
  for (int up = 0; up < 3; ++up, folder = folder.parent_path()) {  // TOOLKIT/targets/x86_64-linux/include
    std::error_code ignored;
    if (std::filesystem::exists(folder / "bin" / "nvcc", ignored)) return folder;
  }
  return above;
}

}  // namespace cudalab::compile
