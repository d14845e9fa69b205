// A section a pair of runs: numbers, bars of their ratios, and why.
#include "report/page/comparison_page.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"
#include "report/page/document.h"
#include "report/pictures/requests.h"
#include "report/pictures/svg.h"
#include "report/text/units.h"

namespace cudalab::report {
namespace {

std::string style_of_change(Change change) {
  return change == Change::kBetter ? "better" : change == Change::kWorse ? "worse" : "";
}

Tone tone_of_change(Change change) {
  return change == Change::kBetter ? Tone::kGood : change == Change::kWorse ? Tone::kBad : Tone::kPlain;
}

std::string word_of_change(Change change) {
  const std::string word = style_of_change(change);
  return word.empty() ? (change == Change::kSame ? "same" : "-") : word;
}

// After in per cent of before; what grew beyond twice is cut there, and its number says how far.
Picture ratios_of(const ComparedRun& run) {
  constexpr double kMost = 2;
  Bars bars{{}, kMost};
  for (const ComparedNumber& number : run.numbers) {
    if (!number.ratio || (number.change != Change::kBetter && number.change != Change::kWorse)) continue;
    bars.bars.push_back({number.name,
                         {{std::min(*number.ratio, kMost), tone_of_change(number.change), '#'}},
                         percent(100 * *number.ratio)});
  }
  return {"ratios",
          "after, in per cent of before",
          {},
          {{"#", Tone::kGood, "better"}, {"#", Tone::kBad, "worse"}},
          std::move(bars)};
}

// Before and after, side by side.
std::string accesses_of(const ComparedRun& run, const std::string& before, const std::string& after) {
  std::string text;
  for (const ComparedAccess& access : run.accesses) {
    auto was = regular_picture(access.before), is = regular_picture(access.after);
    if (!was || !is) continue;
    was->title = before + ", " + was->title;
    is->title = after + ", " + is->title;
    text += "<div class=\"pair\">" + picture_figure(*was) + picture_figure(*is) + "</div>\n";
  }
  return text;
}

std::string body_of(const ComparedRun& run, const std::string& before, const std::string& after) {
  std::vector<std::vector<PageCell>> rows;
  for (const ComparedNumber& number : run.numbers)
    rows.push_back({{number.name},
                    {number.before},
                    {number.after},
                    number.ratio ? PageCell{significant(*number.ratio), fmt::format("{}", *number.ratio)}
                                 : PageCell{"-"},
                    {word_of_change(number.change), "", style_of_change(number.change)}});
  const Picture ratios = ratios_of(run);
  const bool has_changes = !std::get<Bars>(ratios.body).bars.empty();
  return list_html(run.why) + table_html({"quantity", before, after, "factor", "change"}, rows) +
         (has_changes ? picture_figure(ratios) : "") + accesses_of(run, before, after);
}

}  // namespace

std::string comparison_page(const Comparison& comparison, const std::string& before,
                            const std::string& after) {
  Page page{fmt::format("{} and {}", before, after), "", {}};
  if (!comparison.differing.empty())
    page.head =
        fmt::format("<p class=\"facts\">They differ in: {}</p>\n", html(joined(comparison.differing, ", ")));
  for (const ComparedRun& run : comparison.runs)
    page.sections.push_back({"run-" + anchor(run.name), run.name, body_of(run, before, after)});
  std::vector<std::string> alone;
  if (!comparison.only_before.empty())
    alone.push_back("only before: " + joined(comparison.only_before, ", "));
  if (!comparison.only_after.empty()) alone.push_back("only after: " + joined(comparison.only_after, ", "));
  if (!alone.empty()) page.sections.push_back({"alone", "Without a partner", list_html(alone)});
  return page_html(page);
}

}  // namespace cudalab::report
