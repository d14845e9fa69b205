#include "vgpu/repeated_launches.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/digest.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kMostKnown = 256;        // launches
constexpr std::size_t kMostKept = 1ull << 30;  // bytes of contents
constexpr double kDigestBytesPerSecond = 5e9;  // XXH3 of contents in memory: 5 to 10 GB/s
constexpr std::uint64_t kMostSkipped = 1024;

template <class T>
void add_value(Digester& digester, const T& value) {
  digester.add(std::as_bytes(std::span(&value, 1)));
}

std::string key_of(const Program& program, const LaunchRequest& request) {
  Digester digester;
  add_value(digester, program.number);
  add_value(digester, request.kernel);
  const LaunchSpec& spec = request.spec;
  for (const Dim3& shape : {spec.grid, spec.block, spec.cluster})
    for (const std::uint32_t part : {shape.x, shape.y, shape.z}) add_value(digester, part);
  add_value(digester, std::uint64_t{spec.dynamic_shared_bytes});
  add_value(digester, request.is_cooperative);
  add_value(digester, request.options.checks);
  add_value(digester, request.options.predict);
  add_value(digester, request.options.most_blocks);
  add_value(digester, request.touched != nullptr);
  digester.add(request.parameters);
  return digester.hex();
}

std::span<const std::uint64_t> written_words(const Allocation& allocation) {
  if (!allocation.written) return {};
  return allocation.written.words_of(0, allocation.bytes);
}

}  // namespace

bool RepeatedLaunches::is_up_to_date(const Allocation& allocation) const {
  const auto found = digested_.find(allocation.number);
  return found != digested_.end() && found->second.version == allocation.version &&
         (found->second.kernels == kernels_ || allocation.read_only) && !allocation.is_shared_with_host();
}

RepeatedLaunches::Digests RepeatedLaunches::digests() {
  Digests all;
  for (const auto& allocation : memory_->allocations()) {
    if (!is_up_to_date(*allocation)) {
      Digester digester;
      add_value(digester, allocation->number);
      add_value(digester, allocation->changed_unseen.load());
      digester.add({allocation->host.get(), allocation->bytes});
      digester.add(std::as_bytes(written_words(*allocation)));
      digested_[allocation->number] = {allocation->version, kernels_, digester.hex()};
    }
    all.emplace(allocation->base, digested_.at(allocation->number).digest);
  }
  return all;
}

bool RepeatedLaunches::is_worth_while(Known& known) const {
  constexpr std::size_t kOverhead = 2048;  // of an allocation, in bytes that take the same time
  constexpr double kShareOfDigests = 0.2;
  if (known.to_skip > 0) return --known.to_skip, false;
  std::size_t bytes = 0;
  for (const auto& allocation : memory_->allocations())
    if (!is_up_to_date(*allocation)) bytes += allocation->bytes + kOverhead;
  return known.seconds > kShareOfDigests * static_cast<double>(bytes) / kDigestBytesPerSecond;
}

void RepeatedLaunches::note_difference(Known& known) {
  known.to_skip = known.last_skip = std::min(2 * known.last_skip + 1, kMostSkipped);
}

std::optional<LaunchResult> RepeatedLaunches::begin(const Program& program, const LaunchRequest& request,
                                                    bool is_repeatable) {
  std::optional<LaunchResult> outcome = outcome_of(program, request, is_repeatable);
  if (!outcome) ++kernels_;
  return outcome;
}

std::optional<LaunchResult> RepeatedLaunches::outcome_of(const Program& program, const LaunchRequest& request,
                                                         bool is_repeatable) {
  running_ = nullptr;
  before_.reset();
  if (!is_repeatable) return std::nullopt;
  if (known_.size() >= kMostKnown) known_.clear(), digested_.clear(), kept_bytes_ = 0;
  running_ = &known_[key_of(program, request)];
  if (request.options.record || running_->seconds == 0 || !is_worth_while(*running_)) return std::nullopt;
  before_ = digests();
  if (!running_->result) return std::nullopt;
  if (*before_ != running_->before) return note_difference(*running_), std::nullopt;
  running_->last_skip = 0;
  for (const Contents& contents : running_->changes) restore(contents);
  if (request.touched) *request.touched = running_->touched;
  return running_->result;
}

void RepeatedLaunches::finish(const LaunchRequest& request, const LaunchResult& result, double seconds) {
  Known* const known = std::exchange(running_, nullptr);
  if (!known) return;
  known->seconds = seconds;
  for (const Contents& contents : known->changes) kept_bytes_ -= contents.bytes.size();
  known->changes.clear();
  known->result.reset();
  if (!before_ || !result.completed || !result.printed.empty()) return;
  known->before = *std::exchange(before_, std::nullopt);
  known->result = result;
  known->result->recording.reset();
  known->result->simulation_ms = 0;
  if (request.touched) known->touched = *request.touched;
  keep_changes(*known, digests());
}

// Forgets the outcome if the launch changed more than can be kept.
void RepeatedLaunches::keep_changes(Known& known, const Digests& after) {
  for (const auto& allocation : memory_->allocations()) {
    const auto old = known.before.find(allocation->base);
    if (old == known.before.end()) return known.result.reset();
    if (old->second == after.at(allocation->base)) continue;
    if (kept_bytes_ + allocation->bytes > kMostKept) return known.result.reset();
    kept_bytes_ += allocation->bytes;
    const std::byte* bytes = allocation->host.get();
    const auto written = written_words(*allocation);
    known.changes.push_back(
        {allocation->base, {bytes, bytes + allocation->bytes}, {written.begin(), written.end()}});
  }
}

void RepeatedLaunches::restore(const Contents& contents) {
  Allocation& allocation = *memory_->find(contents.base);
  ++allocation.version;
  std::ranges::copy(contents.bytes, allocation.host.get());
  if (contents.written.empty())
    allocation.written.reset();
  else
    std::ranges::copy(contents.written, allocation.written.words_of(0, allocation.bytes).begin());
}

}  // namespace cudalab::vgpu
