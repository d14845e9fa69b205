// Arrays, textures and surfaces as plain data: texel formats, shapes, sampling modes, and the limits of a
// GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cudalab {

// The kind of a texel's channels. A texel has 1, 2 or 4 channels: integers of 8, 16 or 32 bits, or
// floating-point numbers of 16 or 32 bits.
enum class ChannelKind : std::uint8_t { kUnsigned, kSigned, kFloat };

struct TexelFormat {
  ChannelKind kind = ChannelKind::kFloat;
  int bits = 32;
  int channels = 1;
  constexpr std::size_t channel_bytes() const { return static_cast<std::size_t>(bits) / 8; }
  constexpr std::size_t bytes() const { return channel_bytes() * static_cast<std::size_t>(channels); }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

// Sizes in texels. A size of 0 means that the array lacks that dimension. With `layers`, width and height are
// those of one layer, and there is no depth.
struct ArrayShape {
  TexelFormat format;
  std::size_t width = 0, height = 0, depth = 0;
  std::size_t layers = 0;
  bool has_surface = false;  // kernels may write to it
  bool can_gather = false;   // tex2Dgather may read it
  constexpr int dimensions() const { return depth ? 3 : height ? 2 : 1; }
  constexpr std::size_t rows() const { return height ? height : 1; }
  constexpr std::size_t slices() const { return depth ? depth : layers ? layers : 1; }
  constexpr std::size_t texels() const { return width * rows() * slices(); }
  constexpr std::size_t bytes() const { return texels() * format.bytes(); }
};

// The modes are defined in the CUDA C++ Programming Guide, "Texture Fetching".
enum class AddressMode : std::uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class FilterMode : std::uint8_t { kPoint, kLinear };
enum class ReadMode : std::uint8_t { kElement, kNormalizedFloat };

struct Sampling {
  std::array<AddressMode, 3> address{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  FilterMode filter = FilterMode::kPoint;
  ReadMode read = ReadMode::kElement;
  bool normalized_coordinates = false;  // coordinates from 0 to 1 span the texture
  std::array<float, 4> border{};
  bool is_seamless_cube = false;  // linear filtering of a cube map continues on the next face
};

// Texels in a buffer instead of an array, contiguous or in pitched rows.
struct LinearTexels {
  std::uint64_t address = 0;
  TexelFormat format;
  std::size_t count = 0;
};
struct PitchTexels {
  std::uint64_t address = 0;
  TexelFormat format;
  std::size_t width = 0, height = 0;
  std::size_t pitch_bytes = 0;  // distance between rows
};

// Whether fetches return floating-point numbers. Linear filtering requires this.
constexpr bool reads_floats(const TexelFormat& format, ReadMode read) {
  return format.kind == ChannelKind::kFloat || read == ReadMode::kNormalizedFloat;
}

// Limits in texels, the pitch in bytes. Source: CUDA C++ Programming Guide 13.0, table "Technical
// Specifications per Compute Capability", for 7.5 to 9.0. A real GPU reports its own limits.
struct TextureLimits {
  std::size_t width_1d = 131'072;
  std::size_t width_linear = std::size_t{1} << 28;
  std::size_t width_2d = 131'072, height_2d = 65'536;
  std::size_t width_gather = 32'768, height_gather = 32'768;
  std::size_t width_pitch = 131'072, height_pitch = 65'000, pitch_bytes = 2'097'120;
  std::size_t width_3d = 16'384, height_3d = 16'384, depth_3d = 16'384;
  std::size_t width_1d_layered = 32'768, width_2d_layered = 32'768, height_2d_layered = 32'768,
              layers = 2'048;
  std::size_t width_1d_surface = 32'768;
  std::size_t width_2d_surface = 131'072, height_2d_surface = 65'536;
  std::size_t width_3d_surface = 16'384, height_3d_surface = 16'384, depth_3d_surface = 16'384;
  std::size_t pitch_alignment = 32;  // of rows, in bytes
  std::size_t base_alignment = 512;  // of the first texel of linear memory, in bytes
};

}  // namespace cudalab
