// A result as an HTML page: its table and pictures, and the source of each kernel with the requests of its
// lines.
#include "report/page/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/languages/wording.h"
#include "core/measurement.h"
#include "lab/result.h"
#include "messages/report.h"
#include "report/page/document.h"
#include "report/pictures/builders.h"
#include "report/pictures/picture.h"
#include "report/pictures/renderers.h"
#include "report/pictures/show.h"
#include "report/text/columns.h"
#include "report/text/explanations.h"
#include "report/text/limits.h"
#include "report/text/values.h"

namespace cudalab::report {

// A kernel in a page: its source, in which a click on a line shows its requests, and the pictures of its row.

namespace {

// The HTML of one row. `source`: empty if it is not known. `most_bytes`: the limit for the pictures of its
// requests.
std::string kernel_section(const lab::Row& row, std::string_view source, std::size_t most_bytes,
                           const Wording& wording = {});

bool is_drawn(const LineRequests& line) {
  const bool in_memory = line.space == MemorySpace::kGlobal || line.space == MemorySpace::kShared ||
                         line.space == MemorySpace::kLocal;
  return in_memory && !line.first.empty();
}

// ---- requests ------------------------------------------------------------------------------------------

// The requests of a line that a reader can step through. Equal pictures are stored once.
struct Steps {
  std::vector<std::string> shapes;
  nlohmann::json places = nlohmann::json::array();  // [shape, "1 of 64: block (0, 0, 0), warp 0"]
  std::map<std::string, std::size_t> known;
  std::size_t bytes = 0;
};

// Uses a title without block and warp, so pictures of equal requests are equal.
std::string shape_of(const LineRequests& line, const WarpRequest& request, const Wording& wording) {
  Picture drawn = request_picture(line, request);
  drawn.title = drawn.kind == "banks" ? msg::page_request_on_banks() : msg::page_request_on_sectors();
  const SaidPicture picture = in_words(drawn, wording);
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
  steps.places.push_back({known->second, fmt::format("{}: {}", name, wording.say(place_of(request)))});
  return true;
}

// The worst request comes first, because it is visible before the slider is moved.
Steps steps_of(const LineRequests& line, std::size_t most_bytes, const Wording& wording) {
  Steps steps;
  if (line.worst) add_step(steps, line, *line.worst, wording.say(msg::page_dearest()), most_bytes, wording);
  for (std::size_t i = 0; i < line.first.size(); ++i)
    if (!add_step(steps, line, line.first[i], wording.say(msg::page_request(i + 1)), most_bytes, wording))
      break;
  return steps;
}

std::string request_html(const LineRequests& line, const std::string& id, std::size_t most_bytes,
                         const Wording& wording) {
  const Steps steps = steps_of(line, most_bytes, wording);
  const WarpRequest& request = telling_request(line);
  const SaidPicture telling = in_words(request_picture(line, request), wording);
  const std::string title = wording.say(title_of_access(line, request));
  std::string text = fmt::format("<div class=\"request\" data-line=\"{}\" data-steps=\"{}\"><h4>{}</h4>\n",
                                 line.where.line, html(steps.places.dump()), html(title));
  text += fmt::format(
      "<div class=\"steps\"><label for=\"{0}\">{3}</label> <input type=\"range\" id=\"{0}\" min=\"0\" "
      "max=\"{1}\" "
      "value=\"0\"> <output for=\"{0}\">{2}</output></div>\n",
      id, steps.places.size() - 1, html(steps.places[0][1].get<std::string>()),
      html(wording.say(msg::page_requests())));
  for (std::size_t i = 0; i < steps.shapes.size(); ++i)
    text += fmt::format("<div class=\"shape\"{}>{}</div>\n", i > 0 ? " hidden" : "", steps.shapes[i]);
  std::string legend = "<ul class=\"legend\">";
  for (const SaidLegendEntry& entry : telling.legend)
    if (entry.glyph != "+")
      legend += fmt::format("<li><i class=\"{}\"></i>{}</li>", class_of(entry.tone), html(entry.text));
  return text + legend + "</ul></div>\n";
}

// ---- the source ----------------------------------------------------------------------------------------

std::string listed_line(const SaidListedLine& line, bool has_requests) {
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
  const SaidPicture said = in_words(*picture, wording);
  std::string text =
      fmt::format("<div class=\"listing\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>",
                  html(wording.say(msg::page_source_of(row.name))));
  for (const SaidListedLine& line : std::get<SaidListing>(said.body).lines)
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
  // Worst line first, within the byte limit; every line gets at least one picture.
  for (std::size_t i = 0; i < drawn.size(); ++i)
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
    text += fmt::format("<p class=\"caption\">{} {}</p>\n", html(wording.say(msg::page_cost_beside_lines())),
                        html(wording.say(msg::page_choose_line())));
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
  add(limits_picture(row));
  add(occupancy_picture(row));
  return pair + (text.empty() ? "" : "<div class=\"pair\">" + text + "</div>\n");
}

std::string hazards_html(const lab::Row& row, const Wording& wording) {
  std::string text;
  for (const Hazard& hazard : row.hazards) {
    const std::string place =
        hazard.where.file.empty() ? "" : fmt::format("{}:{}: ", hazard.where.file, hazard.where.line);
    const Message what = hazard.fix.empty() ? hazard.what : msg::problem_with_advice(hazard.what, hazard.fix);
    text += fmt::format("<p class=\"hazard\"><strong>{}</strong>{} {}</p>\n", html(place),
                        html(hazard.kernel), html(wording.say(what)));
  }
  return text;
}

std::string kernel_section(const lab::Row& row, std::string_view source, std::size_t most_bytes,
                           const Wording& wording) {
  return hazards_html(row, wording) + source_and_requests(row, source, most_bytes, wording) +
         figures_of(row, wording);
}

// The limit for pictures; the whole page must stay below 5 MB.
constexpr std::size_t kMostRequestBytes = 3'500'000;

std::string verdict_word(lab::Verdict verdict, const Wording& wording) {
  if (verdict == lab::Verdict::kPass) return wording.say(msg::verdict_pass());
  return wording.say(verdict == lab::Verdict::kFail ? msg::verdict_fail() : msg::verdict_not_assessed());
}

std::string badge(lab::Verdict verdict, const Wording& wording) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", name_of(verdict),
                     html(verdict_word(verdict, wording)));
}

