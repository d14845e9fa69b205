// A cache of compiled sources on disk. The key covers everything that the PTX depends on. Safe against
// concurrent processes, damaged entries and full disks.
#include "compile/compile_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compile/toolkit.h"
#include "core/digest.h"
#include "core/files.h"
#include "core/processes/interruption.h"

namespace cudalab::compile {

// Finds the files that affect a source's compilation, by its #include directives.

namespace {

// All existing files that the source may include, directly or indirectly, from its own directory or
// `directories`: path -> content. Conditions are not evaluated, so the result may contain files that are not
// included. Headers found elsewhere (the toolkit's) are not followed. Empty if the directives are not
// sufficient: `#include MACRO`, __has_include, or __DATE__ and __TIME__, whose values are not in the text.
std::optional<std::map<std::filesystem::path, std::string>> user_includes(
    const std::string& source, const std::filesystem::path& source_directory,
    const std::vector<std::string>& directories);

namespace fs = std::filesystem;

constexpr std::string_view kUndecidable[] = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};

constexpr std::size_t kMostFiles = 2000;  // for more files, reading them costs more than compiling

bool is_undecidable(const std::string& text) {
  for (const std::string_view word : kUndecidable)
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::size_t skip_blanks(const std::string& text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// directive = '#' blanks 'include' blanks ( '"' NAME '"' | '<' NAME '>' )
// Appends every NAME; false if anything else follows `include`.
bool append_included_names(const std::string& text, std::vector<std::string>& names) {
  constexpr std::string_view kInclude = "include";
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const std::size_t word = skip_blanks(text, at + 1);
    if (text.compare(word, kInclude.size(), kInclude) != 0) continue;
    const std::size_t quote = skip_blanks(text, word + kInclude.size());
    if (quote >= text.size() || (text[quote] != '"' && text[quote] != '<')) return false;
    const std::size_t end = text.find(text[quote] == '<' ? '>' : '"', quote + 1);
    if (end == std::string::npos) return false;
    names.push_back(text.substr(quote + 1, end - quote - 1));
  }
  return true;
}

struct Scan {
  const std::vector<std::string>& directories;
  std::map<fs::path, std::string> files;

  bool add_file(const fs::path& path) {
    std::error_code ignored;
    if (files.count(path) || !fs::is_regular_file(path, ignored)) return true;
    if (files.size() == kMostFiles) return false;
    return follow(files[path] = read_file(path).value_or(""), path.parent_path());
  }

  bool follow(const std::string& text, const fs::path& own_directory) {
    std::vector<std::string> names;
    if (is_undecidable(text) || !append_included_names(text, names)) return false;
    for (const std::string& name : names) {
      if (!add_file((own_directory / name).lexically_normal())) return false;
      for (const std::string& directory : directories)
        if (!add_file((fs::path(directory) / name).lexically_normal())) return false;
    }
    return true;
  }
};

std::optional<std::map<fs::path, std::string>> user_includes(const std::string& source,
                                                             const fs::path& source_directory,
                                                             const std::vector<std::string>& directories) {
  Scan scan{directories, {}};
  if (!scan.follow(source, source_directory)) return std::nullopt;
  return std::move(scan.files);
}

}  // namespace

namespace {

// The include directories, those of further options included; empty if an option includes files that its text
// does not name.
std::optional<std::vector<std::string>> searched_directories(const CompileRequest& request) {
  std::vector<std::string> directories = request.include_directories;
  for (const std::string& option : request.options) {
    if (option == "-I" || option == "--include-path" || option.find("-include=") != std::string::npos ||
        option.ends_with("-include"))
      return std::nullopt;
    for (const std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) directories.push_back(option.substr(prefix.size()));
  }
  return directories;
}

void add_list(Digester& key, std::span<const std::string> fields) {
  key.add_field(std::to_string(fields.size()));
  for (const std::string& field : fields) key.add_field(field);
}

}  // namespace

std::optional<std::string> cache_key(const CompileRequest& request, const std::string& compiler,
                                     std::span<const fs::path> tools,
                                     const std::vector<std::string>& options) {
  const auto directories = searched_directories(request);
  const auto includes =
      directories ? user_includes(request.source, fs::path(request.file_name).parent_path(), *directories)
                  : std::nullopt;
  if (!includes) return std::nullopt;
  Digester key;
  for (const std::string& field : {request.source, request.file_name, compiler}) key.add_field(field);
  add_list(key, options);
  add_list(key, request.name_expressions);
  for (const HeaderText& header : request.headers)
    for (const std::string& field : {header.name, header.text}) key.add_field(field);
  for (const fs::path& tool : tools) key.add_field(file_stamp(tool));
  std::error_code ignored;
  // The line table contains the absolute paths of included files.
  key.add_field(includes->empty() ? std::string() : fs::current_path(ignored).string());
  for (const auto& [path, content] : *includes) {
    key.add_field(path.string());
    key.add_field(content);
  }
  return key.hex();
}

namespace {

// An entry:  kMagic DIGEST '\n' FIELD…         DIGEST: of everything after its line
//   FIELD =  LENGTH '\n' BYTES                 in order: the key, then the stored fields
constexpr std::string_view kMagic = "cudalab-ptx/3 ";
constexpr std::size_t kDigestLength = 32;
constexpr std::size_t kFieldsBeforeNames = 4;
constexpr std::string_view kUnfinished = ".tmp";
constexpr auto kWritesWithin =
    std::chrono::hours(1);  // an older unfinished file was left by a killed process

void append_field(std::string& text, std::string_view field) {
  text += fmt::format("{}\n", field.size());
  text += field;
}

// Removes one field from the front of `text`, and returns it.
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

// One line per kernel: SYMBOL REGISTERS SHARED STACK STORES LOADS
std::string text_of(const ResourcesBySymbol& resources) {
  std::string text;
  for (const auto& [symbol, of] : resources)
    text += fmt::format("{} {} {} {} {} {}\n", symbol, of.registers, of.shared_bytes, of.stack_bytes,
                        of.spill_store_bytes, of.spill_load_bytes);
  return text;
}

// The entry's digest was checked, so the text was written by text_of.
ResourcesBySymbol resources_from(std::string_view text) {
  ResourcesBySymbol resources;
  std::istringstream lines{std::string(text)};
  std::string symbol;
  KernelResources of;
  while (lines >> symbol >> of.registers >> of.shared_bytes >> of.stack_bytes >> of.spill_store_bytes >>
         of.spill_load_bytes)
    resources[symbol] = of;
  return resources;
}

std::optional<std::string_view> checked_body(std::string_view entry) {
  const std::size_t head = kMagic.size() + kDigestLength + 1;
  if (entry.size() < head || !entry.starts_with(kMagic) || entry[head - 1] != '\n') return std::nullopt;
  const std::string_view body = entry.substr(head);
  if (entry.substr(kMagic.size(), kDigestLength) != digest(body)) return std::nullopt;
  return body;
}

// In order: PTX, file name, log, resources, then alternating names and symbols.
Fields fields_of(const CompiledSource& compiled) {
  Fields fields{compiled.ptx, compiled.file_name, compiled.log, text_of(compiled.resources)};
  for (const auto& [name, symbol] : compiled.lowered_names) fields.insert(fields.end(), {name, symbol});
  return fields;
}

std::optional<CompiledSource> compiled_source_from(const Fields& fields) {
  if (fields.size() < kFieldsBeforeNames || (fields.size() - kFieldsBeforeNames) % 2 != 0)
    return std::nullopt;
  CompiledSource compiled{.ptx = fields[0], .file_name = fields[1], .log = fields[2], .from_cache = true};
  compiled.resources = resources_from(fields[3]);
  for (std::size_t i = kFieldsBeforeNames; i < fields.size(); i += 2)
    compiled.lowered_names.emplace(fields[i], fields[i + 1]);
  return compiled;
}

// ---- files -------------------------------------------------------------------------------------------

bool is_of_this_user(const struct stat& status) { return status.st_uid == ::geteuid(); }

// No other user may read or write the folder.
bool is_private_folder(const struct stat& status) {
  return S_ISDIR(status.st_mode) && is_of_this_user(status) && (status.st_mode & 0777) == 0700;
}

bool is_entry(const struct stat& status) {
  return S_ISREG(status.st_mode) && is_of_this_user(status) && status.st_size >= 0 &&
         static_cast<std::uintmax_t>(status.st_size) <= CompileCache::kLargestEntry;
}

bool is_private_folder(const Descriptor& folder) {
  struct stat status {};
  return folder.number() >= 0 && ::fstat(folder.number(), &status) == 0 && is_private_folder(status);
}

// Creates the folder, or closes our own folder to other users; false if that fails.
bool make_private_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
  const Descriptor opened(open_folder(folder));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0 || !is_of_this_user(status)) return false;
  return is_private_folder(status) || ::fchmod(opened.number(), 0700) == 0;
}

