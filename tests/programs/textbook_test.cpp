// Programs as in textbooks and courses: texture references, their own headers, host clocks, fresh memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "compile/clang/clang.h"
#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// The installed compilers of programs.
std::vector<std::string> program_compilers() {
  std::vector<std::string> found;
  if (compile::find_nvcc()) found.emplace_back("nvcc");
  if (compile::find_clang()) found.emplace_back("clang");
  return found;
}

Outcome run_textbook(const std::string& program, std::vector<std::string> options = {}) {
  std::vector<std::string> words{"run", (kSource / "tests/programs/textbook" / program).string(), "--device",
                                 "virtual"};
  words.insert(words.end(), options.begin(), options.end());
  return cudalab(words);
}

TEST(TextbookPrograms, ReadTextureReferencesWithCompat) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  for (const std::string& compiler : program_compilers()) {
    const Outcome outcome =
        run_textbook("texture_references.cu", {"--compat", "texture-references", "--compiler", compiler});
    EXPECT_EQ(outcome.code, 0) << compiler << outcome.err;
    EXPECT_EQ(outcome.out, "0 10102 20202 30304 40404 50506 60606 70708 80808 90910 101010 111112 11\n")
        << compiler;
    EXPECT_THAT(outcome.err, HasSubstr("No errors were found")) << compiler;
  }
}

// clang gives no initial values to the host's copies of device variables.
TEST(TextbookPrograms, TakeTheFormatOfAnArrayFromATextureReference) {
  if (!compile::find_nvcc()) GTEST_SKIP() << "needs nvcc";
  const Outcome outcome = run_textbook("texture_channels.cu", {"--compat", "texture-references"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "7 -7\n");
}

TEST(TextbookPrograms, WithoutCompatAreToldOfIt) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("texture_references.cu");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--compat texture-references"));
  EXPECT_EQ(run_textbook("texture_references.cu", {"--compat", "everything"}).code, 2);
}

TEST(TextbookPrograms, GetTheHeadersOfACourse) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  for (const std::string& compiler : program_compilers()) {
    const Outcome outcome = run_textbook("course_headers.cu", {"--compiler", compiler});
    EXPECT_EQ(outcome.code, 0) << compiler << outcome.err;
    EXPECT_EQ(outcome.out, "1 1\n") << compiler;
    EXPECT_THAT(outcome.err, HasSubstr("../common/common.h; cudalab's own version is used")) << compiler;
  }
}

TEST(TextbookPrograms, AreToldOfMistakesThatOnlyTheSourceShows) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("integer_division.cu");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "0.0\n");
  EXPECT_THAT(unwrapped(outcome.err), HasSubstr("divides integers"));
}

TEST(TextbookPrograms, MeasureTheVirtualGpuWithHostClocksAndAreTold) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("host_clocks.cu");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(unwrapped(outcome.err),
              HasSubstr("a clock of the host measures the work of the virtual GPU here"));
  EXPECT_THAT(unwrapped(outcome.err), HasSubstr("--virtual-clock"));
}

// A kernel of 256 blocks takes 10 to 50 us on a GPU. The host's own work between two readings is added to
// that.
TEST(TextbookPrograms, MeasurePredictedTimesWithAVirtualClock) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("host_clocks.cu", {"--virtual-clock"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(unwrapped(outcome.err), Not(HasSubstr("measures the work of the virtual GPU")));
  std::istringstream lines(outcome.out);
  int count = 0;
  for (double ms = 0; lines >> ms; ++count) {
    EXPECT_GT(ms, 0.004);
    EXPECT_LT(ms, 20);  // the virtual GPU's own work takes longer
  }
  EXPECT_EQ(count, 4);
  EXPECT_EQ(run_textbook("host_clocks.cu", {"--virtual-clock", "--predict", "off"}).code, 2);
}

TEST(TextbookPrograms, FindFreshMemoryEmpty) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("fresh_memory.cu");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(std::atoi(outcome.out.c_str()), 8) << outcome.out;  // of 2048; the allocator's own data
}

TEST(TextbookPrograms, WhoseLaunchIsRefusedFail) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  for (const char* program : {"large_constant.cu", "large_shared.cu"}) {
    const Outcome outcome = run_textbook(program);
    EXPECT_EQ(outcome.code, 1) << program << outcome.err;
    EXPECT_THAT(unwrapped(outcome.err), HasSubstr("was never launched")) << program;
    EXPECT_THAT(outcome.err, HasSubstr("FAIL  0 of 1 passed")) << program;
  }
}

TEST(TextbookPrograms, ThatMakeNoProgressAreStoppedWithTheirLine) {
  if (program_compilers().empty()) GTEST_SKIP() << "needs nvcc or clang";
  const Outcome outcome = run_textbook("endless.cu", {"--timeout", "300"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(unwrapped(outcome.err), HasSubstr("endless.cu:4: wait"));
}

}  // namespace
}  // namespace cudalab::e2e
