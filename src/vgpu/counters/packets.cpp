#include "vgpu/counters/packets.h"

#include <array>
#include <bit>

namespace cudalab::vgpu {
namespace {

constexpr std::uint64_t kLineBytes = 128, kWordBytes = 4, kWordsOfSector = kSectorBytes / kWordBytes;
constexpr std::uint32_t kQueues = 4;

// Which bits of an address are added up, modulo 2, to each bit of the queue's number: found bit by bit, from
// pairs of lines that differ in one.
constexpr std::uint64_t kQueueBits[] = {0xbd5a80, 0x6aed00};
static_assert(kQueueBits[0] < 1u << kQueueAddressBits && kQueueBits[1] < 1u << kQueueAddressBits);

std::uint32_t queue_of(std::uint64_t address) {
  return static_cast<std::uint32_t>((std::popcount(address & kQueueBits[0]) & 1) |
                                    (std::popcount(address & kQueueBits[1]) & 1) << 1);
}

struct QueuedLanes {
  std::array<std::uint64_t, kWarpSize> line;   // or half of one
  std::array<std::uint32_t, kWarpSize> words;  // of its 32, a bit each
  std::array<std::uint32_t, kQueues> lanes{};  // of each queue
};

QueuedLanes lanes_in_queues(const WarpAccess& access, std::uint64_t packet_bytes) {
  const auto words = static_cast<std::uint32_t>((1ull << (access.bytes_per_lane / kWordBytes)) - 1);
  QueuedLanes queued;
  for (std::uint32_t left = access.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.addresses[lane];
    queued.line[lane] = address / packet_bytes;
    queued.words[lane] = words << (address % kLineBytes / kWordBytes);
    queued.lanes[queue_of(address)] |= 1u << lane;
  }
  return queued;
}

// Takes the lanes of the next packet out of the queue; returns the words of its line that it holds.
std::uint32_t send_packet(const QueuedLanes& queued, std::uint32_t& queue) {
  const std::uint64_t line = queued.line[std::countr_zero(queue)];
  std::uint32_t wanted = 0, sent = 0;
  for (std::uint32_t left = queue; left && wanted != ~0u; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const bool is_first = !(wanted & queued.words[lane]);
    wanted |= queued.words[lane];
    if (!is_first || queued.line[lane] != line) continue;
    sent |= queued.words[lane];
    queue &= ~(1u << lane);
  }
  return sent;
}

std::uint32_t sectors_of_words(std::uint32_t words) {
  constexpr std::uint32_t kOneSector = (1u << kWordsOfSector) - 1;
  std::uint32_t sectors = 0;
  for (; words; words >>= kWordsOfSector) sectors += (words & kOneSector) != 0;
  return sectors;
}

}  // namespace

std::uint32_t count_packet_sectors(const WarpAccess& access, bool brings_two_operands) {
  QueuedLanes queued = lanes_in_queues(access, brings_two_operands ? kLineBytes / 2 : kLineBytes);
  std::uint32_t sectors = 0;
  for (std::uint32_t& queue : queued.lanes)
    while (queue) sectors += sectors_of_words(send_packet(queued, queue));
  return sectors;
}

}  // namespace cudalab::vgpu
