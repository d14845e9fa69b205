// Tests options: defaults of each device, ranges, and the text of the messages.
#include "lab/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"

namespace cudalab::lab {
namespace {

const std::vector<OptionSpec>& specs() {
  static const std::vector<OptionSpec> all{integer("tile", "side of a tile", 32, 1, 32),
                                           integer("rows", "rows", 1024, 8192, 1, 1000000),
                                           choice("type", "element type", "f32", {"f32", "f64"}),
                                           real("to", "upper end", 1.0, -10.0, 10.0),
                                           flag("verify", "check"),
                                           text("f", "expression", "x")};
  return all;
}

Message option_message(const std::function<void()>& action) {
  return refused([&] { action(); });
}

Message message_of_setting(std::string_view name, OptionValue value) {
  Options options(specs(), false);
  return option_message([&] { options.set(name, value); });
}

testing::Matcher<Message> IsTileOutOfRange(const char* value) {
  return IsMessage("option_out_of_range", {{"option", "tile"}, {"value", value}, {"from", 1}, {"to", 32}});
}

TEST(Options, DefaultsDependOnTheDevice) {
  EXPECT_EQ(Options(specs(), false).integer("rows"), 1024);
  EXPECT_EQ(Options(specs(), true).integer("rows"), 8192);
  EXPECT_EQ(Options(specs(), true).text("type"), "f32");
  EXPECT_FALSE(Options(specs(), true).flag("verify"));
}

TEST(Options, KnowWhatTheUserGave) {
  Options options(specs(), false);
  EXPECT_FALSE(options.given("tile"));
  options.set("tile", std::int64_t{32});
  EXPECT_TRUE(options.given("tile"));
  EXPECT_FALSE(options.given("rows"));
}

TEST(Options, TakeTheEndsOfARangeAndNothingBeyond) {
  EXPECT_TRUE(message_of_setting("tile", std::int64_t{1}).empty());
  EXPECT_TRUE(message_of_setting("tile", std::int64_t{32}).empty());
  EXPECT_THAT(message_of_setting("tile", std::int64_t{0}), IsTileOutOfRange("0"));
  EXPECT_THAT(message_of_setting("tile", std::int64_t{33}), IsTileOutOfRange("33"));
  EXPECT_THAT(
      message_of_setting("to", 10.5),
      IsMessage("option_out_of_range", {{"option", "to"}, {"value", "10.5"}, {"from", -10.0}, {"to", 10.0}}));
  EXPECT_THAT(message_of_setting("to", std::nan("")), IsMessage("option_out_of_range", {{"option", "to"}}));
}

TEST(Options, TakeOnlyTheChoicesThereAre) {
  EXPECT_TRUE(message_of_setting("type", std::string("f64")).empty());
  EXPECT_THAT(message_of_setting("type", std::string("f16")),
              IsMessage("option_out_of_range", {{"option", "type"}, {"value", "f16"}, {"last", "f64"}}));
}

TEST(Options, RefuseAValueOfAnotherKind) {
  EXPECT_THAT(message_of_setting("tile", std::string("abc")), IsTileOutOfRange("abc"));
}

TEST(Options, AnUndeclaredNameIsAProgrammingError) {
  Options options(specs(), false);
  EXPECT_THROW(options.integer("depth"), std::logic_error);
  EXPECT_THROW(options.set("depth", std::int64_t{1}), std::logic_error);
}

TEST(Options, AreListedInOrderOfDeclaration) {
  Options options(specs(), false);
  options.set("tile", std::int64_t{16});
  const auto all = options.effective();
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].first, "tile");
  EXPECT_EQ(std::get<std::int64_t>(all[0].second), 16);
  EXPECT_EQ(all[5].first, "f");
}

TEST(ParseOption, ReadsWholeNumbersOnly) {
  EXPECT_EQ(std::get<std::int64_t>(parse_option(specs()[0], "16")), 16);
  EXPECT_EQ(std::get<std::int64_t>(parse_option(specs()[0], "-1")), -1);
  for (const char* wrong : {"abc", "16x", "1e30", "99999999999999999999"})
    EXPECT_THAT(option_message([&] { parse_option(specs()[0], wrong); }), IsTileOutOfRange(wrong));
  EXPECT_EQ(std::get<double>(parse_option(specs()[3], "2.5")), 2.5);
}

}  // namespace
}  // namespace cudalab::lab
