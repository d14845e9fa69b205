#include "vgpu/memory/shadow_bytes.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace cudalab::vgpu {
namespace {

// Smaller blocks do not consist of whole pages.
constexpr std::size_t kWorthKeeping = std::size_t{1} << 17;

}  // namespace

// Cleared memory of ended launches.
class SpareShadows {
 public:
  static SpareShadows& all() {  // never destroyed, because memory may be freed at the end of the process
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
  // Drops all kept blocks if there would be too many pages, so unused sizes do not accumulate.
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
  std::size_t kept_ = 0;  // in pages, including absent ones
  std::multimap<std::size_t, ShadowBytes::Piece> pieces_;
};

void free_spare_shadows() { SpareShadows::all().free_all(); }

ShadowBytes::ShadowBytes(std::size_t bytes) {
  const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  if (bytes >= kWorthKeeping) piece_ = SpareShadows::all().take(pages);
  if (piece_.memory) return;
  piece_.memory = allocate_host(pages * kPageBytes);
  prefer_large_pages(piece_.memory);
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

// Several host threads may do so at once, and one may already have stored a mark there, so the write must not
// change it.
void ShadowBytes::bring(std::size_t page) const {
  if (piece_.pages[page].load(std::memory_order_relaxed) == kAbsent)
    __atomic_fetch_or(reinterpret_cast<std::uint8_t*>(get() + page * kPageBytes), std::uint8_t{0},
                      __ATOMIC_RELAXED);
  piece_.pages[page].store(kTouched, std::memory_order_relaxed);
}

}  // namespace cudalab::vgpu
