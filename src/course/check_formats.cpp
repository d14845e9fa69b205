#include "course/check_formats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/named.h"
#include "core/text.h"
#include "report/text/names.h"

namespace cudalab::course {
namespace {

using Ordered = nlohmann::ordered_json;

// ---- lines as compilers write them -----------------------------------------------------------------------

// Where the text of the line begins: nothing closer is known.
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

  // In line 1 where no line is known.
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

// "mine.cu:12: warning: unused variable": the place, the kind and the rest.
struct Said {
  SourceLine where;
  std::string kind, what;
};
std::optional<Said> parts_of(const std::string& said) {
  for (const char* kind : {"warning", "error"}) {
    const std::size_t at = said.find(fmt::format(": {}: ", kind));
    if (at == std::string::npos) continue;
    const std::size_t colon = said.rfind(':', at - 1);
    const std::string number = colon < at ? said.substr(colon + 1, at - colon - 1) : "";
    if (number.empty() || !std::ranges::all_of(number, is_digit) || number.size() > 9) return std::nullopt;
    return Said{{said.substr(0, colon), std::stoi(number)},
                kind,
                said.substr(at + std::string_view(kind).size() + 4)};
  }
  return std::nullopt;
}

std::string without_kind(const std::string& sentence) {
  constexpr std::string_view kError = "error: ";
  return sentence.starts_with(kError) ? sentence.substr(kError.size()) : sentence;
}

// ---- JSON ------------------------------------------------------------------------------------------------

constexpr Named<CheckPart::Outcome> kOutcomes[]{
    {"met", CheckPart::kMet}, {"missed", CheckPart::kMissed}, {"not_reached", CheckPart::kNotReached}};

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

Ordered part_json(const CheckPart& part) {
  Ordered json{{"name", part.name},
               {"outcome", name_in(kOutcomes, part.outcome)},
               {"sentence", part.sentence},
               {"advice", part.advice},
               {"where", line_json(part.where)},
               {"other", line_json(part.other)},
               {"case", case_json(part.on)}};
  if (!part.warp) return json;
  const Dim3& block = part.warp->block;
  json["block"] = {block.x, block.y, block.z};
  json["warp"] = part.warp->warp;
  return json;
}

}  // namespace

std::string gcc_text(const ExerciseCheck& check, std::string_view source, const std::string& file,
                     const Wording& wording) {
  GccLines lines(source, file);
  for (const CheckPart& part : check.parts) {
    if (part.outcome != CheckPart::kMissed) continue;
    const bool is_compilers = check.rejected_by == "does not compile";
    const std::string what =
        is_compilers ? without_kind(part.sentence)
                     : fmt::format("{} [{}]", wording.text(part.sentence), wording.text(part.name));
    lines.add(part.where, "error", what);
    if (part.other) lines.add(part.other, "note", wording.say<"the other access is here">());
    if (!part.advice.empty()) lines.add(part.where, "note", wording.text(part.advice));
  }
  for (const std::string& warning : check.warnings)
    if (const auto said = parts_of(warning)) lines.add(said->where, said->kind, said->what);
  return lines.take();
}

std::string check_json(const Exercise& exercise, const ExerciseCheck& check, const std::string& file) {
  Ordered parts = Ordered::array();
  for (const CheckPart& part : check.parts) parts.push_back(part_json(part));
  return Ordered{{"exercise", exercise.name},
                 {"lab", exercise.lab},
                 {"file", file},
                 {"passed", check.passed},
                 {"rejected_by", check.rejected_by},
                 {"seed", check.seed},
                 {"parts", std::move(parts)},
                 {"warnings", check.warnings},
                 {"printed", check.printed}}
      .dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

std::string checks_json_text(const std::vector<std::string>& checks, const report::Tool& tool) {
  return fmt::format(
      "{{\n  \"schema\": \"cudalab.check/1\",\n  \"tool\": {},\n  \"checks\": [\n    {}\n  ]\n}}\n",
      Ordered{{"version", tool.version}, {"commit", tool.commit}}.dump(), joined(checks, ",\n    "));
}

}  // namespace cudalab::course
