// The HTML page that compares two results: for each pair of runs a section with numbers, bars of their
// ratios, and reasons.
#include <fmt/format.h>

#include <filesystem>

#include "messages/report.h"
#include "report/page/document.h"
#include "report/page/result_page.h"
#include "report/pictures/builders.h"
#include "report/pictures/renderers.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

std::string style_of_change(Change change) {
  return change == Change::kBetter ? "better" : change == Change::kWorse ? "worse" : "";
}

Tone tone_of_change(Change change) {
  return change == Change::kBetter ? Tone::kGood : change == Change::kWorse ? Tone::kBad : Tone::kPlain;
}

// After as a percentage of before. Bars are cut off at 200 %; the number shows the full ratio.
Picture ratios_of(const ComparedRun& run) {
  constexpr double kMost = 2;
  Bars bars{{}, kMost};
  for (const ComparedNumber& number : run.numbers) {
    if (!number.ratio || (number.change != Change::kBetter && number.change != Change::kWorse)) continue;
    bars.bars.push_back({number.name,
                         {{std::min(*number.ratio, kMost), tone_of_change(number.change), '#'}},
                         Message::verbatim(percent(100 * *number.ratio))});
  }
  return {"ratios",
          msg::picture_ratios(),
          {},
          {{"#", Tone::kGood, msg::change_better()}, {"#", Tone::kBad, msg::change_worse()}},
          std::move(bars)};
}

// Pictures of the accesses before and after, side by side.
std::string accesses_of(const ComparedRun& run, const std::string& before, const std::string& after,
                        const Wording& wording) {
  std::string text;
  for (const ComparedAccess& access : run.accesses) {
    auto was = regular_picture(access.before), is = regular_picture(access.after);
    if (!was || !is) continue;
    was->row = before;
    is->row = after;
    text +=
        "<div class=\"pair\">" + picture_figure(*was, wording) + picture_figure(*is, wording) + "</div>\n";
  }
  return text;
}

std::string body_of(const ComparedRun& run, const std::string& before, const std::string& after,
                    const Wording& wording) {
  std::vector<std::vector<PageCell>> rows;
  for (const ComparedNumber& number : run.numbers)
    rows.push_back({{wording.say(number.name)},
                    {number.before},
                    {number.after},
                    number.ratio ? PageCell{significant(*number.ratio), fmt::format("{}", *number.ratio)}
                                 : PageCell{"-"},
                    {number.change == Change::kOther ? "-" : wording.say(worded(number.change)), "",
                     style_of_change(number.change)}});
  const Picture ratios = ratios_of(run);
  const bool has_changes = !std::get<Bars>(ratios.body).bars.empty();
  std::vector<std::string> why;
  for (const Message& sentence : run.why) why.push_back(wording.say(sentence));
  return list_html(why, wording.language()) +
         table_html({wording.say(msg::column_quantity()), before, after, wording.say(msg::column_factor()),
                     wording.say(msg::column_change())},
                    rows) +
         (has_changes ? picture_figure(ratios, wording) : "") + accesses_of(run, before, after, wording);
}

// The file names without their folders, which would be too wide for a phone; the full paths if both names are
// the same.
std::pair<std::string, std::string> short_names(const std::string& before, const std::string& after) {
  const std::string was = std::filesystem::path(before).filename(),
                    is = std::filesystem::path(after).filename();
  return was == is || was.empty() || is.empty() ? std::pair(before, after) : std::pair(was, is);
}

}  // namespace

std::string comparison_page(const Comparison& comparison, const std::string& before, const std::string& after,
                            const Wording& wording) {
  Page page{wording.say(msg::compare_title(before, after)), "", {}};
  if (const Message differences = said_differences(comparison); !differences.empty())
    page.head = fmt::format("<p class=\"facts\">{}</p>\n", html(wording.say(differences)));
  const auto [was, is] = short_names(before, after);
  for (const ComparedRun& run : comparison.runs)
    page.sections.push_back({"run-" + anchor(run.name), run.name, body_of(run, was, is, wording)});
  std::vector<std::string> alone;
  for (const Message& sentence : said_alone(comparison)) alone.push_back(wording.say(sentence));
  if (!alone.empty())
    page.sections.push_back(
        {"alone", wording.say(msg::section_without_partner()), list_html(alone, wording.language())});
  return page_html(page, wording);
}

}  // namespace cudalab::report
