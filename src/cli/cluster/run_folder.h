// The folder of a grading run on a cluster: what is to be graded, the journals of who grades it, and the
// scripts of the jobs. It lies where every machine of the cluster sees it.
//
//   submissions.jsonl        what is graded, a line each, as it was found when the run was submitted
//   seed                     of the inputs that all of them get
//   grade.sh, merge.sh       what the jobs run
//   journals/3of8-JOB-N.jsonl   grades, as they come: of a part, as which job, started for the Nth time
//   logs/                    what the jobs wrote
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grading/submission.h"

namespace cudalab::cli {

// A part of a run, numbered from 0: every `of`th submission, so that slow ones spread.
struct Part {
  std::size_t number = 0, of = 1;
  std::string name() const;  // "3of8"
};

// "3/8". Throws Error(kUsage).
Part part_from(const std::string& text);

class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& path);  // made by create()

  // Throws Error(kUsage) where it cannot be written, or is there already and is not to be gone on with.
  static RunFolder create(const std::filesystem::path& path, bool goes_on);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path logs() const { return path_ / "logs"; }

  void write_submissions(const std::vector<grading::Submission>& submissions) const;
  void forget_submissions() const;  // so that it holds no run
  // Throws Error(kUsage) where it is no list of submissions.
  std::vector<grading::Submission> submissions() const;
  std::vector<grading::Submission> submissions_of(const Part& part) const;

  void write_seed(std::uint64_t seed) const;
  std::string seed() const;  // as it was written; throws Error(kUsage)

  // A script that becomes `cudalab WORDS…`, and ends as that does. `further`, as a shell reads it.
  std::filesystem::path write_script(const std::string& name, const std::vector<std::string>& words,
                                     const std::string& further = "") const;

  // What one of them has, nobody grades again.
  std::vector<std::string> journals() const;
  std::vector<std::string> journals_of(const Part& part) const;  // without those of the other parts
  // One that nobody else writes to: a job that was started again may have an elder that has not yet ended.
  std::string new_journal(const std::string& of) const;

 private:
  std::filesystem::path path_;
};

}  // namespace cudalab::cli
