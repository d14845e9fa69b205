// Reads the words of --show, and draws one picture after the other.
#include "cli/options/show_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/lab_options.h"
#include "cli/options/suggestion.h"
#include "core/error.h"
#include "core/text.h"
#include "core/words/split.h"
#include "report/pictures/terminal.h"
#include "report/text/paragraph.h"

namespace cudalab::cli {

std::vector<std::string> names_of_pictures() {
  std::vector<std::string> names;
  for (const report::PictureKind& kind : report::picture_kinds()) names.emplace_back(kind.name);
  return names;
}

namespace {

constexpr std::uint64_t kLastLine = 1'000'000'000;

const report::PictureKind& kind_called(const std::string& name) {
  const auto& kinds = report::picture_kinds();
  const auto found = std::ranges::find(kinds, name, &report::PictureKind::name);
  if (found != kinds.end()) return *found;
  const std::vector<std::string> names = names_of_pictures();
  throw usage_error("--show: there is no picture `{}`{} (there are {})", name, did_you_mean(name, names),
                    joined(names, ", "));
}

ShowRequest request_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  const report::PictureKind& kind = kind_called(text.substr(0, equals));
  ShowRequest request{std::string(kind.name), 0};
  if (equals == std::string::npos) return request;
  if (!kind.takes_line)
    throw usage_error("--show {}: {} is not of a line; leave out what follows it", text, kind.name);
  request.line = static_cast<int>(
      parse_natural(fmt::format("--show {}=LINE", kind.name).c_str(), text.substr(equals + 1), kLastLine));
  return request;
}

}  // namespace

Option show_option(std::vector<std::string>& texts) {
  return {"--show", " PICTURE[=LINE]", &texts,
          fmt::format("draw `{}`; of a source line where it has one; several with commas",
                      joined(names_of_pictures(), ", "))};
}

std::vector<ShowRequest> show_requests_from(const std::vector<std::string>& texts) {
  std::vector<ShowRequest> requests;
  for (const std::string& text : texts)
    for (const std::string_view one : split(text, ',')) requests.push_back(request_from(std::string(one)));
  return requests;
}

bool asks_for(std::string_view kind, const std::vector<std::string>& texts) {
  return std::ranges::any_of(show_requests_from(texts),
                             [kind](const ShowRequest& request) { return request.kind == kind; });
}

bool need_recording(const std::vector<ShowRequest>& requests) {
  return std::ranges::any_of(
      requests, [](const ShowRequest& request) { return kind_called(request.kind).needs_record; });
}

std::string pictures_text(const std::vector<ShowRequest>& requests, const lab::Result& result,
                          const report::ReadSource& read, const report::TableStyle& style) {
  std::string text;
  for (const ShowRequest& request : requests) {
    const auto shown = report::pictures_of(request.kind, request.line, result, read, style.wording);
    for (const report::ShownPicture& one : shown) {
      report::Picture picture = one.picture;
      picture.row = one.row;
      text += "\n" + report::picture_text(picture, style);
    }
    if (shown.empty())
      text += "\n" +
              report::wrap(style.wording.text(report::why_no_picture(request.kind, request.line, result)),
                           static_cast<std::size_t>(style.width), 0) +
              "\n";
  }
  return text;
}

}  // namespace cudalab::cli
