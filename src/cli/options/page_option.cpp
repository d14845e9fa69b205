// Names a page's file, and writes it.
#include "cli/options/page_option.h"

#include <fmt/format.h>

namespace cudalab::cli {

Option html_option(std::optional<std::string>& text, std::string_view what) {
  return {"--html", "[=FILE]", MayBeBare{&text, ""},
          fmt::format("write {} as a page, one file that needs no network", what)};
}

PageFile::PageFile(const std::optional<std::string>& text, const std::string& name) {
  if (!text) return;
  path_ = text->empty() ? name + ".html" : *text;
  file_.emplace(path_);
}

void PageFile::write(std::string_view page, const Console& console) const {
  if (!file_) return;
  file_->write(page);
  console.remark(console.wording.say<"the page is {}; open it in a browser">(path_));
}

}  // namespace cudalab::cli
