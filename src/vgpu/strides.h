// How often each distance between neighbouring lanes occurred, in bounded memory, and which one is usual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace cudalab::vgpu {

// Up to kExact distances are counted each. Of more, two things are kept that any order and any split of the
// counting leads to, so that nothing depends on the host's threads:
//
//   bits[b]       requests whose distance has bit b set: if a distance has more than half, it is these bits
//   cells[r][h]   requests whose distance falls into cell h of row r: at least as many as the distance has
//
// A distance with more than half of the requests is always found. One with less may be taken for it when
// others fall into its cells in every row; where none has many, that does not happen.
class StrideCounts {
 public:
  void add(std::int64_t stride, std::uint64_t requests);
  void add(const StrideCounts& others);
  // The distance that more than half of so many requests have.
  std::optional<std::int64_t> usual(std::uint64_t requests) const;
  std::size_t bytes() const;  // that it takes

 private:
  static constexpr std::size_t kExact = 64, kBits = 64, kRows = 4, kCells = 32;
  struct Sketch {
    std::uint64_t requests = 0;
    std::array<std::uint64_t, kBits> bits{};
    std::array<std::array<std::uint64_t, kCells>, kRows> cells{};
    void add(std::int64_t stride, std::uint64_t count);
    void add(const Sketch& other);
    std::optional<std::int64_t> usual(std::uint64_t of) const;
  };
  Sketch& sketch();

  std::map<std::int64_t, std::uint64_t> exact_;  // empty once there is a sketch
  std::unique_ptr<Sketch> sketch_;
};

}  // namespace cudalab::vgpu
