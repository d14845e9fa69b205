// The text of a result: its header, the table, the problems, the explanations and the last line.
#include "report/text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/languages/units.h"
#include "core/text.h"
#include "lab/verification/verification.h"
#include "messages/report.h"
#include "report/text/columns.h"
#include "report/text/compile_errors.h"
#include "report/text/excerpt.h"
#include "report/text/explanations.h"
#include "report/text/figure_lines.h"
#include "report/text/insight.h"
#include "report/text/layout.h"
#include "report/text/values.h"

namespace cudalab::report {
namespace {

using lab::Result;
using lab::Row;
using lab::RowKind;
using lab::Verdict;

constexpr std::size_t kNotesIndent = 2;

// ---- above the table ---------------------------------------------------------------------------------

constexpr std::string_view kBetweenSegments = "    ";

// "H200": without the vendor's name, which all GPUs share.
std::string short_name(std::string name) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return name.starts_with(kMaker) ? name.substr(kMaker.size()) : name;
}

std::string value_of(const Result& result, const std::string& option) {
  for (const auto& [name, value] : result.options)
    if (name == option) return shown(value);
  return "";
}

// "transpose 2048 x 2048, f32, tile 32, pad 1"
std::string title_of(const Result& result, bool verbose) {
  std::vector<std::string> size, others;
  for (const std::string& name : result.sizes)
    if (std::string value = value_of(result, name); !value.empty()) size.push_back(std::move(value));
  if (!size.empty()) others.push_back(joined(size, " x "));
  if (const std::string type = value_of(result, "type"); !type.empty()) others.push_back(type);
  for (const auto& [name, value] : result.options) {
    const bool is_size = std::ranges::find(result.sizes, name) != result.sizes.end();
    if (is_size || name == "type" || shown(value).empty() || (name == "seed" && !verbose)) continue;
    others.push_back(fmt::format("{} {}", with_blanks(name), shown(value)));
  }
  return others.empty() ? result.lab : result.lab + " " + joined(others);
}

// The virtual GPU must not be mistaken for the GPU that it models.
std::vector<std::string> device_of(const Result& result, const TableStyle& style) {
  const std::string name = short_name(result.device_name);
  std::vector<std::string> segments{
      result.device_kind == "virtual" ? style.wording.say(msg::header_virtual_gpu(name)) : "GPU: " + name};
  if (style.verbose && !result.compute_capability.empty())
    segments.push_back(style.wording.say(msg::header_compute_capability(result.compute_capability)));
  return segments;
}

bool any_predicted(const Result& result) {
  return std::ranges::any_of(result.rows, [](const Row& row) { return row.prediction.has_value(); });
}

// Without machine code for the GPU, the number of registers per thread is unknown.
bool any_without_registers(const Result& result) {
  return std::ranges::any_of(result.rows, [](const Row& row) {
    return row.prediction && row.prediction->occupancy.most_warps > 0 && !row.prediction->occupancy.registers;
  });
}

// A predicted time must not be mistaken for a measurement, nor a model that was not validated for a validated
// one.
Message header_predicted(const Result& result) {
  Message predicted = msg::header_predicted();
  if (result.card && !result.card->validated) predicted = msg::header_not_validated(predicted);
  return any_without_registers(result) ? msg::header_registers_unknown(predicted) : predicted;
}

// The segments on one line, or on several if they do not fit.
std::string in_lines(const std::vector<std::string>& segments, std::size_t width) {
  const auto in_width = [width](const std::string& line) {
    return columns_of(line) <= width ? harmless_line(line) : wrap(line, width, 0);
  };
  std::string text, line;
  for (const std::string& segment : segments) {
    const bool fits = columns_of(line) + kBetweenSegments.size() + columns_of(segment) <= width;
    if (!line.empty() && !fits) text += in_width(std::exchange(line, "")) + "\n";
    line += (line.empty() ? "" : std::string(kBetweenSegments)) + segment;
  }
  return text + in_width(line);
}

std::string heading_of(const Result& result, const TableStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::vector<std::string> segments{title_of(result, style.verbose)};
  if (!result.device_name.empty())
    for (const std::string& segment : device_of(result, style)) segments.push_back(segment);
  if (any_predicted(result)) segments.push_back(style.wording.say(header_predicted(result)));
  std::string text = inked(in_lines(segments, width), Ink::kHeading, style.colour) + "\n";
  if (style.verbose && any_without_registers(result))
    text += wrap(style.wording.say(msg::legend_registers_unknown()), width, 0) + "\n";
  if (!result.recorded.empty()) text += wrap(style.wording.say(result.recorded), width, 0) + "\n";
  return text;
}

// ---- the table ---------------------------------------------------------------------------------------

std::string table_of(const Result& listed, const std::vector<Insight>& insights, const TableStyle& style) {
  const std::vector<Row>& rows = listed.rows;
  if (rows.empty()) return "";
  const auto width = static_cast<std::size_t>(style.width);
  std::string text =
      lay_out(columns_of_rows(listed, rows, insights, style.wording), Rule::kNone, width, style.colour);
  if (style.verbose)
    text += "\n" + lay_out(details_of_rows(rows, style.wording), Rule::kNone, width, style.colour);
  return text;
}

// ---- below the table ---------------------------------------------------------------------------------

std::string place_of(const SourceLine& where) { return fmt::format("{}:{}", where.file, where.line); }

Message sentence_of(const Hazard& hazard) {
  Message sentence =
      msg::hazard_of_thread(hazard.kernel, hazard.what, BlockIndex{hazard.block}, ThreadIndex{hazard.thread});
  const bool is_race = hazard.kind == HazardKind::kSharedRace || hazard.kind == HazardKind::kGlobalRace;
  if (is_race && hazard.other && *hazard.other != hazard.where)
    sentence = msg::hazard_other_access(sentence, place_of(*hazard.other));
  if (hazard.called_from) sentence = msg::hazard_called_from(sentence, place_of(*hazard.called_from));
  if (hazard.occurrences > 1) sentence = msg::hazard_times(sentence, hazard.occurrences);
  if (!hazard.cuda_error.empty()) sentence = msg::hazard_card_reports(sentence, hazard.cuda_error);
  if (!hazard.fix.empty()) sentence = msg::problem_with_advice(sentence, hazard.fix);
  return sentence;
}

// A problem: a sentence that several rows may share, and the source lines that it refers to.
struct Problem {
  std::vector<std::string> rows;
  Verdict verdict{};
  std::string text, excerpt;
};

constexpr std::size_t kExcerptIndent = 4;

// The source lines of both accesses of a race; the one line of any other hazard. Empty if the source cannot
// be read.
std::string excerpts_of(const Row& row, const Hazard& hazard, const TableStyle& style) {
  if (!style.read || hazard.where.file != row.source) return "";
  try {
    const std::string source = style.read(row);
    std::string text = source_excerpt(hazard.where.line, source, kExcerptIndent, style.colour);
    if (hazard.other && hazard.other->file == row.source && hazard.other->line != hazard.where.line)
      text += std::string(kExcerptIndent, ' ') + "...\n" +
              source_excerpt(hazard.other->line, source, kExcerptIndent, style.colour);
    return text;
  } catch (const Error&) {
    return "";
  }
}

std::vector<Problem> problems_of(const Row& row, const TableStyle& style) {
  const Wording& wording = style.wording;
  std::vector<Problem> problems;
  const auto add = [&](const std::string& sentence, const std::string& excerpt = "") {
    problems.push_back({{row.name}, row.verdict, with_an_end(sentence, wording.language()), excerpt});
  };
  for (const Hazard& hazard : row.hazards)
    add((hazard.where.file.empty() ? "" : place_of(hazard.where) + ": ") + wording.say(sentence_of(hazard)),
        excerpts_of(row, hazard, style));
  if (row.check && row.check->first_mismatch) add(wording.say(lab::describe(*row.check)));
  if (row.verdict != Verdict::kPass && (problems.empty() || row.verdict == Verdict::kNotAssessed))
    add(wording.say(row.reason.empty() ? msg::reason_missing() : row.reason),
        row.diagnosis ? compile_errors_text(*row.diagnosis, kExcerptIndent,
                                            static_cast<std::size_t>(style.width), wording)
                      : "");
  if (row.verdict == Verdict::kFail)
    for (const compile::Diagnosis& warning : row.warnings)
      add(wording.say(msg::row_compiler_warned(warning.message())));
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

// Failures come before rows that were not assessed.
std::vector<Problem> problems_in(const Result& result, const TableStyle& style) {
  std::vector<Problem> problems;
  for (const Row& row : result.rows)
    for (Problem& problem : problems_of(row, style)) {
      const auto same = std::ranges::find_if(problems, [&](const Problem& other) {
        return other.text == problem.text && other.excerpt == problem.excerpt;
      });
      if (same == problems.end())
        problems.push_back(std::move(problem));
      else if (same->rows.back() != row.name)
        same->rows.push_back(row.name);
    }
  std::ranges::stable_partition(problems,
                                [](const Problem& problem) { return problem.verdict == Verdict::kFail; });
  return problems;
}

std::string problems_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const Problem& problem : problems_in(result, style))
    text += paragraph(joined(problem.rows), problem.text, indent_of(result.rows), style,
                      ink_of_verdict(problem.verdict)) +
            problem.excerpt;
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

// "3 of 4 passed, 1 failed": the outcome if not all rows passed.
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
  if (failed == 0 && !result.rows.empty() && result.verdict == Verdict::kFail)
    outcome = msg::outcome_program_wrong(outcome);
  if (result.stopped) outcome = msg::outcome_stopped(outcome);
  return outcome;
}

