// Sources of figures are left out: they are for people.
//
//   mine
//   My card
//   multiprocessors=7
//   …
#include "vgpu/card_text.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"

namespace cudalab::vgpu {
namespace {

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

GivenFigure figure_from(const std::string& line) {
  const std::size_t equals = line.find('=');
  GivenFigure figure{line.substr(0, equals), 0, ""};
  const char* const end = line.data() + line.size();
  const char* const begin = equals == std::string::npos ? end : line.data() + equals + 1;
  if (begin == end || std::from_chars(begin, end, figure.value).ptr != end)
    throw usage_error("`{}` is no figure of a card", line);
  return figure;
}

}  // namespace

std::string text_of(const CardDescription& description) {
  std::string text = description.id + "\n" + description.name + "\n";
  for (const GivenFigure& figure : description.figures)
    text += fmt::format("{}={:.17g}\n", figure.key, figure.value);
  return text;
}

CardDescription description_from(std::string_view text) {
  CardDescription description;
  description.id = take_line(text);
  description.name = take_line(text);
  while (!text.empty()) description.figures.push_back(figure_from(take_line(text)));
  return description;
}

}  // namespace cudalab::vgpu
