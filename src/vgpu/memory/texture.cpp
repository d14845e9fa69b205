#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "core/half.h"
#include "vgpu/memory/texture_table.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

constexpr int kFractionBits = 8;  // of a weight
constexpr std::int64_t kOne = 1 << kFractionBits;

// ---- coordinates -------------------------------------------------------------------------------------
// Unnormalized coordinates support neither wrap nor mirror mode; the guide specifies clamping.
AddressMode mode_of(const Sampling& sampling, int dimension) {
  const AddressMode mode = sampling.address[static_cast<std::size_t>(dimension)];
  const bool repeats = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return repeats && !sampling.normalized_coordinates ? AddressMode::kClamp : mode;
}

constexpr double kFar = 0x1p40;  // keeps fixed-point numbers in range; beyond any texture

// NaN and subnormal numbers count as 0.
double usual(float coordinate) {
  return std::isnan(coordinate) || std::fabs(coordinate) < std::numeric_limits<float>::min()
             ? 0
             : double{coordinate};
}

// The same position within the first period, which is 1 in wrap mode and 2 in mirror mode.
double repeated(double at, AddressMode mode) {
  if (mode != AddressMode::kWrap && mode != AddressMode::kMirror) return std::clamp(at, -kFar, kFar);
  if (std::isinf(at)) return 0;
  const double period = mode == AddressMode::kWrap ? 1 : 2;
  return at - period * std::floor(at / period);
}

// Distance from the left edge in texels. A normalized coordinate is rounded to 21 fractional bits.
double texels_from_edge(float coordinate, std::size_t extent, AddressMode mode, bool normalized) {
  constexpr double kBits = 1 << 21;
  const double at = usual(coordinate);
  if (!normalized) return std::clamp(at, -kFar, kFar);
  const double kept = std::isinf(at) ? at : std::floor(at * kBits) / kBits;
  return repeated(kept, mode) * static_cast<double>(extent);
}

std::int64_t modulo(std::int64_t index, std::int64_t period) {
  const std::int64_t rest = index % period;
  return rest < 0 ? rest + period : rest;
}

