#include "report/text/names.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cudalab::report
