// `--html[=FILE]`: the page that a verb writes beside what it prints.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options/option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output_file.h"

namespace cudalab::cli {

Option html_option(std::optional<std::string>& text, std::string_view what = "the result with its pictures");

// Opened before the work, which may be long; nothing where no page is asked for.
class PageFile {
 public:
  // `name`: what the file is called where the option gives no name: "transpose" for transpose.html. Throws
  // Error(kUsage) where it cannot be written.
  PageFile(const std::optional<std::string>& text, const std::string& name);
  bool is_asked_for() const { return file_.has_value(); }
  // And says where it is.
  void write(std::string_view page, const Console& console) const;

 private:
  std::string path_;
  std::optional<OutputFile> file_;
};

}  // namespace cudalab::cli
