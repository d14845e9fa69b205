// Chooses what of a result stands where in its page.
#include "report/page/result_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "report/page/document.h"
#include "report/page/kernel_section.h"
#include "report/pictures/charts.h"
#include "report/pictures/costs.h"
#include "report/pictures/svg.h"
#include "report/text/explanations.h"
#include "report/text/limits.h"
#include "report/text/names.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

constexpr std::size_t kMostRequestBytes = 3'500'000;  // of a page, that is to stay below 5 MB

std::string verdict_word(lab::Verdict verdict, const Wording& wording) {
  if (verdict == lab::Verdict::kPass) return wording.say<"pass">();
  return verdict == lab::Verdict::kFail ? wording.say<"fail">() : wording.say<"not assessed">();
}

std::string badge(lab::Verdict verdict, const Wording& wording) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", name_of(verdict),
                     html(verdict_word(verdict, wording)));
}

// Without a verdict where another stands below: of a check.
std::string head_of(const lab::Result& result, bool has_verdict, const Wording& wording) {
  std::string options;
  for (const auto& [name, value] : result.options)
    options += fmt::format("{}{} {}", options.empty() ? "" : ", ", name, shown(value));
  const std::string device = result.evidence == "virtual"
                                 ? wording.say<"on the virtual GPU, a model of {}">(result.device_name)
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

constexpr const char* kNothing = "-";  // in a cell

PageCell page_time_cell(const lab::Row& row) {
  if (row.time_ms) return {duration(row.time_ms->median), fmt::format("{}", row.time_ms->median)};
  if (row.prediction) return {predicted(row.prediction->ms), fmt::format("{}", row.prediction->ms)};
  return {kNothing};
}

PageCell number_cell(const std::string& text) {
  return text.empty() ? PageCell{kNothing} : PageCell{text, text};
}

std::vector<PageCell> cells_of(const lab::Row& row, const Wording& wording) {
  return {{row.name},
          {verdict_word(row.verdict, wording), "", std::string(name_of(row.verdict))},
          page_time_cell(row),
          row.recorded_ms ? PageCell{duration(*row.recorded_ms), fmt::format("{}", *row.recorded_ms)}
                          : PageCell{kNothing},
          number_cell(per_request(row, Counter::kGlobalLoadSectors, Counter::kGlobalLoadRequests)),
          number_cell(per_request(row, Counter::kGlobalStoreSectors, Counter::kGlobalStoreRequests)),
          number_cell(per_request(row, Counter::kSharedLoadWavefronts, Counter::kSharedLoadInstructions)),
          number_cell(per_request(row, Counter::kSharedStoreWavefronts, Counter::kSharedStoreInstructions)),
          number_cell(row.counters ? significant(row.counters->value_or_zero(Counter::kActiveLanes)) : "")};
}

// Those in which no row says anything.
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
      wording.say<"stage">(),         wording.say<"verdict">(),        wording.say<"time">(),
      wording.say<"recorded">(),      wording.say<"sectors a load">(), wording.say<"sectors a store">(),
      wording.say<"passes a load">(), wording.say<"passes a store">(), wording.say<"lanes at work">()};
  leave_out_empty_columns(headings, rows);
  return table_html(headings, rows);
}

std::string reasons(const lab::Result& result, const Wording& wording) {
  std::string text;
  for (const lab::Row& row : result.rows)
    if (!row.reason.empty())
      text += fmt::format("<li><strong>{}</strong> {}</li>\n", html(row.name),
                          sentence_html(wording.text(row.reason), wording.language()));
  return text.empty() ? "" : "<ul class=\"sentences\">\n" + text + "</ul>\n";
}

// ---- sections ------------------------------------------------------------------------------------------

PageSection overview_of(const lab::Result& result, const Wording& wording) {
  PageSection section{"overview", wording.say<"Overview">(),
                      stages_table(result, wording) + reasons(result, wording)};
  if (const auto picture = stages_picture(result)) section.body += picture_figure(*picture, wording);
  if (const auto picture = roofline_picture(result)) section.body += picture_figure(*picture, wording);
  return section;
}

