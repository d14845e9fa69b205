// The workbook's requests: the course, handouts, sources, hints, quizzes, and jobs that check and run
// kernels.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/languages/wording.h"
#include "course/exercise.h"
#include "course/learner/workspace.h"
#include "serve/course_folder.h"
#include "serve/http/server.h"
#include "serve/jobs.h"
#include "serve/learner_actions.h"

namespace cudalab::serve {

Response json_response(const nlohmann::ordered_json& json, int status = kOk);

// An exercise, the learner's progress with it, and its source in the course folder.
nlohmann::ordered_json exercise_json(const course::Exercise& exercise, const course::Workspace& workspace);
std::string source_of(const course::Exercise& exercise);

// The document that a job writes with its results.
inline constexpr const char* kDocument = "cudalab-result.json";

// A server-sent event.
std::string event_text(std::string_view event, const nlohmann::ordered_json& data);

class Workbook {
 public:
  using Json = nlohmann::ordered_json;
  // Tells all open pages: the name of an event and its data.
  using Tell = std::function<void(std::string_view event, const Json& data)>;

  // `objection`: why no sandbox is available. If it is empty, programs run in the sandbox.
  Workbook(std::filesystem::path folder, LearnerActions actions, Message objection, Language language,
           Tell tell);

  // Never throws.
  Response answer(const Request& request);

  std::vector<int> descriptors() const { return jobs_.descriptors(); }
  void attend_jobs() { jobs_.attend(); }
  // Tells pages how long jobs have been running, and whether a file has changed.
  void tell_news();

 private:
  struct InLanguage {
    Wording wording;
    std::vector<course::Exercise> course;
  };
  struct Outcome {
    Jobs::Id id = 0;
    Json order;               // the requested job, for the page
    bool is_starter = false;  // a check of an unchanged starter, which reveals no mistake of the learner
    bool is_done = false;
    JobEnd end{};
    Json check{};
    Json prediction{};  // of a lesson's step, compared with the run
  };

  // A request with the name in its path: api/lab/transpose/quiz has the name "transpose".
  struct Call {
    const Request& request;
    const InLanguage& language;
    std::string name;
    Json body;  // of a POST or PUT
  };
  using Action = Response (Workbook::*)(const Call&);
  struct Route {
    std::string_view method, before, after;  // around the name; without `after` the name is the rest
    Action action;
  };
  static const std::vector<Route>& routes();

  Response route(const Request& request);
  const InLanguage& language_of(const Request& request);
  course::Workspace workspace() const;
  const course::Exercise& exercise(const Call& call) const;
  const lab::Lab& lab(const Call& call) const;
  Message objection_to(const JobOrder& order, bool is_program) const;

  Response texts(const Call& call);
  Response course(const Call& call);
  Response handout(const Call& call);
  Response answer_to_question(const Call& call);
  Response quiz(const Call& call);
  Response mark_quiz(const Call& call);
  Response lesson(const Call& call);
  Response predict(const Call& call);
  Response show_exercise(const Call& call);
  Response start_exercise(const Call& call);
  Response hint(const Call& call);
  Response reset(const Call& call);
  Response solution(const Call& call);
  Response read_source(const Call& call);
  Response write_source(const Call& call);
  Response show_options(const Call& call);
  Response start_job(const Call& call);
  Response show_job(const Call& call);
  Response cancel_job(const Call& call);
  Response result_page(const Call& call);
  Response result_trace(const Call& call);
  Response events(const Call& call);

  JobOrder check_order(const course::Exercise& exercise, const Call& call) const;
  JobOrder line_hint_order(const course::Exercise& exercise, const Call& call) const;
  JobOrder lab_order(const Call& call) const;
  JobOrder run_order(const Call& call, bool& is_program) const;
  JobOrder compare_order(const Call& call) const;
  JobOrder debug_order(const course::Exercise& exercise, const Call& call) const;
  Response begin_job(const JobOrder& order, Json description, bool is_starter, const Wording& wording);
  Json prediction_from(const JobEnd& end, const Json& order, const Wording& wording) const;
  void end_job(Jobs::Id id, JobEnd end, Language language);
  Outcome* outcome(Jobs::Id id);
  void forget_old_outcomes();

  CourseFolder folder_;
  LearnerActions actions_;
  Message objection_;
  Language language_;  // for pages that request no language
  Tell tell_;
  std::map<Language, InLanguage> languages_;
  std::string last_state_;
  std::deque<Outcome> outcomes_;  // the last ones
  Jobs jobs_;
};

}  // namespace cudalab::serve
