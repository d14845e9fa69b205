// Runs cudalab's own commands as child processes for the workbook: in the sandbox, with limits, several at
// once.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/files.h"
#include "core/processes/interruption.h"

namespace cudalab::serve {

inline constexpr std::size_t kMostJobs = 4;  // at the same time

struct JobOrder {
  std::vector<std::string> words;  // behind the program's name: {"check", "padded-tile.cu", "--json"}
  std::vector<std::pair<std::string, std::string>> files;  // written to its folder: path and text
  std::vector<std::string> results;                        // files that the job writes and the caller wants
};

struct JobEnd {
  int exit_code = -1;  // -1: it did not exit by itself
  Message stopped;     // the reason, if it did not
  std::string output, errors;
  std::map<std::string, std::string> results;  // those of the requested results that the job has written
};

// Runs jobs. Each job has a temporary folder, and sees neither the course folder nor the network. If no
// sandbox is available, only the limits apply.
class Jobs {
 public:
  using Id = std::size_t;
  using OnEnd = std::function<void(Id, JobEnd)>;

  explicit Jobs(bool in_sandbox);
  ~Jobs();  // ends all jobs
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Throws Error(kUnavailable) if the system cannot create a process, or kMostJobs are running.
  Id start(const JobOrder& order, OnEnd on_end);
  void cancel(Id id);
  std::vector<int> descriptors() const;
  // Reads the output of the jobs, ends those that exceed a limit, and calls `on_end` for those that have
  // ended.
  void attend();

  struct Running {
    Id id = 0;
    double seconds = 0;
    std::string said;  // the last line of its standard error
  };
  std::vector<Running> running() const;

 private:
  struct Job;
  std::vector<std::string> words_for(const JobOrder& order, const std::filesystem::path& folder) const;
  JobEnd finish(Job& job);

  bool in_sandbox_;
  TemporaryFolder cache_{"cudalab-serve-"};  // of compiled sources, for all jobs
  std::map<Id, std::unique_ptr<Job>> jobs_;
  Id last_ = 0;
};

}  // namespace cudalab::serve