// The texel that an index refers to; -1 if it is outside.
std::int64_t resolve(std::int64_t index, std::size_t extent, AddressMode mode) {
  const auto size = static_cast<std::int64_t>(extent);
  if (mode == AddressMode::kWrap) return modulo(index, size);
  if (mode == AddressMode::kBorder) return index >= 0 && index < size ? index : -1;
  if (mode == AddressMode::kMirror) {
    const std::int64_t place = modulo(index, 2 * size);
    return place < size ? place : 2 * size - 1 - place;
  }
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

// The texels of one dimension that a fetch reads, and the weight of the second one in 256ths.
struct Axis {
  std::array<std::int64_t, 2> index{};
  std::uint32_t part = 0;
};

// Rounded down, without a call of the C library. `at` is at most kFar from 0.
std::int64_t whole_texels(double at) {
  const auto towards_zero = static_cast<std::int64_t>(at);
  return towards_zero - (static_cast<double>(towards_zero) > at);
}

Axis nearest(double at, std::size_t extent, AddressMode mode) {
  return {{resolve(whole_texels(at), extent, mode), 0}, 0};
}

Axis from_fixed(std::int64_t fixed, std::size_t extent, AddressMode mode) {
  const std::int64_t first = fixed >> kFractionBits;
  return {{resolve(first, extent, mode), resolve(first + 1, extent, mode)},
          static_cast<std::uint32_t>(fixed & (kOne - 1))};
}

// Distance from the first texel's centre, in 256ths of a texel.
std::int64_t from_centre(double at) {
  return static_cast<std::int64_t>(std::floor(at * kOne + 0.5)) - kOne / 2;
}

Axis gathered(double at, std::size_t extent, AddressMode mode) {
  return from_fixed(from_centre(at), extent, mode);
}

// Linear filtering between two texel centres. Clamp mode clamps the position to the last centre.
Axis mixed(double at, std::size_t extent, AddressMode mode) {
  const std::int64_t fixed = from_centre(at), last = (static_cast<std::int64_t>(extent) - 1) * kOne;
  return from_fixed(mode == AddressMode::kClamp ? std::clamp<std::int64_t>(fixed, 0, last) : fixed, extent,
                    mode);
}

// The axes of a fetch. A 1D texture is one row; a fetch without y uses y = 0, which linear filtering
// interpolates with the border if y has border mode.
template <class Choose>
std::array<Axis, 3> axes_of(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
                            Choose choose) {
  std::array<Axis, 3> axes;
  for (int d = 0; d < std::max(grid.dimensions, 2); ++d) {
    const auto dimension = static_cast<std::size_t>(d);
    const std::size_t extent = grid.extent[dimension];
    const AddressMode mode = mode_of(sampling, d);
    axes[dimension] =
        choose(texels_from_edge(at[dimension], extent, mode, sampling.normalized_coordinates), extent, mode);
  }
  return axes;
}

// ---- taps --------------------------------------------------------------------------------------------
std::size_t first_slice(const TexelGrid& grid, std::uint32_t layer) {
  return grid.layers ? std::min<std::size_t>(layer, grid.layers - 1) : 0;
}

void add(Taps& taps, const TexelGrid& grid, std::array<std::int64_t, 3> index, std::uint32_t weight,
         std::size_t slice) {
  Tap& tap = taps.tap[static_cast<std::size_t>(taps.count++)];
  tap.is_outside = std::ranges::any_of(index, [](std::int64_t i) { return i < 0; });
  tap.weight = weight;
  if (!tap.is_outside)
    tap.offset = grid.offset(static_cast<std::size_t>(index[0]), static_cast<std::size_t>(index[1]),
                             static_cast<std::size_t>(index[2]) + slice);
}

void add_texel(Taps& taps, const TexelGrid& grid, const std::array<Axis, 3>& axes, std::uint32_t layer,
               std::uint32_t weight) {
  add(taps, grid, {axes[0].index[0], axes[1].index[0], axes[2].index[0]}, weight, first_slice(grid, layer));
}

Taps one_texel(const TexelGrid& grid, const std::array<Axis, 3>& axes, std::uint32_t layer) {
  Taps taps;
  add_texel(taps, grid, axes, layer, 1);
  return taps;
}

std::uint32_t rounded(std::uint32_t product) { return (product + kOne / 2) >> kFractionBits; }

// The weights of a slice's four texels, whose sum is the slice's weight. Each is an integer number of 256ths:
//
//   whole x right, and whole x right x low: rounded; whole x left x high: rounded;
//   the others are the remainders
std::array<std::uint32_t, 4> slice_weights(std::uint32_t slice, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t right = rounded(slice * x), left = slice - right;
  const std::uint32_t low_right = rounded(right * y),
                      high_left = rounded(left * (static_cast<std::uint32_t>(kOne) - y));
  return {high_left, right - low_right, left - high_left, low_right};
}

// Adds the neighbours with weights whose sum is `whole`.
void add_neighbours(Taps& taps, const TexelGrid& grid, const std::array<Axis, 3>& axes, std::uint32_t layer,
                    std::uint32_t whole) {
  const std::size_t first = first_slice(grid, layer);
  const std::uint32_t behind = rounded(whole * axes[2].part);
  const std::array<std::uint32_t, 2> slices{whole - behind, behind};
  for (std::size_t z = 0; z < slices.size(); ++z) {
    const auto weights = slice_weights(slices[z], axes[0].part, axes[1].part);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] > 0)
        add(taps, grid, {axes[0].index[i % 2], axes[1].index[i / 2], axes[2].index[z]}, weights[i], first);
  }
}

// ---- cube maps ---------------------------------------------------------------------------------------
struct FacePoint {
  std::uint32_t face;
  double s, t;  // from -1 to 1
};

// m: the largest coordinate by its absolute value.
FacePoint project(double x, double y, double z) {
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay) return z < 0 ? FacePoint{5, -x / az, -y / az} : FacePoint{4, x / az, -y / az};
  if (ay >= ax) return y < 0 ? FacePoint{3, x / ay, -z / ay} : FacePoint{2, x / ay, z / ay};
  return x < 0 ? FacePoint{1, z / ax, -y / ax} : FacePoint{0, -z / ax, -y / ax};
}

