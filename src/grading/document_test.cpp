// Nothing that a document lacks, or holds in another form, throws.
#include "grading/document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;

TEST(Document, AnswersWithNothingWhereNothingIs) {
  const Json document =
      Json::parse(R"({"lab": "stairs", "seed": 7, "runs": [3, {"name": 4}, {"name": "up", "x": 1}]})");
  EXPECT_EQ(at(document, "seed"), 7);
  EXPECT_TRUE(at(document, "nowhere").is_null());
  EXPECT_TRUE(at(at(document, "lab"), "below").is_null());
  EXPECT_EQ(text_at(document, "lab"), "stairs");
  EXPECT_EQ(text_at(document, "seed"), "");
  ASSERT_NE(run_called(document, "up"), nullptr);
  EXPECT_EQ(run_called(document, "up")->at("x"), 1);
  EXPECT_EQ(run_called(document, "down"), nullptr);
  EXPECT_EQ(run_called(Json::array(), "up"), nullptr);
  EXPECT_EQ(run_called(Json{{"runs", "none"}}, "up"), nullptr);
}

}  // namespace
}  // namespace cudalab::grading
