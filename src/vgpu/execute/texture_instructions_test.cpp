// Tests tex, tld4, txq, suld, sust and suq in PTX, and their errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/hostile_testing.h"
#include "vgpu/memory/texture_table.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {
using testing::AllOf;
using testing::ElementsAre;

constexpr TexelFormat kFloats{ChannelKind::kFloat, 32, 1};
constexpr TexelFormat kByteTexels{ChannelKind::kUnsigned, 8, 4};

// test(handle, out): lane i executes the body. %rd1 is the handle, %rd9 the address of its 16-byte result in
// out; %r0 = i, %f0 = i.
std::string texture_kernel(const std::string& body) {
  return KernelHarness::kernel(R"(
    ld.param.u64 %rd1, [p0];
    ld.param.u64 %rd9, [p1];
    mov.u32 %r0, %tid.x;
    cvt.rn.f32.u32 %f0, %r0;
    mul.wide.u32 %rd8, %r0, 16;
    add.u64 %rd9, %rd9, %rd8;
  )" + body);
}

class TextureInstructions : public testing::Test {
 protected:
  static constexpr unsigned kLanes = 4;

  TextureTable& make(const std::string& body, unsigned host_threads = 2) {
    harness_ = std::make_unique<KernelHarness>(texture_kernel(body), host_threads);
    out_ = harness_->buffer(std::vector<std::uint32_t>(4 * kLanes, 77), "out");
    return harness_->gpu().textures();
  }
  template <class T>
  std::uint64_t array(const ArrayShape& shape, std::vector<T> values) {
    array_ = harness_->gpu().textures().create_array("image", shape);
    harness_->gpu().textures().write_array(array_, std::as_bytes(std::span(values)));
    return array_;
  }
  std::uint64_t numbered(ArrayShape shape) {
    std::vector<float> values(shape.texels());
    std::iota(values.begin(), values.end(), 0.0f);
    return array(shape, values);
  }
  LaunchResult run(std::uint64_t handle, Dim3 grid = {1, 1, 1}) {
    return harness_->run(grid, {kLanes, 1, 1}, handle, out_);
  }
  template <class T>
  std::vector<T> results(std::size_t each = 1) {
    const auto all = harness_->read<T>(out_, 4 * kLanes);
    std::vector<T> kept;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t c = 0; c < each; ++c) kept.push_back(all[4 * lane + c]);
    return kept;
  }
  Message what_goes_wrong(const LaunchResult& result) {
    return result.hazards.empty() ? Message() : result.hazards.back().what;
  }

  std::unique_ptr<KernelHarness> harness_;
  std::uint64_t out_ = 0, array_ = 0;
};

const std::string kStoreFloat = "st.global.f32 [%rd9], %f1;";

TEST_F(TextureInstructions, FetchFromLinearMemoryByIndex) {
  TextureTable& table =
      make("add.s32 %r1, %r0, 1;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];\n" + kStoreFloat);
  const std::uint64_t memory = harness_->buffer(std::vector<float>{1, 2, 3, 4}, "texels");
  EXPECT_TRUE(run(table.create_texture(LinearTexels{memory, kFloats, 4}, {})).completed);
  EXPECT_THAT(results<float>(), ElementsAre(2, 3, 4, 0));
}

// The index register is also a destination register, and every other lane is inactive.
TEST_F(TextureInstructions, FetchChannelsByIndexOverTheirIndex) {
  constexpr TexelFormat kShorts{ChannelKind::kSigned, 16, 2};
  TextureTable& table = make(
      "mov.b32 %r2, %r0;\nmov.b32 %r4, %r0;\nmov.b32 %r5, %r0;\nsetp.ne.u32 %p1, %r0, 2;\n"
      "@%p1 tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r2}];\n"
      "st.global.v4.u32 [%rd9], {%r2, %r3, %r4, %r5};");
  const std::uint64_t memory =
      harness_->buffer(std::vector<std::int16_t>{1, -2, 3, -4, 5, -6, 7, -8}, "texels");
  EXPECT_TRUE(run(table.create_texture(LinearTexels{memory, kShorts, 4}, {})).completed);
  EXPECT_THAT(results<std::int32_t>(4), ElementsAre(1, -2, 0, 0, 3, -4, 0, 0, 2, 0, 2, 2, 7, -8, 0, 0));
}