// The same for a point in the plane of a face, beyond its edge as well.
FacePoint project_from(const FacePoint& point) {
  const auto [face, s, t] = point;
  switch (face) {
    case 0: return project(1, -t, -s);
    case 1: return project(-1, -t, s);
    case 2: return project(s, 1, t);
    case 3: return project(s, -1, -t);
    case 4: return project(s, -t, 1);
    default: return project(-s, -t, -1);
  }
}

// A texel of a cube, possibly beyond one edge of its face.
struct CubeTexel {
  std::uint32_t face;
  std::int64_t column, row;
};

// The texel of the next face that touches the edge at the same place.
CubeTexel across_edge(const CubeTexel& texel, std::int64_t side) {
  const auto along = [&](std::int64_t index) {
    constexpr double kJustBeyond = 1 + 0x1p-20;
    return index < 0 ? -kJustBeyond : index >= side ? kJustBeyond : (2.0 * index + 1) / side - 1;
  };
  const auto [face, s, t] = project_from({texel.face, along(texel.column), along(texel.row)});
  const auto index = [&](double at) {
    return std::clamp(whole_texels((at + 1) / 2 * static_cast<double>(side)), std::int64_t{0}, side - 1);
  };
  return {face, index(s), index(t)};
}

// Linear filtering across the edges of a cube. At a corner, three faces meet: the missing fourth texel's
// weight is divided among the others, and what does not divide goes to the texel on the place's own face. As
// measured on an H200 (tests/programs/cubemap.cu).
void add_on_cube(Taps& taps, const TexelGrid& grid, std::array<float, 3> at, std::uint32_t layer,
                 std::uint32_t whole) {
  const auto side = static_cast<std::int64_t>(grid.extent[0]);
  const std::uint32_t cube = layer - layer % kCubeFaces, face = layer % kCubeFaces;
  const auto fixed = [&](float coordinate) {
    return from_centre(texels_from_edge(coordinate, grid.extent[0], AddressMode::kClamp, true));
  };
  const std::int64_t x = fixed(at[0]), y = fixed(at[1]);
  auto weights = slice_weights(whole, static_cast<std::uint32_t>(x & (kOne - 1)),
                               static_cast<std::uint32_t>(y & (kOne - 1)));
  const auto texel = [&](std::size_t i) {
    return CubeTexel{face, (x >> kFractionBits) + static_cast<std::int64_t>(i % 2),
                     (y >> kFractionBits) + static_cast<std::int64_t>(i / 2)};
  };
  const auto edges_crossed = [&](std::size_t i) {
    const auto is_outside = [&](std::int64_t index) { return index < 0 || index >= side; };
    return is_outside(texel(i).column) + is_outside(texel(i).row);
  };
  for (std::size_t corner = 0; corner < weights.size(); ++corner) {
    if (edges_crossed(corner) < 2) continue;
    const std::uint32_t missing = std::exchange(weights[corner], 0), share = missing / 3;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (i != corner) weights[i] += edges_crossed(i) == 0 ? missing - 2 * share : share;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const CubeTexel from = edges_crossed(i) == 0 ? texel(i) : across_edge(texel(i), side);
    add(taps, grid, {from.column, from.row, 0}, weights[i], cube + from.face);
  }
}

// Adds the texels that linear filtering interpolates, with weights whose sum is `whole`.
void add_filtered(Taps& taps, const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
                  std::uint32_t layer, std::uint32_t whole) {
  if (sampling.is_seamless_cube)
    add_on_cube(taps, grid, at, layer, whole);
  else
    add_neighbours(taps, grid, axes_of(grid, sampling, at, mixed), layer, whole);
}

// ---- values ------------------------------------------------------------------------------------------
std::uint32_t channel_bits(const TexelFormat& format, const std::byte* bytes) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes, format.channel_bytes());
  return bits;
}

