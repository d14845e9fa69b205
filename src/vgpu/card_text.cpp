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
#include "core/words/split.h"

namespace cudalab::vgpu {
namespace {

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
  description.id = std::string(take_line(text));
  description.name = std::string(take_line(text));
  while (!text.empty()) description.figures.push_back(figure_from(std::string(take_line(text))));
  return description;
}

}  // namespace cudalab::vgpu
