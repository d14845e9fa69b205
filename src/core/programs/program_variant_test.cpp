#include "core/programs/program_variant.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

TEST(LaunchChange, IsReadAsItWasWritten) {
  const LaunchChange change =
      launch_change_in(text_of({LaunchChange::Kind::kExchangeArguments, 1, 12, "mm<float, 16>"}));
  EXPECT_EQ(change.kind, LaunchChange::Kind::kExchangeArguments);
  EXPECT_EQ(change.first, 1u);
  EXPECT_EQ(change.second, 12u);
  EXPECT_EQ(change.kernel, "mm<float, 16>");
}

TEST(ProgramVariant, IsReadAsItWasWritten) {
  const ProgramVariant variant =
      variant_in(fields_of({"ptx", {LaunchChange::Kind::kZeros, 2, 0, "k"}, "/tmp/output", 1000, 0.25}));
  EXPECT_EQ(variant.device_code, "ptx");
  EXPECT_EQ(variant.change.kind, LaunchChange::Kind::kZeros);
  EXPECT_EQ(variant.output, "/tmp/output");
  EXPECT_EQ(variant.max_steps, 1000u);
  EXPECT_EQ(variant.seconds, 0.25);
}

TEST(LaunchChange, IsNoneForAnyOtherText) {
  for (const char* text : {"", "more-blocks", "more-blocks x 0 k", "unknown 0 0 k"})
    EXPECT_EQ(launch_change_in(text).kind, LaunchChange::Kind::kNone) << text;
}

}  // namespace
}  // namespace cudalab
