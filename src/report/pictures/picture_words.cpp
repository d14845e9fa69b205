#include "report/pictures/picture_words.h"

#include <variant>

namespace cudalab::report {
namespace {

class Translator {
 public:
  explicit Translator(const Wording& wording) : wording_(wording) {}

  void operator()(Cells& cells) const {
    say(cells.corner);
    for (CellRow& row : cells.rows) {
      say(row.label);
      say(row.note);
    }
  }
  void operator()(Bars& bars) const {
    for (Bar& bar : bars.bars) say(bar.label);
  }
  void operator()(Plot& plot) const {
    say(plot.x.name);
    say(plot.y.name);
    for (Curve& curve : plot.curves) say(curve.name);
  }
  void operator()(Spans& spans) const {
    for (std::string& row : spans.rows) say(row);
  }
  void operator()(Listing& listing) const {
    say(listing.heading);
    for (ListedLine& line : listing.lines) say(line.cost);
  }
  void say(std::string& text) const {
    if (!text.empty()) text = wording_.text(text);
  }

 private:
  const Wording& wording_;
};

}  // namespace

Picture in_words(Picture picture, const Wording& wording) {
  if (wording.language() == Language::kEnglish) return picture;
  const Translator translator(wording);
  translator.say(picture.title);
  for (std::string& sentence : picture.caption) translator.say(sentence);
  for (LegendEntry& entry : picture.legend) translator.say(entry.text);
  std::visit(translator, picture.body);
  return picture;
}

}  // namespace cudalab::report
