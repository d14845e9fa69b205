// A cache of compiled sources on disk. The key covers everything that the PTX depends on. Safe against
// concurrent processes, damaged entries and full disks.
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

// The key of a source's compilation: a digest of everything that its PTX depends on.

// `tools`: files whose version affects the PTX: the compiler, the toolkit's headers. Empty if the included
// files cannot be determined (compile/compile_cache.cpp).
std::optional<std::string> cache_key(const CompileRequest& request, const std::string& compiler,
                                     std::span<const std::filesystem::path> tools,
                                     const std::vector<std::string>& options);

// Compiled sources on disk, by key.

// One file per entry, named by its key. An entry is written to a temporary file and renamed, and carries a
// digest of its key and content, so a reader sees a complete entry of its own key or none. Entries must be
// regular files of this user, in a folder of this user with mode 0700. Anything else in their place is a
// miss, and is neither followed nor waited for. No function throws: an unusable cache never hits.
class CompileCache {
 public:
  static constexpr std::uintmax_t kDefaultLimitBytes = 256u << 20;
  // bytes; larger entries are neither stored nor read.
  static constexpr std::size_t kLargestEntry = 64u << 20;

  // Without a directory, nothing is found or stored. Above the limit, the least recently used entries are
  // removed: after one in kStoresATrim stores, and after each store of more than a quarter of limit /
  // kStoresATrim bytes.
  explicit CompileCache(std::optional<std::filesystem::path> directory,
                        std::uintmax_t limit_bytes = kDefaultLimitBytes);

  std::optional<CompiledSource> find(const std::string& key) const;
  void store(const std::string& key, const CompiledSource& compiled) const;
  // The same for any other data in text fields.
  std::optional<Fields> find_fields(const std::string& key) const;
  void store_fields(const std::string& key, const Fields& fields) const;

  static constexpr std::uintmax_t kStoresATrim = 64;

 private:
  bool is_time_to_trim(const std::string& key, std::uintmax_t bytes) const;
  void trim() const;
  std::optional<std::filesystem::path> directory_;
  std::uintmax_t limit_bytes_;
};

// $CUDALAB_CACHE_DIR, else $XDG_CACHE_HOME/cudalab, else ~/.cache/cudalab; empty if none of them is set.
std::optional<std::filesystem::path> cache_directory();

// Converts an entry to text and back; empty if the text is not a complete, undamaged entry of that key.
std::string to_entry(const std::string& key, const Fields& fields);
std::optional<Fields> from_entry(const std::string& key, std::string_view entry);
std::string entry_of(const std::string& key, const CompiledSource& compiled);
std::optional<CompiledSource> compiled_from_entry(const std::string& key, std::string_view entry);

}  // namespace cudalab::compile
