// Makes the texture test cases: formats, texels, coordinates, and the kernels that fetch them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "device/texture_cases_testing.h"

namespace cudalab::device {

const char* const kTextureKernels = R"(
#define PLACE const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return
#define ARGUMENTS cudaTextureObject_t t, const float* x, const float* y, const float* z, uint4* out, int n
#define KERNEL(NAME, FETCH) extern "C" __global__ void NAME(ARGUMENTS) { PLACE; put(out + i, FETCH); }
__device__ void put(uint4* to, float4 v) {
  *to = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
__device__ void put(uint4* to, uint4 v) { *to = v; }
__device__ void put(uint4* to, int4 v) { *to = make_uint4(v.x, v.y, v.z, v.w); }
__device__ int whole(float v) { return __float2int_rd(v); }
__device__ uint4 texel_2d(cudaTextureObject_t t, int x, int y) {
  uint4 r;
  asm("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(t), "r"(x), "r"(y));
  return r;
}
KERNEL(fetch, tex1Dfetch<uint4>(t, whole(x[i])))
KERNEL(fetch_float, tex1Dfetch<float4>(t, whole(x[i])))
KERNEL(index_2d, texel_2d(t, whole(x[i]), whole(y[i])))
KERNEL(sample_1d, tex1D<uint4>(t, x[i]))
KERNEL(sample_1d_float, tex1D<float4>(t, x[i]))
KERNEL(sample_2d, tex2D<uint4>(t, x[i], y[i]))
KERNEL(sample_2d_float, tex2D<float4>(t, x[i], y[i]))
KERNEL(sample_2d_level, tex2DLod<float4>(t, x[i], y[i], 0))
KERNEL(sample_2d_gradients, tex2DGrad<float4>(t, x[i], y[i], make_float2(1, 0), make_float2(0, 1)))
KERNEL(sample_3d_float, tex3D<float4>(t, x[i], y[i], z[i]))
KERNEL(sample_1d_layer, tex1DLayered<float4>(t, x[i], whole(z[i])))
KERNEL(sample_2d_layer, tex2DLayered<float4>(t, x[i], y[i], whole(z[i])))
KERNEL(gather_first, tex2Dgather<float4>(t, x[i], y[i], 0))
KERNEL(gather_last, tex2Dgather<float4>(t, x[i], y[i], 3))
)";

namespace {

using Kind = ChannelKind;
using Mode = AddressMode;
constexpr std::size_t kWidth = 13, kHeight = 7, kDepth = 5;

// ---- the cases ---------------------------------------------------------------------------------------

constexpr TexelFormat kFormats[] = {
    {Kind::kUnsigned, 8, 1}, {Kind::kUnsigned, 8, 2},  {Kind::kUnsigned, 8, 4},  {Kind::kSigned, 8, 1},
    {Kind::kSigned, 8, 4},   {Kind::kUnsigned, 16, 1}, {Kind::kUnsigned, 16, 4}, {Kind::kSigned, 16, 2},
    {Kind::kSigned, 16, 1},  {Kind::kUnsigned, 32, 1}, {Kind::kUnsigned, 32, 4}, {Kind::kSigned, 32, 2},
    {Kind::kFloat, 16, 1},   {Kind::kFloat, 16, 4},    {Kind::kFloat, 32, 1},    {Kind::kFloat, 32, 2},
    {Kind::kFloat, 32, 4}};
constexpr TexelFormat kFloat{Kind::kFloat, 32, 1};

std::string name_of(const TexelFormat& format) {
  static constexpr char kLetters[] = {'u', 'i', 'f'};
  return fmt::format("{}{}x{}", kLetters[static_cast<int>(format.kind)], format.bits, format.channels);
}

std::string name_of(const Sampling& sampling) {
  static constexpr std::string_view kModes[] = {"wrap", "clamp", "mirror", "border"};
  return fmt::format("{}{}_{}{}", kModes[static_cast<int>(sampling.address[0])],
                     sampling.normalized_coordinates ? "_from_0_to_1" : "",
                     sampling.filter == FilterMode::kLinear ? "linear" : "point",
                     sampling.read == ReadMode::kNormalizedFloat ? "_as_floats" : "");
}

ArrayShape shape_1d(const TexelFormat& format) { return {.format = format, .width = kWidth}; }
ArrayShape shape_2d(const TexelFormat& format) {
  return {.format = format, .width = kWidth, .height = kHeight};
}
ArrayShape shape_3d(const TexelFormat& format) {
  return {.format = format, .width = kWidth, .height = kHeight, .depth = kDepth};
}
Sampling sampling_of(Mode mode, FilterMode filter = FilterMode::kPoint, bool normalized = false,
                     ReadMode read = ReadMode::kElement) {
  Sampling sampling{{mode, mode, mode}, filter, read, normalized, {}};
  if (mode == Mode::kBorder) sampling.border = {0.25f, 2, 3, 4};
  return sampling;
}

class Cases {
 public:
  void add(std::string kernel, const ArrayShape& shape, const Sampling& sampling,
           TexelPlace place = TexelPlace::kArray, bool all_channels = false) {
    static constexpr std::string_view kPlaces[] = {"array", "linear", "pitch"};
    std::string name = fmt::format("{}_{}_{}_{}", kernel, name_of(shape.format),
                                   kPlaces[static_cast<int>(place)], name_of(sampling));
    list.push_back({std::move(name), std::move(kernel), shape, sampling, place, all_channels});
  }

  void formats() {
    const Sampling point = sampling_of(Mode::kClamp);
    for (const TexelFormat& format : kFormats) {
      add("sample_1d", shape_1d(format), point, TexelPlace::kArray, true);
      add("fetch", shape_1d(format), point, TexelPlace::kLinear, true);
      if (format.kind == Kind::kFloat || format.bits == 32) continue;
      for (const FilterMode filter : {FilterMode::kPoint, FilterMode::kLinear})
        add("sample_1d_float", shape_1d(format),
            sampling_of(Mode::kClamp, filter, false, ReadMode::kNormalizedFloat), TexelPlace::kArray,
            filter == FilterMode::kPoint);
      add("fetch_float", shape_1d(format),
          sampling_of(Mode::kClamp, FilterMode::kPoint, false, ReadMode::kNormalizedFloat),
          TexelPlace::kLinear);
    }
  }

  void filters() {
    for (const FilterMode filter : {FilterMode::kPoint, FilterMode::kLinear}) {
      for (const Mode mode : {Mode::kWrap, Mode::kClamp, Mode::kMirror, Mode::kBorder})
        for (const bool normalized : {false, true}) {
          add("sample_1d_float", shape_1d(kFloat), sampling_of(mode, filter, normalized));
          add("sample_2d_float", shape_2d(kFloat), sampling_of(mode, filter, normalized));
        }
      add("sample_3d_float", shape_3d(kFloat), sampling_of(Mode::kClamp, filter));
      add("sample_3d_float", shape_3d(kFloat), sampling_of(Mode::kMirror, filter, true));
      add("sample_2d_float", shape_2d(kFloat), sampling_of(Mode::kClamp, filter), TexelPlace::kPitch);
      add("sample_2d_float", shape_2d(kFloat), sampling_of(Mode::kWrap, filter, true), TexelPlace::kPitch);
    }
    const Sampling linear = sampling_of(Mode::kClamp, FilterMode::kLinear);
    for (const int channels : {1, 4}) add("sample_1d_float", shape_1d({Kind::kFloat, 16, channels}), linear);
    for (const int channels : {2, 4}) add("sample_1d_float", shape_1d({Kind::kFloat, 32, channels}), linear);
    add("sample_2d_float", shape_2d({Kind::kUnsigned, 8, 4}),
        sampling_of(Mode::kClamp, FilterMode::kLinear, false, ReadMode::kNormalizedFloat));
    add("sample_2d_level", shape_2d(kFloat), linear);
    add("sample_2d_gradients", shape_2d(kFloat), linear);
  }

  void rest() {
    for (const Mode mode : {Mode::kClamp, Mode::kBorder}) {
      add("index_2d", shape_2d(kFloat), sampling_of(mode));
      add("index_2d", shape_2d({Kind::kUnsigned, 8, 2}), sampling_of(mode), TexelPlace::kArray, true);
    }
    add("sample_2d", shape_2d({Kind::kSigned, 16, 2}), sampling_of(Mode::kBorder));
    ArrayShape layers = shape_1d(kFloat);
    layers.layers = kDepth;
    add("sample_1d_layer", layers, sampling_of(Mode::kClamp, FilterMode::kLinear));
    layers.height = kHeight;
    add("sample_2d_layer", layers, sampling_of(Mode::kBorder, FilterMode::kLinear));
    ArrayShape gathered = shape_2d({Kind::kFloat, 32, 4});
    gathered.can_gather = true;
    add("gather_first", gathered, sampling_of(Mode::kClamp), TexelPlace::kArray, true);
    add("gather_last", gathered, sampling_of(Mode::kMirror, FilterMode::kLinear, true), TexelPlace::kArray,
        true);
  }

  std::vector<TextureCase> list;
};

// ---- texels and coordinates --------------------------------------------------------------------------

// Integer texels have random bits. Float texels have similar magnitudes, so every bit of a weighted sum
// matters.
std::vector<std::byte> texels_of(const ArrayShape& shape) {
  std::mt19937 random(static_cast<unsigned>(shape.texels()) * 31 +
                      static_cast<unsigned>(shape.format.bytes()));
  std::vector<std::byte> bytes(shape.bytes());
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 24);
  if (shape.format.kind != Kind::kFloat) return bytes;
  const std::size_t width = shape.format.channel_bytes();
  for (std::size_t last = width - 1; last < bytes.size(); last += width) {
    const bool negative = (bytes[last] & std::byte{0x80}) != std::byte{0};
    bytes[last] = negative ? std::byte{0xbf} : std::byte{0x3f};
    if (width == 2) bytes[last] &= std::byte{0xbb};
  }
  return bytes;
}

// Coordinates in texels: near integers and halves, halfway between 256ths, beyond both ends, and not finite.
std::vector<float> places(std::size_t extent, std::size_t count, unsigned seed) {
  const auto size = static_cast<float>(extent);
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> list{0,      -0.0f, 0.5f,  1,     size,   size - 0.5f, size + 0.5f, -0.5f,        -1,
                          -7.25f, 1e6f,  -1e6f, 1e20f, -1e20f, infinity,    -infinity,   std::nanf("")};
  std::mt19937 random(seed);
  while (list.size() < count) {
    const auto cell = static_cast<float>(random() % (extent + 4)) - 2;
    const auto part = static_cast<float>(random() % 512);
    const auto fine = static_cast<float>(random() % (1 << 16)) / 65536;
    switch (list.size() % 5) {
      case 0: list.push_back(cell + part / 512); break;
      case 1: list.push_back(std::nextafter(cell, list.size() % 2 ? infinity : -infinity)); break;
      case 2:
        list.push_back(std::nextafter(cell + part / 512, list.size() % 2 ? infinity : -infinity));
        break;
      case 3: list.push_back(cell + fine); break;
      default: list.push_back(cell + 1 - fine / 256); break;
    }
  }
  list.resize(count);
  return list;
}

Buffer buffer_of(Device& device, const std::string& name, std::span<const std::byte> bytes) {
  Buffer buffer = device.allocate(name, bytes.size());
  device.upload(buffer.address(), bytes);
  return buffer;
}

Buffer places_of(Device& device, const TextureCase& test, std::size_t extent, std::size_t points,
                 unsigned seed) {
  std::vector<float> list = places(extent, points, seed);
  std::mt19937 random(seed);
  for (std::size_t i = list.size(); seed > 1 && i-- > 1;) std::swap(list[i], list[random() % (i + 1)]);
  if (test.sampling.normalized_coordinates)
    for (float& place : list) place /= static_cast<float>(extent);
  return buffer_of(device, "places", std::as_bytes(std::span<const float>(list)));
}

constexpr std::size_t kPitch = 512;

std::vector<std::byte> with_pitch(const ArrayShape& shape, std::span<const std::byte> texels) {
  const std::size_t row = shape.width * shape.format.bytes();
  std::vector<std::byte> bytes(kPitch * shape.rows());
  for (std::size_t y = 0; y < shape.rows(); ++y)
    std::copy_n(texels.begin() + static_cast<std::ptrdiff_t>(y * row), row,
                bytes.begin() + static_cast<std::ptrdiff_t>(y * kPitch));
  return bytes;
}

struct Bound {
  Buffer buffer;
  TextureArray array;
  Texture texture;
};

Bound bind(Device& device, const TextureCase& test) {
  const std::vector<std::byte> texels = texels_of(test.shape);
  Bound bound;
  Textures& textures = device.textures();
  if (test.place == TexelPlace::kArray) {
    bound.array = textures.create_array("texels", test.shape);
    textures.upload(bound.array, texels);
    bound.texture = textures.create_texture(bound.array, test.sampling);
  } else if (test.place == TexelPlace::kLinear) {
    bound.buffer = buffer_of(device, "texels", texels);
    bound.texture = textures.create_texture(
        LinearTexels{bound.buffer.address(), test.shape.format, test.shape.width}, test.sampling.read);
  } else {
    bound.buffer = buffer_of(device, "texels", with_pitch(test.shape, texels));
    bound.texture = textures.create_texture(
        PitchTexels{bound.buffer.address(), test.shape.format, test.shape.width, test.shape.height, kPitch},
        test.sampling);
  }
  return bound;
}

}  // namespace

std::vector<TextureCase> texture_cases() {
  Cases cases;
  cases.formats();
  cases.filters();
  cases.rest();
  return std::move(cases.list);
}

std::vector<std::vector<std::uint32_t>> read_texture(Device& device, Program& program,
                                                     const TextureCase& test, std::size_t points) {
  const Bound bound = bind(device, test);
  const Buffer x = places_of(device, test, test.shape.width, points, 1);
  const Buffer y = places_of(device, test, test.shape.rows(), points, 2);
  const Buffer z = places_of(device, test, test.shape.slices(), points, 3);
  const Buffer out = device.allocate("out", points * sizeof(std::uint32_t) * 4);
  constexpr std::uint32_t kBlock = 64;
  Launch launch;
  launch.kernel = &program.kernel(test.kernel);
  launch.spec.grid = {static_cast<std::uint32_t>((points + kBlock - 1) / kBlock)};
  launch.spec.block = {kBlock};
  launch.arguments = {bound.texture.value(), x, y, z, out, static_cast<int>(points)};
  const LaunchResult result = device.launch(launch);
  if (!result.completed)
    throw usage_error(Message::verbatim(test.name + ": " + result.hazards.back().what.text()));
  std::vector<std::uint32_t> words(points * 4);
  device.download(out.address(), std::as_writable_bytes(std::span(words)));
  const std::size_t kept = test.all_channels ? 4 : static_cast<std::size_t>(test.shape.format.channels);
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t i = 0; i < points; ++i) rows.emplace_back(&words[4 * i], &words[4 * i] + kept);
  return rows;
}

}  // namespace cudalab::device