// Without the verdict if the page shows the verdict of a check.
std::string head_of(const lab::Result& result, bool has_verdict, const Wording& wording) {
  std::string options;
  for (const auto& [name, value] : result.options)
    options += fmt::format("{}{} {}", options.empty() ? "" : ", ", name, shown(value));
  const std::string device = result.evidence == "virtual"
                                 ? wording.say(msg::on_virtual_gpu(result.device_name))
                                 : result.device_name;
  return fmt::format("<p>{} <span class=\"facts\">{} {}</span></p>\n<p class=\"facts\">{}</p>\n",
                     has_verdict ? badge(result.verdict, wording) : "", html(result.lab), html(device),
                     html(options));
}

// ---- the table -----------------------------------------------------------------------------------------

std::string per_request(const lab::Row& row, Counter transactions, Counter requests) {
  if (!row.counters || row.counters->value_or_zero(requests) == 0) return "";
  return significant(row.counters->value_or_zero(transactions) / row.counters->value_or_zero(requests));
}

constexpr const char* kNothing = "-";  // shown in an empty cell

PageCell page_time_cell(const lab::Row& row) {
  if (const auto ms = measured_ms(row)) return {duration(*ms), fmt::format("{}", *ms)};
  if (row.prediction) return {predicted(row.prediction->ms), fmt::format("{}", row.prediction->ms)};
  return {kNothing};
}

PageCell number_cell(const std::string& text) {
  return text.empty() ? PageCell{kNothing} : PageCell{text, text};
}

