// Tests the text and JSON of a warp's trace, with kernels given as PTX.
#include "report/warp/trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/languages/wording_testing.h"
#include "report/formats/trace_json.h"
#include "session/lane_text.h"
#include "session/warp_testing.h"

namespace cudalab::report {
namespace {

using testing::HasSubstr;
using vgpu::kAllLanes;

vgpu::WarpTrace trace_of(const std::string& body, Dim3 block, const vgpu::TraceRequest& wanted = {}) {
  return session::SteppedKernel(body, {1, 1, 1}, block).trace(wanted);
}

TEST(TraceText, TellsLineByLine) {
  EXPECT_EQ(
      trace_text(trace_of(session::kSteppedBody, {64, 1, 1}), {"mine.cu", session::kSteppedSource}, false),
      "   step   line  lanes      what\n"
      "      0      2  all 32     if (threadIdx.x < 8)\n"
      "                           the lanes diverge\n"
      "      6      3  0-7        out[threadIdx.x] = 1;\n"
      "                           stores global out[0], out[1], out[2] … out[7] (8 lanes of 4 bytes) in 1 "
      "sector\n"
      "                           1\n"
      "      7      4  all 32     __syncthreads();\n"
      "                           the lanes reconverge\n"
      "                           barrier: at barrier 0: warps 0; not yet there: 1\n"
      "      8      5  all 32     tile[0][threadIdx.x] = out[threadIdx.x];\n"
      "                           loads global out[0], out[1], out[2] … out[31] (32 lanes of 4 bytes) in 4 "
      "sectors\n"
      "                           %r2 = 1, 1, 1 … 5\n"
      "                           stores shared tile[1][0], tile[1][1], tile[1][2] … tile[1][31] (32 lanes "
      "of 4 bytes) in 1 wavefront\n"
      "                           %r2 = 1, 1, 1 … 5\n");
}

TEST(TraceText, TellsEachInstructionWhereThatIsAskedFor) {
  const std::string text = trace_text(trace_of(session::kSteppedBody, {32, 1, 1}, {.most = 6}),
                                      {"mine.cu", session::kSteppedSource}, true);
  EXPECT_THAT(text, HasSubstr("      1      2  all 32     mov.u32 %r1, %tid.x;\n"
                              "                           %r1 = 0, 1, 2 … 31\n"));
  EXPECT_TRUE(text.ends_with("…\n"));
}

TEST(TraceText, AHazardStandsBelowItsLine) {
  const std::string text =
      trace_text(trace_of(session::kSteppedBody + "\n.loc 1 5 0\nst.global.u32 [%rd3+4096], 1;", {32, 1, 1}),
                 {"mine.cu", session::kSteppedSource}, false);
  EXPECT_THAT(text, HasSubstr("HAZARD: writes `out[1024]`"));
}

TEST(TraceText, SpeaksTheReadersLanguage) {
  const Wording chinese = chinese_by(
      "msgctxt \"column_lanes\"\nmsgid \"lanes\"\nmsgstr \"通道\"\n\n"
      "msgctxt \"lanes_all\"\nmsgid \"all 32\"\nmsgstr \"全部 32\"\n\n"
      "msgctxt \"trace_stores_global\"\nmsgid \"stores global {elements}\"\n"
      "msgstr \"写入全局内存 {elements}\"\n\n"
      "msgctxt \"trace_lanes\"\n"
      "msgid \"{access} ({lanes} {lanes:lane|lanes} of {bytes} {bytes:byte|bytes})\"\n"
      "msgstr \"{access}（{lanes} 个通道，每个 {bytes} 字节）\"\n\n"
      "msgctxt \"trace_sectors\"\nmsgid \"{access} in {sectors} {sectors:sector|sectors}\"\n"
      "msgstr \"{access}，{sectors} 个扇区\"\n\n"
      "msgctxt \"warps_on_their_way\"\nmsgid \"{waits}; not yet there: {warps}\"\n"
      "msgstr \"{waits}；还在路上：{warps}\"\n");
  const std::string text = trace_text(trace_of(session::kSteppedBody, {64, 1, 1}),
                                      {"mine.cu", session::kSteppedSource}, false, chinese);
  EXPECT_THAT(text, testing::StartsWith("   step   line  通道       what\n"));
  EXPECT_THAT(text, HasSubstr("\n      0      2  全部 32    if (threadIdx.x < 8)\n"));
  EXPECT_THAT(text,
              HasSubstr("写入全局内存 out[0], out[1], out[2] … out[7]（8 个通道，每个 4 字节），1 个扇区\n"));
  EXPECT_THAT(text, HasSubstr("at barrier 0: warps 0；还在路上：1\n"));
}

TEST(Moments, ALineThatALineCallsIsThatLine) {
  vgpu::TracedInstruction instruction;
  instruction.where = {"helpers.h", 7};
  instruction.inlined_at = {{"other.h", 3}, {"mine.cu", 12}};
  EXPECT_EQ(session::line_in(instruction, "mine.cu"), (SourceLine{"mine.cu", 12}));
  EXPECT_EQ(session::line_in(instruction, "elsewhere.cu"), (SourceLine{"helpers.h", 7}));
}

TEST(Moments, EndWhereLanesPartWaitOrGoToAnotherLine) {
  const vgpu::WarpTrace trace = trace_of(session::kSteppedBody, {64, 1, 1});
  const std::vector<session::Moment> moments = session::moments_of(trace, "mine.cu");
  ASSERT_EQ(moments.size(), 4u);
  EXPECT_TRUE(moments[0].parts);
  EXPECT_EQ(moments[0].last, 5u);
  EXPECT_EQ(moments[1].active, 0xffu);
  EXPECT_TRUE(moments[2].meets && moments[2].is_barrier);
  EXPECT_EQ(moments[3].active, kAllLanes);
}

TEST(LaneText, Lanes) {
  EXPECT_EQ(session::lanes_text(kAllLanes), "all 32");
  EXPECT_EQ(session::lanes_text(0), "none");
  EXPECT_EQ(session::lanes_text(0x80000d07), "0-2,8,10,11,31");
}

TEST(LaneText, Values) {
  EXPECT_EQ(session::value_text(ptx::Type::kF32, 4, 0x3e800000), "0.25");
  EXPECT_EQ(session::value_text(ptx::Type::kS32, 4, 0xffffffff), "-1");
  EXPECT_EQ(session::value_text(ptx::Type::kU32, 4, 0xffffffff), "4294967295");
  EXPECT_EQ(session::value_text(ptx::Type::kS16, 2, 0xfffe), "-2");
  EXPECT_EQ(session::value_text(ptx::Type::kU64, 8, 0x7f0000000400), "0x7f0000000400");
  EXPECT_EQ(session::value_text(ptx::Type::kF16, 2, 0x3800), "0.5");
}

TEST(LaneText, BitsThatNobodyComputesWithAreWhatTheyLookLike) {
  const vgpu::TracedValue word{"%r1", ptx::Type::kB32, 4, false};
  std::array<std::uint64_t, vgpu::kWarpSize> bits{};
  EXPECT_EQ(session::shown_type(word, bits, kAllLanes), ptx::Type::kB32);  // all 0
  bits.fill(0x3e800000);
  EXPECT_EQ(session::shown_type(word, bits, kAllLanes), ptx::Type::kF32);
  bits[3] = 1000;
  EXPECT_EQ(session::shown_type(word, bits, kAllLanes), ptx::Type::kB32);
  EXPECT_EQ(session::shown_type(word, bits, ~(1u << 3)), ptx::Type::kF32);  // lane 3 does not take part
}

TEST(TraceJson, HasTheLanesThatTakePart) {
  const vgpu::WarpTrace trace = trace_of(session::kSteppedBody, {64, 1, 1});
  const auto json = nlohmann::json::parse(
      trace_json_text(trace, {"test", "mine.cu", 2, {{1, 1, 1}, {64, 1, 1}}}, {"1.2", "abc"}));
  EXPECT_EQ(json["schema"], "cudalab.trace/1");
  EXPECT_EQ(json["launch"]["number"], 2);
  const auto& store = json["steps"][6];
  EXPECT_EQ(json["instructions"][store["instruction"].get<int>()]["text"], "st.global.u32 [%rd3], 1;");
  EXPECT_EQ(store["active"], 0xff);
  EXPECT_EQ(store["accesses"][0]["addresses"].size(), 8u);
  EXPECT_EQ(store["accesses"][0]["addresses"][1], trace.accesses[0].begin + 4);
  EXPECT_EQ(store["values"][0]["lanes"], nlohmann::json(std::vector<int>(8, 1)));
  EXPECT_EQ(json["warps"][json["steps"][7]["warps"].get<int>()][0]["state"], "at_barrier");
  EXPECT_TRUE(json["ended"].get<bool>());
}

TEST(TraceJson, GroupsTheStepsByMoments) {
  const vgpu::WarpTrace trace = trace_of(session::kSteppedBody, {64, 1, 1});
  const auto json = nlohmann::json::parse(
      trace_json_text(trace, {"test", "mine.cu", 1, {{1, 1, 1}, {64, 1, 1}}}, {"1.2", "abc"}));
  const std::vector<session::Moment> moments = session::moments_of(trace, "mine.cu");
  ASSERT_EQ(json["moments"].size(), moments.size());
  for (std::size_t i = 0; i < moments.size(); ++i) {
    EXPECT_EQ(json["moments"][i]["first"], moments[i].first);
    EXPECT_EQ(json["moments"][i]["last"], moments[i].last);
  }
}

TEST(VariablesText, NamesElementsOfOneArrayTogetherWhereTheyHoldTheSame) {
  vgpu::WarpTrace trace;
  trace.instructions.push_back({.text = "add.s32 %r1, %r1, 1;", .function = "k", .where = {"a.cu", 1}});
  trace.steps.push_back({.active = 0xf, .executing = 0xf});
  for (int i = 0; i < 4; ++i)
    trace.locals.push_back({"acc[" + std::to_string(i) + "]", "int[4]", ptx::Type::kS32, 0});
  trace.locals.push_back({"i", "int", ptx::Type::kS32, 1});
  for (std::uint32_t i = 0; i < 5; ++i) {
    trace.changes.push_back({i, 0, 0xf, i});
    trace.values.emplace_back().fill(i < 3 ? 0 : 7);
  }
  trace.steps[0].changes = 5;
  EXPECT_EQ(variables_text(session::Variables(trace).at(0), 0xf), "acc[0] … acc[2] = 0; acc[3] = 7; i = 7");
  EXPECT_EQ(variables_text(session::Variables(trace).at(0), 0xf0), "") << "of lanes that go another way";
}

}  // namespace
}  // namespace cudalab::report
