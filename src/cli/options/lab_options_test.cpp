// Tests a lab's options: rows, values, and suggestions for mistyped words.
#include "cli/options/lab_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/refusal_testing.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

const std::vector<std::string> kNames{"transpose", "read-offset", "dot", "norm", "doctor", "list"};

TEST(Suggestion, StaysSilentWhenNothingIsNear) {
  EXPECT_TRUE(did_you_mean("xyzzy", kNames).empty());
  EXPECT_EQ(did_you_mean("lsit", kNames), msg::hint_did_you_mean("list"));
}

using lab::OptionKind;
using lab::OptionSpec;
using lab::OptionValue;

OptionSpec whole_number(std::string name, std::int64_t min, std::int64_t max) {
  OptionSpec spec{.name = std::move(name), .kind = OptionKind::kInteger, .help = "a number"};
  spec.min = min, spec.max = max;
  spec.on_virtual = spec.on_gpu = max;
  return spec;
}

std::vector<OptionSpec> some_options() {
  OptionSpec pad = whole_number("pad", 0, 64);
  pad.bare = std::int64_t{1};
  OptionSpec type{.name = "type", .kind = OptionKind::kChoice, .help = "element type"};
  type.choices = {"f32", "f64"};
  type.on_virtual = type.on_gpu = std::string("f32");
  OptionSpec from{.name = "from", .kind = OptionKind::kReal, .help = "lower end"};
  from.real_min = -10, from.real_max = 10, from.on_virtual = from.on_gpu = 0.0;
  return {
      whole_number("tile", 1, 32), pad, type, from, {.name = "fast", .kind = OptionKind::kFlag, .help = "h"}};
}

using Values = std::vector<std::pair<std::string, OptionValue>>;

Values parse(const Words& words) {
  const std::vector<OptionSpec> specs = some_options();
  LabOptions options(specs);
  read_words("lab", options.rows(), words);
  return options.given();
}

Message refusal_of_options(const Words& words) {
  return refused([&] { parse(words); });
}

TEST(LabOptions, ReadsOnlyWhatWasGiven) {
  EXPECT_EQ(parse({}), Values{});
  EXPECT_EQ(parse({"--tile", "16"}), (Values{{"tile", std::int64_t{16}}}));
  EXPECT_EQ(parse({"--tile=16", "--type", "f64", "--fast"}),
            (Values{{"tile", std::int64_t{16}}, {"type", std::string("f64")}, {"fast", true}}));
  EXPECT_EQ(parse({"--from", "-1.5"}), (Values{{"from", -1.5}}));
}

TEST(LabOptions, AValueAfterABareOptionNeedsTheEqualsSign) {
  EXPECT_EQ(parse({"--pad"}), (Values{{"pad", std::int64_t{1}}}));
  EXPECT_EQ(parse({"--pad=2"}), (Values{{"pad", std::int64_t{2}}}));
  EXPECT_EQ(parse({"--pad=-1"}), (Values{{"pad", std::int64_t{-1}}}));  // the lab checks the range
  EXPECT_THAT(refusal_of_options({"--pad", "2"}),
              MentionsMessage("hint_did_you_mean_equals", {{"option", "--pad"}, {"value", "2"}}));
}

TEST(LabOptions, RefusesTextOfTheWrongKind) {
  const auto is_out_of_range = [](const char* option, const char* value, int from, int to) {
    return IsMessage("option_out_of_range",
                     {{"option", option}, {"value", value}, {"from", from}, {"to", to}});
  };
  EXPECT_THAT(refusal_of_options({"--tile", "abc"}), is_out_of_range("tile", "abc", 1, 32));
  EXPECT_THAT(refusal_of_options({"--pad=1.5"}), is_out_of_range("pad", "1.5", 0, 64));
  EXPECT_THAT(refusal_of_options({"--from", "here"}), is_out_of_range("from", "here", -10, 10));
}

TEST(LabOptions, DescribesRangeAndDefault) {
  OptionSpec rows = whole_number("rows", 1, 65536);
  rows.on_virtual = std::int64_t{1024}, rows.on_gpu = std::int64_t{8192};
  EXPECT_EQ(values_of(rows).text(), "1 to 65536, default 1024, on a GPU 8192");
  EXPECT_EQ(values_of(some_options()[2]).text(), "default f32");
}

TEST(ParseNatural, RefusesSignsAndOverflow) {
  EXPECT_EQ(parse_natural("--seed", "18446744073709551615", UINT64_MAX), UINT64_MAX);
  for (const char* text : {"-1", "", "+1", "1e3", "18446744073709551616"})
    EXPECT_THROW(parse_natural("--seed", text, UINT64_MAX), Error) << text;
  EXPECT_THROW(parse_natural("--repeat", "1001", 1000), Error);
}

}  // namespace
}  // namespace cudalab::cli
