// Moves the data of a full warp's lanes between memory, at any addresses, and the host's vector registers.
// Storing lanes one by one would stall the next instruction, which reads them as a vector (no store
// forwarding). Include only where lanes.h is included.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int kHostVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kHostVectorBytes = 32;
#else
constexpr int kHostVectorBytes = 16;
#endif
constexpr int kPieceBytes = 16;  // vectors are assembled from pieces of this size

template <class T, std::size_t Count>
struct HostVectorOf {
  using type [[gnu::vector_size(Count * sizeof(T))]] = T;
};
template <class T, std::size_t Count>
using HostVector = typename HostVectorOf<T, Count>::type;
// Lanes per vector register, at most a warp.
template <class T>
constexpr int kLanesOfAVector = kHostVectorBytes / sizeof(T) < kWarpSize ? kHostVectorBytes / sizeof(T)
                                                                         : kWarpSize;

// Distance in bytes between the memory of successive lanes, in addition to their offsets: a variable for
// local memory; 0 for all other memory, known at compile time.
using NoStep = std::integral_constant<std::int64_t, 0>;

// Addresses of each lane's memory, from some lane on.
template <class Offset, class Step>
struct LaneMemory {
  std::byte* host;
  const Offset* offsets;
  Step step;
  std::byte* of(int lane) const { return host + offsets[lane] + lane * step; }
  LaneMemory from(int lane) const { return {host + lane * step, offsets + lane, step}; }
};

// ---- images: neighbouring lanes' memory as one register ----------------------------------------------
template <class T>
T read(const std::byte* host) {
  T value;
  std::memcpy(&value, host, sizeof value);
  return value;
}

// Keeps loads in lane order, which the host's prefetcher predicts; the compiler would reorder them.
template <class V>
void load_now([[maybe_unused]] V& piece) {
#ifdef __x86_64__
  asm volatile("" : "+x"(piece));
#endif
}

template <class T, int Lanes, class Memory, int... Lane>
HostVector<T, Lanes> load_piece(const Memory& memory, std::integer_sequence<int, Lane...>) {
  HostVector<T, Lanes> piece = {read<T>(memory.of(Lane))...};
  load_now(piece);
  return piece;
}

template <class V, std::size_t... I>
auto joined(V first, V second, std::index_sequence<I...>) {
  return __builtin_shufflevector(first, second, I...);
}

template <class T, int Elements, int Lanes, class Memory>
auto load_images(const Memory& memory) {
  if constexpr (Elements == 1 && Lanes * sizeof(T) <= kPieceBytes) {
    return load_piece<T, Lanes>(memory, std::make_integer_sequence<int, Lanes>{});
  } else if constexpr (Lanes == 1) {
    auto image = read<HostVector<T, Elements>>(memory.of(0));
    load_now(image);
    return image;
  } else {
    return joined(load_images<T, Elements, Lanes / 2>(memory),
                  load_images<T, Elements, Lanes / 2>(memory.from(Lanes / 2)),
                  std::make_index_sequence<Elements * Lanes>{});
  }
}
template <class T, int Elements, int Lanes, class Memory, class V>
void store_images(const V& images, const Memory& memory) {
  for (int lane = 0; lane < Lanes; ++lane)
    std::memcpy(memory.of(lane), reinterpret_cast<const std::byte*>(&images) + lane * Elements * sizeof(T),
                Elements * sizeof(T));
}

// ---- elements ----------------------------------------------------------------------------------------
// With 2 lanes per image, elements x and y, and registers of 4:  | x0 y0 x1 y1 | x2 y2 x3 y3 |  <->  | x0 x1
// x2 x3 | and | y0 y1 y2 y3 |. For more elements this is repeated until each element has its own register.
template <class V, std::size_t... I>
V even_elements(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (2 * I)...);
}
template <class V, std::size_t... I>
V odd_elements(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (2 * I + 1)...);
}
// Interleaves the elements of a and b, beginning with number `From`.
template <std::size_t From, class V, std::size_t... I>
V in_turns(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (From + I / 2 + I % 2 * sizeof...(I))...);
}

// For several one-byte elements per lane, separating them costs more than it saves.
template <class T, int Elements>
constexpr bool fits_host_vectors() {
  const bool is_one = Elements == 1 && sizeof(T) <= 8;
  return is_one || (Elements > 1 && sizeof(T) > 1 && Elements * sizeof(T) <= kHostVectorBytes);
}

template <class T, std::size_t Count, class Memory>
void load_elements(const std::array<T*, Count>& d, const Memory& memory) {
  constexpr int kElements = Count, kLanes = kLanesOfAVector<T>, kLanesOfAnImage = kLanes / kElements;
  constexpr auto kEach = std::make_index_sequence<kLanes>{};
  for (int first = 0; first < kWarpSize; first += kLanes) {
    std::array<HostVector<T, kLanes>, Count> part, last;
    for (int image = 0; image < kElements; ++image)
      part[image] = load_images<T, kElements, kLanesOfAnImage>(memory.from(first + image * kLanesOfAnImage));
    for (int rounds = 1; rounds < kElements; rounds *= 2) {
      last = part;
      for (int pair = 0; pair < kElements / 2; ++pair) {
        part[pair] = even_elements(last[2 * pair], last[2 * pair + 1], kEach);
        part[pair + kElements / 2] = odd_elements(last[2 * pair], last[2 * pair + 1], kEach);
      }
    }
    for (int element = 0; element < kElements; ++element)
      std::memcpy(d[element] + first, &part[element], sizeof part[element]);
  }
}

template <class T, std::size_t Count, class Memory>
void store_elements(const std::array<T*, Count>& d, const Memory& memory) {
  constexpr int kElements = Count, kLanes = kLanesOfAVector<T>, kLanesOfAnImage = kLanes / kElements;
  constexpr auto kEach = std::make_index_sequence<kLanes>{};
  for (int first = 0; first < kWarpSize; first += kLanes) {
    std::array<HostVector<T, kLanes>, Count> part, last;
    for (int element = 0; element < kElements; ++element)
      std::memcpy(&part[element], d[element] + first, sizeof part[element]);
    for (int rounds = 1; rounds < kElements; rounds *= 2) {
      last = part;
      for (int pair = 0; pair < kElements / 2; ++pair) {
        part[2 * pair] = in_turns<0>(last[pair], last[pair + kElements / 2], kEach);
        part[2 * pair + 1] = in_turns<kLanes / 2>(last[pair], last[pair + kElements / 2], kEach);
      }
    }
    for (int image = 0; image < kElements; ++image)
      store_images<T, kElements, kLanesOfAnImage>(part[image], memory.from(first + image * kLanesOfAnImage));
  }
}

}  // namespace
}  // namespace cudalab::vgpu::CUDALAB_LEVEL
