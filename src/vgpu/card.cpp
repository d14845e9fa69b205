// The table of cards.
#include "vgpu/card.h"

#include <array>

namespace cudalab::vgpu {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::uint32_t kMaxGridX = 2147483647, kMaxGridYZ = 65535;

// id, name, capability, SMs, threads/block, block x y z, grid x y z, threads/SM, blocks/SM,
// shared per block, opt-in, per SM, constant, L2, local per thread
constexpr std::array<Card, 3> kCards{{
    {"h200",     "NVIDIA H200", 9,          0,          132,  1024, 1024,      1024,
     64,         kMaxGridX,     kMaxGridYZ, kMaxGridYZ, 2048, 32,   48 * kKiB, 227 * kKiB,
     228 * kKiB, 64 * kKiB,     60 * kMiB,  512 * kKiB},
    {"a100",     "NVIDIA A100", 8,          0,          108,  1024, 1024,      1024,
     64,         kMaxGridX,     kMaxGridYZ, kMaxGridYZ, 2048, 32,   48 * kKiB, 163 * kKiB,
     164 * kKiB, 64 * kKiB,     40 * kMiB,  512 * kKiB},
    {"t4",       "Tesla T4", 7,    5,  40,        1024,      1024,      1024,      64,       kMaxGridX,
     kMaxGridYZ, kMaxGridYZ, 1024, 16, 48 * kKiB, 64 * kKiB, 64 * kKiB, 64 * kKiB, 4 * kMiB, 512 * kKiB},
}};

}  // namespace

std::span<const Card> cards() { return kCards; }

const Card* find_card(std::string_view id) {
  for (const Card& card : kCards)
    if (card.id == id) return &card;
  return nullptr;
}

}  // namespace cudalab::vgpu
