// The part of the workbook where a learner works: exercises, sources, hints, and jobs that check and run
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/programs.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "lab/locate.h"
#include "messages/serve.h"
#include "serve/check_view.h"
#include "serve/handout_page.h"
#include "serve/workbook.h"

namespace cudalab::serve {
namespace {

using Json = nlohmann::ordered_json;
using course::Exercise;

// Limits on the number and total size of results that are kept for the page. The newest results are kept.
constexpr std::size_t kMostOutcomes = 24, kMostKept = 64u << 20;
constexpr std::size_t kMostWords = 64;
constexpr const char* kPage = "cudalab-page.html";
constexpr const char* kTrace = "cudalab-trace.json";
// Instructions in one trace, which keeps its document smaller than a job's results may be.
constexpr std::uint64_t kTraceSteps = 4000;

}  // namespace

Response Workbook::show_exercise(const Call& call) {
  const Exercise& shown = exercise(call);
  Json json = exercise_json(shown, workspace());
  json["task"] = Json::array();
  for (const std::string& paragraph : shown.task) json["task"].push_back(inline_html(paragraph));
  json["hints_shown"] = Json::array();
  for (std::size_t i = 0; i < std::min(json["hints"].get<std::size_t>(), course::kHints); ++i)
    json["hints_shown"].push_back(inline_html(shown.hints[i]));
  json["hints_of"] = course::kHints;
  json["cases"] = Json::array();
  for (const course::Case& each : course::all_cases(shown))
    json["cases"].push_back(call.language.wording.say(course::named(each)));
  return json_response(json);
}

Response Workbook::start_exercise(const Call& call) {
  actions_.start(folder_.path(), call.language.course, exercise(call), call.language.wording);
  return show_exercise(call);
}

Response Workbook::hint(const Call& call) {
  actions_.show_hint(folder_.path(), exercise(call));
  return show_exercise(call);
}

Response Workbook::reset(const Call& call) {
  const Exercise& of = exercise(call);
  const std::string file = source_of(of);
  if (const SourceText now = folder_.read(file);
      !now.problem.empty() && !nothing_is_at(folder_.path() / file))
    throw usage_error(now.problem);
  return json_response({{"said", actions_.reset(workspace(), of, call.language.wording)}});
}

Response Workbook::solution(const Call& call) {
  const Exercise& of = exercise(call);
  if (!workspace().is_done(of.name)) {
    if (!call.body.value("give_up", false))
      throw Error(ExitCode::kFailed, msg::serve_solution_not_passed(of.name));
    actions_.note_giving_up(folder_.path(), of);
  }
  return json_response({{"text", read_text(of.solution())}});
}

// ---- sources -------------------------------------------------------------------------------------------

Response Workbook::read_source(const Call& call) {
  const auto path = call.request.query.find("path");
  if (path == call.request.query.end()) throw usage_error(msg::serve_file_name_wrong(""));
  const SourceText source = folder_.read(path->second);
  if (!source.problem.empty())
    return json_response({{"error", call.language.wording.say(source.problem)}}, kNotFound);
  return json_response({{"path", path->second}, {"text", source.text}, {"digest", digest(source.text)}});
}

// Saves only if the file still has the text that the page knows, so no other editor's text is lost.
Response Workbook::write_source(const Call& call) {
  const std::string path = call.body.at("path"), text = call.body.at("text"), known = call.body.at("digest");
  const SourceText now = folder_.read(path);
  if (now.problem.empty() && digest(now.text) != known && now.text != text)
    return json_response({{"error", call.language.wording.say(msg::serve_file_changed(path))},
                          {"text", now.text},
                          {"digest", digest(now.text)}},
                         kConflict);
  if (const Message problem = folder_.write(path, text); !problem.empty()) throw usage_error(problem);
  return json_response({{"digest", digest(text)}});
}

// ---- options of a command ------------------------------------------------------------------------------

namespace {

// The workbook sets these itself, or they need a terminal or a GPU.
constexpr std::array kNotInForms{"--html",    "--json",   "--color", "--device",
                                 "--profile", "--repeat", "--dump"};

}  // namespace

Response Workbook::show_options(const Call& call) {
  const bool is_lab = lab::find_lab(call.name) != nullptr;
  if (!is_lab && call.name != "run") throw usage_error(msg::serve_command_unknown(call.name));
  Json options = Json::array();
  for (const CommandOption& each : actions_.options(call.name, call.language.wording))
    if (std::ranges::find(kNotInForms, each.name) == kNotInForms.end())
      options.push_back({{"name", each.name},
                         {"placeholder", each.placeholder},
                         {"help", each.help},
                         {"values", each.values},
                         {"group", each.group},
                         {"words", each.words},
                         {"repeated", each.is_repeated}});
  return json_response(options);
}

// ---- jobs ----------------------------------------------------------------------------------------------

namespace {

// Adds the option for the page's language to a command.
std::vector<std::string> in_language(std::vector<std::string> words, const Wording& wording) {
  words.emplace_back("--language");
  words.emplace_back(name_in(kLanguages, wording.language()));
  return words;
}

std::vector<std::string> words_in(const Json& list) {
  if (!list.is_array() || list.size() > kMostWords) throw usage_error(msg::serve_too_many_words(kMostWords));
  return list.get<std::vector<std::string>>();
}

// Adds a source of the folder, and the headers beside it.
void add_sources(JobOrder& order, const std::string& path, const CourseFolder& folder) {
  const SourceText source = folder.read(path);
  if (!source.problem.empty()) throw usage_error(source.problem);
  const std::string beside = path.substr(0, path.rfind('/') + 1);
  const auto is_there = [&](const std::string& name) {
    return std::ranges::any_of(order.files, [&](const auto& file) { return file.first == name; });
  };
  if (!is_there(path)) order.files.emplace_back(path, source.text);
  for (const std::string& other : folder.sources())
    if (!other.ends_with(".cu") && other.substr(0, other.rfind('/') + 1) == beside && !is_there(other))
      if (const SourceText header = folder.read(other); header.problem.empty())
        order.files.emplace_back(other, header.text);
}

// Without a sandbox, a command must not name a file outside of its job's folder.
bool names_a_place(const std::string& word) {
  return word.find('/') != std::string::npos || word.find("..") != std::string::npos;
}

}  // namespace

// If no sandbox is available, kernels run on the virtual GPU, and programs do not run.
Message Workbook::objection_to(const JobOrder& order, bool is_program) const {
  if (objection_.empty()) return {};
  if (is_program) return msg::serve_program_needs_sandbox(objection_);
  for (const std::string& word : order.words)
    if (names_a_place(word) &&
        std::ranges::none_of(order.files, [&](const auto& file) { return file.first == word; }))
      return msg::serve_word_needs_sandbox(word, objection_);
  return {};
}

JobOrder Workbook::check_order(const Exercise& exercise, const Call& call) const {
  JobOrder order;
  const std::string file = source_of(exercise);
  add_sources(order, file, folder_);
  order.words =
      in_language({"check", file, "--exercise", exercise.name, "--json", fmt::format("--html={}", kPage)},
                  call.language.wording);
  order.results = {kPage};
  return order;
}

namespace {

// A job that names an exercise has its own workspace, with the progress on which its command depends.
void add_workspace(JobOrder& order, const Exercise& exercise, course::Workspace workspace) {
  course::Workspace copy{"", {}};
  copy.exercises[exercise.name] = workspace.exercises[exercise.name];
  order.files.emplace_back(course::kProgressFile, course::progress_text(copy));
}

}  // namespace

JobOrder Workbook::line_hint_order(const Exercise& exercise, const Call& call) const {
  JobOrder order;
  add_sources(order, source_of(exercise), folder_);
  add_workspace(order, exercise, workspace());
  order.words = in_language({"hint", exercise.name}, call.language.wording);
  order.results = {course::kProgressFile};
  return order;
}

JobOrder Workbook::lab_order(const Call& call) const {
  JobOrder order;
  order.words = words_in(call.body.at("words"));
  if (order.words.empty() || !lab::find_lab(order.words.front()))
    throw usage_error(msg::serve_command_unknown(order.words.empty() ? "" : order.words.front()));
  for (const std::string& word : order.words)
    if (CourseFolder::is_source_name(word) && folder_.read(word).problem.empty())
      add_sources(order, word, folder_);
  order.words.push_back(fmt::format("--html={}", kPage));
  order.words.push_back(fmt::format("--json={}", kDocument));
  order.words = in_language(std::move(order.words), call.language.wording);
  order.results = {kPage, kDocument};
  return order;
}

JobOrder Workbook::run_order(const Call& call, bool& is_program) const {
  JobOrder order;
  const std::string file = call.body.at("file");
  const std::vector<std::string> options = words_in(call.body.at("words"));
  add_sources(order, file, folder_);
  const auto names_kernel = [](const std::string& word) { return word.starts_with("--kernel"); };
  const bool runs_a_kernel = std::ranges::any_of(options, names_kernel);
  is_program = !runs_a_kernel && compile::has_main(order.files.front().second);
  order.words = in_language({"run", file}, call.language.wording);
  if (runs_a_kernel || is_program) {
    order.words.push_back(fmt::format("--html={}", kPage));
    order.words.push_back(fmt::format("--json={}", kDocument));
  }
  order.words.insert(order.words.end(), options.begin(), options.end());
  order.results = {kPage, kDocument};
  return order;
}

JobOrder Workbook::compare_order(const Call& call) const {
  JobOrder order;
  for (const auto& [member, file] : {std::pair{"before", "before.json"}, {"after", "after.json"}}) {
    const auto id = call.body.at(member).get<Jobs::Id>();
    const auto found = std::ranges::find(outcomes_, id, &Outcome::id);
    if (found == outcomes_.end() || !found->end.results.contains(kDocument))
      throw usage_error(msg::serve_no_result(id));
    order.files.emplace_back(file, found->end.results.at(kDocument));
  }
  order.words = in_language({"compare", "before.json", "after.json", fmt::format("--html={}", kPage)},
                            call.language.wording);
  order.results = {kPage};
  return order;
}

// The page asks for a case and a warp by numbers; `cudalab step` says whether they exist.
JobOrder Workbook::debug_order(const Exercise& exercise, const Call& call) const {
  const Json& body = call.body;
  JobOrder order;
  add_sources(order, source_of(exercise), folder_);
  add_workspace(order, exercise, workspace());
  order.words = in_language(
      {"step", exercise.name, "--debug", fmt::format("--json={}", kTrace),
       fmt::format("--steps={}", kTraceSteps), fmt::format("--case={}", body.value("case", std::uint64_t{1})),
       fmt::format("--from={}", body.value("from", std::uint64_t{0}))},
      call.language.wording);
  if (body.value("hazard", false)) {
    order.words.emplace_back("--hazard");
  } else {
    const auto lines = body.value("lines", std::vector<std::uint32_t>{});
    if (lines.size() > kMostWords) throw usage_error(msg::serve_too_many_words(kMostWords));
    if (!lines.empty()) order.words.push_back(fmt::format("--break={}", fmt::join(lines, ",")));
    const auto block = body.value("block", std::vector<std::uint32_t>{});
    order.words.push_back(fmt::format("--warp={}", body.value("warp", std::uint32_t{0})));
    if (!block.empty()) order.words.push_back(fmt::format("--block={}", fmt::join(block, ",")));
  }
  order.results = {kTrace};
  return order;
}

Response Workbook::start_job(const Call& call) {
  const std::string kind = call.body.at("kind");
  JobOrder order;
  bool is_program = false, is_starter = false;
  if (kind == "check" || kind == "hint" || kind == "debug") {
    const Call named{call.request, call.language, call.body.at("exercise"), call.body};
    const Exercise& of = exercise(named);
    is_program = of.is_program && kind != "debug";  // which runs a kernel alone
    order = kind == "check"  ? check_order(of, call)
            : kind == "hint" ? line_hint_order(of, call)
                             : debug_order(of, call);
    is_starter = order.files.front().second == read_text(of.starter());
  } else if (kind == "lab") {
    order = lab_order(call);
  } else if (kind == "run") {
    order = run_order(call, is_program);
  } else if (kind == "compare") {
    order = compare_order(call);
  } else {
    throw usage_error(msg::serve_command_unknown(kind));
  }
  if (const Message objection = objection_to(order, is_program); !objection.empty())
    throw unavailable_error(objection);
  return begin_job(order, call.body, is_starter, call.language.wording);
}

Response Workbook::begin_job(const JobOrder& order, Json description, bool is_starter,
                             const Wording& wording) {
  const Jobs::Id id = jobs_.start(order, [this, language = wording.language()](Jobs::Id ended, JobEnd end) {
    end_job(ended, std::move(end), language);
  });
  outcomes_.push_back({.id = id, .order = std::move(description), .is_starter = is_starter});
  return json_response({{"id", id}});
}

namespace {

std::size_t bytes_of(const JobEnd& end) {
  std::size_t bytes = end.output.size() + end.errors.size();
  for (const auto& [name, text] : end.results) bytes += text.size();
  return bytes;
}

}  // namespace

void Workbook::forget_old_outcomes() {
  std::size_t bytes = 0;
  for (const Outcome& each : outcomes_) bytes += bytes_of(each.end);
  while (outcomes_.size() > 1 && outcomes_.front().is_done &&
         (outcomes_.size() > kMostOutcomes || bytes > kMostKept)) {
    bytes -= bytes_of(outcomes_.front().end);
    outcomes_.pop_front();
  }
}

Workbook::Outcome* Workbook::outcome(Jobs::Id id) {
  const auto found = std::ranges::find(outcomes_, id, &Outcome::id);
  return found == outcomes_.end() ? nullptr : &*found;
}

void Workbook::end_job(Jobs::Id id, JobEnd end, Language language) {
  Outcome* const ended = outcome(id);
  if (!ended) return;
  const auto& [wording, exercises] = languages_.at(language);
  const std::string kind = ended->order.value("kind", ""), name = ended->order.value("exercise", "");
  const Exercise* const of = course::find_exercise(exercises, name);
  try {
    if (of && kind == "check") {
      ended->check = check_in_language(Json::parse(end.output, nullptr, false), wording);
      if (!ended->check.is_null())
        actions_.note_check(folder_.path(), *of, ended->check.value("passed", false),
                            ended->is_starter ? "" : ended->check.value("rejected_by", ""));
    }
    if (const auto kept = end.results.find(course::kProgressFile); of && kept != end.results.end()) {
      const Json progress = Json::parse(kept->second, nullptr, false);
      const auto pointer = Json::json_pointer("/exercises") / name / "line_shown_of";
      if (progress.contains(pointer) && progress[pointer].is_string())
        actions_.note_line_shown(folder_.path(), *of, progress[pointer]);
    }
    if (kind == "predict" && end.stopped.empty())
      ended->prediction = prediction_from(end, ended->order, wording);
  } catch (const Error& error) {  // the progress file cannot be written, or a run gave no number
    end.errors += wording.say(error.message()) + "\n";
  } catch (const Json::exception&) {  // the job wrote something else
    end.errors += wording.say(msg::serve_result_malformed(kDocument)) + "\n";
  }
  ended->end = std::move(end);
  ended->is_done = true;
  forget_old_outcomes();
  tell_("done", {{"id", id}});
}

namespace {

Jobs::Id id_from(const std::string& name) { return natural(name).value_or(0); }

}  // namespace

Response Workbook::show_job(const Call& call) {
  const Outcome* const shown = outcome(id_from(call.name));
  if (!shown) return json_response({{"error", "no such job"}}, kNotFound);
  const JobEnd& end = shown->end;
  Json json{{"id", shown->id},
            {"order", shown->order},
            {"done", shown->is_done},
            {"exit_code", end.exit_code},
            {"stopped", end.stopped.empty() ? "" : call.language.wording.say(end.stopped)},
            {"output", harmless_lines(end.output)},
            {"errors", harmless_lines(end.errors)},
            {"page", end.results.contains(kPage)},
            {"document", end.results.contains(kDocument)}};
  json["trace"] = end.results.contains(kTrace);
  if (!shown->prediction.is_null()) json["prediction"] = shown->prediction;
  if (!shown->check.is_null()) {
    json["check"] = shown->check;
    json["output"] = "";
  }
  return json_response(json);
}

Response Workbook::cancel_job(const Call& call) {
  jobs_.cancel(id_from(call.name));
  return json_response(Json::object());
}

Response Workbook::result_trace(const Call& call) {
  const Outcome* const shown = outcome(id_from(call.name));
  if (!shown || !shown->end.results.contains(kTrace))
    return json_response({{"error", "no such trace"}}, kNotFound);
  const Json document = Json::parse(shown->end.results.at(kTrace), nullptr, false);
  return json_response(trace_in_language(document, call.language.wording));
}

Response Workbook::result_page(const Call& call) {
  const Outcome* const shown = outcome(id_from(call.name));
  if (!shown || !shown->end.results.contains(kPage))
    return json_response({{"error", "no such page"}}, kNotFound);
  Response page{.type = "text/html; charset=utf-8", .body = shown->end.results.at(kPage)};
  if (call.request.query.contains("save"))
    page.headers.emplace_back("Content-Disposition", "attachment; filename=\"cudalab-result.html\"");
  return page;
}

}  // namespace cudalab::serve