// "All 5 results are correct": only results that were compared are called correct.
Message all_passed(const Result& result) {
  const auto compared = static_cast<std::size_t>(
      std::ranges::count_if(result.rows, [](const Row& row) { return row.check.has_value(); }));
  if (compared == result.rows.size()) return msg::outcome_all_correct(compared);
  return compared == 0 ? msg::outcome_no_errors(result.rows.size())
                       : msg::outcome_all_passed(result.rows.size());
}

// The word before the outcome of a run that did not pass.
Message loud(const Result& result) {
  if (result.verdict == Verdict::kFail) return msg::verdict_fail_loud();
  return is_experiment(result) ? msg::verdict_experiment_loud() : msg::verdict_not_assessed_loud();
}

std::string outcome_text(const Result& result, const TableStyle& style) {
  const bool all = !result.rows.empty() && count(result, Verdict::kPass) == result.rows.size() &&
                   result.verdict == Verdict::kPass && !result.stopped;
  const std::string sentence =
      as_sentence(style.wording.say(all ? all_passed(result) : outcome_of(result)), style.wording.language());
  if (result.verdict == Verdict::kPass) return inked(sentence, Ink::kGood, style.colour);
  return inked(style.wording.say(loud(result)), ink_of_verdict(result.verdict), style.colour) + "  " +
         sentence;
}

