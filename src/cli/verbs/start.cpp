// `cudalab start`: copies exercises and handouts into the learner's workspace.

#include <sys/wait.h>

#include <algorithm>
#include <optional>

#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/verbs.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_process.h"
#include "core/text.h"
#include "course/learner/syllabus.h"
#include "course/learner/workspace.h"
#include "lab/lab.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using course::Exercise;

constexpr const char* kNewFolder = "cudalab-course";
constexpr const char* kSyllabusFile = "SYLLABUS.md";

struct StartTexts {
  std::vector<std::string> words;
  std::string path, into, editor = "none";
  bool installs_extension = false;
};

enum class Editor { kNone, kVsCode, kClangd };
constexpr Named<Editor> kEditors[]{
    {"none", Editor::kNone}, {"vscode", Editor::kVsCode}, {"clangd", Editor::kClangd}};

Options start_options(StartTexts& texts) {
  return {
      {"WHAT", "", &texts.words, "labs or exercises, or `all`"},
      {"--path", " NAME|FILE.md", &texts.path,
       "the labs and exercises of a path through the course, week by week: sources, first-course, "
       "second-course, or a syllabus of your own"},
      {"--into", " DIR", &texts.into,
       "the folder; default: the course folder that contains the current folder, else a new cudalab-course"},
      {"--editor", " " + alternatives(kEditors), &texts.editor,
       "write settings for an editor: .clangd with the macros of each kernel; for VS Code also tasks "
       "(.vscode/tasks.json)"},
      {"--install-extension", "", &texts.installs_extension,
       "install the extension of VS Code, with the debugger, by `code --install-extension`"}};
}

// The syllabus of a path, or of an instructor's page.
course::Syllabus syllabus_named(const std::string& word, const Course& course) {
  const std::vector<std::string> names = course::path_names(lab::labs_directory());
  const bool is_file = word.ends_with(".md");
  if (!is_file && std::ranges::find(names, word) == names.end())
    throw usage_error(msg::path_unknown(word, joined(names)));
  const fs::path file = is_file ? fs::path(word) : course::path_file(lab::labs_directory(), word);
  return course::syllabus_from(file.stem(), read_text(file), course, lab::labs(),
                               Message::verbatim(file.filename()));
}

std::vector<const Exercise*> chosen_from(const Course& course, const std::vector<std::string>& words,
                                         const std::optional<course::Syllabus>& syllabus) {
  if (words.empty() && !syllabus) throw usage_error(msg::start_target_missing());
  std::vector<const Exercise*> chosen;
  if (syllabus)
    for (const std::string& name : course::exercises_of(course::path_of(*syllabus)))
      chosen.push_back(course::find_exercise(course, name));
  for (const std::string& word : words) {
    if (word == "all")
      for (const Exercise& exercise : course) chosen.push_back(&exercise);
    else
      for (const Exercise* exercise : exercises_called(course, word)) chosen.push_back(exercise);
  }
  return chosen;
}

// The folder of --into, or else the workspace that contains the current folder, or else a new folder.
course::Workspace workspace_for(const std::string& into) {
  const auto around = into.empty() ? course::find_workspace(".") : std::nullopt;
  const fs::path folder = around ? *around : fs::path(into.empty() ? kNewFolder : into);
  std::error_code ignored;
  if (fs::exists(folder / course::kProgressFile, ignored)) return course::load_workspace(folder);
  return {folder, {}};
}

// Sets the path and writes its page. The page of another path is replaced; the page of the same path is kept.
void put_path(course::Workspace& workspace, const course::Syllabus& syllabus, const Course& course,
              const Wording& wording) {
  course::CoursePath path = course::path_of(syllabus);
  const fs::path page = workspace.folder / kSyllabusFile;
  if (workspace.path != path || nothing_is_at(page))
    write_whole(page, course::syllabus_text(syllabus, course, course_plan(), wording));
  workspace.path = std::move(path);
}

// ---- editors -------------------------------------------------------------------------------------------

// Never overwrites a file that the user wrote.
void put_for_editor(const fs::path& file, const std::string& text, const Console& console) {
  const bool is_there = !nothing_is_at(file);
  if (is_there &&
      read_text(file).substr(0, text.find('\n')).find(course::kWrittenByCudalab) == std::string::npos)
    return console.remark(console.wording.say(msg::start_file_kept(shown_path(file))));
  write_whole(file, text);
  console.say_line(console.wording.say(msg::start_file_written(shown_path(file))));
}

