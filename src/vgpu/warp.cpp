// The state that instructions execute on: decoded instructions, a warp's registers and paths, memory sites
// and strides.
#include "vgpu/warp.h"

#include <algorithm>

namespace cudalab::vgpu {
namespace {

// Odd multipliers, one per row; the upper bits of the product select the cell.
constexpr std::uint64_t kMultipliers[] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                          0xd6e8feb86659fd93};

std::size_t cell_of(std::uint64_t stride, std::size_t row, std::size_t cells) {
  return static_cast<std::size_t>((stride * kMultipliers[row]) >> 32) % cells;
}

}  // namespace

void StrideCounts::Sketch::add(std::int64_t stride, std::uint64_t count) {
  const auto pattern = static_cast<std::uint64_t>(stride);
  requests += count;
  for (std::size_t bit = 0; bit < kBits; ++bit) bits[bit] += (pattern >> bit & 1) * count;
  for (std::size_t row = 0; row < kRows; ++row) cells[row][cell_of(pattern, row, kCells)] += count;
}

void StrideCounts::Sketch::add(const Sketch& other) {
  requests += other.requests;
  for (std::size_t bit = 0; bit < kBits; ++bit) bits[bit] += other.bits[bit];
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t cell = 0; cell < kCells; ++cell) cells[row][cell] += other.cells[row][cell];
}

std::optional<std::int64_t> StrideCounts::Sketch::usual(std::uint64_t of) const {
  std::uint64_t pattern = 0;
  for (std::size_t bit = 0; bit < kBits; ++bit) pattern |= std::uint64_t{2 * bits[bit] > requests} << bit;
  for (std::size_t row = 0; row < kRows; ++row)
    if (2 * cells[row][cell_of(pattern, row, kCells)] <= of) return std::nullopt;
  return static_cast<std::int64_t>(pattern);
}

StrideCounts::Sketch& StrideCounts::sketch() {
  if (sketch_) return *sketch_;
  sketch_ = std::make_unique<Sketch>();
  for (const auto& [stride, count] : exact_) sketch_->add(stride, count);
  exact_.clear();
  return *sketch_;
}

void StrideCounts::add(std::int64_t stride, std::uint64_t requests) {
  if (sketch_) return sketch_->add(stride, requests);
  exact_[stride] += requests;
  if (exact_.size() > kExact) sketch();
}

void StrideCounts::add(const StrideCounts& others) {
  if (others.sketch_) return sketch().add(*others.sketch_);
  for (const auto& [stride, requests] : others.exact_) add(stride, requests);
}

std::optional<std::int64_t> StrideCounts::usual(std::uint64_t requests) const {
  if (sketch_) return sketch_->usual(requests);
  const auto found =
      std::ranges::find_if(exact_, [requests](const auto& each) { return 2 * each.second > requests; });
  return found == exact_.end() ? std::nullopt : std::optional(found->first);
}

std::size_t StrideCounts::bytes() const {
  constexpr std::size_t kNode = sizeof(std::pair<std::int64_t, std::uint64_t>) + 4 * sizeof(void*);
  return sizeof *this + exact_.size() * kNode + (sketch_ ? sizeof *sketch_ : 0);
}

}  // namespace cudalab::vgpu
