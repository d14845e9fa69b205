#include "core/programs/program_variant.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

using Kind = LaunchChange::Kind;

TEST(ProgramVariant, IsReadAsItWasWritten) {
  const ProgramVariant variant = variant_in(
      fields_of({"ptx", {Kind::kExchangeArguments, 1, 12, "mm<float, 16>"}, "/tmp/output", 1000, 0.25}));
  EXPECT_EQ(variant.device_code, "ptx");
  EXPECT_EQ(variant.change.kind, Kind::kExchangeArguments);
  EXPECT_EQ(variant.change.first, 1u);
  EXPECT_EQ(variant.change.second, 12u);
  EXPECT_EQ(variant.change.kernel, "mm<float, 16>");
  EXPECT_EQ(variant.output, "/tmp/output");
  EXPECT_EQ(variant.max_steps, 1000u);
  EXPECT_EQ(variant.seconds, 0.25);
}

TEST(ProgramVariant, ChangesNothingIfItIsNotUnderstood) {
  EXPECT_EQ(variant_in({}).change.kind, Kind::kNone);
  EXPECT_EQ(variant_in({"ptx"}).device_code, "");
  std::vector<std::string> fields = fields_of({"", {Kind::kZeros, 2, 0, "k"}});
  fields[1] = "unknown";
  EXPECT_EQ(variant_in(fields).change.kind, Kind::kNone);
}

}  // namespace
}  // namespace cudalab
