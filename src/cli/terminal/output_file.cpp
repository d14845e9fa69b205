// Checks that a path can be written, and replaces a file through a temporary file in the same folder.
#include "cli/terminal/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/terminal/interrupt.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/processes/this_process.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int reason) {
  return usage_error(msg::file_not_writable(path, std::strerror(reason)));
}

// Resolves symbolic links, also if the final file does not exist yet.
std::string resolved(const std::string& path) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(path, failed);
  return failed ? path : whole.string();
}

// The temporary file is named .NAME.cudalab-MARK-XXXXXX. NAME is truncated, because file names have at most
// 255 bytes.
std::string begin_of_temporary_names(const fs::path& target) {
  constexpr std::size_t kMostOfName = 180;
  return "." + target.filename().string().substr(0, kMostOfName) + ".cudalab-";
}

std::string temporary_name_beside(const fs::path& target) {
  return (target.parent_path() / (begin_of_temporary_names(target) + own_mark() + "-XXXXXX")).string();
}

// Removes temporary files of processes that were killed before they could rename or delete them.
void remove_what_was_left_beside(const fs::path& target) {
  const std::string begin = begin_of_temporary_names(target);
  for (const fs::path& entry : read_folder(target.parent_path()).entries) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(begin)) continue;
    struct stat status {};
    const std::string mark = name.substr(begin.size(), name.rfind('-') - begin.size());
    if (is_gone(mark) && ::lstat(entry.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid())
      ::unlink(entry.c_str());
  }
}

mode_t mode_for(const std::string& target) {
  struct stat existing {};
  if (::stat(target.c_str(), &existing) == 0) return existing.st_mode & 07777;
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Opens an unnamed file in the target's folder: if the program is killed, nothing remains. Not every file
// system supports this.
int open_without_name(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

void probe(const std::string& path, const std::string& target) {
  if (::access(target.c_str(), W_OK) != 0 && errno != ENOENT) throw cannot_write(path, errno);
  if (Descriptor(open_without_name(target)).number() >= 0) return;
  const NoInterrupt while_it_is_there;
  std::string name = temporary_name_beside(target);
  Descriptor file(::mkstemp(name.data()));
  if (file.number() < 0) throw cannot_write(path, errno);
  ::unlink(name.c_str());
}

bool give_name(int number, const std::string& name) {
  const std::string itself = "/proc/self/fd/" + std::to_string(number);
  return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool put_in_place(int number, const std::string& target) {
  if (give_name(number, target)) return true;
  if (errno != EEXIST) return false;
  const NoInterrupt while_it_is_there;
  const std::string name = temporary_name_beside(target);  // until the rename
  if (!give_name(number, name)) return false;
  if (::rename(name.c_str(), target.c_str()) == 0) return true;
  ::unlink(name.c_str());
  return false;
}

// Returns false if the file system does not support unnamed files; throws if writing fails.
bool write_without_name(const std::string& path, const std::string& target, std::string_view text) {
  const Descriptor file(open_without_name(target));
  if (file.number() < 0) return false;
  if (!write_all(file.number(), text) || ::fchmod(file.number(), mode_for(target)) != 0)
    throw cannot_write(path, errno);
  return put_in_place(file.number(), target);
}

// Waits for a slow reader of a pipe, but fails at once if the pipe has no reader.
int open_in_place(const std::string& path, const std::string& target) {
  const int file = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENXIO) throw usage_error(msg::pipe_without_reader(path));
  if (file >= 0) ::fcntl(file, F_SETFL, 0);
  return file;
}

void write_in_place(const std::string& path, const std::string& target, std::string_view text) {
  Descriptor file(open_in_place(path, target));
  if (file.number() < 0 || !write_all(file.number(), text) || !file.close()) throw cannot_write(path, errno);
}

// Returns the errno of a failure.
std::optional<int> write_and_rename(const std::string& name, int number, const std::string& target,
                                    std::string_view text) {
  Descriptor file(number);
  bool written = write_all(number, text) && ::fchmod(number, mode_for(target)) == 0 && file.close();
  if (written && ::rename(name.c_str(), target.c_str()) == 0) return std::nullopt;
  int reason = errno;
  ::unlink(name.c_str());
  return reason;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  std::error_code unknown;  // a file whose status is unknown is treated as not writable
  const fs::file_type type = fs::status(target_, unknown).type();
  const bool is_new = type == fs::file_type::not_found;
  if (type == fs::file_type::directory) throw cannot_write(path_, EISDIR);
  in_place_ = !is_new && type != fs::file_type::regular;
  if (!in_place_) probe(path_, target_);
  if (in_place_ && ::access(target_.c_str(), W_OK) != 0) throw cannot_write(path_, errno);
}

void OutputFile::write(std::string_view text) const {
  if (in_place_) return write_in_place(path_, target_, text);
  remove_what_was_left_beside(target_);
  if (write_without_name(path_, target_, text)) return note_output();
  std::string name = temporary_name_beside(target_);
  std::optional<NoInterrupt> until_it_is_noted(std::in_place);
  int number = ::mkostemp(name.data(), O_CLOEXEC);
  if (number < 0) throw cannot_write(path_, errno);
  RemoveOnInterrupt guard(name);
  until_it_is_noted.reset();
  if (std::optional<int> reason = write_and_rename(name, number, target_, text))
    throw cannot_write(path_, *reason);
  note_output();
}

void make_folder(const fs::path& folder, std::string_view next_step) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw usage_error(msg::folder_not_made(folder.string(), failed.message(), next_step));
}

}  // namespace cudalab::cli
