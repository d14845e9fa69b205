// Knows the columns of the table and the sentences around it.
#include "report/text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "core/languages/units.h"
#include "core/text.h"
#include "lab/verification/verification.h"
#include "report/text/explanations.h"
#include "report/text/figure_lines.h"
#include "report/text/layout.h"
#include "report/text/limits.h"
#include "report/text/values.h"
#include "vgpu/warp_shape.h"

namespace cudalab::report {
namespace {

using lab::Result;
using lab::Row;
using lab::RowKind;
using lab::Verdict;

constexpr std::size_t kNotesIndent = 2;

// ---- cells: an empty text where a row has no such number ---------------------------------------------

std::string about(const std::string& predicted) { return predicted.empty() ? "" : "~" + predicted; }

std::string time_cell(const Row& row) {
  if (row.time_ms) return duration(row.time_ms->median);
  return row.prediction ? predicted(row.prediction->ms) : "";
}

std::string recorded_cell(const Row& row) { return row.recorded_ms ? duration(*row.recorded_ms) : ""; }

std::string with_copies_cell(const Row& row) {
  return row.time_ms && row.transfer_ms ? duration(row.time_ms->median + row.transfer_ms->median) : "";
}

std::string simulation_cell(const Row& row) { return row.simulation_ms ? duration(*row.simulation_ms) : ""; }
std::string times_faster(double ratio) { return three_digits(ratio) + "x"; }

// What was measured; else what is predicted, marked as that.
auto rate_of(std::optional<double> Row::*measured, std::optional<double> lab::Rates::*predicted,
             std::string (*written)(double)) {
  return [=](const Row& row) -> std::string {
    if (row.*measured) return written(*(row.*measured));
    return row.predicted.*predicted ? about(written(*(row.predicted.*predicted))) : "";
  };
}

bool has_occupancy(const Row& row) { return row.prediction && row.prediction->occupancy.most_warps > 0; }

std::string occupancy_cell(const Row& row, const Wording& wording) {
  if (!has_occupancy(row)) return "";
  const Occupancy& occupancy = row.prediction->occupancy;
  return wording.say<"{} of {}">(occupancy.warps, occupancy.most_warps);
}

std::string limit_in_words(OccupancyLimit limit, const Wording& wording) {
  switch (limit) {
    case OccupancyLimit::kRegisters: return wording.say<"registers">();
    case OccupancyLimit::kShared: return wording.say<"shared">();
    case OccupancyLimit::kThreads: return wording.say<"threads">();
    case OccupancyLimit::kBlocks: return wording.say<"blocks">();
    case OccupancyLimit::kGrid: break;
  }
  return wording.say<"grid">();
}

std::string occupancy_limit_cell(const Row& row, const Wording& wording) {
  if (!has_occupancy(row)) return "";
  const Occupancy& occupancy = row.prediction->occupancy;
  const std::string limit = limit_in_words(occupancy.limited_by, wording);
  return occupancy.registers ? limit : wording.say<"{}, registers unknown">(limit);
}

std::string ratio_cell(const Row& row, Counter part, Counter whole) {
  if (!row.counters || row.counters->value_or_zero(whole) == 0 || !row.counters->get(part)) return "";
  return significant(*row.counters->get(part) / row.counters->value_or_zero(whole));
}

// Bytes of all sectors of global memory that requests asked for, over those that the problem needs. What
// comes by way of textures is not counted in sectors, so that nothing can be said there.
std::string moved_cell(const Row& row) {
  using enum Counter;
  if (!row.counters || row.useful_bytes == 0 || row.counters->value_or_zero(kTextureRequests) > 0) return "";
  double sectors = 0;
  for (const Counter counter : {kGlobalLoadSectors, kGlobalStoreSectors, kGlobalAtomicSectors,
                                kGlobalReductionSectors, kAsyncCopySectors})
    sectors += row.counters->value_or_zero(counter);
  return significant(sectors * vgpu::kSectorBytes / row.useful_bytes);
}

std::string error_cell(const Row& row, const Wording& wording) {
  if (!row.check) return "";
  const lab::Check& check = *row.check;
  if (check.allowed == 0)
    return check.mismatches == 0 ? wording.say<"bit for bit">() : wording.say<"{} wrong">(check.mismatches);
  if (!std::isfinite(check.max_error)) return significant(check.max_error);
  double used = check.max_error / check.allowed;
  return used > 10 ? wording.say<"{} x allowed">(significant(used, 2))
                   : wording.say<"{} of allowed">(percent(100 * used));
}

std::string verdict_cell(const Row& row, const Wording& wording) {
  if (row.verdict == Verdict::kPass) return wording.say<"pass">();
  return row.verdict == Verdict::kFail ? wording.say<"FAIL">() : wording.say<"not assessed">();
}

Ink ink_of(Verdict verdict) {
  if (verdict == Verdict::kPass) return Ink::kGood;
  return verdict == Verdict::kFail ? Ink::kBad : Ink::kUnsure;
}

// ---- columns -----------------------------------------------------------------------------------------

enum class Shown { kAlways, kVerbose };

struct ColumnRow {
  Shown when;
  std::string heading;  // its lines
  std::string group;
  bool left;
  int importance;
  std::function<std::string(const Row&)> cell;
};

auto ratio_of(Counter part, Counter whole) {
  return [part, whole](const Row& row) { return ratio_cell(row, part, whole); };
}

std::vector<ColumnRow> column_rows(const Wording& wording) {
  using enum Counter;
  using enum Shown;
  using lab::Rates;
  const std::string occupancy = wording.say<"occupancy">(), sectors = wording.say<"sectors\na request">(),
                    conflicts = wording.say<"conflicts\na request">(),
                    faster = wording.say<"speed-up\nover">();
  return {
      // clang-format off
      // when, heading, group, left, importance, cell
      {kAlways, wording.say<"stage">(), "", true, 100, [](const Row& row) { return row.name; }},
      {kAlways, wording.say<"time">(), "", false, 70, time_cell},
      {kAlways, wording.say<"with\ncopies">(), "", false, 30, with_copies_cell},
      {kAlways, wording.say<"recorded\non an H200">(), "", false, 66, recorded_cell},
      {kVerbose, wording.say<"simu-\nlated">(), "", false, 60, simulation_cell},
      {kVerbose, wording.say<"warps">(), occupancy, false, 58,
       [&](const Row& row) { return occupancy_cell(row, wording); }},
      {kVerbose, wording.say<"limited by">(), occupancy, true, 57,
       [&](const Row& row) { return occupancy_limit_cell(row, wording); }},
      {kAlways, "GB/s", "", false, 40, rate_of(&Row::gb_s, &Rates::gb_s, three_digits)},
      {kAlways, "GFLOP/s", "", false, 45, rate_of(&Row::gflop_s, &Rates::gflop_s, three_digits)},
      {kAlways, wording.say<"of\nceiling">(), "", false, 65,
       rate_of(&Row::percent_of_ceiling, &Rates::percent_of_ceiling, percent)},
      {kAlways, wording.say<"1 thread">(), faster, false, 20,
       rate_of(&Row::speedup_1_thread, &Rates::speedup_1_thread, times_faster)},
      {kAlways, wording.say<"all">(), faster, false, 25,
       rate_of(&Row::speedup_all_threads, &Rates::speedup_all_threads, times_faster)},
      {kAlways, wording.say<"load">(), sectors, false, 85,
       ratio_of(kGlobalLoadSectors, kGlobalLoadRequests)},
      {kAlways, wording.say<"store">(), sectors, false, 84,
       ratio_of(kGlobalStoreSectors, kGlobalStoreRequests)},
      {kAlways, wording.say<"moved/\nneeded">(), wording.say<"bytes">(), false, 81, moved_cell},
      {kAlways, wording.say<"load">(), conflicts, false, 83,
       ratio_of(kSharedLoadConflicts, kSharedLoadRequests)},
      {kAlways, wording.say<"store">(), conflicts, false, 82,
       ratio_of(kSharedStoreConflicts, kSharedStoreRequests)},
      {kAlways, wording.say<"error">(), "", true, 80,
       [&](const Row& row) { return error_cell(row, wording); }},
      // clang-format on
  };
}

Column column_of(const ColumnRow& wanted, const std::vector<Row>& rows) {
  Column column{
      heading_from(wanted.heading), heading_from(wanted.group), wanted.left, wanted.importance, {}, {}};
  for (const Row& row : rows) column.cells.push_back(wanted.cell(row));
  return column;
}

std::vector<std::string> extra_names(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    for (const auto& [name, value] : row.extra)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string extra_cell(const Row& row, const std::string& name) {
  for (const auto& [key, value] : row.extra)
    if (key == name) return significant(value);
  return "";
}

// A lab's own names are whole phrases: in lines, they take no more width than their longest words.
std::string heading_lines(const std::string& name, const Wording& wording) {
  constexpr std::size_t kLine = 9;  // columns
  return wrap(wording.text(with_blanks(name)), kLine, 0);
}

Column extra_column(const std::string& name, const std::vector<Row>& rows, const Wording& wording) {
  return column_of({Shown::kAlways, heading_lines(name, wording), "", false, 50,
                    [&name](const Row& row) { return extra_cell(row, name); }},
                   rows);
}

Column verdict_column(const std::vector<Row>& rows, const Wording& wording) {
  Column column = column_of({Shown::kAlways, wording.say<"ver-\ndict">(), "", true, 90,
                             [&](const Row& row) { return verdict_cell(row, wording); }},
                            rows);
  for (const Row& row : rows) column.inks.push_back(ink_of(row.verdict));
  return column;
}

std::string table_of(std::vector<Row> rows, const TableStyle& style) {
  if (rows.empty()) return "";
  auto stages = std::stable_partition(rows.begin(), rows.end(), lab::is_cpu);
  std::vector<Column> columns;
  for (const ColumnRow& row : column_rows(style.wording))
    if (row.when == Shown::kAlways || style.verbose) columns.push_back(column_of(row, rows));
  for (const std::string& name : extra_names(rows))
    columns.push_back(extra_column(name, rows, style.wording));
  columns.push_back(verdict_column(rows, style.wording));
  return lay_out(std::move(columns), static_cast<std::size_t>(stages - rows.begin()),
                 static_cast<std::size_t>(style.width), style.colour);
}

// ---- above the table ---------------------------------------------------------------------------------

// Nobody shall take the virtual GPU for the card that it models.
std::string device_of(const Result& result, const Wording& wording) {
  return result.device_kind == "virtual" ? wording.say<"the virtual GPU, a model of {}">(result.device_name)
                                         : result.device_name;
}

bool any_predicted(const Result& result) {
  return std::ranges::any_of(result.rows, [](const Row& row) { return row.prediction.has_value(); });
}

// Without machine code for the card nobody knows how many registers a thread has.
bool any_without_registers(const Result& result) {
  return std::ranges::any_of(
      result.rows, [](const Row& row) { return has_occupancy(row) && !row.prediction->occupancy.registers; });
}

// A model's time is not taken for a measurement, nor an unproved model for a proved one.
std::string legend_of(const Result& result, std::size_t width, const Wording& wording) {
  std::string text;
  if (result.card && any_predicted(result))
    text += wrap(result.card->validated
                     ? wording.say<"~ predicted for the {}">(result.card->name)
                     : wording.say<"~ predicted for the {} (not validated)">(result.card->name),
                 width, 0) +
            "\n";
  if (result.card && any_without_registers(result))
    text +=
        wrap(wording
                 .say<"registers unknown: no machine code was made for this card, so that there may be fewer "
                      "warps and longer times than predicted">(),
             width, 0) +
        "\n";
  if (!result.recorded.empty()) text += wrap(wording.say(result.recorded), width, 0) + "\n";
  return text;
}

std::string heading_of(const Result& result, const TableStyle& style) {
  std::vector<std::string> options;
  for (const auto& [name, value] : result.options)
    if (!shown(value).empty()) options.push_back(fmt::format("{} {}", with_blanks(name), shown(value)));
  std::string title = style.wording.say<"{} on {} (compute capability {})">(
      result.lab, device_of(result, style.wording), result.compute_capability);
  auto width = static_cast<std::size_t>(style.width);
  return fmt::format("{}\n{}\n{}\n", inked(wrap(title, width, 0), Ink::kHeading, style.colour),
                     wrap(joined(options), width, 0), legend_of(result, width, style.wording));
}

// ---- below the table ---------------------------------------------------------------------------------

std::string location(const SourceLine& where) {
  return where.file.empty() ? "" : fmt::format("{}:{}: ", where.file, where.line);
}

std::string sentence_of(const Hazard& hazard, const Wording& wording) {
  std::string text = location(hazard.where) + wording.say<"{} {}; block {}, thread {}">(
                                                  hazard.kernel, wording.say(hazard.what),
                                                  coordinates(hazard.block), coordinates(hazard.thread));
  const bool is_race = hazard.kind == HazardKind::kSharedRace || hazard.kind == HazardKind::kGlobalRace;
  if (is_race && hazard.other && *hazard.other != hazard.where)
    text +=
        wording.say<"; the other access: {}">(fmt::format("{}:{}", hazard.other->file, hazard.other->line));
  if (hazard.occurrences > 1) text += wording.count<"; {} time", "; {} times">(hazard.occurrences);
  if (!hazard.cuda_error.empty()) text += wording.say<"; a card reports {}">(hazard.cuda_error);
  if (!hazard.fix.empty()) text += wording.say<"; try: {}">(wording.say(hazard.fix));
  return text;
}

std::vector<std::string> problems_of(const Row& row, const Wording& wording) {
  std::vector<std::string> problems;
  for (const Hazard& hazard : row.hazards) problems.push_back(sentence_of(hazard, wording));
  if (row.check && row.check->first_mismatch) problems.push_back(wording.say(lab::describe(*row.check)));
  if (row.verdict != Verdict::kPass && (problems.empty() || row.verdict == Verdict::kNotAssessed))
    problems.push_back(row.reason.empty() ? wording.say<"no reason was given">() : wording.say(row.reason));
  if (row.verdict == Verdict::kFail)
    for (const compile::Diagnosis& warning : row.warnings)
      problems.push_back(wording.say<"the compiler warned: {}">(wording.say(warning.message())));
  return problems;
}

std::string paragraph(const std::string& name, const std::string& text, std::size_t indent,
                      const TableStyle& style, Ink ink) {
  return hang(inked(name, ink, style.colour), text, static_cast<std::size_t>(style.width), indent) + "\n";
}

std::size_t indent_of(const std::vector<Row>& rows) {
  std::size_t longest = 0;
  for (const Row& row : rows) longest = std::max(longest, columns_of(row.name));
  return longest + kNotesIndent;
}

std::string problems_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const Row& row : result.rows)
    for (const std::string& problem : problems_of(row, style.wording))
      text += paragraph(row.name, problem + (style.wording.language() == Language::kChinese ? "。" : "."),
                        indent_of(result.rows), style, ink_of(row.verdict));
  return text.empty() ? "" : "\n" + text;
}

std::string printed_text(const Result& result, const Wording& wording) {
  std::string text;
  for (const Row& row : result.rows)
    if (!row.printed.empty())
      text += fmt::format("\n{}\n{}{}", wording.say<"{} printed:">(row.name), harmless_lines(row.printed),
                          row.printed.ends_with('\n') ? "" : "\n");
  return text;
}

std::size_t count(const Result& result, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      result.rows.begin(), result.rows.end(), [verdict](const Row& row) { return row.verdict == verdict; }));
}

