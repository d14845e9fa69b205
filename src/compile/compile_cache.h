// Compiled sources on disk, by a key of everything that the PTX depends on: safe against concurrent
// processes, damaged entries and full disks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "core/processes/message_socket.h"

namespace cudalab::compile {

// Everything that the PTX of a source depends on, as one number: what the compiled is kept under.

// `tools` are files whose replacement by another version changes the PTX: the compiler, the toolkit's
// headers. Nothing where it cannot be known what the source includes (compile/compile_cache.cpp).
std::optional<std::string> cache_key(const CompileRequest& request, const std::string& compiler,
                                     std::span<const std::filesystem::path> tools,
                                     const std::vector<std::string>& options);

// Compiled sources on disk, by key: safe against concurrent processes, damaged entries and full disks.

// One file an entry, named by its key. An entry is written aside and renamed, and carries a digest of its key
// and content: a reader sees a whole entry of its own key or none. Only regular files of this user's in a
// folder of this user's that nobody else may look into (mode 0700) are entries; whatever else is in their
// place is a miss, and neither followed nor waited for. Nothing here throws: a cache that cannot be used is a
// cache that never hits.
class CompileCache {
 public:
  static constexpr std::uintmax_t kDefaultLimitBytes = 256u << 20;
  static constexpr std::size_t kLargestEntry = 64u << 20;  // bytes; what is larger is neither kept nor read

  // Without a directory nothing is ever found or stored. Beyond the limit the least recently used entries are
  // removed: after one store in kStoresATrim, and after each that takes more than that part of the limit's
  // room.
  explicit CompileCache(std::optional<std::filesystem::path> directory,
                        std::uintmax_t limit_bytes = kDefaultLimitBytes);

  std::optional<CompiledSource> find(const std::string& key) const;
  void store(const std::string& key, const CompiledSource& compiled) const;
  // The same for anything else that can be said in texts.
  std::optional<Fields> find_fields(const std::string& key) const;
  void store_fields(const std::string& key, const Fields& fields) const;

  static constexpr std::uintmax_t kStoresATrim = 64;

 private:
  bool is_time_to_trim(const std::string& key, std::uintmax_t bytes) const;
  void trim() const;
  std::optional<std::filesystem::path> directory_;
  std::uintmax_t limit_bytes_;
};

// $CUDALAB_CACHE_DIR, else $XDG_CACHE_HOME/cudalab, else ~/.cache/cudalab; nothing where none of them is set.
std::optional<std::filesystem::path> cache_directory();

// An entry's text, and back; nothing where the text is not a whole, undamaged entry of that key.
std::string to_entry(const std::string& key, const Fields& fields);
std::optional<Fields> from_entry(const std::string& key, std::string_view entry);
std::string entry_of(const std::string& key, const CompiledSource& compiled);
std::optional<CompiledSource> compiled_from_entry(const std::string& key, std::string_view entry);

}  // namespace cudalab::compile
