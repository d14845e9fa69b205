// Tries edits of a kernel in parallel, the most plausible first, until one makes it pass.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "course/repair/edits.h"
#include "course/repair/kernel_batch.h"
#include "course/repair/repair.h"

namespace cudalab::course {

class EditSearch {
 public:
  // Whether the kernel passes with the edit of this number. May throw Error if it cannot run.
  using Try = std::function<bool(std::size_t number)>;

  // The edits are those of `source`, the text of `file`.
  EditSearch(std::filesystem::path file, std::string source, const RepairSettings& settings);

  // Each thread calls `prepare` once and then what it returns, at most once for each edit.
  std::optional<Repair> run(const std::function<Try()>& prepare);

  std::string variant(std::size_t number) const { return edited(source_, edits_[number]); }
  // Compiles a request whose source ends with that variant, together with others. Throws Error(kUsage) if it
  // does not compile.
  compile::CompiledSource compiled(std::size_t number, const compile::CompileRequest& request);
  // For `prepare` and `run`: the time that is left, at least a little, because 0 means no limit elsewhere.
  double seconds_left() const;
  bool is_over() const;

 private:
  void work(const Try& passes);
  void report_progress();
  void add(std::size_t number);
  std::optional<Repair> found();

  std::filesystem::path file_;
  std::string source_;
  const RepairSettings& settings_;
  std::vector<Edit> edits_;
  std::vector<std::unique_ptr<KernelBatch>> batches_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next_ = 0;  // batch
  std::atomic<double> stop_at_ = std::numeric_limits<double>::infinity();
  std::mutex mutex_;
  std::size_t tried_ = 0;
  std::vector<std::size_t> found_;
};

}  // namespace cudalab::course
