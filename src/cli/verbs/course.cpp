// `cudalab course bundle`: packs the files with which a learning platform grades with cudalab or imports its
// grades.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "cli/learner.h"
#include "cli/options/option.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "cli/verbs/grade.h"
#include "core/files.h"
#include "core/text.h"
#include "core/zip_file.h"
#include "course/learner/workspace.h"
#include "grading/formats.h"
#include "grading/rubric.h"
#include "lab/locate.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

// A file below bundles/, and its path on the platform.
struct BundledFile {
  const char *from, *to;
  bool is_program = false;
};

struct Platform {
  std::span<const BundledFile> files;
  const char* machinery;  // the folder for files that the scripts use (package, keys); ends in a slash
  bool runs_there;        // cudalab is installed on the platform's machine
  bool takes_zip;
  bool has_rubrics;
};

constexpr BundledFile kGradescope[]{{"gradescope/README.txt", "README.txt"},
                                    {"any/setup.sh", "setup.sh", true},
                                    {"any/compiler.sh", "compiler.sh"},
                                    {"any/submission.sh", "submission.sh"},
                                    {"gradescope/run_autograder", "run_autograder", true}};
constexpr BundledFile kGithub[]{{"github/README.txt", "README.txt"},
                                {"github/workflow.yml", ".github/workflows/cudalab.yml"},
                                {"github/action.yml", ".github/actions/cudalab/action.yml"},
                                {"any/setup.sh", ".github/actions/cudalab/setup.sh"},
                                {"any/compiler.sh", ".github/actions/cudalab/compiler.sh"},
                                {"any/submission.sh", ".github/actions/cudalab/submission.sh"},
                                {"github/grade.sh", ".github/actions/cudalab/grade.sh"}};
constexpr BundledFile kMoodle[]{{"moodle/README.txt", "README.txt"}, {"moodle/grade.sh", "grade.sh", true}};
constexpr BundledFile kCanvas[]{{"canvas/README.txt", "README.txt"}, {"canvas/grade.sh", "grade.sh", true}};

constexpr Platform kOnGradescope{kGradescope, "", true, true, false};
constexpr Platform kOnGithub{kGithub, ".github/actions/cudalab/", true, false, false};
constexpr Platform kOnMoodle{kMoodle, "", false, false, false};
constexpr Platform kOnCanvas{kCanvas, "", false, false, true};

constexpr Named<const Platform*> kPlatforms[]{
    {"gradescope", &kOnGradescope}, {"github", &kOnGithub}, {"moodle", &kOnMoodle}, {"canvas", &kOnCanvas}};

struct CourseTexts {
  std::string what, platform, exercise, key, package, output;
};

Options course_options(CourseTexts& texts) {
  return {
      {"bundle", "", &texts.what, "what to do: bundle"},
      {"--for", " " + alternatives(kPlatforms), &texts.platform, "the platform"},
      {"--exercise", " NAME", &texts.exercise,
       "the exercise whose kernels students submit; default: result documents of any lab"},
      {"--key", " PATH", &texts.key, "answer keys to include; default: those of cudalab"},
      {"--package", " FILE", &texts.package, "cudalab.deb, for platforms that grade on their own machines"},
      {"--output", " PATH", &texts.output,
       "where to write: a zip file for gradescope, a folder for the others"}};
}

using Members = std::vector<ZipMember>;

Members scripts_of(const Platform& platform, const std::string& exercise) {
  const fs::path bundles = lab::labs_directory().parent_path() / "bundles";
  Members members;
  for (const BundledFile& file : platform.files)
    members.push_back(
        {file.to, replaced(read_text(bundles / file.from), "@EXERCISE@", exercise), file.is_program});
  return members;
}

constexpr std::string_view kPackageBegins = "!<arch>\n";  // ar(5)

