// Runs a job in a child process that can be stopped at any time and then leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "core/processes/interruption.h"

namespace cudalab::cli {

class SideProcess {
 public:
  using Tell = std::function<void(const std::string& progress)>;
  using Job = std::function<std::string(const Tell& tell)>;

  // Starts the job at once; this process must have no other threads. Throws Error(kUnavailable) if no process
  // can be started.
  explicit SideProcess(const Job& job);
  ~SideProcess();  // kills the job and its descendants
  SideProcess(const SideProcess&) = delete;
  SideProcess& operator=(const SideProcess&) = delete;

  int descriptor() const { return pipe_; }                   // to poll() together with others
  bool is_done();                                            // does not block
  const std::string& progress() const { return progress_; }  // the last message of the job
  // The job's result, once is_done(). Rethrows the job's exception; throws Error(kUnavailable) if the job
  // crashed.
  std::string result();

 private:
  void read_what_came();
  void take_messages();
  void take(char kind, std::string text);
  void end();
  void wait();

  TemporaryFolder folder_{"cudalab-check-"};  // the child's $TMPDIR
  pid_t child_ = -1;
  std::optional<EndOnInterrupt> on_interrupt_;
  int pipe_ = -1;
  int status_ = 0;
  std::string unread_, progress_;
  std::optional<std::pair<char, std::string>> outcome_;
};

}  // namespace cudalab::cli
