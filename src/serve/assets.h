// The page's own files, which are part of the program.
#pragma once

#include <optional>
#include <string_view>

namespace cudalab::serve {

struct Asset {
  std::string_view path;  // "/app.js"; "/" for the page itself
  std::string_view type;
  std::string_view text;
};

// Nothing if the page has no such file.
std::optional<Asset> find_asset(std::string_view path);

}  // namespace cudalab::serve