std::optional<fs::path> toolkit() {
  const auto headers = compile::find_toolkit_headers({});
  return headers ? std::optional(compile::toolkit_of(*headers)) : std::nullopt;
}

void write_editor_files(Editor editor, const Course& course, const course::Workspace& workspace,
                        const Console& console) {
  if (editor == Editor::kNone) return;
  std::vector<course::EditedFile> files;
  for (const Exercise& exercise : course) {
    if (!workspace.has(exercise.name)) continue;
    console.show_progress(exercise.name);
    files.push_back({exercise.lab + "/" + exercise.name + ".cu",
                     course::defines_of(exercise, *lab::find_lab(exercise.lab))});
  }
  console.clear_progress();
  put_for_editor(workspace.folder / ".clangd", course::clangd_text(files, toolkit()), console);
  if (editor != Editor::kVsCode) return;
  put_for_editor(workspace.folder / ".vscode" / "tasks.json", course::vscode_tasks_text(), console);
  put_for_editor(workspace.folder / ".vscode" / "extensions.json", course::vscode_extensions_text(), console);
}

// The archive of the extension, which packages have beside the labs.
fs::path extension_archive() { return lab::labs_directory().parent_path() / "cudalab.vsix"; }

void install_extension() {
  const fs::path archive = extension_archive();
  if (nothing_is_at(archive)) throw unavailable_error(msg::start_extension_missing(archive.string()));
  if (!compile::find_program("code")) throw unavailable_error(msg::start_code_missing(archive.string()));
  int status = 0;
  ::waitpid(start_alongside({"code", "--install-extension", archive.string()}, {}), &status, 0);
  if (status != 0) throw unavailable_error(msg::start_extension_not_installed(archive.string()));
}

void tell(const course::Workspace& workspace, const Course& course, const Console& console) {
  const course::NextStep next = next_step_in(course, workspace);
  const Exercise* current = next.exercise;
  const Wording& wording = console.wording;
  if (!current) return console.say_line("\n" + wording.say(msg::start_all_done()));
  console.say("\n" + course::task_text(*current, style_of(console)));
  const std::string folder = shown_path(workspace.folder);
  console.say_line("");
  if (folder != ".") console.say_line(wording.say(msg::start_go_there(shell_word(folder))));
  console.say_line(wording.say(msg::start_your_file(current->lab, current->name)));
  console.say_line(wording.say(msg::start_check()));
}

ExitCode start(const StartTexts& texts, const Console& console) {
  const Editor editor = chosen("--editor", texts.editor, kEditors);
  Course course = load_whole_course(console.wording);
  std::optional<course::Syllabus> syllabus;
  if (!texts.path.empty()) syllabus = syllabus_named(texts.path, course);
  course::Workspace workspace = workspace_for(texts.into);
  if (syllabus) put_path(workspace, *syllabus, course, console.wording);
  if (workspace.path) course::arrange(course, course::exercises_of(*workspace.path));
  const auto chosen = chosen_from(course, texts.words, syllabus);
  std::size_t put = 0;
  for (const Exercise* exercise : chosen)
    put += start_exercise(workspace, course, *exercise, console.wording) ? 1 : 0;
  write_whole(workspace.progress_file(), course::progress_text(workspace));
  const std::string folder = shown_path(workspace.folder);
  std::string done = console.wording.say(msg::start_exercises_put(put, folder));
  if (put < chosen.size()) done += console.wording.say(msg::start_exercises_kept(chosen.size() - put));
  console.say_line(done);
  if (syllabus)
    console.say_line(console.wording.say(msg::start_syllabus(shown_path(workspace.folder / kSyllabusFile))));
  write_editor_files(editor, course, workspace, console);
  if (texts.installs_extension) install_extension();
  tell(workspace, course, console);
  return ExitCode::kPassed;
}

}  // namespace

Verb start_verb() {
  return {.name = "start",
          .alias = "",
          .summary = "copy exercises into your folder: kernels with a TODO, and the handouts",
          .examples = {"cudalab start --path first-course", "cudalab start all",
                       "cudalab start transpose dot --into my-course", "cudalab start padded-tile",
                       "cudalab start all --editor vscode"},
          .declare = with_options(start_options, start),
          .more_help =
              "WHAT is one or several labs or exercises, or `all`. A kernel that you have started is\n"
              "never overwritten; `cudalab reset` starts it over. The folder also gets the handouts, the\n"
              "kernels of the labs, and with --path the syllabus (SYLLABUS.md).\n"};
}

}  // namespace cudalab::cli
