// What grading one submission found: points by criterion, and what an instructor should look at.
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
  std::string name;  // of the criterion
  double points = 0, most = 0;
  course::Assessment::Outcome outcome = course::Assessment::kNotAssessed;
  std::string sentence;
};

// What changed a grade after its marks: what being late cost, or a person, with the reason that students
// read.
struct Adjustment {
  std::string name;   // kLate, "changed by hand", "changed by hand: coalesced loads"
  double points = 0;  // added; what was taken is negative
  std::string reason;
};
inline constexpr const char* kLate = "late";

// What the same submission had in an earlier run.
struct Earlier {
  double points = 0, most = 0;
  std::vector<std::string> differences;  // "right results: 0 before, 3 now"
};

// Two places that are alike, for the instructor to see side by side.
struct Alike {
  std::string with;              // another submission's file, or kSolution
  double share = 0;              // of what is neither's handout
  int line = 0, other_line = 0;  // where the first shared piece begins
  std::string text, other_text;  // from there on, some lines
};

inline constexpr const char* kSolution = "the course's solution";

// "81 % like class/bob/padded-tile.cu: line 12 here, line 14 there"
std::string words_on(const Alike& alike);

// How the reason begins where no mark is given.
inline const std::string kNotVerified = "not verified: ";

struct Grade {
  std::string file, student;
  std::string lab, exercise;  // an exercise for kernel files only
  std::string problem;        // why there is nothing to judge; then no criterion is met
  // The grader's own time ran out, which is no verdict: no mark is given until it is graded again, or decided
  // by hand.
  bool is_undecided = false;
  std::vector<Mark> marks;
  std::vector<std::string> hazards;  // kinds, each once, in order of appearance: "shared_race"
  std::vector<std::string> flags;    // sentences for the instructor: copied, edited
  std::vector<Alike> alike;          // for the instructor; like another student's is a flag, too
  std::string content;               // digest of the file's bytes
  std::vector<Adjustment> adjustments;
  bool counts = true;              // of the student's attempts at this, the one in the total
  std::optional<Earlier> earlier;  // where an earlier run was given
  std::string submitted;           // when, as a platform or a roster says; empty: nobody said
  std::string fingerprint;         // digest of what two honest submissions never share; empty: nothing such
  double memory_mib = 0;           // that it took at most
  double seconds = 0;              // that grading it took

  // What was handed in: the exercise's name, or the lab's; empty where that is not known.
  const std::string& work() const { return exercise.empty() ? lab : exercise; }
  double points() const;    // adjusted; 0 where no mark is given
  double most() const;      // 0 where no mark is given, so that no sum holds it against anybody
  double at_stake() const;  // the maximum, whether a mark is given or not
  // Every point, and nothing to look at.
  bool is_full() const { return problem.empty() && flags.empty() && points() >= most(); }
  // One line a criterion that is not met and an adjustment: for the student, with no flags and no path of
  // this machine.
  std::string feedback(std::string_view separator) const;
  // The problem, and what it means where no mark is given.
  std::string problem_in_words() const;
};

// "late: -0.6: handed in 26 hours after 2026-02-01: …"; "graded again: 2 of 3 points before, 3 of 3 now: …"
std::vector<std::string> words_on_changes(const Grade& grade);

// "4", "2.5", "1.333"
std::string points_text(double points);
// The same of a grade, and where no mark is given what a table shows instead: "-", or nothing.
std::string points_text(const Grade& grade, std::string_view without_mark);

// "/srv/class/ada/mine.cu:3" -> "mine.cu:3": a path that begins at the root, to its last part. For whatever a
// student reads: where the grader keeps files is none of it.
std::string without_folders(const std::string& text);

// How far a document can be trusted.
enum class Evidence {
  kAsClaimed,  // nobody ran it again
  kSeenAgain,  // it stands, so far as anybody can see: points that rest on times are not to be had
};

// Judges a document of the rubric's lab. What no device of its kind can show leaves the maximum: times, where
// there are none or nobody can verify them, and the counters of a GPU without a profile. Fills lab, marks,
// hazards, fingerprint, and student where the document names one and the rubric goes by it.
void grade_document(const nlohmann::json& document, const Rubric& rubric, Grade& grade,
                    Evidence evidence = Evidence::kAsClaimed);

// Takes all points away for a reason that concerns the whole: "does not match when it is run again: …"
void forfeit(Grade& grade, const std::string& reason);

// Gives every grade without marks one mark worth as much as the class's others of that lab or, where none is
// known, as the most that any has. So that everyone's maximum is the same.
void level_maxima(std::vector<Grade>& grades);

nlohmann::ordered_json to_json(const Grade& grade);
// Throws nlohmann::json::exception where it is no grade.
Grade grade_from(const nlohmann::ordered_json& text);

}  // namespace cudalab::grading
