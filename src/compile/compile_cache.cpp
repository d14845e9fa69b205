// Reading, writing and trimming of the entries of compile/compile_cache.h.
#include "compile/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <vector>

#include "compile/toolkit.h"
#include "core/digest.h"
#include "core/files.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// An entry:  kMagic DIGEST '\n' FIELD…         DIGEST: of everything after its line
//   FIELD =  LENGTH '\n' BYTES                 in order: ptx, file name, log, then name and symbol in turn
constexpr std::string_view kMagic = "cudalab-ptx/1 ";
constexpr std::size_t kDigestLength = 32;

void append_field(std::string& text, std::string_view field) {
  text += fmt::format("{}\n", field.size());
  text += field;
}

// Takes one field off the front of `text`.
std::optional<std::string_view> take_field(std::string_view& text) {
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + line_end, length);
  if (error != std::errc() || end != text.data() + line_end) return std::nullopt;
  text.remove_prefix(line_end + 1);
  if (length > text.size()) return std::nullopt;
  const std::string_view field = text.substr(0, length);
  text.remove_prefix(length);
  return field;
}

std::optional<std::vector<std::string_view>> take_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const auto field = take_field(text);
    if (!field) return std::nullopt;
    fields.push_back(*field);
  }
  return fields;
}

std::optional<std::string_view> checked_body(std::string_view entry) {
  const std::size_t head = kMagic.size() + kDigestLength + 1;
  if (entry.size() < head || !entry.starts_with(kMagic) || entry[head - 1] != '\n') return std::nullopt;
  const std::string_view body = entry.substr(head);
  if (entry.substr(kMagic.size(), kDigestLength) != digest(body)) return std::nullopt;
  return body;
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file.good();
}

// A name that no other thread or process writes to.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> serial{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}.{}.tmp", getpid(), serial++);
  return temporary;
}

struct StoredFile {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type used;
};

std::vector<StoredFile> stored_files(const fs::path& directory) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; at != end; at.increment(error)) {
    std::error_code gone;  // another process may remove it meanwhile
    StoredFile file{at->path(), at->file_size(gone), {}};
    if (!gone) file.used = at->last_write_time(gone);
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string to_entry(const CompiledSource& compiled) {
  std::string body;
  for (const std::string& field : {compiled.ptx, compiled.file_name, compiled.log}) append_field(body, field);
  for (const auto& [name, symbol] : compiled.lowered_names) {
    append_field(body, name);
    append_field(body, symbol);
  }
  return fmt::format("{}{}\n{}", kMagic, digest(body), body);
}

std::optional<CompiledSource> from_entry(std::string_view entry) {
  const auto body = checked_body(entry);
  const auto fields = body ? take_fields(*body) : std::nullopt;
  if (!fields || fields->size() < 3 || fields->size() % 2 == 0) return std::nullopt;
  CompiledSource compiled;
  compiled.ptx = (*fields)[0];
  compiled.file_name = (*fields)[1];
  compiled.log = (*fields)[2];
  for (std::size_t i = 3; i < fields->size(); i += 2)
    compiled.lowered_names.emplace((*fields)[i], (*fields)[i + 1]);
  compiled.from_cache = true;
  return compiled;
}

CompileCache::CompileCache(std::optional<fs::path> directory, std::uintmax_t limit_bytes)
    : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

std::optional<CompiledSource> CompileCache::find(const std::string& key) const {
  if (!directory_) return std::nullopt;
  const fs::path path = *directory_ / key;
  const auto entry = read_file(path);
  auto compiled = entry ? from_entry(*entry) : std::nullopt;
  std::error_code ignored;
  if (compiled)
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // it was used: keep it longer
  return compiled;
}

void CompileCache::store(const std::string& key, const CompiledSource& compiled) const {
  if (!directory_) return;
  std::error_code error;
  fs::create_directories(*directory_, error);
  const fs::path path = *directory_ / key, temporary = temporary_beside(path);
  if (write_file(temporary, to_entry(compiled))) {
    fs::rename(temporary, path, error);
    trim();
  }
  fs::remove(temporary, error);  // still there only where writing or renaming failed
}

void CompileCache::trim() const {
  std::vector<StoredFile> files = stored_files(*directory_);
  std::uintmax_t total = 0;
  for (const StoredFile& file : files) total += file.bytes;
  if (total <= limit_bytes_) return;
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
  for (const StoredFile& file : files) {
    if (total <= limit_bytes_) return;
    std::error_code ignored;
    if (fs::remove(file.path, ignored)) total -= file.bytes;
  }
}

std::optional<fs::path> cache_directory() {
  if (const auto named = environment("CUDALAB_CACHE_DIR")) return fs::path(*named) / "ptx";
  if (const auto xdg = environment("XDG_CACHE_HOME")) return fs::path(*xdg) / "cudalab" / "ptx";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache" / "cudalab" / "ptx";
  return std::nullopt;
}

}  // namespace cudalab::compile
