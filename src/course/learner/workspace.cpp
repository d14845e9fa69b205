// A learner's folder: its exercises and handouts, the learner's progress, and the settings for editors.
#include "course/learner/workspace.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compile/compiler.h"
#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "course/texts/rewrite.h"
#include "lab/host.h"
#include "lab/locate.h"
#include "messages/course.h"
#include "report/text/layout.h"

namespace cudalab::course {
namespace {

struct DefinesKnown {};  // thrown to end a run before anything is compiled

// Quotes a text for YAML, where a quote is escaped by doubling it.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "''") + "'"; }

// Escapes a text for a regular expression.
std::string literally(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (!is_word(c) && c != '/' && c != '-') text += '\\';
    text += c;
  }
  return text;
}

std::string flags_line(const std::vector<std::string>& flags) {
  return fmt::format("CompileFlags:\n  Add: [{}]\n", joined(flags, ", ", quoted));
}

std::string fragment_of(const EditedFile& file) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : file.defines) flags.push_back(fmt::format("-D{}={}", name, value));
  return fmt::format("---\nIf:\n  PathMatch: {}\n{}", quoted(literally(file.path)), flags_line(flags));
}

}  // namespace

Defines defines_of(const Exercise& exercise, const lab::Lab& lab) {
  if (exercise.is_program) return {};
  const std::unique_ptr<device::Device> device = device::open_virtual_device();
  Defines defines;
  const auto take = [&](const compile::CompileRequest& request) -> compile::CompiledSource {
    defines = request.defines;
    throw DefinesKnown{};
  };
  lab::RunRequest request;
  request.kernel_file = exercise.starter().string();
  request.kernel_stage = exercise.stage;
  request.kernel_alone = true;
  request.options = exercise.cases.front();
  request.settings.launch.predict = false;
  try {
    lab::run_lab(lab, request, lab::Machine{*device, take, lab::labs_directory(), lab::describe_host()});
  } catch (DefinesKnown) {
  }
  return defines;
}

std::string clangd_text(std::span<const EditedFile> files,
                        const std::optional<std::filesystem::path>& toolkit) {
  // clangd has known this architecture since version 11. With an unknown architecture it parses no file at
  // all.
  std::vector<std::string> flags{"-xcuda", "-std=c++17", "--cuda-gpu-arch=sm_80",
                                 "-Wno-unknown-cuda-version"};
  if (toolkit) flags.push_back("--cuda-path=" + toolkit->string());
  std::string text = fmt::format("# {}\n{}", kWrittenByCudalab, flags_line(flags));
  for (const EditedFile& file : files)
    if (!file.defines.empty()) text += fragment_of(file);
  return text;
}

std::string vscode_tasks_text() {
  constexpr const char* kText =
#include "embedded/vscode_tasks.json"
      ;
  return fmt::format("// {}\n{}", kWrittenByCudalab, kText);
}

std::string vscode_extensions_text() {
  return fmt::format("// {}\n{{\n  \"recommendations\": [\"cudalab.cudalab\"]\n}}\n", kWrittenByCudalab);
}

namespace fs = std::filesystem;
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSchema = "cudalab.workspace/1";
constexpr std::size_t kHandoutWidth = 100;

Progress progress_from(const OrderedJson& text) {
  Progress progress;
  progress.lab = text.value("lab", "");
  progress.started = text.value("started", "");
  progress.passed = text.value("passed", "");
  progress.checks = text.value("checks", 0);
  progress.hints = std::min<std::size_t>(text.value("hints", 0u), kHints);
  progress.gave_up = text.value("gave_up", "");
  progress.line_shown_of = text.value("line_shown_of", "");
  progress.checked = text.value("checked", "");
  progress.mistakes = text.value("mistakes", std::map<std::string, int>{});
  return progress;
}