void add_package(const Platform& platform, const CourseTexts& texts, Members& members) {
  if (!platform.runs_there) return;
  if (texts.package.empty()) throw usage_error(msg::bundle_package_missing(texts.platform));
  std::string package = read_bytes(texts.package);
  if (!package.starts_with(kPackageBegins)) throw usage_error(msg::bundle_package_wrong(texts.package));
  members.push_back({std::string(platform.machinery) + "cudalab.deb", std::move(package)});
}

// Adds one key, or a folder of keys. Reports an invalid key here, before every student on the platform gets
// the error.
void add_keys(const Platform& platform, const std::string& key, Members& members) {
  if (key.empty()) return;
  std::vector<fs::path> files = is_folder(key) ? entries_of(key) : std::vector<fs::path>{key};
  if (is_folder(key)) std::erase_if(files, [](const fs::path& file) { return file.extension() != ".json"; });
  if (files.empty()) throw usage_error(msg::bundle_key_missing(key));
  for (const fs::path& file : files) {
    grading::load_rubric(file, file.stem().string());
    members.push_back(
        {std::string(platform.machinery) + "keys/" + file.filename().string(), read_bytes(file)});
  }
}

// The maximum marks are those of the exercise's own solution.
void add_rubric(const Platform& platform, const CourseTexts& texts, const course::Exercise* exercise,
                Members& members) {
  if (!platform.has_rubrics || exercise == nullptr) return;
  const fs::path keys = texts.key.empty() ? grading::keys_directory() : fs::path(texts.key);
  const grading::Grade grade =
      grading::grade_file({exercise->solution(), "", ""}, {keys, exercise->name, false, 1});
  members.push_back({"rubric.csv", grading::canvas_rubric_text(grade)});
}

void write_folder_of(const Members& members, const fs::path& folder) {
  for (const ZipMember& member : members) {
    const fs::path file = folder / member.name;
    write_whole(file, member.bytes);
    std::error_code failed;
    if (member.is_program) fs::permissions(file, fs::perms{0755}, failed);
  }
}

ExitCode bundle(const CourseTexts& texts, const Console& console) {
  if (texts.platform.empty()) throw usage_error(msg::bundle_platform_missing(alternatives(kPlatforms)));
  const Platform& platform = *chosen("--for", texts.platform, kPlatforms);
  const Course all = load_whole_course({});
  require_exercise(all, texts.exercise);
  Members members = scripts_of(platform, texts.exercise);
  add_package(platform, texts, members);
  add_keys(platform, texts.key, members);
  const course::Exercise* exercise = course::find_exercise(all, texts.exercise);
  add_rubric(platform, texts, exercise, members);
  std::string to = texts.output;
  if (to.empty()) to = fmt::format("cudalab-{}{}", texts.platform, platform.takes_zip ? ".zip" : "");
  if (platform.takes_zip)
    OutputFile(to).write(zip_of(members));
  else
    write_folder_of(members, to);
  console.say_line(fmt::format("{}\n\n{}", to, trimmed(members.front().bytes)));
  if (platform.runs_there && exercise && exercise->is_program)
    console.remark(
        fmt::format("{} is a whole program: the platform's machine needs nvcc and bubblewrap beside the "
                    "package, and must allow its sandbox; without them no submission gets a grade",
                    exercise->name));
  return ExitCode::kPassed;
}

ExitCode course_tasks(const CourseTexts& texts, const Console& console) {
  if (texts.what == "bundle") return bundle(texts, console);
  throw usage_error(texts.what.empty() ? msg::course_word_missing() : msg::course_word_unknown(texts.what));
}

}  // namespace

Verb course_verb() {
  return {.name = "course",
          .alias = "",
          .summary = "package an exercise for a learning platform, for instructors",
          .examples = {"cudalab course bundle --for gradescope --exercise padded-tile --package cudalab.deb",
                       "cudalab course bundle --for github --exercise padded-tile --package cudalab.deb",
                       "cudalab course bundle --for moodle --exercise padded-tile",
                       "cudalab course bundle --for canvas --exercise padded-tile --output canvas"},
          .declare = with_options(course_options, course_tasks)};
}

}  // namespace cudalab::cli
