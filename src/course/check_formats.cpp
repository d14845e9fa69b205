// Check results in other forms: compiler-style lines for editors, JSON for scripts, and pictures of missed
// criteria.
#include "course/check_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "core/named.h"
#include "core/text.h"
#include "messages/course.h"
#include "report/formats/message_json.h"
#include "report/pictures/builders.h"
#include "report/pictures/show.h"
#include "report/text/values.h"

namespace cudalab::course {
namespace {

using lab::Row;

// Parts of counter names, and the kind of access that such counters count.
struct CountedAccess {
  std::string_view word;
  AccessKind kind;
};
constexpr CountedAccess kCountedAccesses[]{
    {"_ld", AccessKind::kLoad},        {"_load", AccessKind::kLoad},    {"async_copy", AccessKind::kLoad},
    {"_st", AccessKind::kStore},       {"_atom", AccessKind::kAtomic},  {"_red", AccessKind::kReduction},
    {"/read_", AccessKind::kLoad},     {"/read_", AccessKind::kAtomic}, {"/writ", AccessKind::kStore},
    {"/writ", AccessKind::kReduction}, {"/writ", AccessKind::kAtomic},
};

}  // namespace

const LineAccess* worst_counted(std::string_view counter, const std::vector<LineAccess>& accesses) {
  const auto says = [counter](std::string_view word) { return counter.find(word) != std::string_view::npos; };
  const LineAccess* found = nullptr;
  const auto cost = [](const LineAccess& access) {
    return std::pair(access.transactions - access.fewest_transactions, access.requests);
  };
  for (const LineAccess& access : accesses) {
    const bool in_space = (says("shared") && access.space == MemorySpace::kShared) ||
                          ((says("global") || says("traffic/")) && access.space == MemorySpace::kGlobal);
    const bool is_kind = std::ranges::any_of(kCountedAccesses, [&](const CountedAccess& each) {
      return each.kind == access.kind && says(each.word);
    });
    if (in_space && is_kind && (!found || cost(access) > cost(*found))) found = &access;
  }
  return found;
}

namespace {

bool is_of(const LineRequests& line, const LineAccess& access) {
  return line.where == access.where && line.space == access.space && line.kind == access.kind;
}

// A request of the line that the criterion is about.
std::optional<report::Picture> picture_of_request(const LineAccess* access, const Row& row) {
  if (!access || !row.recording) return std::nullopt;
  for (const LineRequests& line : row.recording->lines)
    if (is_of(line, *access) && !line.first.empty())
      return report::request_picture(line, report::telling_request(line));
  return std::nullopt;
}

std::optional<report::Picture> picture_of_lanes(const Row& row) {
  const WarpPaths* warp = row.recording ? report::telling_warp(*row.recording, row.source, 0) : nullptr;
  return warp ? std::optional(report::divergence_picture(*warp)) : std::nullopt;
}

// The lanes that pass values to each other; without exchanges, the addresses that the lanes access.
std::optional<report::Picture> picture_of_exchanges(const Row& row) {
  if (!row.recording) return std::nullopt;
  if (const auto lines = report::telling_exchanges(*row.recording, row.source, 0); !lines.empty())
    return report::exchanges_picture(*lines.front());
  for (const MemorySpace space : {MemorySpace::kShared, MemorySpace::kGlobal})
    if (const LineRequests* line = report::telling_line(row, space, 0))
      return report::request_picture(*line, report::telling_request(*line));
  return std::nullopt;
}

std::optional<report::Picture> picture_of_limits(const Row& row) { return report::limits_picture(row); }

std::optional<report::Picture> picture_of_streams(const Row& row) {
  return row.program ? report::timeline_picture(row.program->log) : std::nullopt;
}

// Criteria whose values do not come from single accesses, and their pictures.
struct Subject {
  std::string_view word;
  std::optional<report::Picture> (*picture)(const Row& row);
};
constexpr Subject kSubjects[]{
    {"divergent", picture_of_lanes},
    {"active_lanes", picture_of_lanes},
    {"lane_exchanges", picture_of_exchanges},
    {"texture", picture_of_limits},
    {"thread_instructions", picture_of_lanes},
    {"occupancy", report::occupancy_picture},
    {"predicted_ms", picture_of_limits},
    {"program/", picture_of_streams},
    {"extra/", picture_of_streams},
};

}  // namespace

std::optional<report::Picture> picture_for(std::string_view value, const Row& row) {
  std::optional<report::Picture> picture = picture_of_request(worst_counted(value, row.accesses), row);
  for (const Subject& subject : kSubjects)
    if (!picture && value.find(subject.word) != std::string_view::npos) picture = subject.picture(row);
  return picture;
}

namespace {

using Ordered = nlohmann::ordered_json;

// ---- lines in the style of compilers -------------------------------------------------------------------

// The column of the line's first character that is not blank; the exact column is unknown.
std::size_t column_in(std::string_view source, int line) {
  for (int before = 1; before < line; ++before) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return 1;
    source.remove_prefix(end + 1);
  }
  const std::size_t first = source.substr(0, source.find('\n')).find_first_not_of(" \t");
  return first == std::string_view::npos ? 1 : first + 1;
}

class GccLines {
 public:
  GccLines(std::string_view source, const std::string& file) : source_(source), file_(file) {}