std::vector<PageCell> cells_of(const lab::Row& row, const Wording& wording) {
  return {{row.name},
          {wording.say(worded_result(row)), "", std::string(name_of(row.verdict))},
          page_time_cell(row),
          row.recorded_ms ? PageCell{duration(*row.recorded_ms), fmt::format("{}", *row.recorded_ms)}
                          : PageCell{kNothing},
          number_cell(per_request(row, Counter::kGlobalLoadSectors, Counter::kGlobalLoadRequests)),
          number_cell(per_request(row, Counter::kGlobalStoreSectors, Counter::kGlobalStoreRequests)),
          number_cell(per_request(row, Counter::kSharedLoadConflicts, Counter::kSharedLoadRequests)),
          number_cell(per_request(row, Counter::kSharedStoreConflicts, Counter::kSharedStoreRequests)),
          number_cell(row.counters ? significant(row.counters->value_or_zero(Counter::kActiveLanes)) : "")};
}

// Removes the columns in which all rows are empty.
void leave_out_empty_columns(std::vector<std::string>& headings, std::vector<std::vector<PageCell>>& rows) {
  for (std::size_t column = headings.size(); column-- > 0;) {
    const auto says_nothing = [column](const std::vector<PageCell>& row) {
      return row[column].text == kNothing;
    };
    if (rows.empty() || !std::ranges::all_of(rows, says_nothing)) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    headings.erase(headings.begin() + at);
    for (std::vector<PageCell>& row : rows) row.erase(row.begin() + at);
  }
}

std::string stages_table(const lab::Result& result, const Wording& wording) {
  std::vector<std::vector<PageCell>> rows;
  for (const lab::Row& row : result.rows) rows.push_back(cells_of(row, wording));
  std::vector<std::string> headings{
      wording.say(msg::column_kernel()),         wording.say(msg::column_result()),
      wording.say(msg::column_time()),           wording.say(msg::column_recorded()),
      wording.say(msg::column_load_sectors()),   wording.say(msg::column_store_sectors()),
      wording.say(msg::column_load_conflicts()), wording.say(msg::column_store_conflicts()),
      wording.say(msg::column_active_lanes())};
  leave_out_empty_columns(headings, rows);
  return table_html(headings, rows);
}

std::string reasons(const lab::Result& result, const Wording& wording) {
  std::string text;
  for (const lab::Row& row : result.rows)
    if (!row.reason.empty())
      text += fmt::format("<li><strong>{}</strong> {}</li>\n", html(row.name),
                          sentence_html(wording.say(row.reason), wording.language()));
  return text.empty() ? "" : "<ul class=\"sentences\">\n" + text + "</ul>\n";
}

// ---- sections ------------------------------------------------------------------------------------------

PageSection overview_of(const lab::Result& result, const Wording& wording) {
  PageSection section{"overview", wording.say(msg::section_overview()),
                      stages_table(result, wording) + reasons(result, wording)};
  if (const auto picture = stages_picture(result)) section.body += picture_figure(*picture, wording);
  if (const auto picture = roofline_picture(result)) section.body += picture_figure(*picture, wording);
  return section;
}

// The explanations that hold for the row.
std::vector<std::string> sentences_on(const std::string& row, const std::vector<Explanation>& explanations,
                                      const Wording& wording) {
  std::vector<std::string> sentences;
  for (const Explanation& explanation : explanations) {
    if (std::ranges::find(explanation.rows, row) == explanation.rows.end()) continue;
    for (const Message& sentence : explanation.sentences) sentences.push_back(wording.say(sentence));
  }
  return sentences;
}

std::string behind_summary(const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", html(title), body);
}

std::string source_or_nothing(const lab::Row& row, const ReadSource& read) {
  if (row.source.empty()) return "";
  try {
    return read(row);
  } catch (const Error&) {
    return "";  // the page is shown without the source
  }
}

