// Tests arrays, textures and surfaces through the device interface, with the kernels of
// tests/kernels/textures.cu.
#include "device/textures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "core/diagnostics/message_testing.h"
#include "core/half.h"
#include "device/device.h"

namespace cudalab::device {
namespace {

constexpr TexelFormat kFloatTexels{ChannelKind::kFloat, 32, 1};

class VirtualTextureTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = open_virtual_device();
  Textures& textures_ = device_->textures();

  Message refusal(const ArrayShape& shape) {
    const Message message = refused([&] { textures_.create_array("image", shape); });
    EXPECT_EQ(message.text().find('\n'), std::string::npos);
    return message;
  }
};

TEST_F(VirtualTextureTest, ArraysAreDownloadedAsUploaded) {
  for (const ArrayShape& shape :
       {ArrayShape{.format = {ChannelKind::kUnsigned, 8, 1}, .width = 7},
        ArrayShape{.format = kFloatTexels, .width = 5, .height = 3},
        ArrayShape{.format = {ChannelKind::kFloat, 16, 4}, .width = 3, .height = 4, .depth = 5},
        ArrayShape{.format = kFloatTexels, .width = 3, .height = 2, .layers = 4}}) {
    std::vector<std::byte> there(shape.bytes()), back(shape.bytes());
    for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::byte>(i * 7 + 1);
    const TextureArray array = textures_.create_array("image", shape);
    textures_.upload(array, there);
    textures_.download(array, back);
    EXPECT_EQ(there, back);
  }
}

TEST_F(VirtualTextureTest, ExceededLimitsAreErrorsInOneLine) {
  EXPECT_TRUE(refusal({.format = kFloatTexels, .width = 131'072}).empty());
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 131'073}),
              testing::AllOf(MentionsMessage("texture_shape_1d"), MentionsMessage("texture_width"),
                             MentionsMessage("advice_fold_texels"), HasArgument("most", 131072),
                             HasArgument("given", 131073)));
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 1, .height = 65'537}),
              testing::AllOf(MentionsMessage("texture_height"), HasArgument("most", 65536)));
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 1, .height = 1, .depth = 16'385}),
              testing::AllOf(MentionsMessage("texture_depth"), HasArgument("most", 16384)));
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 1, .layers = 2'049}),
              testing::AllOf(MentionsMessage("texture_layer_count"), HasArgument("most", 2048)));
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 40'000, .has_surface = true}),
              testing::AllOf(MentionsMessage("texture_shape_1d_surface"), MentionsMessage("texture_width"),
                             HasArgument("most", 32768)));
  EXPECT_THAT(refusal({.format = kFloatTexels, .width = 40'000, .height = 2, .can_gather = true}),
              HasArgument("most", 32768));
  EXPECT_THAT(refusal({.format = kFloatTexels}), IsMessage("texture_sides_missing"));
}

TEST_F(VirtualTextureTest, RejectsDoubleTexels) {
  EXPECT_EQ(texel_format(ScalarType::kF16, 4), (TexelFormat{ChannelKind::kFloat, 16, 4}));
  EXPECT_EQ(texel_format(ScalarType::kI8), (TexelFormat{ChannelKind::kSigned, 8, 1}));
  for (const ScalarType type : {ScalarType::kF64, ScalarType::kU64}) try {
      texel_format(type);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), IsMessage("texel_type_too_wide"));
    }
  EXPECT_THROW(texel_format(ScalarType::kF32, 3), Error);
}

TEST_F(VirtualTextureTest, RejectsWhatCannotBeSampled) {
  const TextureArray bytes =
      textures_.create_array("image", {.format = {ChannelKind::kUnsigned, 8, 1}, .width = 4});
  const TextureArray words =
      textures_.create_array("image", {.format = {ChannelKind::kUnsigned, 32, 1}, .width = 4});
  Sampling linear;
  linear.filter = FilterMode::kLinear;
  EXPECT_THROW(textures_.create_texture(bytes, linear), Error);
  linear.read = ReadMode::kNormalizedFloat;
  EXPECT_NO_THROW(textures_.create_texture(bytes, linear));
  EXPECT_THROW(textures_.create_texture(words, linear), Error);
  EXPECT_THROW(textures_.create_surface(bytes), Error);
  const Buffer buffer = device_->allocate("texels", 4096);
  EXPECT_THROW(textures_.create_texture(LinearTexels{buffer.address() + 4, kFloatTexels, 8}), Error);
  EXPECT_THROW(textures_.create_texture(LinearTexels{buffer.address(), kFloatTexels, (1u << 28) + 1}), Error);
  EXPECT_THROW(textures_.create_texture(PitchTexels{buffer.address(), kFloatTexels, 8, 4, 40}, {}),
               Error);  // not a multiple of 32
  EXPECT_THROW(textures_.create_texture(PitchTexels{buffer.address(), kFloatTexels, 16, 4, 32}, {}),
               Error);  // too narrow
}

