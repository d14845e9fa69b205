// Hands jobs to Slurm, the queue of a cluster, through its own commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::cli {

struct SlurmJob {
  std::string name;                    // as the queue shows it
  std::filesystem::path script, logs;  // the folder of logs gets NAME.log, or NUMBER.log of each task
  std::size_t tasks = 0;               // of an array, numbered from 0; 0: no array
  std::optional<std::string> after;    // a job that must have ended, however it did
  std::string partition;               // empty: the cluster's usual one
};

// Its number. The job works in this process's folder, and Slurm starts it again where its machine fails.
// Throws Error(kUnavailable) where there is no Slurm, and with what it said where it takes no such job.
std::string submit(const SlurmJob& job);

struct JobEnd {
  std::string number;
  int exit_code = 0;  // of the script; Slurm's own where that was stopped
};

// The same, and waits until it has ended.
JobEnd submit_and_wait(const SlurmJob& job);

// As far as Slurm answers.
void cancel(const std::string& number);

// Throws the Error(kUnavailable) of submit() where there is no Slurm.
void require_slurm();

}  // namespace cudalab::cli
