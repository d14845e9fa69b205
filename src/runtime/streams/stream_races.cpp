// Each memory keeps its latest uses, which a new one is compared with.
#include "runtime/streams/stream_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/modules/modules.h"

namespace cudalab::runtime {
namespace {

using vgpu::TouchedSpan;

constexpr std::size_t kMostUses = 4096;   // of one memory that are kept
constexpr std::size_t kMostSpans = 1024;  // of one memory by one piece of work: more is not looked at

bool overlap(const TouchedSpan& a, const TouchedSpan& b) { return a.begin < b.end && b.begin < a.end; }

bool disturb(TouchedSpan::Kind a, TouchedSpan::Kind b) { return a != b || a == TouchedSpan::kWrite; }

bool disturb(const TouchedSpan& a, const TouchedSpan& b) { return overlap(a, b) && disturb(a.kind, b.kind); }

std::string name_of(const Work& work) {
  return work.job.is_kernel ? fmt::format("kernel `{}`", readable(work.job.name)) : work.job.name;
}

std::string stream_called(std::int64_t lane) {
  return lane <= 0 ? "the default stream" : fmt::format("stream {}", lane);
}

const char* verb_of(TouchedSpan::Kind kind) {
  return kind == TouchedSpan::kRead ? "reads" : kind == TouchedSpan::kAtomic ? "updates" : "writes";
}

}  // namespace

StreamRaces::Uses& StreamRaces::uses_of(const MemoryBlock& block) {
  Uses& uses = uses_[block.address];
  if (uses.of != block.name) uses = {block.name, {}};
  if (uses.all.size() > kMostUses) uses.all.clear();
  return uses;
}

HostMistake StreamRaces::mistake(const Work& work, const Use& mine, const Use& other,
                                 const MemoryBlock& block) const {
  const std::uint64_t first = std::max(mine.span.begin, other.span.begin);
  return {MistakeKind::kUnorderedStreams,
          fmt::format("{} on {} {} byte {} of `{}`, which {} on {} {}, and nothing orders the two", mine.name,
                      stream_called(mine.lane), verb_of(mine.span.kind), first - block.address, block.name,
                      other.name, stream_called(other.lane), verb_of(other.span.kind)),
          "let one stream wait for the other with cudaStreamWaitEvent, wait with cudaStreamSynchronize in "
          "between, or use one stream for both",
          work.job.from, 1};
}

std::vector<HostMistake> StreamRaces::after(const Work& work, const std::vector<TouchedSpan>& touched,
                                            const Seen& seen_by_all) {
  std::vector<HostMistake> mistakes;
  std::map<const MemoryBlock*, std::vector<Use>> by_memory;
  for (const TouchedSpan& span : touched)
    if (const MemoryBlock* block = memory_->find(span.begin))
      by_memory[block].push_back({span, work.lane, work.number, name_of(work)});
  for (auto& [block, mine] : by_memory) {
    Uses& uses = uses_of(*block);
    if (mine.size() > kMostSpans) continue;
    for (const Use& other : uses.all) {
      if (work.seen.holds(other.lane, other.number) || other.lane == work.lane) continue;
      const auto met =
          std::ranges::find_if(mine, [&](const Use& use) { return disturb(use.span, other.span); });
      if (met != mine.end() && said_.emplace(met->name, other.name, block->name).second)
        mistakes.push_back(mistake(work, *met, other, *block));
    }
    uses.all.insert(uses.all.end(), mine.begin(), mine.end());
    std::erase_if(uses.all, [&](const Use& use) { return seen_by_all.holds(use.lane, use.number); });
  }
  return mistakes;
}

void add_rows(std::uint64_t address, std::size_t bytes, std::size_t pitch, std::size_t rows,
              TouchedSpan::Kind kind, std::vector<TouchedSpan>& to) {
  if (rows == 1 || pitch == bytes) return to.push_back({address, address + bytes * rows, kind});
  if (rows > kMostSpans) return;
  for (std::size_t row = 0; row < rows; ++row)
    to.push_back({address + row * pitch, address + row * pitch + bytes, kind});
}

}  // namespace cudalab::runtime
