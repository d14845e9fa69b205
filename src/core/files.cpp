// Opens files without blocking, checks their type, and reads them to the end.
#include "core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "messages/core.h"

namespace cudalab {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPiece = 1u << 20;

// The words that follow the file's name in a sentence: "FILE is a folder".
Message words_for(int error) {
  switch (error) {
    case ENOENT: return msg::file_does_not_exist();
    case EISDIR: return msg::file_is_folder();
    case EACCES: return msg::file_not_permitted();
    case ENOTDIR: return msg::file_path_broken();
    case ELOOP: return msg::file_link_in_circle();
    case ENAMETOOLONG: return msg::file_name_too_long();
    case ENXIO: return msg::file_is_socket();
    default: return msg::file_cannot_be_read(std::strerror(error));
  }
}

Message objection(const struct stat& status, std::size_t most_bytes) {
  if (S_ISDIR(status.st_mode)) return msg::file_is_folder();
  if (S_ISFIFO(status.st_mode)) return msg::file_is_pipe();
  if (!S_ISREG(status.st_mode)) return msg::file_is_device();
  if (static_cast<std::uintmax_t>(status.st_size) > most_bytes)
    return msg::file_too_large(status.st_size, most_bytes);
  return {};
}

// ---- text --------------------------------------------------------------------------------------------

void append_utf8(std::string& text, std::uint32_t point) {
  const auto byte = [&text](std::uint32_t value) { text += static_cast<char>(value); };
  const auto tail = [&](int shift) { byte(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xc0 | (point >> 6)), tail(0);
  if (point < 0x10000) return byte(0xe0 | (point >> 12)), tail(6), tail(0);
  byte(0xf0 | (point >> 18)), tail(12), tail(6), tail(0);
}

bool is_first_half(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_second_half(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Converts UTF-16 to UTF-8. An unpaired surrogate becomes U+FFFD, the replacement character.
std::string from_utf16(std::string_view bytes, bool big_end_first) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return big_end_first ? first << 8 | second : second << 8 | first;
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::uint32_t point = unit(at);
    const bool is_pair = is_first_half(point) && at + 3 < bytes.size() && is_second_half(unit(at + 2));
    if (is_pair) point = 0x10000 + ((point - 0xd800) << 10) + (unit(at += 2) - 0xdc00);
    append_utf8(text, is_first_half(point) || is_second_half(point) ? 0xfffd : point);
  }
  return text;
}

std::string without_mark(std::string bytes) {
  using namespace std::string_view_literals;
  const std::string_view all = bytes;
  if (all.starts_with("\xef\xbb\xbf"sv)) return bytes.substr(3);
  if (all.starts_with("\xff\xfe"sv)) return from_utf16(all.substr(2), false);
  if (all.starts_with("\xfe\xff"sv)) return from_utf16(all.substr(2), true);
  return bytes;
}

}  // namespace

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::symlink;
}

bool nothing_is_at(const fs::path& path) {
  std::error_code reason;
  const fs::file_type type = fs::symlink_status(path, reason).type();
  return type == fs::file_type::not_found || reason == std::errc::filename_too_long;
}

fs::path absolute_path(const fs::path& path) {
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed);
  return failed ? path : whole;
}

FolderContent read_folder(const fs::path& folder) {
  if (is_there(folder) && !is_folder(folder)) return {{}, msg::folder_is_none()};
  FolderContent content;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    content.entries.push_back(at->path());
  if (failed) return {{}, words_for(failed.value())};
  std::sort(content.entries.begin(), content.entries.end());
  return content;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  FolderContent content = read_folder(folder);
  if (!content.problem.empty())
    throw usage_error(msg::error_folder_not_readable(folder.string(), content.problem));
  return std::move(content.entries);
}

// The reported size is not reliable: some system files report 0 bytes but have content.
FileContent read_to_the_end(int descriptor, std::size_t most_bytes) {
  std::string bytes;
  while (true) {
    const std::size_t have = bytes.size();
    bytes.resize(have + kPiece);
    const ssize_t more = ::read(descriptor, bytes.data() + have, kPiece);
    const int error = errno;
    bytes.resize(have + static_cast<std::size_t>(std::max<ssize_t>(more, 0)));
    if (more < 0 && error == EINTR) continue;
    if (more < 0) return {"", words_for(error)};
    if (more == 0) return {std::move(bytes), {}};
    if (bytes.size() > most_bytes) return {"", msg::file_beyond_most(most_bytes)};
  }
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

FileContent read_content(const fs::path& path, std::size_t most_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return {"", words_for(errno)};
  if (Message problem = objection(status, most_bytes); !problem.empty()) return {"", std::move(problem)};
  return read_to_the_end(file.number(), most_bytes);
}

std::optional<std::string> read_file(const fs::path& path, std::size_t most_bytes) {
  FileContent content = read_content(path, most_bytes);
  if (!content.problem.empty()) return std::nullopt;
  return std::move(content.bytes);
}

std::string read_bytes(const fs::path& path, std::size_t most_bytes) {
  FileContent content = read_content(path, most_bytes);
  if (!content.problem.empty())
    throw usage_error(msg::error_file_not_readable(path.string(), content.problem));
  return std::move(content.bytes);
}

std::string read_text(const fs::path& path) { return as_text(read_bytes(path)); }

std::string as_text(std::string bytes) {
  std::string text = without_mark(std::move(bytes));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
  text.resize(kept);
  return text;
}

}  // namespace cudalab