std::string verdict_line(const Result& result, const TableStyle& style) {
  std::size_t passed = count(result, Verdict::kPass), failed = count(result, Verdict::kFail);
  std::size_t open = result.rows.size() - passed - failed;
  const Wording& wording = style.wording;
  const std::string word = result.verdict == Verdict::kPass   ? wording.say<"PASS">()
                           : result.verdict == Verdict::kFail ? wording.say<"FAIL">()
                                                              : wording.say<"NOT ASSESSED">();
  std::string text = result.rows.empty() ? wording.say<"nothing was launched">()
                                         : wording.say<"{} of {} passed">(passed, result.rows.size());
  if (failed > 0) text += wording.say<", {} failed">(failed);
  if (open > 0) text += wording.say<", {} not assessed">(open);
  if (failed == 0 && result.verdict == Verdict::kFail)
    text += wording.say<"; what is wrong is the program around it">();
  if (result.stopped) text += wording.say<"; stopped before the end">();
  return fold(fmt::format("\n{}  {}\n", inked(word, ink_of(result.verdict), style.colour), text),
              static_cast<std::size_t>(style.width));
}

std::string figures_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const lab::Figure& figure : result.figures) {
    text += "\n" + inked(style.wording.say(figure.title), Ink::kHeading, style.colour) + "\n";
    const std::vector<std::string> lines = figure_lines(figure.lines, style.wording);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      bool is_marked = std::find(figure.marked.begin(), figure.marked.end(), i) != figure.marked.end();
      text += inked(lines[i], is_marked ? Ink::kUnsure : Ink::kPlain, style.colour) + "\n";
    }
  }
  return text;
}

std::string as_sentences(std::vector<std::string> clauses, Language language) {
  for (std::string& clause : clauses) clause = as_sentence(std::move(clause), language);
  return joined_sentences(clauses);
}

std::string explanations_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const Explanation& explanation : explain(result, style.wording))
    text += paragraph(explanation.stage, as_sentences(explanation.sentences, style.wording.language()),
                      indent_of(result.rows), style, Ink::kHeading);
  for (const Message& note : result.notes)
    text += wrap(style.wording.say(note), static_cast<std::size_t>(style.width), 0) + "\n";
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string table_text(const Result& result, const TableStyle& style) {
  Result listed = result;
  std::erase_if(listed.rows, [](const Row& row) { return row.in_figure && row.verdict == Verdict::kPass; });
  return heading_of(result, style) + table_of(listed.rows, style) + problems_text(listed, style) +
         printed_text(result, style.wording) + verdict_line(result, style) + figures_text(result, style) +
         explanations_text(listed, style);
}

}  // namespace cudalab::report