std::int32_t signed_value(std::uint32_t bits, int width) {
  const int unused = 32 - width;
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

// The largest value maps to 1. The smallest signed value maps to slightly less than -1, which is clamped to
// -1 at the end.
double normalized(const TexelFormat& format, std::uint32_t bits) {
  if (format.kind == ChannelKind::kUnsigned)
    return static_cast<double>(bits) / static_cast<double>((1ull << format.bits) - 1);
  return static_cast<double>(signed_value(bits, format.bits)) /
         static_cast<double>((1ull << (format.bits - 1)) - 1);
}

float float_value(const TexelFormat& format, std::uint32_t bits) {
  if (format.bits == 32) return std::bit_cast<float>(bits);
  return static_cast<float>(half_value(static_cast<std::uint16_t>(bits), kF16Format));
}

std::uint32_t converted(const TexelFormat& format, ReadMode read, std::uint32_t bits) {
  if (format.kind == ChannelKind::kFloat) return std::bit_cast<std::uint32_t>(float_value(format, bits));
  if (read == ReadMode::kNormalizedFloat && format.bits < 32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::max(-1.0, normalized(format, bits))));
  if (format.kind == ChannelKind::kSigned) return static_cast<std::uint32_t>(signed_value(bits, format.bits));
  return bits;
}

// ---- interpolation -----------------------------------------------------------------------------------
// Rounds to a number of bits after the leading one; ties away from zero.
double rounded_to(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::ilogb(value);
  return std::ldexp(std::round(std::ldexp(value, bits - exponent)), exponent - bits);
}

// Interpolated integers are 16-bit fixed-point numbers, including the sign bit of signed ones. (For signed
// bytes, a GPU may differ by one step.)
double steps_of(const TexelFormat& format) { return format.kind == ChannelKind::kSigned ? 32767 : 65535; }

double to_be_mixed(const TexelFormat& format, std::uint32_t bits) {
  return format.kind == ChannelKind::kFloat ? double{float_value(format, bits)}
                                            : normalized(format, bits) * steps_of(format);
}

float from_mixture(const TexelFormat& format, double mixture) {
  if (format.kind != ChannelKind::kFloat)
    return static_cast<float>(std::max(std::floor(mixture + 0.5) / steps_of(format), -1.0));
  constexpr int kHalfBits = 10, kFloatBits = 23;
  return static_cast<float>(rounded_to(mixture, format.bits == 16 ? kHalfBits : kFloatBits));
}

using Sums = std::array<double, 4>;

void add_texel(Sums& sums, const TexelGrid& grid, const Sampling& sampling, const Tap& tap,
               const std::byte* first) {
  const double border_scale = grid.format.kind == ChannelKind::kFloat ? 1 : steps_of(grid.format);
  for (std::size_t c = 0; c < static_cast<std::size_t>(grid.format.channels); ++c) {
    const std::byte* bytes = first + tap.offset + c * grid.format.channel_bytes();
    sums[c] += tap.weight * (tap.is_outside ? double{sampling.border[c]} * border_scale
                                            : to_be_mixed(grid.format, channel_bits(grid.format, bytes)));
  }
}

}  // namespace

std::size_t TexelGrid::bytes() const {
  const std::size_t slices = layers ? layers : extent[2];
  return offset(extent[0] - 1, extent[1] - 1, slices - 1) + format.bytes();
}

bool takes_one_texel(const TexelGrid& grid, const Sampling& sampling) {
  return sampling.filter == FilterMode::kPoint || !reads_floats(grid.format, sampling.read);
}

