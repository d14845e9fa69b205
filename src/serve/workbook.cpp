// Answers the requests of the workbook's page with JSON. Each route calls a function of the course, or starts
// the command that a learner would type.
#include "serve/workbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/digest.h"
#include "core/error.h"
#include "core/text.h"
#include "course/screen.h"
#include "lab/locate.h"
#include "messages/serve.h"
#include "serve/access.h"
#include "serve/assets.h"
#include "serve/check_view.h"
#include "serve/page_texts.h"

namespace cudalab::serve {
namespace {

using Json = nlohmann::ordered_json;
using course::Exercise;

constexpr std::size_t kFolderIdLength = 16;  // distinguishes folders in what a browser keeps

struct NotFound {};

Response refusal(Status status, const std::string& why) { return json_response({{"error", why}}, status); }

Status status_of(const Error& error) {
  switch (error.code()) {
    case ExitCode::kUsage: return kBadRequest;
    case ExitCode::kFailed: return kConflict;
    default: return kUnavailableNow;
  }
}

}  // namespace

Response json_response(const Json& json, int status) {
  return {.status = status,
          .type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

std::string event_text(std::string_view event, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", event,
                     data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Workbook::Workbook(std::filesystem::path folder, LearnerActions actions, Message objection, Language language,
                   Tell tell)
    : folder_(std::move(folder)),
      actions_(std::move(actions)),
      objection_(std::move(objection)),
      language_(language),
      tell_(std::move(tell)),
      jobs_(objection_.empty()) {}

const std::vector<Workbook::Route>& Workbook::routes() {
  static const std::vector<Route> table{
      {"GET", "/api/texts", "", &Workbook::texts},
      {"GET", "/api/course", "", &Workbook::course},
      {"GET", "/api/events", "", &Workbook::events},
      {"GET", "/api/file", "", &Workbook::read_source},
      {"PUT", "/api/file", "", &Workbook::write_source},
      {"GET", "/api/options/", "", &Workbook::show_options},
      {"POST", "/api/jobs", "", &Workbook::start_job},
      {"GET", "/api/jobs/", "", &Workbook::show_job},
      {"DELETE", "/api/jobs/", "", &Workbook::cancel_job},
      {"GET", "/api/page/", "", &Workbook::result_page},
      {"GET", "/api/trace/", "", &Workbook::result_trace},
      {"GET", "/api/lab/", "/answer", &Workbook::answer_to_question},
      {"GET", "/api/lab/", "/quiz", &Workbook::quiz},
      {"POST", "/api/lab/", "/quiz", &Workbook::mark_quiz},
      {"GET", "/api/lab/", "/lesson", &Workbook::lesson},
      {"POST", "/api/lab/", "/predict", &Workbook::predict},
      {"GET", "/api/lab/", "", &Workbook::handout},
      {"POST", "/api/exercise/", "/start", &Workbook::start_exercise},
      {"POST", "/api/exercise/", "/hint", &Workbook::hint},
      {"POST", "/api/exercise/", "/reset", &Workbook::reset},
      {"POST", "/api/exercise/", "/solution", &Workbook::solution},
      {"GET", "/api/exercise/", "", &Workbook::show_exercise},
  };
  return table;
}

const Workbook::InLanguage& Workbook::language_of(const Request& request) {
  Language language = language_;
  if (const auto asked = request.query.find("lang"); asked != request.query.end())
    for (const auto& [name, value] : kLanguages)
      if (name == asked->second) language = value;
  if (const auto known = languages_.find(language); known != languages_.end()) return known->second;
  const Wording wording = actions_.wording(language);
  return languages_.emplace(language, InLanguage{wording, actions_.course(wording)}).first->second;
}

Response Workbook::route(const Request& request) {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  if (method == "GET" && !request.path.starts_with("/api/")) {
    const std::optional<Asset> asset = find_asset(request.path);
    if (!asset) throw NotFound{};
    return {.type = std::string(asset->type), .body = std::string(asset->text)};
  }
  for (const Route& each : routes()) {
    const std::string_view path = request.path;
    if (each.method != method || !path.starts_with(each.before) || !path.ends_with(each.after)) continue;
    if (path.size() < each.before.size() + each.after.size()) continue;
    Call call{request, language_of(request), "", Json::object()};
    call.name = path.substr(each.before.size(), path.size() - each.before.size() - each.after.size());
    if (each.before.ends_with('/') == call.name.empty() || call.name.find('/') != std::string::npos) continue;
    if (method == "POST" || method == "PUT") {
      if (!request.header("content-type").starts_with("application/json"))
        return refusal(kUnsupportedType, "application/json is expected");
      call.body = Json::parse(request.body, nullptr, false);
      if (!call.body.is_object()) return refusal(kBadRequest, "a JSON object is expected");
    }
    return (this->*each.action)(call);
  }
  throw NotFound{};
}

Response Workbook::answer(const Request& request) {
  Response response;
  try {
    response = route(request);
  } catch (const NotFound&) {
    response = refusal(kNotFound, "not found");
  } catch (const Error& error) {
    response = refusal(status_of(error), language_of(request).wording.say(error.message()));
  } catch (const Json::exception&) {
    response = refusal(kBadRequest, "a member is missing or of the wrong type");
  } catch (const std::exception& error) {
    response = refusal(kServerError, fmt::format("internal error, a bug in cudalab: {}", error.what()));
  }
  if (request.path.starts_with("/api/page/") && response.status == 200)
    confine_result(response);
  else
    confine(response);
  return response;
}

course::Workspace Workbook::workspace() const { return course::load_workspace(folder_.path()); }

const Exercise& Workbook::exercise(const Call& call) const {
  const Exercise* const found = course::find_exercise(call.language.course, call.name);
  if (!found) throw NotFound{};
  return *found;
}

const lab::Lab& Workbook::lab(const Call& call) const {
  const lab::Lab* const found = lab::find_lab(call.name);
  if (!found || found->name != call.name) throw NotFound{};
  return *found;
}

// ---- the course ----------------------------------------------------------------------------------------

namespace {

const char* state_of(const Exercise& exercise, const course::Workspace& workspace) {
  const auto found = workspace.exercises.find(exercise.name);
  if (found == workspace.exercises.end()) return "new";
  if (!found->second.passed.empty()) return "passed";
  return found->second.gave_up.empty() ? "started" : "solution";
}

}  // namespace

std::string source_of(const Exercise& exercise) { return exercise.lab + "/" + exercise.name + ".cu"; }

Json exercise_json(const Exercise& exercise, const course::Workspace& workspace) {
  const auto known = workspace.exercises.find(exercise.name);
  const course::Progress progress = known == workspace.exercises.end() ? course::Progress{} : known->second;
  return {{"name", exercise.name},
          {"lab", exercise.lab},
          {"title", exercise.title},
          {"state", state_of(exercise, workspace)},
          {"checks", progress.checks},
          {"hints", progress.hints},
          {"file", source_of(exercise)},
          {"program", exercise.is_program},
          {"kernel", !exercise.is_program || !exercise.kernel_stage.empty()}};
}

Response Workbook::texts(const Call& call) {
  const Wording& wording = call.language.wording;
  Json texts = Json::object();
  for (const auto& [key, text] : page_texts(wording)) texts[key] = text;
  return json_response({{"lang", name_in(kLanguages, wording.language())}, {"texts", texts}});
}

Response Workbook::course(const Call& call) {
  const course::Workspace now = workspace();
  const auto& [wording, all] = call.language;
  const Exercise* const current = actions_.next(all, now);
  Json labs = Json::array();
  for (const lab::Lab& each : lab::labs()) {
    Json exercises = Json::array();
    for (const Exercise& exercise : all)
      if (exercise.lab == each.name) exercises.push_back(exercise_json(exercise, now));
    const auto quiz = now.quizzes.find(each.name);
    labs.push_back({{"name", each.name}, {"title", wording.text(each.title)}, {"exercises", exercises}});
    if (quiz != now.quizzes.end())
      labs.back()["quiz"] = {{"right", quiz->second.right}, {"of", quiz->second.of}};
  }
  return json_response(
      {{"progress", course::progress_line(all, now, wording)},
       {"current", current ? Json(current->name) : Json(nullptr)},
       {"folder", folder_.path().filename().string()},
       {"id", digest(folder_.path().string()).substr(0, kFolderIdLength)},
       {"objection", objection_.empty() ? "" : wording.say(msg::serve_without_sandbox(objection_))},
       {"labs", labs},
       {"files", folder_.sources()}});
}

// A page reads the course when its stream is open, so only later changes are news.
Response Workbook::events(const Call&) {
  if (last_state_.empty()) last_state_ = folder_.state();
  return {.type = "text/event-stream", .body = "retry: 1000\n\n", .is_stream = true};
}

void Workbook::tell_news() {
  for (const Jobs::Running& job : jobs_.running())
    tell_("job", {{"id", job.id}, {"seconds", job.seconds}, {"said", job.said}});
  std::string state = folder_.state();
  if (state == last_state_) return;
  last_state_ = std::move(state);
  tell_("files", Json::object());
}

}  // namespace cudalab::serve