// Reads a file of known size; empty if its size differs.
std::optional<std::string> read_whole(int file, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t have = 0; have < size;) {
    const ssize_t more = ::read(file, text.data() + have, size - have);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return std::nullopt;
    have += static_cast<std::size_t>(more);
  }
  return text;
}

bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Neither follows a link nor waits for the other end of a pipe.
std::optional<std::string> read_entry(const Descriptor& folder, const std::string& key) {
  const Descriptor file(
      ::openat(folder.number(), key.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || !is_entry(status)) return std::nullopt;
  auto entry = read_whole(file.number(), static_cast<std::size_t>(status.st_size));
  if (entry) ::futimens(file.number(), nullptr);  // marks the entry as recently used
  return entry;
}

bool write_new_file(const fs::path& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.number() >= 0 && write_whole(file.number(), text) && file.close();
}

// A name that no other thread or process uses.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> serial{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}.{}{}", ::getpid(), serial++, kUnfinished);
  return temporary;
}

struct StoredFile {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type used;
};

// The time of a file's last use. A time in the future, from before the clock was set back, counts as the
// oldest: the file would otherwise never be removed.
fs::file_time_type believable(fs::file_time_type used) {
  return used > fs::file_time_type::clock::now() + kWritesWithin ? fs::file_time_type::min() : used;
}

