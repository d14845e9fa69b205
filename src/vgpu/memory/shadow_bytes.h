// Zeroed memory of the host in which the checks of a launch note what was touched.
//
// It is looked at before it is changed. Of memory straight from the system the first look would get a page of
// zeroes that all pages share and the first change a page of its own, and every core of the host would be
// told of the exchange, which costs more than all else that is done with the page. So pages are written
// first. Launches that follow each other get the same pieces again: to clear the pages that one of them
// touched costs less than to get new ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "vgpu/memory/host_bytes.h"

namespace cudalab::vgpu {

class ShadowBytes {
 public:
  ShadowBytes() = default;
  explicit ShadowBytes(std::size_t bytes);
  ~ShadowBytes();
  ShadowBytes(ShadowBytes&& other) noexcept { swap(other); }
  ShadowBytes& operator=(ShadowBytes&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* get() const { return piece_.memory.get(); }
  // Before the bytes [from, to) are read or written; by any host thread.
  void touch(std::size_t from, std::size_t to) const {
    for (std::size_t page = from / kPageBytes; page <= (to - 1) / kPageBytes; ++page)
      if (piece_.pages[page].load(std::memory_order_relaxed) != kTouched) bring(page);
  }
  // Calls use(from, to) for each range of touched pages, ascending; the last one may end behind the bytes
  // asked for.
  template <class Use>
  void for_each_touched(const Use& use) const;

 private:
  enum Page : std::uint8_t { kAbsent, kCleared, kTouched };
  struct Piece {
    HostBytes memory;
    std::size_t count = 0;  // of pages
    std::unique_ptr<std::atomic<std::uint8_t>[]> pages;
  };
  static constexpr std::size_t kPageBytes = 4096;
  friend class SpareShadows;
  void swap(ShadowBytes& other) noexcept { std::swap(piece_, other.piece_); }
  void bring(std::size_t page) const;
  Piece piece_;
};

// What the launches so far have left for the next ones goes back to the system.
void free_spare_shadows();

template <class Use>
void ShadowBytes::for_each_touched(const Use& use) const {
  const auto is_touched = [&](std::size_t page) {
    return piece_.pages[page].load(std::memory_order_relaxed) == kTouched;
  };
  for (std::size_t page = 0, end = 0; page < piece_.count; page = end + 1) {
    for (end = page; end < piece_.count && is_touched(end);) ++end;
    if (end > page) use(page * kPageBytes, end * kPageBytes);
  }
}

}  // namespace cudalab::vgpu