  // Uses line 1 if the line is unknown.
  void add(const std::optional<SourceLine>& where, std::string_view kind, std::string_view what) {
    const std::string& file = where ? where->file : file_;
    const int line = where && where->line > 0 ? where->line : 1;
    const std::size_t column = file == file_ ? column_in(source_, line) : 1;
    text_ += fmt::format("{}:{}:{}: {}: {}\n", file, line, column, kind, harmless_line(what));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string_view source_;
  const std::string& file_;
  std::string text_;
};

// ---- JSON ----------------------------------------------------------------------------------------------

constexpr Named<CheckPart::Outcome> kOutcomes[]{
    {"met", CheckPart::kMet}, {"missed", CheckPart::kMissed}, {"not_reached", CheckPart::kNotReached}};

constexpr Named<EditKind> kEditKinds[]{
    {"comparison", EditKind::kComparison}, {"index", EditKind::kIndex},
    {"variable", EditKind::kVariable},     {"update", EditKind::kUpdate},
    {"barrier", EditKind::kBarrier},       {"constant", EditKind::kConstant},
    {"operator", EditKind::kOperator},     {"guard", EditKind::kGuard},
    {"function", EditKind::kFunction},     {"type", EditKind::kType},
    {"statement", EditKind::kStatement}};

Ordered line_json(const std::optional<SourceLine>& line) {
  if (!line) return nullptr;
  return {{"file", line->file}, {"line", line->line}};
}

Ordered case_json(const std::optional<Case>& options) {
  if (!options) return nullptr;
  Ordered json = Ordered::object();
  for (const auto& [name, value] : *options) std::visit([&](const auto& held) { json[name] = held; }, value);
  return json;
}

std::vector<Message> messages_of(std::span<const compile::Diagnosis> warnings) {
  std::vector<Message> messages;
  for (const compile::Diagnosis& warning : warnings) messages.push_back(warning.message());
  return messages;
}

Ordered texts_of(std::span<const Message> messages) {
  Ordered texts = Ordered::array();
  for (const Message& message : messages) texts.push_back(message.text());
  return texts;
}

Ordered part_json(const CheckPart& part) {
  Ordered json{{"name", part.name},
               {"outcome", name_in(kOutcomes, part.outcome)},
               {"sentence", part.sentence.text()},
               {"advice", part.advice.text()},
               {"where", line_json(part.where)},
               {"other", line_json(part.other)},
               {"case", case_json(part.on)}};
  report::put_message(json, "message", part.sentence);
  report::put_message(json, "advice_message", part.advice);
  for (const Reason& reason : part.reasons) {
    Ordered& added = json["reasons"].emplace_back(
        Ordered{{"sentence", reason.what.text()}, {"where", line_json(reason.where)}});
    report::put_message(added, "message", reason.what);
  }
  if (part.diagnosis)
    for (const compile::Diagnosis& other : part.diagnosis->others) {
      const Message message = other.with_kind();
      Ordered& added = json["more_errors"].emplace_back(
          Ordered{{"sentence", message.text()}, {"where", line_json(other.where)}});
      report::put_message(added, "message", message);
    }
  if (part.called_from) json["called_from"] = line_json(part.called_from);
  if (!part.warp) return json;
  const Dim3& block = part.warp->block;
  json["block"] = {block.x, block.y, block.z};
  json["warp"] = part.warp->warp;
  return json;
}

// The compiler's own text, or the part's sentence followed by its name.
std::string error_text(const CheckPart& part, const ExerciseCheck& check, const Wording& wording) {
  if (part.diagnosis) return wording.say(part.diagnosis->text());
  const std::string sentence = wording.say(part.sentence);
  return check.rejected_by == kDoesNotCompile ? sentence
                                              : fmt::format("{} [{}]", sentence, name_of(part, wording));
}

}  // namespace

std::string gcc_text(const ExerciseCheck& check, std::string_view source, const std::string& file,
                     const Wording& wording) {
  GccLines lines(source, file);
  for (const CheckPart& part : check.parts) {
    if (part.outcome != CheckPart::kMissed) continue;
    lines.add(part.where, "error", error_text(part, check, wording));
    if (part.diagnosis)
      for (const compile::Diagnosis& other : part.diagnosis->others)
        lines.add(other.where, "error", wording.say(other.text()));
    if (part.called_from) lines.add(part.called_from, "note", wording.say(msg::called_from_here()));
    if (part.other) lines.add(part.other, "note", wording.say(msg::other_access_here()));
    for (const Reason& reason : part.reasons)
      lines.add(reason.where ? reason.where : part.where, "note", wording.say(reason.what));
    if (!part.advice.empty()) lines.add(part.where, "note", wording.say(part.advice));
  }
  for (const compile::Diagnosis& warning : check.warnings)
    if (warning.where.line > 0) lines.add(warning.where, warning.kind, wording.say(warning.text()));
  return lines.take();
}

std::string gcc_repair_text(const Repair& repair, std::string_view source, const Wording& wording) {
  GccLines lines(source, repair.where.file);
  lines.add(repair.where, "note", wording.say(describe(repair)));
  return lines.take();
}

std::string check_json(const Exercise& exercise, const ExerciseCheck& check, const std::string& file) {
  Ordered parts = Ordered::array();
  for (const CheckPart& part : check.parts) parts.push_back(part_json(part));
  const std::vector<Message> warnings = messages_of(check.warnings);
  Ordered json{{"exercise", exercise.name},
               {"lab", exercise.lab},
               {"difficulty", exercise.difficulty},
               {"minutes", exercise.minutes},
               {"concepts", exercise.concepts},
               {"file", file},
               {"passed", check.passed},
               {"rejected_by", check.rejected_by},
               {"seed", check.seed},
               {"parts", std::move(parts)},
               {"warnings", texts_of(warnings)},
               {"printed", check.printed}};
  report::put_messages(json, "warning_messages", warnings);
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

std::string repair_json(const Repair& repair) {
  const Message message = describe(repair);
  Ordered json{{"line", repair.where.line}, {"kind", name_in(kEditKinds, repair.kind)}};
  report::put_message(json, "message", message);
  json["text"] = message.text();
  json["other_lines"] = repair.other_lines;
  return json.dump();
}

std::string with_repair(const std::string& check, const std::string& repair) {
  Ordered json = Ordered::parse(check);
  json["repair"] = Ordered::parse(repair);
  return json.dump();
}

std::string checks_json_text(const std::vector<std::string>& checks, const report::Tool& tool) {
  return fmt::format(
      "{{\n  \"schema\": \"cudalab.check/1\",\n  \"tool\": {},\n  \"checks\": [\n    {}\n  ]\n}}\n",
      Ordered{{"version", tool.version}, {"commit", tool.commit}}.dump(), joined(checks, ",\n    "));
}

}  // namespace cudalab::course