TEST_F(TextureInstructions, LanesFetchFromTexturesOfTheirOwn) {
  TextureTable& table = make(
      "and.b32 %r1, %r0, 1;\ncvt.u64.u32 %rd2, %r1;\nadd.u64 %rd1, %rd1, %rd2;\n"
      "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];\n" +
      kStoreFloat);
  const std::uint64_t first = harness_->buffer(std::vector<float>{1, 2, 3, 4}, "first"),
                      second = harness_->buffer(std::vector<float>{10, 20, 30, 40}, "second");
  const std::uint64_t even = table.create_texture(LinearTexels{first, kFloats, 4}, {}),
                      odd = table.create_texture(LinearTexels{second, kFloats, 4}, {});
  ASSERT_EQ(odd, even + 1);
  EXPECT_TRUE(run(even).completed);
  EXPECT_THAT(results<float>(), ElementsAre(1, 20, 3, 40));
}

TEST_F(TextureInstructions, SampleOneTwoAndThreeDimensions) {
  TextureTable* table =
      &make("add.f32 %f9, %f0, 0f3F000000;\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f9}];\n" +
            kStoreFloat);
  EXPECT_TRUE(run(table->create_texture(numbered({.format = kFloats, .width = 8}), {})).completed);
  EXPECT_THAT(results<float>(), ElementsAre(0, 1, 2, 3));
  table = &make("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, 0f40000000}];\n" + kStoreFloat);
  EXPECT_TRUE(
      run(table->create_texture(numbered({.format = kFloats, .width = 5, .height = 3}), {})).completed);
  EXPECT_THAT(results<float>(), ElementsAre(10, 11, 12, 13));
  table = &make("tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, 0f3F800000, 0f40000000, %f0}];\n" +
                kStoreFloat);
  EXPECT_TRUE(
      run(table->create_texture(numbered({.format = kFloats, .width = 5, .height = 2, .depth = 3}), {}))
          .completed);
  EXPECT_THAT(results<float>(), ElementsAre(25, 26, 27, 28));
}

TEST_F(TextureInstructions, LevelsAndGradientsReadTheOnlyLevel) {
  for (const std::string form :
       {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], 0f3F800000;",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {%f0, %f0}, {%f0, %f0};"}) {
    TextureTable& table = make(form + kStoreFloat);
    EXPECT_TRUE(
        run(table.create_texture(numbered({.format = kFloats, .width = 5, .height = 4}), {})).completed);
    EXPECT_THAT(results<float>(), ElementsAre(0, 6, 12, 18));
  }
}

// Levels of 4 x 4, 2 x 2 and 1 texel, filled with 0, 100 and 200.
TEST_F(TextureInstructions, LevelsOfAMipmappedArray) {
  const auto sampled = [&](const std::string& form, FilterMode filter) {
    TextureTable& table = make(form + kStoreFloat);
    const std::vector<std::uint64_t> levels =
        table.create_levels("image", {.format = kFloats, .width = 4, .height = 4}, 3);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::vector<float> texels(std::size_t{16} >> 2 * i, 100.0f * static_cast<float>(i));
      table.write_array(levels[i], std::as_bytes(std::span(texels)));
    }
    Sampling sampling;
    sampling.normalized_coordinates = true;
    const LevelSampling level_sampling{.filter = filter, .bias = 0.25f, .highest = 9};
    EXPECT_TRUE(run(table.create_mipmapped_texture(levels, sampling, level_sampling)).completed);
    return results<float>();
  };
  const std::string level =
      "mul.f32 %f9, %f0, 0f3F000000;\n"
      "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {0f3F000000, 0f3F000000}], %f9;\n";
  EXPECT_THAT(sampled(level, FilterMode::kLinear), ElementsAre(25, 75, 125, 175));
  EXPECT_THAT(sampled(level, FilterMode::kPoint), ElementsAre(0, 100, 100, 200));
  EXPECT_THAT(sampled("tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {0f3F000000, "
                      "0f00000000}, {0f00000000, 0f00000000};\n",
                      FilterMode::kLinear),
              ElementsAre(125, 125, 125, 125));
  EXPECT_THAT(sampled("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];\n", FilterMode::kLinear),
              ElementsAre(0, 0, 0, 0));
}

TEST_F(TextureInstructions, ChannelsOfIntegers) {
  TextureTable& table = make(
      "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f0, 0f00000000}];\nst.global.v4.u32 [%rd9], {%r1, "
      "%r2, %r3, %r4};");
  const std::uint64_t texels = array<std::uint8_t>({.format = kByteTexels, .width = 4, .height = 1},
                                                   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255});
  EXPECT_TRUE(run(table.create_texture(texels, {})).completed);
  EXPECT_THAT(results<std::uint32_t>(4), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255));
}

