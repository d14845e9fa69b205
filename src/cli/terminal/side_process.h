// Work in a process beside this one, so that it can be ended at any moment, whatever it is busy with, and
// leaves nothing behind.
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

  // Begins at once; this process must have no other threads. Throws Error(kUnavailable) where the machine has
  // no process left.
  explicit SideProcess(const Job& job);
  ~SideProcess();  // ends what still runs, and all that it started
  SideProcess(const SideProcess&) = delete;
  SideProcess& operator=(const SideProcess&) = delete;

  int descriptor() const { return pipe_; }                   // to wait on beside others
  bool is_done();                                            // without waiting
  const std::string& progress() const { return progress_; }  // what it told last
  // Of the job, once it is done. Throws what the job threw; Error(kUnavailable) where it crashed.
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