// Of all explanations those that hold for the row.
std::vector<std::string> sentences_on(const std::string& row, const std::vector<Explanation>& explanations) {
  std::vector<std::string> sentences;
  const auto names_row = [&row](const std::string& stages) {
    const std::string list = ", " + stages + ",";
    return list.find(", " + row + ",") != std::string::npos;
  };
  for (const Explanation& explanation : explanations)
    if (names_row(explanation.stage)) std::ranges::copy(explanation.sentences, std::back_inserter(sentences));
  return sentences;
}

std::string source_or_nothing(const lab::Row& row, const ReadSource& read) {
  if (row.source.empty()) return "";
  try {
    return read(row);
  } catch (const Error&) {
    return "";  // the page does without
  }
}

bool has_section(const lab::Row& row) {
  return row.counters.has_value() || !row.hazards.empty() || row.check.has_value();
}

std::vector<PageSection> sections_of_kernels(const lab::Result& result, const ReadSource& read,
                                             const Wording& wording) {
  std::vector<PageSection> sections;
  const auto explanations = explain(result, wording);
  const auto kernels = static_cast<std::size_t>(std::ranges::count_if(
      result.rows, [](const lab::Row& row) { return !lab::is_cpu(row) && has_section(row); }));
  for (const lab::Row& row : result.rows) {
    if (lab::is_cpu(row) || !has_section(row)) continue;
    sections.push_back(
        {"stage-" + anchor(row.name), row.name,
         list_html(sentences_on(row.name, explanations), wording.language()) +
             kernel_section(row, source_or_nothing(row, read), kMostRequestBytes / kernels, wording)});
  }
  return sections;
}

std::string figure_html(const lab::Figure& figure, const Wording& wording) {
  if (const auto picture = curve_picture(figure)) return picture_figure(*picture, wording);
  if (const auto picture = timeline_picture(figure)) return picture_figure(*picture, wording);
  std::string text =
      fmt::format("<figure><figcaption>{}</figcaption><pre>", html(wording.text(figure.title)));
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

// As they stand: one may begin with the name of an array.
std::string notes_html(const lab::Result& result, const Wording& wording) {
  std::string text = "<ul class=\"sentences\">\n";
  for (const std::string& note : result.notes) text += fmt::format("<li>{}</li>\n", html(wording.text(note)));
  return text + "</ul>\n";
}

std::vector<PageSection> sections_of(const lab::Result& result, const ReadSource& read,
                                     const Wording& wording) {
  std::vector<PageSection> sections{overview_of(result, wording)};
  std::string figures = timelines_of(result, wording);
  for (const lab::Figure& figure : result.figures) figures += figure_html(figure, wording);
  if (!figures.empty()) sections.push_back({"figures", wording.say<"Figures">(), std::move(figures)});
  std::ranges::move(sections_of_kernels(result, read, wording), std::back_inserter(sections));
  if (!result.notes.empty())
    sections.push_back({"notes", wording.say<"Notes">(), notes_html(result, wording)});
  return sections;
}

}  // namespace

std::string result_page(const lab::Result& result, const ReadSource& read, const Wording& wording,
                        const std::string& first) {
  Page page{"cudalab " + result.lab, head_of(result, first.empty(), wording), {}};
  if (!first.empty()) page.sections.push_back({"check", wording.say<"Check">(), first});
  std::ranges::move(sections_of(result, read, wording), std::back_inserter(page.sections));
  return page_html(page, wording);
}

std::string page_of_processes(std::span<const lab::Result> results, const ReadSource& read,
                              const Wording& wording) {
  if (results.size() == 1) return result_page(results.front(), read, wording);
  Page page{"cudalab " + results.front().lab, "", {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string process = wording.say<"Process {}">(i + 1);
    page.head +=
        fmt::format("<h2>{}: {}</h2>\n{}", process, html(results[i].lab), head_of(results[i], true, wording));
    for (PageSection& section : sections_of(results[i], read, wording))
      page.sections.push_back({fmt::format("process-{}-{}", i + 1, section.id),
                               fmt::format("{}: {}", process, section.title), std::move(section.body)});
  }
  return page_html(page, wording);
}

}  // namespace cudalab::report
