// Finds and reads submissions, whose contents may be anything: each problem becomes one sentence, never an
// exception.
#include "grading/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "grading/identity.h"
#include "messages/grading.h"

namespace cudalab::grading {

using Json = nlohmann::json;

const Json& at(const Json& object, const std::string& key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

std::string text_at(const Json& object, const std::string& key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

const Json* run_called(const Json& document, const std::string& name) {
  for (const Json& run : at(document, "runs"))
    if (text_at(run, "name") == name) return &run;
  return nullptr;
}

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestNesting = 64;  // a result document needs 8
constexpr std::string_view kSchema = "cudalab.result/1", kSchemaFamily = "cudalab.result/";

// ---- finding ----------------------------------------------------------------------------------------

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

// If several parts of the path have platform names, the last one, nearest to the file, counts.
void name_by_platform(const fs::path& below, Submission& submission) {
  for (const fs::path& part : below) {
    const std::optional<PlatformName> known = platform_name(part.string());
    if (!known) continue;
    submission.student = known->id;
    submission.is_certain = true;
    submission.original = known->original;
    submission.is_late = known->is_late;
    if (known->original.empty()) return;  // a Moodle folder: the names below are the student's
  }
}

constexpr const char* kGradescopeFile = "submission_metadata.json";

// Returns the outermost metadata file above a path that the user named. Gradescope writes it above all
// submitted files, so an inner one was made by the student.
std::optional<GradescopeMetadata> gradescope_metadata_for(const fs::path& named) {
  std::optional<GradescopeMetadata> outermost;
  fs::path folder = absolute_path(named / "").lexically_normal();
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::optional<std::string> text = read_file(folder / kGradescopeFile, kLargestDocument);
    if (auto metadata = text ? gradescope_metadata(*text) : std::nullopt) outermost = std::move(metadata);
  }
  return outermost;
}

void name_by_gradescope(const GradescopeMetadata& metadata, Submission& submission) {
  submission.student = metadata.id;
  submission.submitted = metadata.created_at;
  submission.due = metadata.due_date;
  submission.is_certain = true;
}

// The student is certain if the file lies in a subfolder or has a platform's name.
Submission submission_of(const fs::path& file, const fs::path& below, std::string problem) {
  Submission submission{file, below.stem().string(), std::move(problem)};
  if (std::next(below.begin()) != below.end()) {
    submission.student = below.begin()->string();
    submission.is_certain = true;
  }
  name_by_platform(below, submission);
  return submission;
}

// A file whose type cannot be determined is opened, to get the error message.
std::string objection(fs::file_type type) {
  const bool is_opened = type == fs::file_type::regular || type == fs::file_type::none;
  if (type == fs::file_type::symlink) return "is a link, and links are not followed";
  return is_opened ? "" : "is not a regular file";
}

// The first folder below the path that the user named; the name of that path if it cannot be opened.
std::string student_of_folder(const fs::path& folder, const fs::path& named) {
  const fs::path below = folder.lexically_relative(named);
  return below == "." ? absolute_path(named / "").lexically_normal().parent_path().filename().string()
                      : below.begin()->string();
}

void add_folder(const fs::path& folder, const fs::path& named, std::vector<Submission>& found) {
  FolderContent content = read_folder(folder);
  if (!content.problem.empty())
    found.push_back({folder, student_of_folder(folder, named), content.problem.text()});
  for (const fs::path& entry : content.entries) {
    if (is_hidden(entry) || entry.filename() == kGradescopeFile) continue;
    std::error_code unknown;
    const fs::file_type type = fs::symlink_status(entry, unknown).type();
    if (type == fs::file_type::directory)
      add_folder(entry, named, found);
    else
      found.push_back(submission_of(entry, entry.lexically_relative(named), objection(type)));
  }
}

// ---- parsing ----------------------------------------------------------------------------------------

struct TooDeep {};

std::string why_not_json(const Json::parse_error& error, std::size_t bytes) {
  std::string_view what = error.what();
  if (what.find("ill-formed UTF-8") != std::string_view::npos) return "is not UTF-8";
  if (error.byte > bytes) return "ends in the middle: it is truncated";
  return fmt::format("is not JSON (at byte {})", error.byte);
}

Json parsed(std::string_view text) {
  auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepestNesting) throw TooDeep{};
    return true;
  };
  return Json::parse(text, check_depth);
}

