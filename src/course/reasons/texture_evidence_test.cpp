// Tests what is concluded from the coordinates of fetches.
#include "course/reasons/texture_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Fetches from a texture of 50 x 20 texels with x in this range, and y in the texture.
TextureUse fetches(double least, double most) {
  return {.where = {"p.cu", 11},
          .texture = "image",
          .dimensions = 2,
          .extent = {50, 20, 1},
          .least = {least, 0.5},
          .most = {most, 19.5},
          .fetches = 1000};
}

Message only_fact(const TextureUse& use) {
  const std::vector<Reason> facts = facts_of_textures({&use, 1});
  return facts.size() == 1 ? facts.front().what : Message();
}

TEST(TextureEvidence, IsNothingForCoordinatesOfTexels) {
  for (const auto& [least, most] : {std::pair(0.0, 49.0), {0.5, 49.5}, {0.0, 49.99}})
    EXPECT_TRUE(only_fact(fetches(least, most)).empty());
  TextureUse normalized = fetches(0.01, 0.99);
  normalized.is_normalized = true;
  normalized.most[1] = 0.99;
  EXPECT_TRUE(only_fact(normalized).empty());
}

TEST(TextureEvidence, IsACoordinateOutside) {
  EXPECT_EQ(only_fact(fetches(1, 50)),
            msg::evidence_texture_outside(Code{"x"}, 1.0, 50.0, std::uint64_t{50}, std::uint64_t{49}));
  EXPECT_THAT(only_fact(fetches(-1, 48)), IsMessage("evidence_texture_outside"));
  TextureUse low = fetches(0, 49);
  low.most[1] = 40;
  EXPECT_THAT(only_fact(low), IsMessage("evidence_texture_outside", {{"axis", Code{"y"}}}));
}

TEST(TextureEvidence, IsACoordinateOfTheOtherKind) {
  EXPECT_THAT(only_fact(fetches(0.01, 0.99)), IsMessage("evidence_texture_not_normalized"));
  TextureUse normalized = fetches(0, 49);
  normalized.is_normalized = true;
  EXPECT_THAT(only_fact(normalized), IsMessage("evidence_texture_normalized"));
}

TEST(TextureEvidence, IsTheEdgeOfATexelWhereCentresAreNeeded) {
  TextureUse use = fetches(0, 49);
  use.is_interpolated = true;
  EXPECT_THAT(only_fact(use), IsMessage("evidence_texture_corner", {{"axis", Code{"x"}}}));
  use.least[0] = 0.5;
  EXPECT_TRUE(only_fact(use).empty());
}

TEST(TextureEvidence, LeavesOutWhatTheSolutionDoes) {
  const TextureUse outside = fetches(-1, 50), inside = fetches(0, 49);
  EXPECT_THAT(reasons_of_textures({&outside, 1}, {&outside, 1}), IsEmpty());
  ASSERT_THAT(reasons_of_textures({&outside, 1}, {&inside, 1}), SizeIs(1));
  EXPECT_EQ(reasons_of_textures({&outside, 1}, {&inside, 1})[0].where->line, 11);
}

}  // namespace
}  // namespace cudalab::course
