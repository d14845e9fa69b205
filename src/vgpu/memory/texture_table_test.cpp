// Tests sampling as pure functions: texels, weights and values.
#include "vgpu/memory/texture_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace cudalab::vgpu {

namespace {

constexpr TexelFormat kFloatTexel{ChannelKind::kFloat, 32, 1};

// A contiguous grid of floats.
struct Image {
  TexelGrid grid;
  std::vector<float> texels;

  explicit Image(std::vector<float> values, std::size_t height = 1, std::size_t depth = 1)
      : texels(std::move(values)) {
    grid.format = kFloatTexel;
    grid.dimensions = depth > 1 ? 3 : height > 1 ? 2 : 1;
    grid.extent = {texels.size() / height / depth, height, depth};
    grid.row_bytes = grid.extent[0] * sizeof(float);
    grid.slice_bytes = grid.row_bytes * height;
  }
  float at(std::array<float, 3> place, const Sampling& sampling, std::uint32_t layer = 0) const {
    return first(find_taps(grid, sampling, place, layer), sampling);
  }
  float first(const Taps& taps, const Sampling& sampling) const {
    return std::bit_cast<float>(
        mix(grid, sampling, taps, reinterpret_cast<const std::byte*>(texels.data()))[0]);
  }
};

Sampling sampling_of(AddressMode mode, FilterMode filter = FilterMode::kPoint, bool normalized = false) {
  return {{mode, mode, mode}, filter, ReadMode::kElement, normalized, {-1, 0, 0, 0}};
}
constexpr FilterMode kLinear = FilterMode::kLinear;

TEST(TextureSampling, ThePointFilterTakesTheTexelThatHoldsThePlace) {
  const Image image({10, 11, 12, 13});
  const Sampling sampling = sampling_of(AddressMode::kClamp);
  EXPECT_EQ(image.at({0}, sampling), 10);
  EXPECT_EQ(image.at({0.99f}, sampling), 10);
  EXPECT_EQ(image.at({1}, sampling), 11);
  EXPECT_EQ(image.at({3.5f}, sampling), 13);
}

TEST(TextureSampling, BeyondTheEdges) {
  const Image image({10, 11, 12, 13});
  struct Case {
    AddressMode mode;
    // Expected at -1.25, -0.1, 1.1 and 2.2 times the texture's width.
    float before, just_before, just_behind, behind;
  };
  for (const Case& expected :
       {Case{AddressMode::kWrap, 13, 13, 10, 10}, Case{AddressMode::kClamp, 10, 10, 13, 13},
        Case{AddressMode::kMirror, 13, 10, 13, 10}, Case{AddressMode::kBorder, -1, -1, -1, -1}}) {
    const Sampling sampling = sampling_of(expected.mode, FilterMode::kPoint, true);
    EXPECT_EQ(image.at({-1.25f}, sampling), expected.before) << static_cast<int>(expected.mode);
    EXPECT_EQ(image.at({-0.1f}, sampling), expected.just_before) << static_cast<int>(expected.mode);
    EXPECT_EQ(image.at({1.1f}, sampling), expected.just_behind) << static_cast<int>(expected.mode);
    EXPECT_EQ(image.at({2.2f}, sampling), expected.behind) << static_cast<int>(expected.mode);
  }
}

TEST(TextureSampling, WithoutNormalizedCoordinatesWrapAndMirrorClamp) {
  const Image image({10, 11, 12, 13});
  for (const AddressMode mode : {AddressMode::kWrap, AddressMode::kMirror}) {
    EXPECT_EQ(image.at({-2}, sampling_of(mode)), 10);
    EXPECT_EQ(image.at({9}, sampling_of(mode)), 13);
  }
}

TEST(TextureSampling, LinearFilteringMixesIn256ths) {
  const Image image({0, 256, 0, 0});
  const Sampling sampling = sampling_of(AddressMode::kClamp, kLinear);
  EXPECT_EQ(image.at({0.5f}, sampling), 0);
  EXPECT_EQ(image.at({1.5f}, sampling), 256);
  EXPECT_EQ(image.at({1}, sampling), 128);
  EXPECT_EQ(image.at({0.5f + 3 / 256.0f}, sampling), 3);
  const float between = image.at({0.5f + 3.3f / 256}, sampling);
  EXPECT_EQ(between, 3);  // not 3.3: a weight has 8 fractional bits
  EXPECT_EQ(image.at({-5}, sampling), 0);
  EXPECT_EQ(image.at({2}, sampling), 128);
}

TEST(TextureSampling, TwoAndThreeDimensionsMixAllCorners) {
  const Image square({0, 4, 8, 12}, 2);
  const Sampling sampling = sampling_of(AddressMode::kClamp, kLinear);
  EXPECT_EQ(square.at({1, 1}, sampling), 6);
  EXPECT_EQ(square.at({1.5f, 1}, sampling), 8);
  EXPECT_EQ(square.at({0.75f, 0.5f}, sampling), 1);
  const Image cube({0, 8, 16, 24, 32, 40, 48, 56}, 2, 2);
  EXPECT_EQ(cube.at({1, 1, 1}, sampling), 28);
  EXPECT_EQ(cube.at({0.5f, 0.5f, 1.5f}, sampling), 32);
}

TEST(TextureSampling, LinearFilteringAtTheEdgeMixesTheBorder) {
  const Image image({8, 9});
  Sampling border = sampling_of(AddressMode::kBorder, kLinear);
  EXPECT_EQ(image.at({0}, border),
            1.25f);  // a quarter of 8, the rest of -1: half of the weight lies beyond the row, as on a GPU
  border.address[1] = AddressMode::kClamp;
  EXPECT_EQ(image.at({0}, border), 3.5f);  // half of 8
  EXPECT_EQ(image.at({0}, sampling_of(AddressMode::kWrap, kLinear, true)), 8.5f);
  EXPECT_EQ(image.at({0}, sampling_of(AddressMode::kMirror, kLinear, true)), 8);
}

TEST(TextureSampling, NoPlaceIsTooFar) {
  const Image image({10, 11, 12, 13}, 2);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const AddressMode mode :
       {AddressMode::kWrap, AddressMode::kClamp, AddressMode::kMirror, AddressMode::kBorder})
    for (const FilterMode filter : {FilterMode::kPoint, kLinear})
      for (const float place : {infinity, -infinity, std::nanf(""), 3e38f, -3e38f, 1e10f})
        for (const bool normalized : {false, true}) {
          const float value = image.at({place, place}, sampling_of(mode, filter, normalized));
          EXPECT_TRUE(value >= -1 && value <= 13);
        }
}