TEST_F(TextureInstructions, Layers) {
  TextureTable& table =
      make("tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %f0, 0f3F800000, %f0}];\n" + kStoreFloat);
  ArrayShape shape{.format = kFloats, .width = 4, .height = 2};
  shape.layers = 3;
  EXPECT_TRUE(run(table.create_texture(numbered(shape), {})).completed);
  // There is no layer 3, so the last layer is used.
  EXPECT_THAT(results<float>(), ElementsAre(4, 13, 22, 23));
}

TEST_F(TextureInstructions, Gather) {
  TextureTable& table = make(
      "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {0f3F800000, 0f3F800000}];\nst.global.v4.f32 "
      "[%rd9], {%f1, %f2, %f3, %f4};");
  ArrayShape shape{.format = kFloats, .width = 3, .height = 2};
  const std::uint64_t refused = table.create_texture(numbered(shape), {});
  EXPECT_THAT(what_goes_wrong(run(refused)), IsMessage("texture_gather_unsupported"));
  shape.can_gather = true;
  EXPECT_TRUE(run(table.create_texture(numbered(shape), {})).completed);
  EXPECT_THAT(results<float>(4), testing::Contains(4).Times(4));
  EXPECT_EQ(results<float>(4)[0], 3);
}

TEST_F(TextureInstructions, Queries) {
  TextureTable& table = make(
      "txq.width.b32 %r1, [%rd1];\ntxq.height.b32 %r2, [%rd1];\ntxq.depth.b32 %r3, [%rd1];\nst.global.v4.u32 "
      "[%rd9], {%r1, %r2, %r3, %r0};");
  EXPECT_TRUE(
      run(table.create_texture(numbered({.format = kFloats, .width = 5, .height = 4, .depth = 3}), {}))
          .completed);
  EXPECT_EQ(results<std::uint32_t>(3)[0], 5u);
  EXPECT_EQ(results<std::uint32_t>(3)[1], 4u);
  EXPECT_EQ(results<std::uint32_t>(3)[2], 3u);
}

// ---- surfaces ----------------------------------------------------------------------------------------
constexpr ArrayShape kImage{.format = kFloats, .width = 5, .height = 2, .has_surface = true};

TEST_F(TextureInstructions, SurfacesAreReadAndWritten) {
  TextureTable& table = make(R"(
    shl.b32 %r1, %r0, 2;
    suld.b.2d.b32.trap {%r2}, [%rd1, {%r1, 1}];
    mov.b32 %f1, %r2;
    add.f32 %f1, %f1, 0f42C80000;
    mov.b32 %r2, %f1;
    sust.b.2d.b32.trap [%rd1, {%r1, 1}], {%r2};)" +
                             kStoreFloat);
  const std::uint64_t image = numbered(kImage);
  EXPECT_TRUE(run(table.create_surface(image)).completed);
  EXPECT_THAT(results<float>(), ElementsAre(105, 106, 107, 108));
  std::vector<float> written(10);
  table.read_array(image, std::as_writable_bytes(std::span(written)));
  EXPECT_THAT(written, ElementsAre(0, 1, 2, 3, 4, 105, 106, 107, 108, 9));
}

TEST_F(TextureInstructions, SurfacesOfNarrowAndWideValues) {
  TextureTable& table = make(R"(
    shl.b32 %r1, %r0, 1;
    cvt.u16.u32 %rs1, %r0;
    sust.b.1d.b8.trap [%rd1, {%r1}], {%rs1};
    suld.b.1d.v2.b8.trap {%rs2, %rs3}, [%rd1, {%r1}];
    cvt.u32.u16 %r2, %rs2;
    cvt.u32.u16 %r3, %rs3;
    st.global.v2.u32 [%rd9], {%r2, %r3};)");
  const std::uint64_t image =
      array<std::uint8_t>({.format = {ChannelKind::kUnsigned, 8, 1}, .width = 8, .has_surface = true},
                          {9, 200, 9, 201, 9, 202, 9, 203});
  const LaunchResult result = run(table.create_surface(image));
  EXPECT_TRUE(result.completed) << what_goes_wrong(result);
  EXPECT_THAT(results<std::uint32_t>(2), ElementsAre(0, 200, 1, 201, 2, 202, 3, 203));
}

