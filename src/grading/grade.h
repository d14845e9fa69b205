// The grade of one submission: points by criterion, and flags for the instructor.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/criterion.h"
#include "grading/rubric.h"

namespace cudalab::grading {

struct Mark {
  std::string name;  // the criterion's name
  double points = 0, most = 0;
  course::Assessment::Outcome outcome = course::Assessment::kNotAssessed;
  std::string sentence;
};

// A change after the marks: a deduction for lateness or a manual change, with a reason that is shown to the
// student.
struct Adjustment {
  std::string name;   // kLate, "changed by hand", "changed by hand: coalesced loads"
  double points = 0;  // added to the points; a deduction is negative
  std::string reason;
};
inline constexpr const char* kLate = "late";

// The points of the matching grade in an earlier run.
struct Earlier {
  double points = 0, most = 0;
  std::vector<std::string> differences;  // "right results: 0 before, 3 now"
};

// A similar source, for the instructor to compare side by side.
struct Alike {
  std::string with;              // another submission's file, or kSolution
  double share = 0;              // common fraction, without code that the course hands out
  int line = 0, other_line = 0;  // the first line of the first common part
  std::string text, other_text;  // some lines from there
};

inline constexpr const char* kSolution = "the course's solution";

// "81 % like class/bob/padded-tile.cu: line 12 here, line 14 there"
std::string words_on(const Alike& alike);

// The beginning of the reason if no mark is given.
inline const std::string kNotVerified = "not verified: ";

struct Grade {
  std::string file, student;
  std::string lab, exercise;  // an exercise only for kernel files
  std::string problem;        // why the submission was not graded; then no criterion is met
  // A time limit of the grader stopped the run. There is no mark until the submission is graded again or
  // changed manually.
  bool is_undecided = false;
  std::vector<Mark> marks;
  std::vector<std::string> hazards;  // kinds, each once, in order of appearance: "shared_race"
  std::vector<std::string> flags;    // sentences for the instructor: copied, edited
  std::vector<Alike> alike;          // for the instructor; similarity to another student is also a flag
  std::string content;               // digest of the file's bytes
  std::vector<Adjustment> adjustments;
  bool is_beside_works = false;    // the works that count are fixed, and this is none of them
  bool counts = true;              // false: another attempt at the same work is in the total
  std::optional<Earlier> earlier;  // if an earlier run was given
  std::string submitted;           // time from a platform or a roster; empty: unknown
  std::string fingerprint;         // digest that independent submissions never share; empty: none
  double memory_mib = 0;           // peak memory while grading
  double seconds = 0;              // time that grading took

  // The exercise's name, or else the lab's; empty if unknown.
  const std::string& work() const { return exercise.empty() ? lab : exercise; }
  double points() const;    // with adjustments; 0 if undecided
  double most() const;      // 0 if undecided, so sums do not count it as lost
  double at_stake() const;  // the maximum, also if undecided
  // True if the grade has all points and no flags.
  bool is_full() const { return problem.empty() && flags.empty() && points() >= most(); }
  // One line per missed criterion and per adjustment. For the student: contains no flags and no paths of this
  // machine.
  std::string feedback(std::string_view separator) const;
  // The problem, and its consequence if no mark is given.
  std::string problem_in_words() const;
};

// "late: -0.6: handed in 26 hours after 2026-02-01: …"; "graded again: 2 of 3 points before, 3 of 3 now: …"
std::vector<std::string> words_on_changes(const Grade& grade);

// "4", "2.5", "1.333"
std::string points_text(double points);
// The points of a grade; `without_mark` if it is undecided.
std::string points_text(const Grade& grade, std::string_view without_mark);

// "/srv/class/ada/mine.cu:3" -> "mine.cu:3": shortens absolute paths to their last part. For texts for
// students, who must not see the grader's folders.
std::string without_folders(const std::string& text);

// How far a document can be trusted.
enum class Evidence {
  kAsClaimed,  // not run again
  kSeenAgain,  // run again and confirmed; times cannot be confirmed
};

// Grades a document of the rubric's lab. Criteria that this kind of device cannot support do not count: times
// if there are none or they cannot be verified, and counters of a GPU without a profile. Fills lab, marks,
// hazards and fingerprint, and the student if the rubric identifies students by document.
void grade_document(const nlohmann::json& document, const Rubric& rubric, Grade& grade,
                    Evidence evidence = Evidence::kAsClaimed);

// Removes all points for a reason that concerns the whole submission: "does not match when it is run again:
// …"
void forfeit(Grade& grade, const std::string& reason);

// Gives grades without marks a single mark of 0 points. Its maximum is the highest in the same lab, or else
// in the class, so all students have the same maximum.
void level_maxima(std::vector<Grade>& grades);

nlohmann::ordered_json to_json(const Grade& grade);
// Throws nlohmann::json::exception if the text is not a grade.
Grade grade_from(const nlohmann::ordered_json& text);

}  // namespace cudalab::grading