std::string lacks(const Json& document) {
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string())
    return "is JSON, but not a result of cudalab: it has no \"schema\"";
  auto schema = document["schema"].get<std::string>();
  if (schema.starts_with(kSchemaFamily) && schema != kSchema)
    return fmt::format("is of version {}, and this cudalab grades {}", harmless_line(schema, 40), kSchema);
  if (schema != kSchema)
    return fmt::format("is not a result of cudalab: its schema is {}", harmless_line(schema, 40));
  if (!document.contains("lab") || !document["lab"].is_string()) return "names no lab";
  if (!document.contains("runs") || !document["runs"].is_array()) return "has no list of runs";
  for (const Json& run : document["runs"])
    if (!run.is_object()) return "has a run that is not an object";
  return "";
}

}  // namespace

fs::path name_of(const Submission& submission) {
  return submission.original.empty() ? submission.file : submission.file.parent_path() / submission.original;
}

std::vector<Submission> find_submissions(const std::vector<std::string>& paths) {
  std::vector<Submission> found;
  for (const std::string& path : paths) {
    if (nothing_is_at(path)) throw usage_error(msg::submission_path_missing(path));
    std::size_t first = found.size();
    if (is_folder(path))
      add_folder(path, path, found);
    else
      found.push_back(submission_of(path, fs::path(path).filename(), ""));
    const fs::path named = is_folder(path) ? fs::path(path) : fs::path(path).parent_path();
    if (const auto metadata = gradescope_metadata_for(named))
      for (std::size_t i = first; i < found.size(); ++i) name_by_gradescope(*metadata, found[i]);
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
              [](const Submission& one, const Submission& other) { return one.file < other.file; });
  }
  return found;
}

namespace {

bool is_foreign(const Submission& submission) {
  const std::string ending = name_of(submission).extension().string();
  return submission.problem.empty() && ending != ".json" && ending != ".cu";
}

}  // namespace

std::vector<fs::path> set_foreign_files_aside(std::vector<Submission>& submissions) {
  std::set<std::string> with_work;
  for (const Submission& submission : submissions)
    if (!is_foreign(submission)) with_work.insert(submission.student);
  std::vector<fs::path> foreign;
  std::erase_if(submissions, [&](const Submission& submission) {
    const bool is_aside = is_foreign(submission) && with_work.contains(submission.student);
    if (is_aside) foreign.push_back(submission.file);
    return is_aside;
  });
  return foreign;
}

void expect_student(const std::string& student, std::vector<Submission>& submissions) {
  for (Submission& submission : submissions) {
    submission.student = submission.expected = student;
    submission.is_certain = true;
  }
}

void expect_roster(const std::vector<RosterEntry>& roster, std::vector<Submission>& submissions) {
  for (Submission& submission : submissions) {
    const RosterEntry* entry = find_in(roster, submission.student);
    if (!entry) {
      submission.flag =
          fmt::format("{} is not in the roster", harmless_line(submission.student, kLongestName));
      continue;
    }
    submission.student = entry->id;
    submission.expected = entry->student;
    submission.is_certain = true;
    if (!submission.submitted.empty()) continue;
    submission.submitted = entry->submitted;
    submission.submitted_of = entry->submitted_of;
  }
}

FileText read_submission(const fs::path& file, std::size_t most_bytes) {
  FileContent content = read_content(file, most_bytes);
  const bool is_empty = content.problem.empty() && content.bytes.empty();
  return {as_text(std::move(content.bytes)), is_empty ? "is empty" : content.problem.text()};
}

Document document_from(std::string_view text) {
  Document document;
  try {
    document.json = parsed(text);
    document.problem = lacks(document.json);
    if (document.problem.empty()) document.lab = document.json["lab"].get<std::string>();
  } catch (const TooDeep&) {
    document.problem = fmt::format("is nested deeper than {} levels", kDeepestNesting);
  } catch (const Json::parse_error& error) {
    document.problem = why_not_json(error, text.size());
  } catch (const Json::out_of_range&) {
    document.problem = "contains a number that is too large";
  }
  return document;
}

Document document_in(const std::string& file) {
  FileText text = read_submission(file, kLargestDocument);
  if (!text.problem.empty()) throw usage_error(msg::submission_unusable(file, text.problem));
  Document document = document_from(text.text);
  if (!document.problem.empty()) throw usage_error(msg::submission_unusable(file, document.problem));
  return document;
}

}  // namespace cudalab::grading