// ---- tests/kernels/textures.cu -----------------------------------------------------------------------
class TextureKernels : public VirtualTextureTest {
 protected:
  void SetUp() override {
    if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
    std::ifstream file(CUDALAB_SOURCE_DIR "/tests/kernels/textures.cu");
    std::stringstream text;
    text << file.rdbuf();
    compile::CompileRequest request;
    request.source = text.str();
    request.file_name = "textures.cu";
    program_ = device_->load(compile::compile(request));
  }
  template <class T>
  TextureArray array_of(const ArrayShape& shape, const std::vector<T>& values) {
    TextureArray array = textures_.create_array("image", shape);
    textures_.upload(array, std::as_bytes(std::span(values)));
    return array;
  }
  std::vector<float> numbers(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
  }
  template <class T>
  std::vector<T> run(const std::string& kernel, Dim3 block, std::size_t count,
                     std::vector<Argument> arguments) {
    const Buffer out = device_->allocate("out", count * sizeof(T));
    arguments.insert(arguments.begin() + 1, out);
    run(kernel, block, std::move(arguments));
    std::vector<T> result(count);
    device_->download(out.address(), std::as_writable_bytes(std::span(result)));
    return result;
  }
  void run(const std::string& kernel, Dim3 block, std::vector<Argument> arguments) {
    Launch launch;
    launch.kernel = &program_->kernel(kernel);
    launch.spec.block = block;
    launch.arguments = std::move(arguments);
    const LaunchResult result = device_->launch(launch);
    EXPECT_TRUE(result.completed && result.hazards.empty())
        << kernel << (result.hazards.empty() ? "" : result.hazards[0].what.text());
  }

  std::unique_ptr<Program> program_;
};

TEST_F(TextureKernels, OneDimension) {
  const auto values = numbers(50);
  const Buffer linear = device_->allocate("linear", 200);
  device_->upload(linear.address(), std::as_bytes(std::span(values)));
  const Texture fetched = textures_.create_texture(LinearTexels{linear.address(), kFloatTexels, 50});
  EXPECT_EQ(run<float>("fetch_linear", {64}, 50, {fetched.value(), 50}), values);
  const TextureArray array = array_of({.format = kFloatTexels, .width = 50}, values);
  Sampling normalized;
  normalized.normalized_coordinates = true;
  const Texture sampled = textures_.create_texture(array, normalized);
  EXPECT_EQ(run<float>("sample_1d", {64}, 50, {sampled.value(), 50}), values);
}

TEST_F(TextureKernels, TwoDimensions) {
  const auto values = numbers(6 * 4 * 4);
  const TextureArray pixels =
      array_of({.format = {ChannelKind::kFloat, 32, 4}, .width = 6, .height = 4}, values);
  EXPECT_EQ(
      run<float>("sample_2d", {6, 4}, values.size(), {textures_.create_texture(pixels, {}).value(), 6, 4}),
      values);
  std::vector<std::uint8_t> bytes(6 * 4 * 4);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{100});
  const TextureArray small =
      array_of({.format = {ChannelKind::kUnsigned, 8, 4}, .width = 6, .height = 4}, bytes);
  EXPECT_EQ(run<std::uint8_t>("sample_2d_bytes", {6, 4}, bytes.size(),
                              {textures_.create_texture(small, {}).value(), 6, 4}),
            bytes);
  const TextureArray row = array_of({.format = kFloatTexels, .width = 8, .height = 2}, numbers(16));
  EXPECT_EQ(run<float>("sample_level", {8}, 8, {textures_.create_texture(row, {}).value()}), numbers(8));
}

TEST_F(TextureKernels, LayersGathersAndThreeDimensions) {
  ArrayShape layers{.format = kFloatTexels, .width = 4, .height = 1, .layers = 3};
  const TextureArray stack = array_of(layers, numbers(12));
  EXPECT_EQ(run<float>("sample_layer", {4}, 4, {textures_.create_texture(stack, {}).value(), 2}),
            (std::vector<float>{9, 10, 11, 12}));
  const TextureArray gathered =
      array_of({.format = kFloatTexels, .width = 4, .height = 2, .can_gather = true}, numbers(8));
  EXPECT_EQ(run<float>("gather", {2}, 8, {textures_.create_texture(gathered, {}).value()}),
            (std::vector<float>{5, 6, 2, 1, 6, 7, 3, 2}));
  const TextureArray cube =
      array_of({.format = kFloatTexels, .width = 3, .height = 3, .depth = 3}, numbers(27));
  EXPECT_EQ(run<float>("sample_3d", {3, 3, 3}, 27, {textures_.create_texture(cube, {}).value(), 3}),
            numbers(27));
}

TEST_F(TextureKernels, InvertsASurface) {
  const TextureArray image =
      array_of({.format = kFloatTexels, .width = 5, .height = 3, .has_surface = true}, numbers(15));
  run("invert_surface", {8, 4}, {textures_.create_surface(image).value(), 5, 3});
  std::vector<float> inverted(15), expected = numbers(15);
  for (float& value : expected) value = 1 - value;
  textures_.download(image, std::as_writable_bytes(std::span(inverted)));
  EXPECT_EQ(inverted, expected);
}

}  // namespace
}  // namespace cudalab::device
