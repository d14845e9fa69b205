// Lays a source beside the requests of its lines.
#include "report/page/kernel_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/recording.h"
#include "report/page/document.h"
#include "report/pictures/costs.h"
#include "report/pictures/divergence.h"
#include "report/pictures/exchanges.h"
#include "report/pictures/picture_words.h"
#include "report/pictures/requests.h"
#include "report/pictures/show.h"
#include "report/pictures/svg.h"
#include "report/pictures/wrong_elements.h"

namespace cudalab::report {
namespace {

bool is_drawn(const LineRequests& line) {
  const bool in_memory = line.space == MemorySpace::kGlobal || line.space == MemorySpace::kShared ||
                         line.space == MemorySpace::kLocal;
  return in_memory && !line.first.empty();
}

// ---- requests ------------------------------------------------------------------------------------------

// The requests of a line that can be stepped through; equal pictures once.
struct Steps {
  std::vector<std::string> shapes;
  nlohmann::json places = nlohmann::json::array();  // [shape, "1 of 64: block (0, 0, 0), warp 0"]
  std::map<std::string, std::size_t> known;
  std::size_t bytes = 0;
};

// A title would tell equal pictures apart.
std::string shape_of(const LineRequests& line, const WarpRequest& request, const Wording& wording) {
  Picture picture = in_words(request_picture(line, request), wording);
  picture.title = picture.kind == "banks" ? wording.say<"the request on the banks of shared memory">()
                                          : wording.say<"the request on sectors">();
  std::string text = picture_svg(picture);
  for (const std::string& sentence : picture.caption)
    text += fmt::format("<p class=\"caption\">{}</p>", html(sentence));
  return text;
}

bool add_step(Steps& steps, const LineRequests& line, const WarpRequest& request, const std::string& name,
              std::size_t most_bytes, const Wording& wording) {
  std::string shape = shape_of(line, request, wording);
  const auto [known, is_new] = steps.known.try_emplace(shape, steps.shapes.size());
  if (is_new) {
    if (!steps.shapes.empty() && steps.bytes + shape.size() > most_bytes) {
      steps.known.erase(known);
      return false;
    }
    steps.bytes += shape.size();
    steps.shapes.push_back(std::move(shape));
  }
  steps.places.push_back({known->second, fmt::format("{}: {}", name, wording.text(place_of(request)))});
  return true;
}

// The worst comes first: it is what is seen before anybody moves the slider.
Steps steps_of(const LineRequests& line, std::size_t most_bytes, const Wording& wording) {
  Steps steps;
  if (line.worst) add_step(steps, line, *line.worst, wording.say<"the dearest">(), most_bytes, wording);
  for (std::size_t i = 0; i < line.first.size(); ++i)
    if (!add_step(steps, line, line.first[i], wording.say<"request {}">(i + 1), most_bytes, wording)) break;
  return steps;
}

std::string request_html(const LineRequests& line, const std::string& id, std::size_t most_bytes,
                         const Wording& wording) {
  const Steps steps = steps_of(line, most_bytes, wording);
  const Picture english = request_picture(line, telling_request(line)), telling = in_words(english, wording);
  const std::string title = wording.text(english.title.substr(0, english.title.rfind(';')));
  std::string text = fmt::format("<div class=\"request\" data-line=\"{}\" data-steps=\"{}\"><h4>{}</h4>\n",
                                 line.where.line, html(steps.places.dump()), html(title));
  text += fmt::format(
      "<div class=\"steps\"><label for=\"{0}\">{3}</label> <input type=\"range\" id=\"{0}\" min=\"0\" "
      "max=\"{1}\" "
      "value=\"0\"> <output for=\"{0}\">{2}</output></div>\n",
      id, steps.places.size() - 1, html(steps.places[0][1].get<std::string>()),
      html(wording.say<"Requests">()));
  for (std::size_t i = 0; i < steps.shapes.size(); ++i)
    text += fmt::format("<div class=\"shape\"{}>{}</div>\n", i > 0 ? " hidden" : "", steps.shapes[i]);
  std::string legend = "<ul class=\"legend\">";
  for (const LegendEntry& entry : telling.legend)
    if (entry.glyph != "+")
      legend += fmt::format("<li><i class=\"{}\"></i>{}</li>", class_of(entry.tone), html(entry.text));
  return text + legend + "</ul></div>\n";
}

// ---- the source ----------------------------------------------------------------------------------------

std::string listed_line(const ListedLine& line, bool has_requests) {
  const std::string button =
      has_requests ? fmt::format(" role=\"button\" tabindex=\"0\" aria-pressed=\"false\" data-line=\"{}\"",
                                 line.number)
                   : "";
  const std::string bar = line.share > 0 ? fmt::format("<i class=\"{}\" style=\"width:{:.0f}%\"></i>",
                                                       class_of(line.tone), std::max(4.0, 100 * line.share))
                                         : "";
  return fmt::format(
      "<tr{}><td class=\"c{}\">{}</td><td class=\"b\">{}</td><td class=\"n\">{}</td><td "
      "class=\"src\">{}</td></tr>\n",
      button, line.tone == Tone::kBad ? " w" : "", html(line.cost), bar, line.number, html(line.text));
}

std::string listing_html(const lab::Row& row, std::string_view source, const std::set<int>& with_requests,
                         const Wording& wording) {
  const auto picture = source.empty() ? std::nullopt : source_picture(row, source);
  if (!picture) return "";
  const Picture said = in_words(*picture, wording);
  std::string text =
      fmt::format("<div class=\"listing\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>",
                  html(wording.say<"source of {}">(row.name)));
  for (const ListedLine& line : std::get<Listing>(said.body).lines)
    text += listed_line(line, with_requests.contains(line.number));
  return text + "</table></div>\n";
}

// ---- the row -------------------------------------------------------------------------------------------

int line_to_begin_with(const lab::Row& row) {
  const LineRequests* found = nullptr;
  for (const MemorySpace space : {MemorySpace::kShared, MemorySpace::kGlobal, MemorySpace::kLocal}) {
    const LineRequests* here = telling_line(row, space, 0);
    if (here && (!found || waste_of(row, *here) > waste_of(row, *found))) found = here;
  }
  return found ? found->where.line : 0;
}

std::string requests_html(const lab::Row& row, std::size_t most_bytes, const Wording& wording) {
  std::string text;
  std::vector<const LineRequests*> drawn;
  for (const LineRequests& line : row.recording->lines)
    if (is_drawn(line)) drawn.push_back(&line);
  std::ranges::stable_sort(drawn, std::ranges::greater{},
                           [&](const LineRequests* line) { return waste_of(row, *line); });
  for (std::size_t i = 0; i < drawn.size(); ++i)  // the worst takes what it needs; one picture has each
    text += request_html(*drawn[i], fmt::format("requests-{}-{}", anchor(row.name), i),
                         most_bytes - std::min(most_bytes, text.size()), wording);
  return text;
}

std::string source_and_requests(const lab::Row& row, std::string_view source, std::size_t most_bytes,
                                const Wording& wording) {
  std::set<int> with_requests;
  if (row.recording)
    for (const LineRequests& line : row.recording->lines)
      if (is_drawn(line) && line.where.file == row.source) with_requests.insert(line.where.line);
  const std::string listing = listing_html(row, source, with_requests, wording),
                    requests = row.recording ? requests_html(row, most_bytes, wording) : "";
  if (listing.empty() && requests.empty()) return "";
  std::string text = fmt::format("<p class=\"caption wrap\">{}</p>\n", html(row.source));
  if (!listing.empty() && !requests.empty())
    text += fmt::format("<p class=\"caption\">{} {}</p>\n",
                        html(wording.say<"Beside each line what one request of a warp costs.">()),
                        html(wording.say<"Choose a line to see its requests.">()));
  return text + fmt::format("<div class=\"kernel\" data-line=\"{}\">\n{}<div>{}</div></div>\n",
                            line_to_begin_with(row), listing, requests);
}

std::string figures_of(const lab::Row& row, const Wording& wording) {
  std::string text;
  const auto add = [&](const std::optional<Picture>& picture) {
    if (picture) text += picture_figure(*picture, wording);
  };
  for (const Picture& picture : matrix_pictures(row)) text += picture_figure(picture, wording);
  if (row.recording)
    if (const WarpPaths* warp = telling_warp(*row.recording, row.source, 0)) add(divergence_picture(*warp));
  if (row.recording)
    for (const auto* line : telling_exchanges(*row.recording, row.source, 0)) add(exchanges_picture(*line));
  std::string pair;
  std::swap(pair, text);
  add(limits_picture(row, wording));
  add(occupancy_picture(row));
  return pair + (text.empty() ? "" : "<div class=\"pair\">" + text + "</div>\n");
}

std::string hazards_html(const lab::Row& row, const Wording& wording) {
  std::string text;
  for (const Hazard& hazard : row.hazards) {
    const std::string place =
        hazard.where.file.empty() ? "" : fmt::format("{}:{}: ", hazard.where.file, hazard.where.line);
    text += fmt::format("<p class=\"hazard\"><strong>{}</strong>{} {}{}</p>\n", html(place),
                        html(hazard.kernel), html(wording.say(hazard.what)),
                        hazard.fix.empty() ? "" : html(wording.say<"; try: {}">(wording.say(hazard.fix))));
  }
  return text;
}

}  // namespace

std::string kernel_section(const lab::Row& row, std::string_view source, std::size_t most_bytes,
                           const Wording& wording) {
  return hazards_html(row, wording) + source_and_requests(row, source, most_bytes, wording) +
         figures_of(row, wording);
}

}  // namespace cudalab::report