OrderedJson to_json(const Progress& progress) {
  OrderedJson json{{"lab", progress.lab},       {"started", progress.started}, {"passed", progress.passed},
                   {"checks", progress.checks}, {"hints", progress.hints},     {"gave_up", progress.gave_up}};
  if (!progress.line_shown_of.empty()) json["line_shown_of"] = progress.line_shown_of;
  if (!progress.checked.empty()) json["checked"] = progress.checked;
  if (!progress.mistakes.empty()) json["mistakes"] = progress.mistakes;
  return json;
}

QuizResult quiz_result_from(const OrderedJson& text) {
  return {text.at("right").get<int>(), text.at("of").get<int>(), text.value("date", "")};
}

CoursePath path_from(const OrderedJson& text) {
  CoursePath path{text.at("name"), {}};
  for (const OrderedJson& week : text.at("weeks"))
    path.weeks.push_back({week.at("title"), week.at("exercises").get<std::vector<std::string>>()});
  return path;
}

OrderedJson to_json(const CoursePath& path) {
  OrderedJson json{{"name", path.name}, {"weeks", OrderedJson::array()}};
  for (const PathWeek& week : path.weeks)
    json["weeks"].push_back({{"title", week.title}, {"exercises", week.exercises}});
  return json;
}

std::optional<uid_t> owner_of(const fs::path& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return std::nullopt;
  return found.st_uid;
}

// Whether the search for a workspace ends at this folder.
bool is_last(const fs::path& folder, const fs::path& home) {
  const fs::path above = folder.parent_path();
  std::error_code ignored;
  if (above == folder || above == above.root_path()) return true;
  if (!home.empty() && fs::equivalent(folder, home, ignored)) return true;
  return owner_of(above) != owner_of(folder);
}

}  // namespace

bool Workspace::is_done(const std::string& exercise) const {
  const auto found = exercises.find(exercise);
  return found != exercises.end() && !(found->second.passed.empty() && found->second.gave_up.empty());
}

fs::path Workspace::kernel_file(const Exercise& exercise) const {
  return folder / exercise.lab / (exercise.name + ".cu");
}

fs::path Workspace::handout(const std::string& lab) const { return folder / lab / "README.md"; }

std::optional<fs::path> find_workspace(const fs::path& from) {
  const char* home = std::getenv("HOME");
  return find_workspace(from, home ? home : "");
}

std::optional<fs::path> find_workspace(const fs::path& from, const fs::path& home) {
  std::error_code ignored;
  const fs::path start = fs::absolute(from, ignored).lexically_normal();
  for (fs::path folder = start.has_filename() ? start : start.parent_path();; folder = folder.parent_path()) {
    if (fs::is_regular_file(folder / kProgressFile, ignored)) return folder;
    if (is_last(folder, home)) return std::nullopt;
  }
}

Workspace load_workspace(const fs::path& folder) {
  Workspace workspace{folder, {}};
  const std::string file = workspace.progress_file().string();
  try {
    const OrderedJson text = OrderedJson::parse(read_text(file));
    if (text.at("schema") != kSchema)
      throw usage_error(msg::workspace_other_version(file, text.at("schema").dump(), kSchema));
    for (const auto& [name, one] : text.at("exercises").items())
      workspace.exercises[name] = progress_from(one);
    const OrderedJson quizzes = text.value("quizzes", OrderedJson::object());
    for (const auto& [lab, one] : quizzes.items()) workspace.quizzes[lab] = quiz_result_from(one);
    if (text.contains("path")) workspace.path = path_from(text["path"]);
  } catch (const OrderedJson::exception&) {
    throw usage_error(msg::workspace_damaged(file));
  }
  return workspace;
}

std::string progress_text(const Workspace& workspace) {
  OrderedJson text{{"schema", kSchema}};
  if (workspace.path) text["path"] = to_json(*workspace.path);
  text["exercises"] = OrderedJson::object();
  for (const auto& [name, progress] : workspace.exercises) text["exercises"][name] = to_json(progress);
  for (const auto& [lab, quiz] : workspace.quizzes)
    text["quizzes"][lab] = {{"right", quiz.right}, {"of", quiz.of}, {"date", quiz.date}};
  return text.dump(2) + "\n";
}

