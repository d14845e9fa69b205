// What stands in the JSON of programs that told little.
#include "report/formats/program_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cudalab::report {
namespace {

// It was ended, or ended by itself, before its first call.
TEST(ProgramJson, OfAProgramThatNeverCalledCuda) {
  const auto json = nlohmann::json::parse(program_json_text({}, {"folder/a.out", "5"}, 4, {}));
  EXPECT_EQ(json["program"]["exit_code"], 4);
  EXPECT_EQ(json["program"]["arguments"][0], "folder/a.out");
  EXPECT_TRUE(json["launches"].empty());
}

}  // namespace
}  // namespace cudalab::report
