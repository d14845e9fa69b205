// Finds `.file` directives by their text alone.
#include "compile/line_files.h"

#include <filesystem>
#include <string_view>

namespace cudalab::compile {
namespace fs = std::filesystem;

std::string with_requested_name(std::string ptx, const std::string& file_name) {
  constexpr std::string_view kFile = "\n\t.file\t";
  std::error_code ignored;
  const fs::path wanted = fs::absolute(file_name, ignored).lexically_normal();
  for (std::size_t at = ptx.find(kFile); at != std::string::npos; at = ptx.find(kFile, at + 1)) {
    const std::size_t begin = ptx.find('"', at) + 1, end = ptx.find('"', begin);
    if (begin == 0 || end == std::string::npos) break;
    if (fs::path(ptx.substr(begin, end - begin)).lexically_normal() == wanted)
      ptx.replace(begin, end - begin, file_name);
  }
  return ptx;
}

}  // namespace cudalab::compile
