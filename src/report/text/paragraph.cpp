// Greedy line breaking.
#include "report/text/paragraph.h"

#include <sstream>

#include "core/text.h"

namespace cudalab::report {

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string wrapped, line = margin;
  std::istringstream words{harmless_line(text)};
  for (std::string word; words >> word;) {
    bool first = line.size() == indent;
    if (!first && line.size() + 1 + word.size() > width) {
      wrapped += line + "\n";
      line = margin;
      first = true;
    }
    line += first ? word : " " + word;
  }
  return wrapped + line;
}

}  // namespace cudalab::report