void note_quiz(Workspace& workspace, const std::string& lab, const QuizResult& result) {
  const auto [kept, is_first] = workspace.quizzes.try_emplace(lab, result);
  const bool is_better = result.right * kept->second.of > kept->second.right * result.of;
  if (!is_first && is_better) kept->second = result;
}

std::string quizzes_line(const Workspace& workspace, const Wording& wording) {
  Argument::List quizzes;
  for (const auto& [lab, quiz] : workspace.quizzes)
    quizzes.push_back(msg::quiz_score_of_lab(lab, quiz.right, quiz.of));
  return quizzes.empty() ? "" : wording.say(msg::quizzes_done(std::move(quizzes)));
}

bool is_open(const Workspace& workspace, const Exercise& exercise) {
  return workspace.has(exercise.name) && !workspace.is_done(exercise.name);
}

std::vector<std::string> exercises_of(const CoursePath& path) {
  std::vector<std::string> names;
  for (const PathWeek& week : path.weeks)
    names.insert(names.end(), week.exercises.begin(), week.exercises.end());
  return names;
}

const Exercise* next_exercise(std::span<const Exercise> course, const Workspace& workspace,
                              const Exercise& after) {
  const Exercise* first = nullptr;
  bool past = false;
  for (const Exercise& exercise : course) {
    const bool is_candidate = is_open(workspace, exercise) && exercise.name != after.name;
    if (is_candidate && past) return &exercise;
    if (is_candidate && !first) first = &exercise;
    past |= exercise.name == after.name;
  }
  return first;
}

const Exercise* previous_exercise(std::span<const Exercise> course, const Workspace& workspace,
                                  const Exercise& exercise) {
  const Exercise *before = nullptr, *last = nullptr;
  bool past = false;
  for (const Exercise& each : course) {
    past |= each.name == exercise.name;
    if (!workspace.has(each.name) || each.name == exercise.name) continue;
    last = &each;
    if (!past) before = &each;
  }
  return before ? before : last;
}

namespace {

// The position after the table that follows the marker `<!-- exercises LAB -->`; the end of a handout without
// a marker.
std::size_t place_of_tasks(std::string_view handout) {
  constexpr std::string_view kMarker = "<!-- exercises ";
  std::size_t at = handout.find(kMarker);
  if (at == std::string_view::npos) return handout.size();
  do at = std::min(handout.find('\n', at), handout.size() - 1) + 1;
  while (handout.substr(at).starts_with('|'));
  return at;
}

std::string tasks_text(std::span<const Exercise> exercises, const Wording& wording) {
  std::string text;
  for (const Exercise& exercise : exercises) {
    text += fmt::format("\n### {}: {}\n", exercise.name, exercise.title);
    for (const std::string& paragraph : exercise.task)
      text += fmt::format("\n{}\n", report::wrap(paragraph, kHandoutWidth, 0));
    text += fmt::format("\n{}\n", wording.say(msg::handout_commands(exercise.name)));
  }
  return text;
}

}  // namespace

std::string handout_text(std::span<const Exercise> of_the_lab, std::string_view handout_of_the_lab,
                         const Wording& wording) {
  const std::size_t place = place_of_tasks(handout_of_the_lab);
  return handout_in(wording, handout_of_the_lab.substr(0, place)) + tasks_text(of_the_lab, wording) +
         handout_in(wording, handout_of_the_lab.substr(place));
}

const Exercise* exercise_of_file(std::span<const Exercise> course, const fs::path& path) {
  if (const Exercise* named = find_exercise(course, path.stem().string())) return named;
  const fs::path folder = path.parent_path();  // labs/LAB/exercise/NAME/solution.cu, …/NAME/wrong/WHAT.cu
  const fs::path owner = folder.filename() == "wrong" ? folder.parent_path() : folder;
  return find_exercise(course, owner.filename().string());
}

}  // namespace cudalab::course
