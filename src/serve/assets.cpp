// Finds a file of the page by its path, which is compared with the names in a table. The editor is the one
// that packaging has put beside the program, if it is there.
#include "serve/assets.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "core/files.h"
#include "core/processes/this_process.h"

namespace cudalab::serve {
namespace {

struct WebFile {
  std::string_view path, ending, text;
};
constexpr WebFile kWebFiles[]{
#include "embedded/web_files.inc"
};

constexpr std::pair<std::string_view, std::string_view> kTypes[]{{".html", "text/html; charset=utf-8"},
                                                                 {".css", "text/css; charset=utf-8"},
                                                                 {".js", "text/javascript; charset=utf-8"},
                                                                 {".svg", "image/svg+xml"}};

constexpr std::string_view kEditor = "/codemirror.js";

// The bundle of scripts/editor, in the build folder or as installed. Empty: the table's stand-in is used.
const std::string& bundled_editor() {
  static const std::string text = [] {
    const std::filesystem::path folder = this_program().parent_path();
    for (const auto& place : {folder / "web", folder.parent_path() / "share/cudalab/web"})
      if (const auto file = place / kEditor.substr(1); is_there(file)) return read_text(file);
    return std::string();
  }();
  return text;
}

}  // namespace

std::optional<Asset> find_asset(std::string_view path) {
  if (path == "/") path = "/index.html";
  const auto found = std::ranges::find(kWebFiles, path, &WebFile::path);
  if (found == std::end(kWebFiles)) return std::nullopt;
  const auto type =
      std::ranges::find(kTypes, found->ending, &std::pair<std::string_view, std::string_view>::first);
  const bool has_bundle = path == kEditor && !bundled_editor().empty();
  return Asset{found->path, type->second, has_bundle ? std::string_view(bundled_editor()) : found->text};
}

}  // namespace cudalab::serve
