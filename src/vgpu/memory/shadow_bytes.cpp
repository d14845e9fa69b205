#include "vgpu/memory/shadow_bytes.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace cudalab::vgpu {
namespace {

// Smaller ones are no pages of the system's.
constexpr std::size_t kWorthKeeping = std::size_t{1} << 17;

}  // namespace

// Pieces of launches that have ended, cleared.
class SpareShadows {
 public:
  static SpareShadows& all() {  // as long as the process: what frees memory at its end finds it, too
    static auto& spares = *new SpareShadows;
    return spares;
  }

  ShadowBytes::Piece take(std::size_t pages) {
    const std::lock_guard lock(mutex_);
    auto found = pieces_.extract(pages);
    if (!found) return {};
    kept_ -= pages;
    return std::move(found.mapped());
  }
  // Those of sizes that nobody asks for any more make room.
  void keep(ShadowBytes::Piece piece) {
    const std::lock_guard lock(mutex_);
    if (piece.count > kMostPages) return;
    if (kept_ + piece.count > kMostPages) forget();
    kept_ += piece.count;
    pieces_.emplace(piece.count, std::move(piece));
  }
  void free_all() {
    const std::lock_guard lock(mutex_);
    forget();
  }

 private:
  void forget() {
    pieces_.clear();
    kept_ = 0;
  }
  static constexpr std::size_t kMostPages = (std::size_t{256} << 20) / ShadowBytes::kPageBytes;
  std::mutex mutex_;
  std::size_t kept_ = 0;  // pages, absent ones included
  std::multimap<std::size_t, ShadowBytes::Piece> pieces_;
};

void free_spare_shadows() { SpareShadows::all().free_all(); }

ShadowBytes::ShadowBytes(std::size_t bytes) {
  const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  if (bytes >= kWorthKeeping) piece_ = SpareShadows::all().take(pages);
  if (piece_.memory) return;
  piece_.memory = allocate_host(pages * kPageBytes);
  piece_.count = pages;
  piece_.pages = std::make_unique<std::atomic<std::uint8_t>[]>(pages);
}

ShadowBytes::~ShadowBytes() {
  if (piece_.count * kPageBytes < kWorthKeeping) return;
  for_each_touched([&](std::size_t from, std::size_t to) {
    std::memset(get() + from, 0, to - from);
    for (std::size_t page = from / kPageBytes; page < to / kPageBytes; ++page)
      piece_.pages[page].store(kCleared, std::memory_order_relaxed);
  });
  SpareShadows::all().keep(std::move(piece_));
}

// Two host threads may do so at once, and another may have noted something there already.
void ShadowBytes::bring(std::size_t page) const {
  if (piece_.pages[page].load(std::memory_order_relaxed) == kAbsent)
    __atomic_fetch_or(reinterpret_cast<std::uint8_t*>(get() + page * kPageBytes), std::uint8_t{0},
                      __ATOMIC_RELAXED);
  piece_.pages[page].store(kTouched, std::memory_order_relaxed);
}

}  // namespace cudalab::vgpu
