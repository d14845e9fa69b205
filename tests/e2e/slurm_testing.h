// A Slurm that belongs to one test: controller, one machine with two processors, and munge for
// authentication. They use this machine's loopback with ports of their own, and end with the object.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {

class Slurm {
 public:
  // The reason why Slurm cannot run here, such as a program that is not installed; empty if it can.
  static std::string lacks();

  Slurm();  // throws std::runtime_error with the end of the daemons' output if it does not start
  ~Slurm();
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  // The environment of commands that use this Slurm.
  std::pair<std::string, std::string> environment() const;
  // The output of squeue, scontrol or scancel.
  std::string ask(const std::vector<std::string>& words) const;
  // Waits until no job is left. Returns false if the time is over first.
  bool is_empty_within(std::chrono::seconds patience) const;

 private:
  void write_configuration() const;
  void start(const std::vector<std::string>& words);
  bool is_up() const;
  std::string last_words() const;

  Folder folder_;
  std::vector<pid_t> daemons_;
};

}  // namespace cudalab::e2e
