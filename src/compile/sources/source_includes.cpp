// A scan for #include directives; it knows no more of the preprocessor than that.
#include "compile/sources/source_includes.h"

#include <cctype>
#include <string_view>

#include "core/files.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kUndecidable[] = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
constexpr std::size_t kMostFiles = 2000;  // beyond it, reading them costs more than compiling

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
// Appends every NAME; false where something else follows `include`.
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

}  // namespace

std::optional<std::map<fs::path, std::string>> user_includes(const std::string& source,
                                                             const fs::path& source_directory,
                                                             const std::vector<std::string>& directories) {
  Scan scan{directories, {}};
  if (!scan.follow(source, source_directory)) return std::nullopt;
  return std::move(scan.files);
}

}  // namespace cudalab::compile