bool has_section(const lab::Row& row) {
  return row.counters.has_value() || !row.hazards.empty() || row.check.has_value();
}

std::vector<PageSection> sections_of_kernels(const lab::Result& result, const ReadSource& read,
                                             const Wording& wording) {
  std::vector<PageSection> sections;
  const auto insights = explain(result), all = explain_fully(result);
  const auto kernels = static_cast<std::size_t>(std::ranges::count_if(
      result.rows, [](const lab::Row& row) { return !lab::is_cpu(row) && has_section(row); }));
  for (const lab::Row& row : result.rows) {
    if (lab::is_cpu(row) || !has_section(row)) continue;
    sections.push_back(
        {"stage-" + anchor(row.name), row.name,
         list_html(sentences_on(row.name, insights, wording), wording.language()) +
             behind_summary(wording.say(msg::page_all_sentences()),
                            list_html(sentences_on(row.name, all, wording), wording.language())) +
             kernel_section(row, source_or_nothing(row, read), kMostRequestBytes / kernels, wording)});
  }
  return sections;
}

std::string figure_html(const lab::Figure& figure, const Wording& wording) {
  if (const auto picture = curve_picture(figure)) return picture_figure(*picture, wording);
  if (const auto picture = timeline_picture(figure)) return picture_figure(*picture, wording);
  std::string text = fmt::format("<figure><figcaption>{}</figcaption><pre>", html(wording.say(figure.title)));
  for (const std::string& line : figure.lines) text += html(line) + "\n";
  return text + "</pre></figure>\n";
}

std::string timelines_of(const lab::Result& result, const Wording& wording) {
  std::string text;
  for (const lab::Row& row : result.rows)
    if (row.program)
      if (const auto picture = timeline_picture(row.program->log)) text += picture_figure(*picture, wording);
  return text;
}

// Notes are shown unchanged: a note may begin with the name of an array.
std::string notes_html(const lab::Result& result, const Wording& wording) {
  std::string text = "<ul class=\"sentences\">\n";
  for (const Message& note : result.notes) text += fmt::format("<li>{}</li>\n", html(wording.say(note)));
  return text + "</ul>\n";
}

std::vector<PageSection> sections_of(const lab::Result& result, const ReadSource& read,
                                     const Wording& wording) {
  std::vector<PageSection> sections{overview_of(result, wording)};
  std::string figures = timelines_of(result, wording);
  for (const lab::Figure& figure : result.figures) figures += figure_html(figure, wording);
  if (!figures.empty())
    sections.push_back({"figures", wording.say(msg::section_figures()), std::move(figures)});
  std::ranges::move(sections_of_kernels(result, read, wording), std::back_inserter(sections));
  if (!result.notes.empty())
    sections.push_back({"notes", wording.say(msg::section_notes()), notes_html(result, wording)});
  return sections;
}

}  // namespace

std::string result_page(const lab::Result& result, const ReadSource& read, const Wording& wording,
                        const std::string& first) {
  Page page{"cudalab " + result.lab, head_of(result, first.empty(), wording), {}};
  if (!first.empty()) page.sections.push_back({"check", wording.say(msg::section_check()), first});
  std::ranges::move(sections_of(result, read, wording), std::back_inserter(page.sections));
  return page_html(page, wording);
}

std::string page_of_processes(std::span<const lab::Result> results, const ReadSource& read,
                              const Wording& wording) {
  if (results.size() == 1) return result_page(results.front(), read, wording);
  Page page{"cudalab " + results.front().lab, "", {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string process = wording.say(msg::page_process(i + 1));
    page.head +=
        fmt::format("<h2>{}: {}</h2>\n{}", process, html(results[i].lab), head_of(results[i], true, wording));
    for (PageSection& section : sections_of(results[i], read, wording))
      page.sections.push_back({fmt::format("process-{}-{}", i + 1, section.id),
                               fmt::format("{}: {}", process, section.title), std::move(section.body)});
  }
  return page_html(page, wording);
}

}  // namespace cudalab::report
