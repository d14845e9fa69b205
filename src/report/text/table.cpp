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
#include "messages/report.h"
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
  if (row.time_ms) return duration(*measured_ms(row));
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
  return wording.say(msg::part_of_whole(occupancy.warps, occupancy.most_warps));
}

Message worded(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kRegisters: return msg::limit_registers();
    case OccupancyLimit::kShared: return msg::limit_shared();
    case OccupancyLimit::kThreads: return msg::limit_threads();
    case OccupancyLimit::kBlocks: return msg::limit_blocks();
    case OccupancyLimit::kGrid: break;
  }
  return msg::limit_grid();
}

std::string occupancy_limit_cell(const Row& row, const Wording& wording) {
  if (!has_occupancy(row)) return "";
  const Occupancy& occupancy = row.prediction->occupancy;
  const Message limit = worded(occupancy.limited_by);
  return wording.say(occupancy.registers ? limit : msg::limit_registers_unknown(limit));
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

Message worded_error(const lab::Check& check) {
  if (check.allowed == 0)
    return check.mismatches == 0 ? msg::error_bit_for_bit() : msg::error_count_wrong(check.mismatches);
  if (!std::isfinite(check.max_error)) return Message::verbatim(significant(check.max_error));
  double used = check.max_error / check.allowed;
  return used > 10 ? msg::error_times_allowed(significant(used, 2))
                   : msg::error_share_of_allowed(percent(100 * used));
}

std::string error_cell(const Row& row, const Wording& wording) {
  return row.check ? wording.say(worded_error(*row.check)) : "";
}

std::string verdict_cell(const Row& row, const Wording& wording) {
  if (row.verdict == Verdict::kPass) return wording.say(msg::verdict_pass());
  if (row.is_experiment && row.verdict == Verdict::kNotAssessed)
    return wording.say(msg::verdict_experiment());
  return wording.say(row.verdict == Verdict::kFail ? msg::verdict_fail_loud() : msg::verdict_not_assessed());
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
  const std::string occupancy = wording.say(msg::column_occupancy()),
                    sectors = wording.say(msg::column_sectors_a_request()),
                    conflicts = wording.say(msg::column_conflicts_a_request()),
                    faster = wording.say(msg::column_speedup_over());
  return {
      // clang-format off
      // when, heading, group, left, importance, cell
      {kAlways, wording.say(msg::column_stage()), "", true, 100, [](const Row& row) { return row.name; }},
      {kAlways, wording.say(msg::column_time()), "", false, 70, time_cell},
      {kAlways, wording.say(msg::column_with_copies()), "", false, 30, with_copies_cell},
      {kAlways, wording.say(msg::column_recorded_on_h200()), "", false, 66, recorded_cell},
      {kVerbose, wording.say(msg::column_simulated()), "", false, 60, simulation_cell},
      {kVerbose, wording.say(msg::column_warps()), occupancy, false, 58,
       [&](const Row& row) { return occupancy_cell(row, wording); }},
      {kVerbose, wording.say(msg::column_limited_by()), occupancy, true, 57,
       [&](const Row& row) { return occupancy_limit_cell(row, wording); }},
      {kAlways, "GB/s", "", false, 40, rate_of(&Row::gb_s, &Rates::gb_s, three_digits)},
      {kAlways, "GFLOP/s", "", false, 45, rate_of(&Row::gflop_s, &Rates::gflop_s, three_digits)},
      {kAlways, wording.say(msg::column_of_ceiling()), "", false, 65,
       rate_of(&Row::percent_of_ceiling, &Rates::percent_of_ceiling, percent)},
      {kAlways, wording.say(msg::column_one_thread()), faster, false, 20,
       rate_of(&Row::speedup_1_thread, &Rates::speedup_1_thread, times_faster)},
      {kAlways, wording.say(msg::column_all_threads()), faster, false, 25,
       rate_of(&Row::speedup_all_threads, &Rates::speedup_all_threads, times_faster)},
      {kAlways, wording.say(msg::access_load()), sectors, false, 85,
       ratio_of(kGlobalLoadSectors, kGlobalLoadRequests)},
      {kAlways, wording.say(msg::access_store()), sectors, false, 84,
       ratio_of(kGlobalStoreSectors, kGlobalStoreRequests)},
      {kAlways, wording.say(msg::column_moved_and_needed()), wording.say(msg::column_bytes()), false, 81,
       moved_cell},
      {kAlways, wording.say(msg::access_load()), conflicts, false, 83,
       ratio_of(kSharedLoadConflicts, kSharedLoadRequests)},
      {kAlways, wording.say(msg::access_store()), conflicts, false, 82,
       ratio_of(kSharedStoreConflicts, kSharedStoreRequests)},
      {kAlways, wording.say(msg::column_error()), "", true, 80,
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

// A lab's own names are whole phrases, texts of the course: in lines, they take no more width than their
// longest words.
std::string heading_lines(const std::string& name, const Wording& wording) {
  constexpr std::size_t kLine = 9;  // columns
  const std::string heading = name == "launches"       ? wording.say(msg::column_launches())
                              : name == "predicted_us" ? wording.say(msg::column_predicted_us())
                                                       : wording.text(with_blanks(name));
  return wrap(heading, kLine, 0);
}

Column extra_column(const std::string& name, const std::vector<Row>& rows, const Wording& wording) {
  return column_of({Shown::kAlways, heading_lines(name, wording), "", false, 50,
                    [&name](const Row& row) { return extra_cell(row, name); }},
                   rows);
}

Column verdict_column(const std::vector<Row>& rows, const Wording& wording) {
  Column column = column_of({Shown::kAlways, wording.say(msg::column_verdict_broken()), "", true, 90,
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
  return "\n" + lay_out(std::move(columns), static_cast<std::size_t>(stages - rows.begin()),
                        static_cast<std::size_t>(style.width), style.colour);
}

// ---- above the table ---------------------------------------------------------------------------------

// Nobody shall take the virtual GPU for the card that it models.
Argument device_of(const Result& result) {
  return result.device_kind == "virtual" ? Argument(msg::device_virtual_gpu(result.device_name))
                                         : Argument(result.device_name);
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
  const auto add = [&](const Message& line) { text += wrap(wording.say(line), width, 0) + "\n"; };
  if (result.card && any_predicted(result))
    add(result.card->validated ? msg::legend_predicted(result.card->name)
                               : msg::legend_predicted_not_validated(result.card->name));
  if (result.card && any_without_registers(result)) add(msg::legend_registers_unknown());
  if (!result.recorded.empty()) add(result.recorded);
  return text;
}

std::string heading_of(const Result& result, const TableStyle& style) {
  std::vector<std::string> options;
  for (const auto& [name, value] : result.options)
    if (!shown(value).empty()) options.push_back(fmt::format("{} {}", with_blanks(name), shown(value)));
  const std::string title =
      style.wording.say(msg::result_heading(result.lab, device_of(result), result.compute_capability));
  auto width = static_cast<std::size_t>(style.width);
  return fmt::format("{}\n{}{}", inked(wrap(title, width, 0), Ink::kHeading, style.colour),
                     options.empty() ? "" : wrap(joined(options), width, 0) + "\n",
                     legend_of(result, width, style.wording));
}

// ---- below the table ---------------------------------------------------------------------------------

std::string place_of(const SourceLine& where) { return fmt::format("{}:{}", where.file, where.line); }

Message sentence_of(const Hazard& hazard) {
  Message sentence =
      msg::hazard_of_thread(hazard.kernel, hazard.what, BlockIndex{hazard.block}, ThreadIndex{hazard.thread});
  const bool is_race = hazard.kind == HazardKind::kSharedRace || hazard.kind == HazardKind::kGlobalRace;
  if (is_race && hazard.other && *hazard.other != hazard.where)
    sentence = msg::hazard_other_access(sentence, place_of(*hazard.other));
  if (hazard.occurrences > 1) sentence = msg::hazard_times(sentence, hazard.occurrences);
  if (!hazard.cuda_error.empty()) sentence = msg::hazard_card_reports(sentence, hazard.cuda_error);
  if (!hazard.fix.empty()) sentence = msg::problem_with_advice(sentence, hazard.fix);
  return sentence;
}

std::vector<std::string> problems_of(const Row& row, const Wording& wording) {
  std::vector<std::string> problems;
  for (const Hazard& hazard : row.hazards)
    problems.push_back((hazard.where.file.empty() ? "" : place_of(hazard.where) + ": ") +
                       wording.say(sentence_of(hazard)));
  if (row.check && row.check->first_mismatch) problems.push_back(wording.say(lab::describe(*row.check)));
  if (row.verdict != Verdict::kPass && (problems.empty() || row.verdict == Verdict::kNotAssessed))
    problems.push_back(wording.say(row.reason.empty() ? msg::reason_missing() : row.reason));
  if (row.verdict == Verdict::kFail)
    for (const compile::Diagnosis& warning : row.warnings)
      problems.push_back(wording.say(msg::row_compiler_warned(warning.message())));
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
      text += fmt::format("\n{}\n{}{}", wording.say(msg::row_printed(row.name)), harmless_lines(row.printed),
                          row.printed.ends_with('\n') ? "" : "\n");
  return text;
}

std::size_t count(const Result& result, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      result.rows.begin(), result.rows.end(), [verdict](const Row& row) { return row.verdict == verdict; }));
}

Message loud(const Result& result) {
  if (result.verdict == Verdict::kPass) return msg::verdict_pass_loud();
  if (result.verdict == Verdict::kFail) return msg::verdict_fail_loud();
  return is_experiment(result) ? msg::verdict_experiment_loud() : msg::verdict_not_assessed_loud();
}

Message outcome_of(const Result& result) {
  const std::size_t passed = count(result, Verdict::kPass), failed = count(result, Verdict::kFail);
  const auto experiments = static_cast<std::size_t>(std::ranges::count_if(
      result.rows, [](const Row& row) { return row.is_experiment && row.verdict == Verdict::kNotAssessed; }));
  const std::size_t open = result.rows.size() - passed - failed - experiments;
  Message outcome =
      result.rows.empty() ? msg::outcome_nothing_launched() : msg::outcome_passed(passed, result.rows.size());
  if (failed > 0) outcome = msg::outcome_failed(outcome, failed);
  if (experiments > 0) outcome = msg::outcome_experiments(outcome, experiments);
  if (open > 0) outcome = msg::outcome_not_assessed(outcome, open);
  if (failed == 0 && result.verdict == Verdict::kFail) outcome = msg::outcome_program_wrong(outcome);
  if (result.stopped) outcome = msg::outcome_stopped(outcome);
  return outcome;
}

std::string verdict_line(const Result& result, const TableStyle& style) {
  const std::string word = inked(style.wording.say(loud(result)), ink_of(result.verdict), style.colour);
  return fold(fmt::format("\n{}  {}\n", word, style.wording.say(outcome_of(result))),
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

std::string as_sentences(const std::vector<Message>& clauses, const Wording& wording) {
  std::vector<std::string> sentences;
  for (const Message& clause : clauses)
    sentences.push_back(as_sentence(wording.say(clause), wording.language()));
  return joined_sentences(sentences);
}

std::string explanations_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const Explanation& explanation : explain(result))
    text += paragraph(explanation.heading(style.wording), as_sentences(explanation.sentences, style.wording),
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