namespace {

// ---- levels ------------------------------------------------------------------------------------------
constexpr float kMostLevels = 16, kMostBias = 15;

// In 256ths, rounded down.
std::int64_t in_256ths(float level, float most) {
  return static_cast<std::int64_t>(std::floor(std::clamp(std::isnan(level) ? 0 : level, -most, most) * kOne));
}

// A GPU takes no square root: it adds fractions of the shorter steps to the longest one, as measured on an
// H100.
float length(std::span<const float> step, const TexelGrid& grid) {
  constexpr float kOfSecond = 11.0f / 32, kOfThird = 1.0f / 4;
  std::array<float, 3> texels{};
  for (std::size_t d = 0; d < step.size(); ++d)
    texels[d] = std::fabs(step[d]) * static_cast<float>(grid.extent[d]);
  std::ranges::sort(texels, std::greater());
  return texels[0] + kOfSecond * texels[1] + kOfThird * texels[2];
}

void add_level(Taps& taps, const TexelLevel& level, const Sampling& sampling, std::array<float, 3> at,
               std::uint32_t layer, std::uint32_t weight) {
  const int before = taps.count;
  if (takes_one_texel(level.grid, sampling))
    add_texel(taps, level.grid, axes_of(level.grid, sampling, at, nearest), layer, weight);
  else
    add_filtered(taps, level.grid, sampling, at, layer, weight);
  for (int i = before; i < taps.count; ++i) taps.tap[static_cast<std::size_t>(i)].offset += level.offset;
}

}  // namespace

LevelChoice choose_level(const LevelSampling& sampling, float level, float bias, std::size_t levels) {
  const std::int64_t last = (static_cast<std::int64_t>(levels) - 1) * kOne;
  const std::int64_t lowest = std::clamp<std::int64_t>(in_256ths(sampling.lowest, kMostLevels), 0, last),
                     highest = std::clamp(in_256ths(sampling.highest, kMostLevels), lowest, last);
  const std::int64_t wanted = in_256ths(level, 2 * kMostLevels) + in_256ths(bias, kMostBias);
  const std::int64_t fixed = std::clamp(wanted, lowest, highest);
  if (sampling.filter == FilterMode::kPoint)
    return {static_cast<std::size_t>((fixed + kOne / 2) >> kFractionBits), 0};
  return {static_cast<std::size_t>(fixed >> kFractionBits), static_cast<std::uint32_t>(fixed & (kOne - 1))};
}

float level_of_gradients(const TexelGrid& grid, std::span<const float> dx, std::span<const float> dy) {
  constexpr float kAlmost = 1.0f / 64;  // fraction of a 256th that a GPU discards before rounding up
  const float level = std::log2(std::max(length(dx, grid), length(dy, grid)));
  return std::ceil(level * kOne - kAlmost) / kOne;
}

Taps find_taps_in_levels(std::span<const TexelLevel> levels, const Sampling& sampling,
                         const LevelChoice& choice, std::array<float, 3> at, std::uint32_t layer) {
  const TexelLevel& level = levels[choice.level];
  Taps taps;
  const bool is_one = choice.part == 0 || !reads_floats(level.grid.format, sampling.read);
  taps.whole = is_one && takes_one_texel(level.grid, sampling) ? 1 : static_cast<std::uint32_t>(kOne);
  add_level(taps, level, sampling, at, layer, is_one ? taps.whole : taps.whole - choice.part);
  if (!is_one) add_level(taps, levels[choice.level + 1], sampling, at, layer, choice.part);
  return taps;
}

Taps find_taps(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
               std::uint32_t layer) {
  if (takes_one_texel(grid, sampling)) return one_texel(grid, axes_of(grid, sampling, at, nearest), layer);
  Taps taps;
  taps.whole = kOne;
  add_filtered(taps, grid, sampling, at, layer, kOne);
  return taps;
}

CubePlace place_on_cube(const std::array<float, 3>& direction) {
  FacePoint point = project(direction[0], direction[1], direction[2]);
  if (std::isnan(point.s)) point = {4, 0, 0};  // no direction
  const auto normalized = [](double at) { return static_cast<float>((at + 1) / 2); };
  return {point.face, {normalized(point.s), normalized(point.t), 0}};
}

void find_nearest(const TexelGrid& grid, const Sampling& sampling,
                  const std::array<const float*, 2>& coordinates, std::uint32_t lanes, std::size_t* offsets) {
  const std::array<std::size_t, 2> strides{grid.format.bytes(), grid.row_bytes};
  std::fill_n(offsets, kWarpSize, 0);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::size_t extent = grid.extent[d];
    const AddressMode mode = mode_of(sampling, static_cast<int>(d));
    const bool is_normalized = sampling.normalized_coordinates;
    for_each_lane(lanes, [&](int lane) {
      const float at = coordinates[d] ? coordinates[d][lane] : 0;
      const std::int64_t index =
          resolve(whole_texels(texels_from_edge(at, extent, mode, is_normalized)), extent, mode);
      std::size_t& offset = offsets[lane];
      if (index < 0)
        offset = kOutsideTexture;
      else if (offset != kOutsideTexture)
        offset += static_cast<std::size_t>(index) * strides[d];
    });
  }
}