std::vector<StoredFile> stored_files(const fs::path& directory) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; at != end; at.increment(error)) {
    std::error_code gone;  // another process may remove it in the meantime
    if (at->symlink_status(gone).type() != fs::file_type::regular) continue;
    StoredFile file{at->path(), at->file_size(gone), {}};
    if (!gone) file.used = believable(at->last_write_time(gone));
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

// Whether the process in the name KEY.PROCESS.NUMBER.tmp has ended.
bool is_writer_gone(const fs::path& unfinished) {
  const std::string process = unfinished.stem().stem().extension().string();
  return process.size() > 1 && ::kill(std::atoi(process.c_str() + 1), 0) != 0 && errno == ESRCH;
}

bool is_left_over(const StoredFile& file) {
  if (file.path.extension() != kUnfinished) return false;
  return is_writer_gone(file.path) || file.used < fs::file_time_type::clock::now() - kWritesWithin;
}

}  // namespace

std::string to_entry(const std::string& key, const Fields& fields) {
  std::string body;
  append_field(body, key);
  for (const std::string& field : fields) append_field(body, field);
  return fmt::format("{}{}\n{}", kMagic, digest(body), body);
}

// An entry with another key was renamed or copied, and is refused.
std::optional<Fields> from_entry(const std::string& key, std::string_view entry) {
  const auto body = checked_body(entry);
  const auto fields = body ? take_fields(*body) : std::nullopt;
  if (!fields || fields->empty() || fields->front() != key) return std::nullopt;
  return Fields(fields->begin() + 1, fields->end());
}

std::string entry_of(const std::string& key, const CompiledSource& compiled) {
  return to_entry(key, fields_of(compiled));
}

std::optional<CompiledSource> compiled_from_entry(const std::string& key, std::string_view entry) {
  const auto fields = from_entry(key, entry);
  return fields ? compiled_source_from(*fields) : std::nullopt;
}

CompileCache::CompileCache(std::optional<fs::path> directory, std::uintmax_t limit_bytes)
    : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

std::optional<CompiledSource> CompileCache::find(const std::string& key) const {
  const auto fields = find_fields(key);
  return fields ? compiled_source_from(*fields) : std::nullopt;
}

void CompileCache::store(const std::string& key, const CompiledSource& compiled) const {
  store_fields(key, fields_of(compiled));
}

std::optional<Fields> CompileCache::find_fields(const std::string& key) const {
  if (!directory_) return std::nullopt;
  const Descriptor folder(open_folder(*directory_));
  if (!is_private_folder(folder)) return std::nullopt;
  const auto entry = read_entry(folder, key);
  return entry ? from_entry(key, *entry) : std::nullopt;
}

void CompileCache::store_fields(const std::string& key, const Fields& fields) const {
  if (!directory_ || !make_private_folder(*directory_)) return;
  const std::string entry = to_entry(key, fields);
  if (entry.size() > kLargestEntry) return;
  const fs::path path = *directory_ / key, temporary = temporary_beside(path);
  std::error_code error;
  const RemoveOnInterrupt guard(temporary.string());
  if (write_new_file(temporary, entry)) {
    fs::rename(temporary, path, error);
    if (is_time_to_trim(key, entry.size())) trim();
  }
  fs::remove(temporary, error);  // exists only if writing or renaming failed
}

// Trimming visits every entry, which takes as long as a compilation for ten thousand entries. Keys are
// digests, so selecting one key in kStoresATrim is as good as every kStoresATrim-th store, and needs no
// counter.
bool CompileCache::is_time_to_trim(const std::string& key, std::uintmax_t bytes) const {
  return bytes > limit_bytes_ / (4 * kStoresATrim) || std::hash<std::string>{}(key) % kStoresATrim == 0;
}

void CompileCache::trim() const {
  std::vector<StoredFile> files = stored_files(*directory_);
  std::error_code ignored;
  std::erase_if(files,
                [&](const StoredFile& file) { return is_left_over(file) && fs::remove(file.path, ignored); });
  std::uintmax_t total = 0;
  for (const StoredFile& file : files) total += file.bytes;
  if (total <= limit_bytes_) return;
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
  for (const StoredFile& file : files) {
    if (total <= limit_bytes_) return;
    if (fs::remove(file.path, ignored)) total -= file.bytes;
  }
}

namespace {

// An absolute path in a variable. The XDG Base Directory Specification ignores relative paths.
std::optional<fs::path> whole_path(const char* variable) {
  const auto value = environment(variable);
  return value && fs::path(*value).is_absolute() ? std::optional<fs::path>(*value) : std::nullopt;
}

}  // namespace

std::optional<fs::path> cache_directory() {
  if (const auto named = environment("CUDALAB_CACHE_DIR")) return fs::path(*named) / "ptx";
  if (const auto xdg = whole_path("XDG_CACHE_HOME")) return *xdg / "cudalab" / "ptx";
  if (const auto home = whole_path("HOME")) return *home / ".cache" / "cudalab" / "ptx";
  return std::nullopt;
}

}  // namespace cudalab::compile
