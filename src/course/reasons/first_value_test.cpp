// Tests where the values of two kernels first differ, with kernels given as PTX.
#include "course/reasons/first_value.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"
#include "session/warp_testing.h"

namespace cudalab::course {
namespace {

// Each thread loads out[tid], which is 5, and stores what `body` computes from %r2 in %r9. Line n + 10 of
// mine.cu is the n-th line of `body`.
std::string computing(const std::string& body, const std::string& store = "st.global.u32 [%rd3], %r9;") {
  std::string text =
      "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n";
  int line = 10;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    text += fmt::format(".loc 1 {} 0\n{}\n", ++line, body.substr(begin, end - begin));
    begin = end + 1;
  }
  return text + ".loc 1 90 0\n" + store;
}

std::string said(const std::string& found, const std::string& wanted, std::uint64_t stored,
                 AccessEvent::Kind kind = AccessEvent::kStore) {
  const Dim3 one{1, 1, 1}, warp{32, 1, 1};
  session::SteppedKernel own(found, one, warp), solved(wanted, one, warp);
  const WarpPair warps{own.trace({}), solved.trace({})};
  AccessEvent event{.kind = kind, .bytes = 4, .thread = 3};
  event.value = stored;
  AccessEvent right = event;
  for (const vgpu::WarpStep& step : warps.wanted.steps)
    if (warps.wanted.instruction_of(step).text.starts_with("st."))
      right.value = warps.wanted.values[step.first_value][3];
  const SourceLine end{"mine.cu", 90};
  const auto reason = first_new_value(warps, {event, end}, {right, end});
  return reason ? with_ids(in_line(*reason)) : "nothing";
}

std::string wrong_in_line(int line, Message what) {
  return with_ids(msg::reason_in_line(line, std::move(what)));
}

TEST(FirstValues, NamesTheLineOfTheFirstValueThatTheSolutionDoesNotHave) {
  EXPECT_EQ(said(computing("add.u32 %r3, %r2, 100;\nmul.lo.u32 %r4, %r3, 3;\nadd.u32 %r9, %r4, 1;"),
                 computing("add.u32 %r3, %r2, 100;\nmul.lo.u32 %r4, %r3, 4;\nadd.u32 %r9, %r4, 1;"), 316),
            wrong_in_line(12, msg::difference_new_value("315")));
}

TEST(FirstValues, IgnoresComputationsOfAnotherKind) {
  EXPECT_EQ(said(computing("xor.b32 %r3, %r2, 100;\nsub.u32 %r9, %r3, 70;"),
                 computing("add.u32 %r3, %r2, 100;\nmul.lo.u32 %r4, %r3, 4;\nshr.u32 %r9, %r4, 1;"), 27),
            "nothing");
}

TEST(FirstValues, NamesAValueThatIsNotComputedFromTheInput) {
  EXPECT_EQ(said(computing("mov.u32 %r9, 7;"), computing("add.u32 %r9, %r2, 100;"), 7),
            wrong_in_line(90, msg::difference_constant("7")));
}

TEST(FirstValues, NamesAValueThatBecomesAWholeNumber) {
  const std::string half = "cvt.rn.f32.u32 %f1, %r2;\nmul.f32 %f2, %f1, 0f3F000000;\n";
  const std::string store = "st.global.f32 [%rd3], %f9;";
  EXPECT_EQ(said(computing(half + "cvt.rzi.s32.f32 %r4, %f2;\ncvt.rn.f32.s32 %f9, %r4;", store),
                 computing(half + "add.f32 %f9, %f2, %f2;", store), std::bit_cast<std::uint32_t>(2.0f)),
            wrong_in_line(13, msg::difference_rounded("2")));
}

TEST(FirstValues, NamesAResultThatIsOnlyAStepOfTheSolution) {
  const std::string step = "mul.lo.u32 %r3, %r2, 100;\n";
  EXPECT_EQ(
      said(computing(step + "add.u32 %r9, %r3, 1;"),
           computing(step + "add.u32 %r4, %r3, 1;\nmul.lo.u32 %r5, %r4, 7;\nadd.u32 %r9, %r5, 3;"), 501),
      wrong_in_line(12, msg::difference_earlier_value("501", 90)));
}

TEST(FirstValues, NamesAnotherAtomicOperation) {
  const std::string body = "add.u32 %r9, %r2, 100;";
  EXPECT_EQ(said(computing(body, "atom.global.max.u32 %r8, [%rd3], %r9;"),
                 computing(body, "atom.global.add.u32 %r8, [%rd3], %r9;"), 105, AccessEvent::kUpdate),
            wrong_in_line(90, msg::difference_update_kind(Code{"max"})));
}

TEST(FirstValues, ComparesAnswersAboutLanesOnlyWithEachOther) {
  const std::string vote =
      "setp.lt.u32 %p1, %r1, {};\nvote.sync.ballot.b32 %r3, %p1, 0xffffffff;\nadd.u32 %r9, %r3, 1;";
  EXPECT_EQ(said(computing(fmt::format(fmt::runtime(vote), 3)),
                 computing("mov.u32 %r7, 7;\n" + fmt::format(fmt::runtime(vote), 4)), 8),
            wrong_in_line(12, msg::difference_new_value("0x00000007")));
}

}  // namespace
}  // namespace cudalab::course
