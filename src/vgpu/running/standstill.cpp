#include "vgpu/running/standstill.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/fnv_hash.h"

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kFewTurns = 64;        // until then, time passes as it always does
constexpr std::uint64_t kManyTurns = 4096;     // until then, nobody asks
constexpr std::uint64_t kLongestCircle = 128;  // turns: of 32 paths of a warp that poll in different places
constexpr std::uint64_t kMostPolls = 1ull << 22;  // of a loop that goes on counting: seconds on the host

// FNV-1a, eight bytes at a time.
class Digest {
 public:
  void add(std::uint64_t value) { value_ = fnv_hash(value_, value), value_ ^= value_ >> 29; }
  void add(const std::byte* bytes, std::size_t count) {
    for (; count >= sizeof(std::uint64_t); bytes += sizeof(std::uint64_t), count -= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      add(word);
    }
    for (; count > 0; ++bytes, --count) add(static_cast<std::uint64_t>(*bytes));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = kFnvBasis;
};

void add_paths(Digest& digest, const Warp& warp) {
  for (const Path& path : warp.parked) {
    digest.add(reinterpret_cast<std::uintptr_t>(path.pc));
    digest.add(std::uint64_t{path.mask} << 32 | static_cast<std::uint32_t>(path.frame));
    digest.add(static_cast<std::uint64_t>(path.wait));
  }
  digest.add(warp.carry);
}

std::uint64_t state_of(const Block& block) {
  Digest digest;
  digest.add(block.shared.get(), block.launch->shared_bytes);
  for (const Barrier& barrier : block.barriers) digest.add(barrier.arrived);
  for (const Warp& warp : block.warps) {
    add_paths(digest, warp);
    for (const Frame& frame : warp.frames)
      if (frame.lanes) digest.add(frame.registers.get(), frame.function->frame_bytes);
    digest.add(warp.local, warp.local_bytes * kWarpSize);
  }
  return digest.value();
}

}  // namespace

// What the clock shows is the instructions that a warp was granted so far.
void Standstill::let_time_pass(Block& block) const {
  const bool stands_still = turns_ >= kManyTurns && turns_ - std::bit_floor(turns_) < kLongestCircle;
  for (Warp& warp : block.warps) {
    if (!warp.stalled_at) continue;
    if (stands_still)
      warp.clock -= kInstructionsOfATurn - warp.budget;
    else if (turns_ > kFewTurns)
      warp.clock += static_cast<std::int64_t>(std::min(turns_, kManyTurns)) * kInstructionsOfATurn;
  }
}

bool Standstill::lasts(Block& block) {
  ++turns_;
  polls_ += static_cast<std::uint64_t>(
      std::ranges::count_if(block.warps, [](const Warp& warp) { return warp.stalled_at != nullptr; }));
  let_time_pass(block);
  const std::uint64_t first = std::bit_floor(turns_);
  if (turns_ < kManyTurns || turns_ - first > kLongestCircle) return polls_ > kMostPolls;
  const std::uint64_t state = state_of(block);
  if (turns_ > first) return state == remembered_;
  remembered_ = state;
  return false;
}

}  // namespace cudalab::vgpu