TEST_F(TextureInstructions, BeyondTheEdgesOfASurface) {
  const auto body = [](const std::string& mode) {
    return "shl.b32 %r1, %r0, 3;\nsuld.b.2d.b32." + mode + " {%r2}, [%rd1, {%r1, 1}];\nmov.b32 %f1, %r2;\n" +
           "sust.b.2d.b32." + mode + " [%rd1, {%r1, 5}], {%r2};\n" + kStoreFloat;
  };
  TextureTable* table = &make(body("clamp"));
  run(table->create_surface(numbered(kImage)));
  EXPECT_THAT(results<float>(), ElementsAre(5, 7, 9, 9));
  table = &make(body("zero"));
  EXPECT_TRUE(run(table->create_surface(numbered(kImage))).completed);
  EXPECT_THAT(results<float>(), ElementsAre(5, 7, 9, 0));
  table = &make(body("trap"));
  const LaunchResult result = run(table->create_surface(numbered(kImage)));
  EXPECT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.back().buffer, "image");
  EXPECT_THAT(what_goes_wrong(result),
              AllOf(IsMessage("surface_outside"), MentionsMessage("verb_reads"), HasArgument("offset", 24),
                    HasArgument("row", 1), HasArgument("count", 2)));
}

TEST_F(TextureInstructions, TwoThreadsThatWriteOneTexelRace) {
  for (const unsigned host_threads : {1u, 2u}) {
    TextureTable& table =
        make("sust.b.2d.b32.trap [%rd1, {0, 0}], {%r0};\nst.global.u32 [%rd9], %r0;", host_threads);
    const LaunchResult result = run(table.create_surface(numbered(kImage)));
    ASSERT_FALSE(result.hazards.empty());
    EXPECT_EQ(result.hazards.front().kind, HazardKind::kGlobalRace);
    EXPECT_EQ(result.hazards.front().buffer, "image");
  }
}

// ---- errors ------------------------------------------------------------------------------------------
TEST_F(TextureInstructions, HandlesThatStandForNothingAreFoundOut) {
  const std::string body = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];\n" + kStoreFloat;
  for (const std::uint64_t garbage : {0ull, 1ull, 0xffffffffffffffffull, 0x7f0000000000ull}) {
    make(body);
    const LaunchResult result = run(garbage);
    EXPECT_FALSE(result.completed);
    EXPECT_THAT(what_goes_wrong(result), IsMessage("texture_handle_unknown"));
  }
  TextureTable& table = make(body);
  EXPECT_THAT(what_goes_wrong(run(table.create_surface(numbered(kImage)))),
              IsMessage("texture_handle_wrong_kind"));
}

TEST_F(TextureInstructions, ATextureOutlivedByItsHandleIsFoundOut) {
  TextureTable& table = make("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];\n" + kStoreFloat);
  const std::uint64_t image = numbered(kImage), texture = table.create_texture(image, {});
  table.destroy(image);
  EXPECT_THAT(what_goes_wrong(run(texture)), IsMessage("texture_memory_freed"));
  table.destroy(texture);
  EXPECT_THAT(what_goes_wrong(run(texture)), IsMessage("texture_handle_unknown"));
}

// A 2D texture has no layers: the fetch returns zeros, as on a GPU, and a hazard explains why.
TEST_F(TextureInstructions, AFetchOfAnotherKindGivesZeroAndIsFoundOut) {
  TextureTable& table =
      make("mov.u32 %r5, 0;\ntex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r5, %f0}];\n" + kStoreFloat);
  const LaunchResult result = run(table.create_texture(numbered(kImage), {}));
  EXPECT_TRUE(result.completed);
  EXPECT_THAT(what_goes_wrong(result), AllOf(IsMessage("texture_shape_layer"), HasArgument("coordinates", 1),
                                             HasArgument("dimensions", 2)));
  EXPECT_THAT(results<float>(4), testing::Contains(0.0f).Times(4));
}

TEST_F(TextureInstructions, AFetchWithOneCoordinateReadsTheFirstRowOfAPlane) {
  TextureTable* table = &make("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];\n" + kStoreFloat);
  const LaunchResult result = run(table->create_texture(numbered(kImage), {}));
  EXPECT_TRUE(result.completed && result.hazards.empty());
}

TEST_F(TextureInstructions, LinearMemoryIsNotSampledNorAnArrayFetchedByIndex) {
  TextureTable* table = &make("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];\n" + kStoreFloat);
  const std::uint64_t memory = harness_->buffer(std::vector<float>(8), "texels");
  EXPECT_THAT(what_goes_wrong(run(table->create_texture(LinearTexels{memory, kFloats, 8}, {}))),
              IsMessage("texture_linear_sampled"));
  table = &make("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];\n" + kStoreFloat);
  EXPECT_THAT(what_goes_wrong(run(table->create_texture(numbered({.format = kFloats, .width = 8}), {}))),
              IsMessage("texture_array_fetched"));
}

