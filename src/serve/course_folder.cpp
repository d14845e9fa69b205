// Opens files with openat2(), which refuses links and upward steps in every part of a path.
#include "serve/course_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/files.h"
#include "core/text.h"
#include "course/learner/workspace.h"
#include "messages/serve.h"

namespace cudalab::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSources = 500;
constexpr mode_t kNewFile = 0644;

int open_beneath(int folder, const std::string& path, int flags, mode_t mode = 0) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NONBLOCK);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

Message cannot_open(const std::string& path) {
  if (errno == ELOOP || errno == EXDEV) return msg::serve_file_behind_link(path);
  return msg::serve_file_not_opened(path, std::strerror(errno));
}

}  // namespace

bool CourseFolder::is_source_name(std::string_view path) {
  if (path.empty() || path.size() > 200 || path.front() == '/' || path.back() == '/') return false;
  for (const std::string_view part : split(path, '/'))
    if (part.empty() || part.front() == '.' || part.find('\\') != std::string_view::npos) return false;
  return std::ranges::any_of(std::array{".cu", ".cuh", ".h"},
                             [&](const char* ending) { return path.ends_with(ending); });
}

SourceText CourseFolder::read(const std::string& path) const {
  if (!is_source_name(path)) return {"", msg::serve_file_name_wrong(path)};
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor file(open_beneath(folder.number(), path, O_RDONLY));
  if (file.number() < 0) return {"", cannot_open(path)};
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return {"", msg::serve_file_irregular(path)};
  FileContent content = read_to_the_end(file.number(), kMostSource);
  if (content.problem.empty()) return {as_text(std::move(content.bytes)), {}};
  const bool is_too_large = content.problem.id() == "file_beyond_most";
  return {"", is_too_large ? msg::serve_file_too_large(path, kMostSource >> 10) : cannot_open(path)};
}

Message CourseFolder::write(const std::string& path, std::string_view text) const {
  if (!is_source_name(path)) return msg::serve_file_name_wrong(path);
  if (text.size() > kMostSource) return msg::serve_file_too_large(path, kMostSource >> 10);
  const fs::path parts(path);
  const std::string parent = parts.has_parent_path() ? parts.parent_path().string() : ".";
  const std::string name = parts.filename().string(), made = "." + name + ".cudalab-new";
  const Descriptor top(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Descriptor folder(open_beneath(top.number(), parent, O_RDONLY | O_DIRECTORY));
  if (folder.number() < 0) return cannot_open(path);
  struct stat facts {};
  const bool exists = ::fstatat(folder.number(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISLNK(facts.st_mode)) return msg::serve_file_behind_link(path);
  if (exists && !S_ISREG(facts.st_mode)) return msg::serve_file_irregular(path);
  ::unlinkat(folder.number(), made.c_str(), 0);  // left by a server that was killed
  const mode_t mode = exists ? facts.st_mode & 07777 : kNewFile;
  Descriptor file(open_beneath(folder.number(), made, O_WRONLY | O_CREAT | O_EXCL, mode));
  if (file.number() < 0) return cannot_open(path);
  const bool is_written = write_all(file.number(), text) && file.close();
  if (is_written && ::renameat(folder.number(), made.c_str(), folder.number(), name.c_str()) == 0) return {};
  const Message why = msg::serve_file_not_written(path, std::strerror(errno));
  ::unlinkat(folder.number(), made.c_str(), 0);
  return why;
}

std::vector<std::string> CourseFolder::sources() const {
  std::vector<std::string> found;
  for (const fs::path& entry : read_folder(folder_).entries) {
    const std::string name = entry.filename().string();
    if (is_link(entry)) continue;
    if (is_source_name(name)) found.push_back(name);
    if (name.starts_with('.') || !is_folder(entry)) continue;
    for (const fs::path& file : read_folder(entry).entries) {
      const std::string path = name + "/" + file.filename().string();
      if (is_source_name(path) && !is_link(file) && !is_folder(file)) found.push_back(path);
    }
  }
  if (found.size() > kMostSources) found.resize(kMostSources);
  return found;
}

std::string CourseFolder::state() const {
  std::string state;
  const auto add = [&](const fs::path& file) {
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) == 0)
      state += fmt::format("{} {} {} {}.{}\n", file.filename().string(), facts.st_ino, facts.st_size,
                           facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  };
  add(folder_ / course::kProgressFile);
  for (const std::string& source : sources()) add(folder_ / source);
  return state;
}

}  // namespace cudalab::serve
