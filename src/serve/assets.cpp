// Finds a file of the page by its path, which is compared with the names in a table.
#include "serve/assets.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

}  // namespace

std::optional<Asset> find_asset(std::string_view path) {
  if (path == "/") path = "/index.html";
  const auto found = std::ranges::find(kWebFiles, path, &WebFile::path);
  if (found == std::end(kWebFiles)) return std::nullopt;
  const auto type =
      std::ranges::find(kTypes, found->ending, &std::pair<std::string_view, std::string_view>::first);
  return Asset{found->path, type->second, found->text};
}

}  // namespace cudalab::serve
