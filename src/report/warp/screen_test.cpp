// Tests the text of the screen, at any size.
#include "report/warp/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/languages/wording_testing.h"
#include "report/pictures/builders.h"
#include "report/text/layout.h"
#include "session/warp_testing.h"

namespace cudalab::report {
namespace {

using testing::HasSubstr;

std::vector<std::string> source_lines() {
  std::vector<std::string> lines;
  std::istringstream stream(session::kSteppedSource);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Screen {
  explicit Screen(const std::string& body = session::kSteppedBody, Dim3 block = {64, 1, 1})
      : kernel(body, {1, 1, 1}, block), walk(kernel.launch()) {
    walk.go_to({0, 0, 0}, 0);
  }
  std::string text(ScreenSize size = {60, 24}) {
    std::string all;
    for (const ScreenLine& line : draw_screen(walk, source_lines(), state, size))
      all += plain_text(line) + "\n";
    return all;
  }
  session::SteppedKernel kernel;
  session::Walk walk;
  ScreenState state;
};

// Removes the blanks with which the screen pads its lines.
std::string without_ends(const std::string& text) {
  std::string kept;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) kept += without_trailing_blanks(line) + "\n";
  return kept;
}

TEST(Screen, ShowsARequestBesideItsLanes) {
  Screen screen;
  screen.walk.forward();
  EXPECT_EQ(without_ends(screen.text()),
            "test  block (0, 0, 0)  warp 0 of 2  step 6\n"
            "   1   __shared__ int tile[8][33];\n"
            "   2   if (threadIdx.x < 8)\n"
            "   3 >   out[threadIdx.x] = 1;\n"
            "   4   __syncthreads();\n"
            "   5   tile[0][threadIdx.x] = out[threadIdx.x];\n"
            "\n"
            "lanes 01234567........................  0-7\n"
            "stores global out[0], out[1], out[2] … out[7] (8 lanes of\n"
            "4 bytes) in 1 sector\n"
            "32-byte sectors; .: unused            0 out[0] 1\n"
            "01234567                              1 out[1] 1\n"
            "                                      2 out[2] 1\n"
            "                                      3 out[3] 1\n"
            "                                      4 out[4] 1\n"
            "                                      5 out[5] 1\n"
            "                                      6 out[6] 1\n"
            "                                      7 out[7] 1\n"
            "\n"
            "warps none waits at a barrier\n"
            "\n"
            "→ ← step, ↓ ↑ scroll, b B barrier, d D divergence, z hazard,\n"
            "g to a line, w W warp, k K block, v view, a access, 0 $\n"
            "begin, end, q quit\n");
}

TEST(Screen, FitsEverySize) {
  Screen screen;
  for (const ScreenView view : {ScreenView::kRequest, ScreenView::kInstructions, ScreenView::kShared})
    for (const ScreenSize size : {ScreenSize{1, 1}, {20, 5}, {60, 16}, {61, 24}, {100, 30}, {250, 80}})
      for (screen.walk.to_begin(), screen.state.view = view; screen.walk.forward();) {
        const auto lines = draw_screen(screen.walk, source_lines(), screen.state, size);
        ASSERT_EQ(lines.size(), size.rows);
        for (const ScreenLine& line : lines) EXPECT_LE(columns_of(plain_text(line)), size.columns);
      }
}

TEST(Screen, SaysWhereLanesPartAndMeet) {
  Screen screen;
  EXPECT_THAT(screen.text(), HasSubstr("lanes 0123456789abcdefghijklmnopqrstuv  all 32  diverge here\n"));
  screen.walk.forward(), screen.walk.forward();
  EXPECT_THAT(screen.text(), HasSubstr("all 32  reconverged\n"));
  EXPECT_THAT(screen.text(), HasSubstr("warps at barrier 0: warps 0; not yet there: 1\n"));
}

TEST(Screen, ShowsInstructionsWithTheirRegisters) {
  Screen screen;
  screen.state.view = ScreenView::kInstructions;
  EXPECT_THAT(screen.text({100, 30}), HasSubstr("mul.wide.u32 %rd2, %r1, 4;  %rd2 = 0, 4, 8 … 124"));
}

TEST(Screen, ShowsWhatSharedMemoryHolds) {
  Screen screen;
  screen.walk.to_end();
  screen.state.view = ScreenView::kShared;
  screen.state.access = 1;
  screen.state.scroll = 4;
  const std::string text = screen.text({100, 40});
  EXPECT_THAT(text, HasSubstr("   128    -       [1]"));
  const auto lines = draw_screen(screen.walk, source_lines(), screen.state, {100, 40});
  for (const ScreenLine& line : lines)
    if (plain_text(line).starts_with("   128 ")) {
      EXPECT_EQ(line[2].tone, static_cast<ScreenTone>(static_cast<int>(ScreenTone::kBank) + 1));  // word 33
      return;
    }
  FAIL() << text;
}

TEST(Screen, WhatAViewShowsIsReadToItsEndAtSixtyColumns) {
  Screen screen;
  screen.state.view = ScreenView::kShared;
  EXPECT_THAT(screen.text(), HasSubstr("\n1056 bytes of shared memory; one colour per bank; [ ]:\n"
                                       "accessed by this line; -: unwritten\n"));
  screen.state.view = ScreenView::kVariables;
  EXPECT_THAT(screen.text(), HasSubstr("\nregisters, last written first (--debug shows the source's\n"
                                       "names)\n"));
}

TEST(Screen, AHazardStandsAtTheFoot) {
  Screen screen(session::kSteppedBody + "\n.loc 1 5 0\nst.global.u32 [%rd3+4096], 1;");
  screen.walk.to_end();
  EXPECT_THAT(screen.text({100, 30}), HasSubstr("HAZARD: writes `out[1024]`"));
  EXPECT_THAT(screen.text({100, 30}), HasSubstr(", the last\n"));
}

TEST(Screen, ItsLabelsAreEquallyWideInEveryLanguage) {
  Screen screen;
  screen.state.wording = chinese_by(
      "msgctxt \"column_lanes\"\nmsgid \"lanes\"\nmsgstr \"通道\"\n\n"
      "msgctxt \"column_warps\"\nmsgid \"warps\"\nmsgstr \"线程束\"\n\n"
      "msgctxt \"screen_part_here\"\nmsgid \"part here\"\nmsgstr \"在此分开\"\n\n"
      "msgctxt \"screen_none_waits\"\nmsgid \"none waits at a barrier\"\nmsgstr \"没有在等的\"\n");
  const std::string text = screen.text();
  EXPECT_THAT(text, HasSubstr("\n通道   0123456789abcdefghijklmnopqrstuv  all 32  在此分开\n"));
  EXPECT_THAT(text, HasSubstr("\n线程束 没有在等的\n"));
}

// ---- requests ------------------------------------------------------------------------------------------

vgpu::TracedAccess access_of(MemorySpace space, std::uint32_t bytes, std::uint64_t stride) {
  vgpu::TracedAccess access;
  access.space = space;
  access.bytes = bytes;
  access.lanes = vgpu::kAllLanes;
  for (std::size_t lane = 0; lane < vgpu::kWarpSize; ++lane) access.address[lane] = 4096 + lane * stride;
  return access;
}

TEST(RequestRows, NeighboursFillTheirSectors) {
  EXPECT_THAT(request_rows(access_of(MemorySpace::kGlobal, 4, 4)),
              testing::ElementsAre("01234567|89abcdef|ghijklmn|opqrstuv"));
}

TEST(RequestRows, AStrideWastesThem) {
  const auto rows = request_rows(access_of(MemorySpace::kGlobal, 4, 64));
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0], "0.......|1.......|2.......|3.......");
  EXPECT_EQ(rows[7], "s.......|t.......|u.......|v.......");
}

TEST(RequestRows, OfSingleBytesEachHasItsCell) {
  EXPECT_EQ(request_rows(access_of(MemorySpace::kGlobal, 1, 32))[0], "0...............................");
}

TEST(RequestRows, APassAWordOfABank) {
  EXPECT_THAT(request_rows(access_of(MemorySpace::kShared, 4, 4)),
              testing::ElementsAre("0123456789abcdefghijklmnopqrstuv"));
  EXPECT_THAT(request_rows(access_of(MemorySpace::kShared, 4, 8)),
              testing::ElementsAre("0.1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.", "g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v."));
  EXPECT_EQ(request_rows(access_of(MemorySpace::kShared, 4, 128)).size(), 32u);
  EXPECT_THAT(request_rows(access_of(MemorySpace::kShared, 4, 0)),
              testing::ElementsAre("0..............................."));  // all lanes read one word
}

TEST(RequestRows, WideLanesAreServedInGroups) {
  auto access = access_of(MemorySpace::kShared, 8, 8);
  EXPECT_THAT(request_rows(access),
              testing::ElementsAre("00112233445566778899aabbccddeeff", "gghhiijjkkllmmnnooppqqrrssttuuvv"));
}

}  // namespace
}  // namespace cudalab::report
