// Tests the words for enumerations and the format of numbers.
#include "report/text/values.h"

#include <gtest/gtest.h>

#include <limits>

namespace cudalab::report {
namespace {

TEST(Names, FollowTheOrderOfTheEnumerations) {
  EXPECT_EQ(name_of(lab::Verdict::kPass), "pass");
  EXPECT_EQ(name_of(lab::Verdict::kNotAssessed), "not_assessed");
  EXPECT_EQ(name_of(lab::RowKind::kCpu), "cpu");
  EXPECT_EQ(name_of(lab::RowKind::kCopy), "copy");
  EXPECT_EQ(name_of(HazardKind::kOutOfBounds), "out_of_bounds");
  EXPECT_EQ(name_of(HazardKind::kSharedRace), "shared_race");
  EXPECT_EQ(name_of(HazardKind::kStepLimit), "step_limit");
  EXPECT_EQ(name_of(HazardKind::kInvalidLaunch), "invalid_launch");
  EXPECT_EQ(name_of(MemorySpace::kTexture), "texture");
  EXPECT_EQ(name_of(AccessKind::kReduction), "reduction");
}

TEST(Names, OptionValuesAreShownAsTheyAreTyped) {
  EXPECT_EQ(shown(true), "on");
  EXPECT_EQ(shown(std::int64_t{32}), "32");
  EXPECT_EQ(shown(0.5), "0.5");
  EXPECT_EQ(shown(std::string("f32")), "f32");
}

TEST(Units, SignificantDigits) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(1.929), "1.93");
  EXPECT_EQ(significant(41.0), "41");
  EXPECT_EQ(significant(31.97), "32");
  EXPECT_EQ(significant(4215.4), "4215");
  EXPECT_EQ(significant(0.0123), "0.0123");
  EXPECT_EQ(significant(-2.5), "-2.5");
  EXPECT_EQ(significant(1.5e12), "1.50e+12");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(significant(-std::numeric_limits<double>::infinity()), "-infinity");
}

TEST(Units, Durations) {
  EXPECT_EQ(duration(0.0123), "12.3 us");
  EXPECT_EQ(duration(1.929), "1.93 ms");
  EXPECT_EQ(duration(41), "41.0 ms");
  EXPECT_EQ(duration(1234), "1.23 s");
}

TEST(Units, MemorySizes) {
  EXPECT_EQ(memory(512), "512 bytes");
  EXPECT_EQ(memory(233472), "228 KiB");
  EXPECT_EQ(memory(150e9), "140 GiB");
}

TEST(Units, DistancesAreExact) {
  EXPECT_EQ(distance(4), "4 bytes");
  EXPECT_EQ(distance(132), "132 bytes");
  EXPECT_EQ(distance(4096), "4 KB");
  EXPECT_EQ(distance(4100), "4100 bytes");
  EXPECT_EQ(distance(32768), "32 KB");
  EXPECT_EQ(distance(2097152), "2 MB");
}

TEST(Units, Percentages) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.2), "<1 %");
  EXPECT_EQ(percent(13.14), "13 %");
}

}  // namespace
}  // namespace cudalab::report
