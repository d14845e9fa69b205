#include "report/warp/lane_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/half.h"

namespace cudalab::report {
namespace {

using ptx::Type;

double float_of(std::uint32_t bytes, std::uint64_t bits) {
  return bytes == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// A float that a program would compute with; small whole numbers, taken as floats, are next to zero.
bool looks_like_float(std::uint32_t bytes, std::uint64_t bits) {
  constexpr double kLeast = 1e-12, kMost = 1e15;
  const double size = std::fabs(float_of(bytes, bits));
  return bits == 0 || (size >= kLeast && size <= kMost);
}

bool all_look_like_floats(std::uint32_t bytes, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                          std::uint32_t lanes) {
  bool some = false;
  for (; lanes; lanes &= lanes - 1) {
    const std::uint64_t value = bits[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (!looks_like_float(bytes, value)) return false;
    some = some || value != 0;
  }
  return some;
}

std::int64_t with_sign(std::uint64_t bits, std::uint32_t bytes) {
  const int unused = 64 - 8 * static_cast<int>(std::min(bytes, 8u));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Addresses, and what else is too long to be counted with.
constexpr std::uint64_t kShownInHex = std::uint64_t{1} << 40;

}  // namespace

std::string lanes_text(std::uint32_t lanes, const Wording& wording) {
  if (lanes == vgpu::kAllLanes) return wording.say<"all 32">();
  std::string text;
  for (int first = 0; first < vgpu::kWarpSize; ++first) {
    if (!(lanes >> first & 1)) continue;
    int last = first;
    while (last + 1 < vgpu::kWarpSize && (lanes >> (last + 1) & 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? "," : "-", last);
    first = last;
  }
  return text.empty() ? wording.say<"none">() : text;
}

Type shown_type(const vgpu::TracedValue& value, const std::array<std::uint64_t, vgpu::kWarpSize>& bits,
                std::uint32_t lanes) {
  if (value.type == Type::kB32 && all_look_like_floats(4, bits, lanes)) return Type::kF32;
  if (value.type == Type::kB64 && all_look_like_floats(8, bits, lanes)) return Type::kF64;
  return value.type;
}

std::string value_text(Type type, std::uint32_t bytes, std::uint64_t bits, int digits) {
  switch (type) {
    case Type::kF32:
    case Type::kTF32: return fmt::format("{:.{}g}", float_of(4, bits), digits);
    case Type::kF64: return fmt::format("{:.{}g}", float_of(8, bits), digits);
    case Type::kF16:
      return fmt::format("{:.{}g}", f16_to_f32(static_cast<std::uint16_t>(bits)), std::min(digits, 4));
    case Type::kBF16:
      return fmt::format("{:.{}g}", bf16_to_f32(static_cast<std::uint16_t>(bits)), std::min(digits, 4));
    case Type::kF16x2:
    case Type::kBF16x2: return fmt::format("{:#010x}", bits);
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
    case Type::kS64:
    case Type::kB32: return fmt::format("{}", with_sign(bits, bytes));
    default: return bits >= kShownInHex ? fmt::format("{:#x}", bits) : fmt::format("{}", bits);
  }
}

std::string ElementNames::indices(const std::string& name, std::uint64_t element, int line) const {
  const lab::DeclaredArray* shape = nullptr;
  for (const lab::DeclaredArray& each : shapes_)
    if (each.name == name && each.line <= line) shape = &each;
  std::string text;
  if (shape)
    for (auto inner = shape->inner.rbegin(); inner != shape->inner.rend() && *inner > 0; ++inner) {
      text = fmt::format("[{}]{}", element % *inner, text);
      element /= *inner;
    }
  return fmt::format("[{}]{}", element, text);
}

std::string ElementNames::of(const vgpu::TracedAccess& access, std::size_t lane, int line) const {
  const std::uint64_t address = access.address[lane];
  const auto offset = static_cast<std::int64_t>(address - access.begin);
  const auto bytes = static_cast<std::int64_t>(access.bytes / std::max(access.elements, 1u));
  if (access.buffer.empty()) return fmt::format("{:#x}", address);
  // "the dynamic shared memory"; several buffers may be "cudaMalloc #1".
  const bool is_known = access.space != MemorySpace::kGlobal && access.buffer.find(' ') != std::string::npos;
  const std::string name = is_known ? "" : access.buffer;
  if (bytes == 0 || offset % bytes != 0) return fmt::format("{}+{}", name, offset);
  if (offset < 0) return fmt::format("{}[{}]", name, offset / bytes);
  return name + indices(access.buffer, static_cast<std::uint64_t>(offset / bytes), line);
}

}  // namespace cudalab::report