// Whether the table has a mark: an insight about a cell of one of its rows.
bool any_marked(const Result& listed, const std::vector<Insight>& insights) {
  return std::ranges::any_of(insights, [&](const Insight& insight) {
    return insight.cell && std::ranges::find(listed.rows, insight.row, &Row::name) != listed.rows.end();
  });
}

// On a real GPU: the fastest kernel compared with the fastest CPU version with all threads. Both times are
// measured.
Message speed_over_cpu(const Result& result) {
  const Row* fastest = nullptr;
  for (const Row& row : result.rows)
    if (row.kind == RowKind::kKernel && row.verdict == Verdict::kPass && row.speedup_all_threads &&
        (!fastest || *row.speedup_all_threads > *fastest->speedup_all_threads))
      fastest = &row;
  if (!fastest) return {};
  const double ratio = *fastest->speedup_all_threads;
  return ratio >= 1 ? msg::faster_than_cpu(fastest->name, significant(ratio), result.host_threads)
                    : msg::slower_than_cpu(fastest->name, significant(1 / ratio), result.host_threads);
}

std::string verdict_lines(const Result& result, const Result& listed, const std::vector<Insight>& insights,
                          const TableStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::string line = outcome_text(result, style);
  if (any_marked(listed, insights)) line += "  " + style.wording.say(msg::legend_marked());
  std::string text = fold(line, width) + "\n";
  if (const Message speed = speed_over_cpu(result); !speed.empty())
    text += wrap(style.wording.say(speed), width, 0) + "\n";
  return text;
}

std::string figures_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const lab::Figure& figure : result.figures) {
    const std::string title = wrap(style.wording.say(figure.title), static_cast<std::size_t>(style.width), 0);
    text += "\n" + inked(title, Ink::kHeading, style.colour) + "\n";
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

// Whether the note says that CPU ratios are not shown. The virtual GPU never shows such ratios.
bool is_about_ratios(const Message& note) { return note.id() == "note_machine_busy"; }

std::string explanations_text(const Result& result, const TableStyle& style) {
  std::string text;
  for (const Explanation& explanation : style.verbose ? explain_fully(result) : explain(result))
    text += paragraph(explanation.heading(style.wording), as_sentences(explanation.sentences, style.wording),
                      indent_of(result.rows), style, Ink::kHeading);
  for (const Message& note : result.notes)
    if (!is_about_ratios(note) || result.device_kind != "virtual")
      text += wrap(style.wording.say(note), static_cast<std::size_t>(style.width), 0) + "\n";
  return text.empty() ? "" : "\n" + text;
}

// ---- the last line -----------------------------------------------------------------------------------

// "Next: why is padded slower than copy? --stage copy,padded"
std::string next_text(const Result& result, const TableStyle& style) {
  if (!result.next) return "";
  const Message next = msg::next_suggestion(result.next->question(), result.next->options);
  return "\n" + wrap(style.wording.say(next), static_cast<std::size_t>(style.width), 0) + "\n";
}

// The rows that the outcome counts: those of the table, and those of figures.
std::vector<Row> counted_rows(const Result& result, const Result& listed) {
  std::vector<Row> rows = listed.rows;
  for (const Row& row : result.rows)
    if (row.in_figure && row.verdict == Verdict::kPass && !lab::is_cpu(row)) rows.push_back(row);
  return rows;
}

}  // namespace

std::string table_text(const Result& result, const TableStyle& style) {
  Result listed = result;
  listed.rows = style.verbose ? all_rows(result) : shown_rows(result);
  const std::vector<Insight> insights = insights_of(result);
  Result counted = result;
  if (!style.verbose) counted.rows = counted_rows(result, listed);
  return heading_of(result, style) + table_of(listed, insights, style) +
         verdict_lines(counted, listed, insights, style) + problems_text(listed, style) +
         printed_text(result, style.wording) + figures_text(result, style) +
         explanations_text(listed, style) + next_text(result, style);
}

}  // namespace cudalab::report
