// The folder of a grading run on a cluster: the submissions to grade, the journals of the jobs, and the job
// scripts. Every machine of the cluster must see the folder.
//
//   submissions.jsonl        the submissions, one per line, as found when the run was submitted
//   seed                     the seed of the inputs, the same for all submissions
//   grade.sh, merge.sh       the scripts that the jobs run
//   journals/3of8-JOB-N.jsonl   finished grades: by part, job ID and restart count
//   logs/                    the output of the jobs
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grading/submission.h"

namespace cudalab::cli {

// One part of a run, numbered from 0. It takes every `of`th submission, which spreads slow submissions
// evenly.
struct Part {
  std::size_t number = 0, of = 1;
  std::string name() const;  // "3of8"
};

// Reads "3/8". Throws Error(kUsage).
Part part_from(const std::string& text);

class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& path);  // the folder must exist: create() makes it

  // Throws Error(kUsage) if the folder cannot be written, or if it already holds a run and `goes_on` is
  // false.
  static RunFolder create(const std::filesystem::path& path, bool goes_on);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path logs() const { return path_ / "logs"; }

  void write_submissions(const std::vector<grading::Submission>& submissions) const;
  void forget_submissions() const;  // the folder then holds no run
  // Throws Error(kUsage) if the list cannot be read.
  std::vector<grading::Submission> submissions() const;
  std::vector<grading::Submission> submissions_of(const Part& part) const;

  void write_seed(std::uint64_t seed) const;
  std::string seed() const;  // as text, as it was written; throws Error(kUsage)

  // Writes a script that executes `cudalab WORDS…` in place of its shell. `further` is appended unquoted, as
  // shell text.
  std::filesystem::path write_script(const std::string& name, const std::vector<std::string>& words,
                                     const std::string& further = "") const;

  // A submission with a grade in one of these journals is not graded again.
  std::vector<std::string> journals() const;
  std::vector<std::string> journals_of(const Part& part) const;  // without the journals of the other parts
  // A journal that only this process writes to: if Slurm restarted a job, the previous process may still run.
  std::string new_journal(const std::string& of) const;

 private:
  std::filesystem::path path_;
};

}  // namespace cudalab::cli
