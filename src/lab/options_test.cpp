// Options: defaults for each device, ranges, and what the messages say.
#include "lab/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "core/refusal_testing.h"

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

std::string option_message(const std::function<void()>& action) {
  return refusal_of([&] { action(); });
}

std::string message_of_setting(std::string_view name, OptionValue value) {
  Options options(specs(), false);
  return option_message([&] { options.set(name, value); });
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
  EXPECT_EQ(message_of_setting("tile", std::int64_t{1}), "");
  EXPECT_EQ(message_of_setting("tile", std::int64_t{32}), "");
  EXPECT_EQ(message_of_setting("tile", std::int64_t{0}), "--tile is 0; it must be 1 to 32");
  EXPECT_EQ(message_of_setting("tile", std::int64_t{33}), "--tile is 33; it must be 1 to 32");
  EXPECT_EQ(message_of_setting("to", 10.5), "--to is 10.5; it must be -10 to 10");
  EXPECT_NE(message_of_setting("to", std::nan("")), "");
}

TEST(Options, TakeOnlyTheChoicesThereAre) {
  EXPECT_EQ(message_of_setting("type", std::string("f64")), "");
  EXPECT_EQ(message_of_setting("type", std::string("f16")), "--type is f16; it must be f32 or f64");
}

TEST(Options, RefuseAValueOfAnotherKind) {
  EXPECT_EQ(message_of_setting("tile", std::string("abc")), "--tile is abc; it must be 1 to 32");
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
  EXPECT_EQ(option_message([] { parse_option(specs()[0], "abc"); }), "--tile is abc; it must be 1 to 32");
  EXPECT_EQ(option_message([] { parse_option(specs()[0], "16x"); }), "--tile is 16x; it must be 1 to 32");
  EXPECT_EQ(option_message([] { parse_option(specs()[0], "1e30"); }), "--tile is 1e30; it must be 1 to 32");
  EXPECT_EQ(option_message([] { parse_option(specs()[0], "99999999999999999999"); }),
            "--tile is 99999999999999999999; it must be 1 to 32");
  EXPECT_EQ(std::get<double>(parse_option(specs()[3], "2.5")), 2.5);
}

}  // namespace
}  // namespace cudalab::lab
