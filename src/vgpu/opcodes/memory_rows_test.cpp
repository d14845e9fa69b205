// Tests loads and stores of every width, with lanes at any addresses, at each instruction-set level.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "vgpu/opcodes/table.h"

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kSharedBytes = 4096, kRegisterBytes = 8 * kWarpSize;
constexpr int kMostElements = 8;

struct Access {
  int bytes, elements;  // bytes per element; elements per lane
  std::string row(const char* name) const {
    const std::string vector = elements > 1 ? ".v" + std::to_string(elements) : "";
    return name + std::string(".shared.b") + std::to_string(8 * bytes) + vector;
  }
};
constexpr Access kAccesses[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {2, 2}, {4, 2},
                                {8, 2}, {1, 4}, {2, 4}, {4, 4}, {8, 4}, {4, 8}};

// A warp with shared memory and registers: one for addresses and one per element.
class SharedWarp {
 public:
  explicit SharedWarp(const Access& access) : access_(access) {
    info_.kind = SiteKind::kSharedLoad;
    info_.bytes_per_lane = access.bytes * access.elements;
    info_.shared_begin = 0, info_.shared_end = kSharedBytes;
    site_.info = &info_;
    warp_.operand_file.fill(registers_.data());
    warp_.sites = &site_;
    warp_.shared = shared_.data(), warp_.shared_bytes = shared_.size();
    inst_.a = register_slot(0);
    for (int element = 0; element < access.elements; ++element) slots_[element] = register_slot(1 + element);
    inst_.d = slots_[0];
    if (access.elements > 1) inst_.slots = slots_.data();
    std::iota(shared_as<std::uint16_t>(), shared_as<std::uint16_t>() + kSharedBytes / 2, std::uint16_t{1000});
  }

  void run(const Row& row, const std::array<std::uint64_t, kWarpSize>& addresses, std::uint32_t lanes) {
    std::memcpy(lanes_at<std::byte>(warp_, inst_.a), addresses.data(), sizeof addresses);
    warp_.exec = warp_.active = lanes;
    row.run(&inst_, warp_);
  }
  // The bytes of all elements of one lane, in memory and in registers.
  std::vector<std::byte> in_memory(std::uint64_t address) const {
    const auto from = shared_.begin() + static_cast<std::ptrdiff_t>(address);
    return {from, from + info_.bytes_per_lane};
  }
  std::vector<std::byte> in_registers(int lane) const {
    std::vector<std::byte> bytes;
    for (int element = 0; element < access_.elements; ++element) {
      const std::byte* own = lanes_at<std::byte>(warp_, slots_[element]) + lane * access_.bytes;
      bytes.insert(bytes.end(), own, own + access_.bytes);
    }
    return bytes;
  }
  void fill_registers() {
    for (std::size_t i = 0; i < registers_.size(); ++i) registers_[i] = static_cast<std::byte>(i * 37 >> 2);
  }

 private:
  static Slot register_slot(int number) {
    return make_slot(kRegisters,
                     kFirstRegister + static_cast<std::uint32_t>(number) * std::uint32_t{kRegisterBytes});
  }
  template <class T>
  T* shared_as() {
    return reinterpret_cast<T*>(shared_.data());
  }

  Access access_;
  SiteInfo info_;
  SiteState site_;
  Warp warp_;
  Inst inst_;
  std::array<Slot, kMostElements> slots_{};
  alignas(64) std::array<std::byte, kSharedBytes> shared_{};
  alignas(64) std::array<std::byte, kFirstRegister + (1 + kMostElements) * kRegisterBytes> registers_{};
};

// Distinct addresses in random order.
std::array<std::uint64_t, kWarpSize> any_addresses(const Access& access, std::mt19937& random) {
  const auto bytes = static_cast<std::size_t>(access.bytes * access.elements);
  std::vector<std::uint64_t> places(kSharedBytes / bytes);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i * bytes;
  std::ranges::shuffle(places, random);
  std::array<std::uint64_t, kWarpSize> addresses;
  std::copy_n(places.begin(), kWarpSize, addresses.begin());
  return addresses;
}

TEST(MemoryRows, MoveEachLanesElements) {
  std::mt19937 random(11);
  for (const auto& [level, table] : opcode_tables())
    for (const Access& access : kAccesses)
      for (const std::uint32_t lanes : {kAllLanes, 0x8000'70feu}) {
        const auto addresses = any_addresses(access, random);
        SharedWarp load(access), store(access);
        load.run(*table->find(access.row("ld")), addresses, lanes);
        store.fill_registers();
        store.run(*table->find(access.row("st")), addresses, lanes);
        const std::vector<std::byte> untouched(static_cast<std::size_t>(access.bytes * access.elements));
        const SharedWarp before(access);
        for (int lane = 0; lane < kWarpSize; ++lane) {
          const bool is_active = lanes >> lane & 1;
          EXPECT_EQ(load.in_registers(lane), is_active ? load.in_memory(addresses[lane]) : untouched)
              << level << ", " << access.row("ld") << ", lane " << lane;
          EXPECT_EQ(store.in_memory(addresses[lane]),
                    is_active ? store.in_registers(lane) : before.in_memory(addresses[lane]))
              << level << ", " << access.row("st") << ", lane " << lane;
        }
      }
}

}  // namespace
}  // namespace cudalab::vgpu
