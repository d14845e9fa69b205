// A Slurm of the test's own: controller, one machine with two processors, and what proves who asks, on this
// machine's loopback, with ports that nobody else has. All of it ends with the object.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {

class Slurm {
 public:
  // Why there can be none here: a program that is not installed. Empty: there can.
  static std::string lacks();

  Slurm();  // throws std::runtime_error with the end of the daemons' words where it does not start
  ~Slurm();
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  // For who asks this Slurm.
  std::pair<std::string, std::string> environment() const;
  // squeue, scontrol, scancel: what they print.
  std::string ask(const std::vector<std::string>& words) const;
  // Until no job is left, or the time is over.
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
