// A batch of edits is one compilation. Each thread takes whole batches.
#include "course/repair/edit_search.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "compile/compile_kernels.h"
#include "core/error.h"
#include "core/processes/interruption.h"

namespace cudalab::course {
namespace {

constexpr std::size_t kVariantsPerBatch = 24;
constexpr double kSecondsAfterSuccess = 1;

}  // namespace

EditSearch::EditSearch(std::filesystem::path file, std::string source, const RepairSettings& settings)
    : file_(std::move(file)), source_(std::move(source)), settings_(settings), edits_(edits_of(source_)) {
  for (std::size_t first = 0; first < edits_.size(); first += kVariantsPerBatch) {
    std::vector<std::string> sources;
    for (std::size_t i = first; i < std::min(first + kVariantsPerBatch, edits_.size()); ++i)
      sources.push_back(variant(i));
    batches_.push_back(std::make_unique<KernelBatch>(std::move(sources), compile::compile_kernels));
  }
}

std::optional<Repair> EditSearch::run(const std::function<Try()>& prepare) {
  std::vector<std::jthread> threads;
  const auto search = [&] {
    try {
      work(prepare());
    } catch (const Error&) {
      // this thread cannot run variants
    }
  };
  for (unsigned i = 1; i < settings_.threads; ++i) threads.push_back(further_thread(search));
  search();
  threads.clear();  // joins them
  return found();
}

compile::CompiledSource EditSearch::compiled(std::size_t number, const compile::CompileRequest& request) {
  auto made = batches_[number / kVariantsPerBatch]->compiled(number % kVariantsPerBatch, request);
  if (!made) throw usage_error(Message::verbatim("does not compile"));
  return *std::move(made);
}

double EditSearch::seconds_left() const {
  constexpr double kLeast = 0.01;
  const std::chrono::duration<double> left = settings_.limit - (std::chrono::steady_clock::now() - begin_);
  return std::max(left.count(), kLeast);
}

// The search ends soon after the first success: other lines may also work, but the first is the most
// plausible.
bool EditSearch::is_over() const {
  const std::chrono::duration<double> since_begin = std::chrono::steady_clock::now() - begin_;
  return since_begin > settings_.limit || since_begin.count() > stop_at_;
}

void EditSearch::work(const Try& passes) {
  for (std::size_t batch = next_++; batch < batches_.size() && !is_over(); batch = next_++)
    for (std::size_t i = batch * kVariantsPerBatch;
         i < std::min((batch + 1) * kVariantsPerBatch, edits_.size()) && !is_over(); ++i)
      try {
        report_progress();
        if (passes(i)) add(i);
      } catch (const Error&) {
        // an edit that cannot run is not a repair
      }
}

void EditSearch::report_progress() {
  const std::lock_guard lock(mutex_);
  ++tried_;
  if (settings_.progress) settings_.progress(tried_, edits_.size());
}

void EditSearch::add(std::size_t number) {
  const std::lock_guard lock(mutex_);
  found_.push_back(number);
  const std::chrono::duration<double> since_begin = std::chrono::steady_clock::now() - begin_;
  if (found_.size() == 1) stop_at_ = since_begin.count() + kSecondsAfterSuccess;
}

std::optional<Repair> EditSearch::found() {
  if (found_.empty()) return std::nullopt;
  std::ranges::sort(found_);
  const Edit& best = edits_[found_.front()];
  Repair repair{.where = {file_.string(), best.line}, .kind = best.kind, .tried = tried_, .edit = best};
  for (const std::size_t number : found_)
    if (const int line = edits_[number].line;
        line != best.line && std::ranges::find(repair.other_lines, line) == repair.other_lines.end())
      repair.other_lines.push_back(line);
  return repair;
}

}  // namespace cudalab::course