TEST_F(TextureInstructions, TexelsNobodyWroteAreFoundOut) {
  TextureTable& table = make("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];\n" + kStoreFloat);
  const std::uint64_t image = table.create_array("image", kImage);
  const LaunchResult result = run(table.create_texture(image, {}));
  ASSERT_FALSE(result.hazards.empty());
  EXPECT_EQ(result.hazards.front().kind, HazardKind::kUninitialisedRead);
  EXPECT_EQ(result.hazards.front().buffer, "image");
}

// Another warp has written the texel, unordered with this warp's fetch. A texel that this warp itself wrote
// is no race.
TEST_F(TextureInstructions, TexelsOfOtherThreadsRace) {
  const auto hazards = [&](const std::string& fetched) {
    TextureTable& table = make(
        "mul.wide.u32 %rd2, %r0, 4;\nmov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd3, %r5, 16;\n"
        "ld.param.u64 %rd4, [p1];\nadd.u64 %rd4, %rd4, %rd2;\nadd.u64 %rd4, %rd4, %rd3;\n"
        "st.global.u32 [%rd4], %r0;\nmad.lo.s32 %r1, %r5, 4, %r0;\n" +
        fetched + "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r6}, [%rd1, {%r1}];");
    constexpr TexelFormat kWords{ChannelKind::kUnsigned, 32, 1};
    return run(table.create_texture(LinearTexels{out_, kWords, 16}, {}), {2, 1, 1}).hazards;
  };
  EXPECT_TRUE(hazards("").empty());
  const auto found = hazards("xor.b32 %r1, %r1, 4;\n");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::kGlobalRace);
}

TEST_F(TextureInstructions, RequestsOfTexturesAndSurfacesAreCounted) {
  TextureTable* table = &make("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];\n" + kStoreFloat);
  LaunchResult result = run(table->create_texture(numbered(kImage), {}), {3, 1, 1});
  EXPECT_EQ(result.counters->get(Counter::kTextureRequests), 3);
  table = &make("suld.b.2d.b32.zero {%r2}, [%rd1, {0, 1}];\nsust.b.2d.b32.zero [%rd1, {-4, 1}], {%r2};");
  result = run(table->create_surface(numbered(kImage)));
  EXPECT_EQ(result.counters->get(Counter::kTextureRequests), 2);
  EXPECT_EQ(result.counters->get(Counter::kGlobalLoadRequests), 0);
}

TEST(TextureInstructionsRefused, ByName) {
  const auto refusal = [](const std::string& body, const std::string& before = "") {
    return refused([&] { KernelHarness harness(KernelHarness::kernel(body, 2, before)); });
  };
  EXPECT_THAT(refusal("tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %r0, %r0, %r0}];"),
              HasArgument("opcode", Code{"tex.cube.v4.f32.s32"}));
  EXPECT_THAT(refusal("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f0, %f0}];"),
              HasArgument("opcode", Code{"tex.2d.v4.f32.f32"}));
  EXPECT_THAT(refusal("txq.channel_order.b32 %r1, [%rd1];"),
              HasArgument("opcode", Code{"txq.channel_order.b32"}));
  EXPECT_THAT(refusal("sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"),
              HasArgument("opcode", Code{"sured.b.add.2d.u32.trap"}));
  EXPECT_THAT(refusal("suld.b.2d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [%rd1, {%r1, %r2}];"),
              HasArgument("opcode", Code{"suld.b.2d.v4.b64.trap"}));
  EXPECT_THAT(refusal("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f0}];", ".global .texref image;"),
              AllOf(MentionsMessage("texture_reference_unsupported"), HasArgument("name", Code{"image"})));
}

TEST(TextureInstructionsHostile, RunToAnEnd) {
  for (const std::string body :
       {"ld.param.u64 %rd1, [p0];\ntex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f1, %f2, %f3}];",
        "ld.param.u64 %rd1, [p0];\nsust.b.a2d.v4.b32.clamp [%rd1, {%r1, %r2, %r3, %r4}], {%r1, %r2, %r3, "
        "%r4};",
        "tld4.a.2d.v4.u32.f32 {%r1, _, %r3, _}, [%rd1, {%f0, %f1}];", "suq.width.b32 %r1, [%rd1];"})
    EXPECT_EQ(run_anything(KernelHarness::kernel(body)), 1) << body;
}

}  // namespace
}  // namespace cudalab::vgpu