TEST(TextureSampling, AnIndexTakesOneTexelOrNothing) {
  const Image image({10, 11, 12, 13});
  EXPECT_EQ(find_texel(image.grid, {2}, 0).tap[0].offset, 2 * sizeof(float));
  for (const std::int32_t index :
       {-1, 4, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()})
    EXPECT_TRUE(find_texel(image.grid, {index}, 0).tap[0].is_outside);
}

TEST(TextureSampling, LayersAreNotMixed) {
  Image image({1, 2, 3, 4, 5, 6}, 1);
  image.grid.extent = {2, 1, 1};
  image.grid.layers = 3;
  image.grid.row_bytes = image.grid.slice_bytes = 2 * sizeof(float);
  const Sampling sampling = sampling_of(AddressMode::kClamp, kLinear);
  EXPECT_EQ(image.at({1}, sampling, 0), 1.5f);
  EXPECT_EQ(image.at({1}, sampling, 2), 5.5f);
  EXPECT_EQ(image.at({1}, sampling, 77), 5.5f);
}

TEST(TextureSampling, GatheringTakesFourNeighboursFromTheLowerLeft) {
  const Image image({0, 1, 2, 10, 11, 12}, 2);
  const Taps taps = find_gathered(image.grid, sampling_of(AddressMode::kClamp), {2, 1}, 0);
  ASSERT_EQ(taps.count, 4);
  const std::size_t expected[] = {4, 5, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(taps.tap[i].offset / sizeof(float), expected[i]);
}

Channels unpacked(TexelFormat format, std::uint64_t bits, ReadMode read = ReadMode::kElement) {
  return unpack_texel(format, read, reinterpret_cast<const std::byte*>(&bits));
}
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(TextureSampling, IntegersAreWidened) {
  EXPECT_EQ(unpacked({ChannelKind::kUnsigned, 8, 2}, 0x80ff), (Channels{0xff, 0x80, 0, 0}));
  EXPECT_EQ(unpacked({ChannelKind::kSigned, 8, 1}, 0x80), (Channels{0xffffff80, 0, 0, 0}));
  EXPECT_EQ(unpacked({ChannelKind::kSigned, 16, 4}, 0x0004'0003'fffe'0001), (Channels{1, 0xfffffffe, 3, 4}));
  EXPECT_EQ(unpacked({ChannelKind::kUnsigned, 32, 2}, 0x9000'0000'8000'0000),
            (Channels{0x80000000, 0x90000000, 0, 0}));
}

TEST(TextureSampling, HalvesBecomeFloats) {
  EXPECT_EQ(unpacked({ChannelKind::kFloat, 16, 2}, 0xc000'3c00), (Channels{bits_of(1), bits_of(-2), 0, 0}));
}

TEST(TextureSampling, NormalizedFloatsGoFromMinusOneToOne) {
  const auto normalized = [](TexelFormat format, std::uint64_t bits) {
    return std::bit_cast<float>(unpacked(format, bits, ReadMode::kNormalizedFloat)[0]);
  };
  EXPECT_EQ(normalized({ChannelKind::kUnsigned, 8, 1}, 255), 1);
  EXPECT_EQ(normalized({ChannelKind::kUnsigned, 8, 1}, 51), 0.2f);
  EXPECT_EQ(normalized({ChannelKind::kUnsigned, 16, 1}, 65535), 1);
  EXPECT_EQ(normalized({ChannelKind::kSigned, 8, 1}, 0x81), -1);
  EXPECT_EQ(normalized({ChannelKind::kSigned, 8, 1}, 0x80), -1);
  EXPECT_EQ(normalized({ChannelKind::kSigned, 16, 1}, 32767), 1);
}

// As measured on an H100: the level and its bias are each rounded down to 256ths.
TEST(TextureLevels, AreChosenAsACardDoes) {
  constexpr std::size_t kLevels = 5;
  const auto chosen = [](FilterMode filter, float level, float bias, float lowest, float highest) {
    const LevelChoice choice = choose_level({filter, 0, lowest, highest}, level, bias, kLevels);
    return static_cast<double>(choice.level) + choice.part / 256.0;
  };
  const auto mixed = [&](float level, float bias = 0) {
    return chosen(FilterMode::kLinear, level, bias, 0, 10);
  };
  EXPECT_EQ(mixed(1.5f), 1.5);
  EXPECT_EQ(mixed(1 + 1 / 512.0f, 0.3f), 1 + 76 / 256.0);
  EXPECT_EQ(mixed(-1), 0);
  EXPECT_EQ(mixed(9), 4);
  EXPECT_EQ(mixed(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(chosen(FilterMode::kLinear, 0, 0, 0.6f, 2.4f), 153 / 256.0);
  EXPECT_EQ(chosen(FilterMode::kLinear, 4, 0, 0.6f, 2.4f), 2 + 102 / 256.0);
  EXPECT_EQ(chosen(FilterMode::kLinear, 2, 0, 3, 1), 3) << "the lower bound is the stronger one";
  EXPECT_EQ(chosen(FilterMode::kPoint, 1.49f, 0, 0, 10), 1);
  EXPECT_EQ(chosen(FilterMode::kPoint, 1.5f, 0, 0, 10), 2);
}

TEST(TextureLevels, OfGradientsAreThoseOfTheLongerStep) {
  TexelGrid grid;
  grid.extent = {16, 16, 1};
  const auto level = [&](std::array<float, 3> dx, std::array<float, 3> dy) {
    return level_of_gradients(grid, dx, dy);
  };
  EXPECT_EQ(level({0.125f, 0, 0}, {0, 0.0625f, 0}), 1);
  EXPECT_EQ(level({0.03125f, 0, 0}, {0, 0.5f, 0}), 3);
  EXPECT_EQ(level({0.125f, 0.125f, 0}, {0, 0, 0}), 1 + 110 / 256.0f) << "no root is taken";
}

}  // namespace
}  // namespace cudalab::vgpu
