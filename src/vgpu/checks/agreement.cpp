#include "vgpu/checks/agreement.h"

#include <algorithm>

namespace cudalab::vgpu {
namespace {

bool names_line(const Hazard& hazard, const SourceLine& line) {
  return !line.file.empty() && (hazard.where == line || (hazard.other && *hazard.other == line));
}

bool share_a_line(const Hazard& a, const Hazard& b) {
  return names_line(a, b.where) || (b.other && names_line(a, *b.other));
}

bool is_at_same_memory(const Hazard& a, const Hazard& b) { return a.kind == b.kind && a.buffer == b.buffer; }

bool is_pair_of_readers_and_writers(const Hazard& hazard) {
  return hazard.pair != RacePair::kNone && hazard.pair != RacePair::kWriters;
}

// The race that says best what to do about this hazard; itself or nullptr where there is none.
const Hazard* better_advised(const Hazard& hazard, const std::vector<Hazard>& all) {
  const Hazard* best = nullptr;
  for (const Hazard& other : all) {
    if (other.pair == RacePair::kNone || !share_a_line(other, hazard)) continue;
    const bool writers = other.pair == RacePair::kWriters && is_at_same_memory(hazard, other);
    const bool wider = hazard.pair == RacePair::kLanes && other.pair == RacePair::kThreads;
    const bool cause = hazard.kind == HazardKind::kUninitialisedRead && other.buffer == hazard.buffer;
    if ((is_pair_of_readers_and_writers(hazard) && (writers || wider)) || cause)
      if (!best || other.pair > best->pair) best = &other;
  }
  return best;
}

}  // namespace

void agree(std::vector<Hazard>& hazards) {
  std::vector<Message> fixes;
  for (const Hazard& hazard : hazards) {
    const Hazard* better = better_advised(hazard, hazards);
    fixes.push_back(better ? better->fix : hazard.fix);
  }
  for (std::size_t i = 0; i < hazards.size(); ++i) hazards[i].fix = fixes[i];
}

}  // namespace cudalab::vgpu
