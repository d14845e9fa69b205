// Tests to which line of the user's source an instruction is attributed if a header's function was inlined.
#include <gtest/gtest.h>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// The reported line of an out-of-bounds load at this location.
SourceLine line_of_load(const std::string& location, const std::string& files) {
  KernelHarness harness(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test()\n{ .reg .b32 %r<2>; .reg .b64 "
      "%rd<2>;\n"
      "mov.u64 %rd1, 64;\n" +
      location + "\n$name:\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret; }\n" + files);
  const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1});
  return result.hazards.empty() ? SourceLine{} : result.hazards[0].where;
}

constexpr const char* kHeaderFile = "/usr/include/some_header.h";

TEST(SourceLines, AHeadersLineIsThatOfItsCaller) {
  const std::string called = ".loc 1 9 0\n.loc 2 808 5, function_name $name, inlined_at 1 9 3";
  const std::string header = ".file 2 \"" + std::string(kHeaderFile) + "\"\n";
  for (const char* file : {"/home/student/test.cu", "/home/student/other.cu"})
    EXPECT_EQ(line_of_load(called, ".file 1 \"" + std::string(file) + "\"\n" + header).line, 9) << file;
}

TEST(SourceLines, AmongSourcesTheLaunchedOneIsTaken) {
  const std::string called = ".loc 1 9 0\n.loc 2 5 5, function_name $name, inlined_at 1 9 3";
  const std::string files = ".file 1 \"/home/student/test.cu\"\n.file 2 \"/home/student/other.cu\"\n";
  EXPECT_EQ(line_of_load(called, files), (SourceLine{"test.cu", 9}));
}

TEST(SourceLines, AHeaderOfTheUserIsTakenWhereNoSourceIsKnown) {
  const std::string files = ".file 1 \"/home/student/a.h\"\n.file 2 \"" + std::string(kHeaderFile) + "\"\n";
  const std::string called = ".loc 1 9 0\n.loc 2 808 5, function_name $name, inlined_at 1 9 3";
  EXPECT_EQ(line_of_load(called, files), (SourceLine{"/home/student/a.h", 9}));
}

TEST(SourceLines, AHeadersLineIsItsOwnWhereNoneIsTheUsers) {
  const std::string files = ".file 1 \"/usr/include/a.h\"\n.file 2 \"" + std::string(kHeaderFile) + "\"\n";
  const std::string called = ".loc 1 9 0\n.loc 2 808 5, function_name $name, inlined_at 1 9 3";
  EXPECT_EQ(line_of_load(called, files), (SourceLine{kHeaderFile, 808}));
}

}  // namespace
}  // namespace cudalab::vgpu