Taps find_texel(const TexelGrid& grid, std::array<std::int32_t, 3> at, std::uint32_t layer) {
  std::array<Axis, 3> axes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d)
    axes[d].index[0] = resolve(at[d], grid.extent[d], AddressMode::kBorder);
  return one_texel(grid, axes, layer);
}

namespace {

// Texels beyond the end have all bits zero, which represents 0 in every format.
template <class Bits>
void fetch_channel(const TexelGrid& grid, ReadMode read, const std::byte* first, const std::int32_t* index,
                   std::uint32_t lanes, std::uint32_t* to) {
  const std::size_t texel_bytes = grid.format.bytes();
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto at = static_cast<std::uint32_t>(index[lane]);
    Bits bits = 0;
    if (at < grid.extent[0]) std::memcpy(&bits, first + at * texel_bytes, sizeof bits);
    to[lane] = sizeof bits == sizeof *to ? bits : converted(grid.format, read, bits);
  }
}

}  // namespace

void fetch_texels(const TexelGrid& grid, ReadMode read, const std::byte* first, const std::int32_t* index,
                  std::uint32_t lanes, const std::array<std::uint32_t*, 4>& channels) {
  const std::size_t bytes = grid.format.channel_bytes();
  const auto fetch = bytes == 4   ? &fetch_channel<std::uint32_t>
                     : bytes == 2 ? &fetch_channel<std::uint16_t>
                                  : &fetch_channel<std::uint8_t>;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (c < static_cast<std::size_t>(grid.format.channels))
      fetch(grid, read, first + c * bytes, index, lanes, channels[c]);
    else
      for_each_lane(lanes, [&](int lane) { channels[c][lane] = 0; });
}

Taps find_gathered(const TexelGrid& grid, const Sampling& sampling, std::array<float, 3> at,
                   std::uint32_t layer) {
  const auto [x, y, z] = axes_of(grid, sampling, at, gathered);
  const std::size_t slice = first_slice(grid, layer);
  Taps taps;
  add(taps, grid, {x.index[0], y.index[1], 0}, 1, slice);
  add(taps, grid, {x.index[1], y.index[1], 0}, 1, slice);
  add(taps, grid, {x.index[1], y.index[0], 0}, 1, slice);
  add(taps, grid, {x.index[0], y.index[0], 0}, 1, slice);
  return taps;
}

Channels unpack_texel(const TexelFormat& format, ReadMode read, const std::byte* bytes) {
  Channels channels{};
  for (int c = 0; c < format.channels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    channels[channel] =
        converted(format, read, channel_bits(format, bytes + channel * format.channel_bytes()));
  }
  return channels;
}

Channels border_colour(const TexelFormat& format, const Sampling& sampling) {
  Channels channels{};
  if (!reads_floats(format, sampling.read)) return channels;
  for (std::size_t c = 0; c < 4; ++c) channels[c] = std::bit_cast<std::uint32_t>(sampling.border[c]);
  return channels;
}

Channels mix(const TexelGrid& grid, const Sampling& sampling, const Taps& taps, const std::byte* first) {
  if (taps.whole == 1)
    return taps.tap[0].is_outside ? border_colour(grid.format, sampling)
                                  : unpack_texel(grid.format, sampling.read, first + taps.tap[0].offset);
  Sums sums{};
  for (const Tap& tap : taps.all()) add_texel(sums, grid, sampling, tap, first);
  Channels result{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(grid.format.channels); ++c)
    result[c] = std::bit_cast<std::uint32_t>(from_mixture(grid.format, sums[c] / taps.whole));
  return result;
}

}  // namespace cudalab::vgpu
