// Tests what a criterion accepts, what it reports, and that malformed documents give "not assessed".
#include "course/criterion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "course/exercise.h"

namespace cudalab::course {

// Formulas of bounds: which are accepted, and which are refused.

namespace {

double value(std::string_view formula) {
  return formula_value(formula, [](std::string_view name) {
    return name == "rows" ? std::optional(6.0) : name == "cols" ? std::optional(5.0) : std::nullopt;
  });
}

TEST(Formula, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value(" 1 + 2 * 3 - 4 / 2 "), 5);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("rows * cols / 4"), 7.5);
  EXPECT_EQ(value("2*ceil(rows * cols / 4)"), 16);
  EXPECT_EQ(value("rows * -3"), -18);
  EXPECT_EQ(value("rows > cols ? rows : cols"), 6);
}

TEST(Formula, RefusesMalformedFormulas) {
  for (const char* text : {"", "1 +", "(1", "1 1", "rows cols", "* 2", "rows % 4"})
    EXPECT_THAT(refused([&] { value(text); }), IsMessage("bound_malformed", {{"bound", text}}));
  EXPECT_THAT(refused([] { value("depth / 2"); }), IsMessage("bound_names_no_option", {{"name", "depth"}}));
}

using Json = nlohmann::json;

const Json kRun = Json::parse(R"({"name": "padded", "verdict": "pass",
  "counters": {"sectors.sum": 4096, "requests.sum": 1024, "none.sum": 0},
  "check": {"digest": "ab12", "first_mismatch": null}, "done": true,
  "hazards": [{"kind": "shared_race"}, {"kind": "misaligned"}]})");

Assessment of(const char* criterion, const Json& run = kRun) {
  return assess(criterion_from(Json::parse(criterion), Message::verbatim("test")), run);
}

Message criterion_refusal(const Json& criterion) {
  return refused([&] { criterion_from(criterion, Message::verbatim("expected/dot.json")); });
}

TEST(Criterion, DividesOneCounterByAnother) {
  const char* text = R"({"name": "coalesced", "value": "counters/sectors.sum", "per": "counters/requests.sum",
                         "at_most": 4})";
  EXPECT_EQ(of(text).outcome, Assessment::kMet);
  EXPECT_EQ(of(text).value, 4);
  Json wasteful = kRun;
  wasteful["counters"]["sectors.sum"] = 4097;
  EXPECT_EQ(of(text, wasteful).outcome, Assessment::kMissed);
}

TEST(Criterion, EachComparisonHasBothOutcomes) {
  struct Case {
    const char* key;
    Json met, missed;
  };
  const std::vector<Case> cases{
      {"at_most", 1024, 1023.5}, {"at_least", 1024, 1025}, {"equals", 1024.0, 1023}, {"not_equals", 0, 1024}};
  for (const Case& one : cases) {
    Json text{{"name", "n"}, {"value", "counters/requests.sum"}, {one.key, one.met}};
    EXPECT_EQ(assess(criterion_from(text, Message::verbatim("test")), kRun).outcome, Assessment::kMet)
        << text;
    text[one.key] = one.missed;
    EXPECT_EQ(assess(criterion_from(text, Message::verbatim("test")), kRun).outcome, Assessment::kMissed)
        << text;
  }
}

TEST(Criterion, ComparesTextsBooleansAndLengths) {
  EXPECT_EQ(of(R"({"name": "n", "value": "verdict", "equals": "pass"})").outcome, Assessment::kMet);
  EXPECT_EQ(of(R"({"name": "n", "value": "verdict", "equals": "fail"})").outcome, Assessment::kMissed);
  EXPECT_EQ(of(R"({"name": "n", "value": "done", "equals": true})").outcome, Assessment::kMet);
  EXPECT_EQ(of(R"({"name": "n", "value": "hazards", "equals": 2})").outcome, Assessment::kMet);
  EXPECT_EQ(of(R"({"name": "n", "value": "hazards/1/kind", "equals": "misaligned"})").outcome,
            Assessment::kMet);
}

TEST(Criterion, UsesItsOwnSentenceWithTheNumber) {
  EXPECT_EQ(
      of(R"({"name": "n", "value": "counters/sectors.sum", "at_most": 32, "says": "{value}, not {bound}"})")
          .sentence.text(),
      "4,096, not 32");
  EXPECT_THAT(of(R"({"name": "n", "value": "counters/sectors.sum", "at_most": 32})").sentence,
              testing::AllOf(IsMessage("value_is", {{"value", "counters/sectors.sum"}, {"found", "4,096"}}),
                             MentionsMessage("wanted_at_most", {{"bound", "32"}})));
  EXPECT_THAT(of(R"({"name": "n", "value": "verdict", "not_equals": "pass"})").sentence,
              testing::AllOf(IsMessage("value_is", {{"value", "verdict"}, {"found", "pass"}}),
                             MentionsMessage("wanted_not_equal", {{"bound", "pass"}})));
}

TEST(Criterion, UsesTheSingularForOne) {
  const auto says = [](const char* words, int value) {
    Json run = kRun;
    run["counters"]["n"] = value;
    return assess(criterion_from({{"name", "n"}, {"value", "counters/n"}, {"at_most", 0}, {"says", words}},
                                 Message::verbatim("test")),
                  run)
        .sentence.text();
  };
  EXPECT_EQ(says("it has {value} bank conflicts, and 0 are possible", 1),
            "it has 1 bank conflict, and 0 are possible");
  EXPECT_EQ(says("it has {value} bank conflicts, and 0 are possible", 2),
            "it has 2 bank conflicts, and 0 are possible");
  EXPECT_EQ(says("touches {value} sectors a request", 1), "touches 1 sector a request");
  EXPECT_EQ(says("takes {value} requests, and 0 do", 1), "takes 1 request, and 0 do");
  EXPECT_EQ(says("use {value} % of the bytes", 1), "use 1 % of the bytes");
}

TEST(Criterion, AMissingValueIsNotAssessed) {
  for (const char* path :
       {"counters/absent", "counters", "check/first_mismatch", "verdict/x", "hazards/2/kind", "hazards/-1",
        "hazards/99999999999999999999", "", "/", "counters//x"}) {
    Json text{{"name", "n"}, {"value", path}, {"not_equals", "impossible"}};
    if (std::string(path).empty()) continue;
    Assessment found = assess(criterion_from(text, Message::verbatim("test")), kRun);
    EXPECT_EQ(found.outcome, Assessment::kNotAssessed) << path;
    EXPECT_THAT(found.sentence, IsMessage("value_unknown", {{"value", path}}));
  }
}

TEST(Criterion, AnIncomparableValueIsNotAssessed) {
  EXPECT_EQ(of(R"({"name": "n", "value": "verdict", "at_most": 4})").outcome, Assessment::kNotAssessed);
  EXPECT_EQ(of(R"({"name": "n", "value": "done", "not_equals": 4})").outcome, Assessment::kNotAssessed);
  EXPECT_EQ(of(R"({"name": "n", "value": "counters/requests.sum", "per": "counters/none.sum", "at_most": 4})")
                .outcome,
            Assessment::kNotAssessed);
  EXPECT_EQ(of(R"({"name": "n", "value": "counters/requests.sum", "per": "verdict", "at_most": 4})").outcome,
            Assessment::kNotAssessed);
  for (const char* run :
       {"null", "[]", "[1]", "3", "\"text\"", "{}", R"({"counters": [4]})", R"({"counters": null})"})
    EXPECT_EQ(
        of(R"({"name": "n", "value": "counters/requests.sum", "at_least": 0})", Json::parse(run)).outcome,
        Assessment::kNotAssessed)
        << run;
}

TEST(Criterion, ReadsEveryKey) {
  Criterion criterion =
      criterion_from(Json::parse(R"({"name": "a", "points": 2.5, "run": "padded", "value": "v",
      "per": "p", "at_least": 7, "says": "s", "case": {"rows": 3}})"),
                     Message::verbatim("test"));
  EXPECT_EQ(criterion.points, 2.5);
  EXPECT_EQ(criterion.run, "padded");
  EXPECT_EQ(criterion.per.text, "p");
  EXPECT_EQ(criterion.says, "s");
  EXPECT_THAT(wanted(criterion), IsMessage("wanted_at_least", {{"bound", 7}}));
  EXPECT_EQ(
      criterion_from(Json::parse(R"({"name": "a", "value": "v", "equals": "x"})"), Message::verbatim("test"))
          .points,
      1);
}

TEST(Criterion, RefusesMalformedTextWithPlaceAndKey) {
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"value": "v", "equals": 1})")),
              testing::AllOf(IsMessage("at_place", {{"place", "expected/dot.json"}}),
                             MentionsMessage("criterion_lacks_text", {{"key", "name"}})));
  EXPECT_THAT(
      criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "most": 1})")),
      testing::AllOf(MentionsMessage("criterion_of", {{"place", "expected/dot.json"}, {"criterion", "a"}}),
                     MentionsMessage("criterion_key_unknown", {{"key", "most"}})));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "equals": 1})")),
              MentionsMessage("criterion_lacks_text", {{"key", "value"}}));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v"})")),
              MentionsMessage("criterion_lacks_comparison"));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "equals": 1, "at_most": 2})")),
              MentionsMessage("criterion_second_comparison"));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "at_most": true})")),
              MentionsMessage("criterion_bound_no_number"));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "equals": []})")),
              MentionsMessage("criterion_bound_no_value"));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "equals": 1, "points": -1})")),
              MentionsMessage("criterion_points_wrong"));
  EXPECT_THAT(criterion_refusal(Json::parse(R"({"name": "a", "value": "v", "equals": 1, "run": 3})")),
              MentionsMessage("criterion_key_no_text", {{"key", "run"}}));
  EXPECT_THAT(criterion_refusal(Json::array()), MentionsMessage("criterion_no_object"));
}

TEST(Criterion, AddsUpSeveralNumbers) {
  const Criterion sum = criterion_from(
      {{"name", "n"}, {"value", "counters/sectors.sum + counters/requests.sum"}, {"equals", 5120}},
      Message::verbatim("test"));
  EXPECT_EQ(assess(sum, kRun).outcome, Assessment::kMet);
  Json other = kRun;
  other["counters"].erase("requests.sum");
  EXPECT_EQ(assess(sum, other).outcome, Assessment::kNotAssessed);
}

// ---- rows of results

const lab::Lab kDotLab{.name = "dot", .columns = {{"order", [] { return Message::verbatim("order"); }}}};

// A row in which all values differ.
lab::Row full_row() {
  lab::Row row;
  row.verdict = lab::Verdict::kPass;
  row.spec = {.grid = {11, 12, 13}, .block = {14, 15, 16}, .dynamic_shared_bytes = 17};
  row.useful_bytes = 18, row.useful_flops = 19;
  row.check = {.max_error = 20, .allowed = 21, .compared = 22, .mismatches = 23};
  row.counters.emplace().set(Counter::kBarriers, 24);
  row.prediction = {.ms = 25, .limits = {{"dram", 26, 27, 28, "bytes"}}};
  row.prediction->occupancy = {29, 30, 31, OccupancyLimit::kShared, 32, 33, 34};
  row.predicted = {35, 36, 37, {}, {}};
  row.extra = {{"order", 38}};
  row.program.emplace();
  row.program->exit_code = 39;
  row.program->log.start.emplace();
  row.program->log.kernels.resize(40);
  row.program->log.mistakes.resize(41);
  row.program->log.timeline.resize(42);
  row.program->log.copies[CopyDirection::kToDevice] = {43, 44, 45};
  row.program->log.allocations = {{1, {}}, {2, {}}};
  row.program->log.failures.resize(1);
  row.hazards.resize(3);
  return row;
}

Assessment of_row(const Json& text, const lab::Row& row = full_row(), const Case& options = {}) {
  Criterion criterion = criterion_from(text, Message::verbatim("test"));
  resolve_values(criterion, kDotLab, Message::verbatim("test"));
  return assess(criterion, row, options);
}

TEST(Criterion, FindsEachValueOfARow) {
  const std::vector<std::pair<const char*, Json>> values{{"verdict", "pass"},
                                                         {"grid/0", 11},
                                                         {"grid/1", 12},
                                                         {"grid/2", 13},
                                                         {"block/0", 14},
                                                         {"block/1", 15},
                                                         {"block/2", 16},
                                                         {"shared_bytes", 17},
                                                         {"useful_bytes", 18},
                                                         {"useful_flops", 19},
                                                         {"check/max_error", 20},
                                                         {"check/allowed", 21},
                                                         {"check/compared", 22},
                                                         {"check/mismatches", 23},
                                                         {"counters/ptx_barriers", 24},
                                                         {"predicted_ms", 25},
                                                         {"limits/0/resource", "dram"},
                                                         {"limits/0/share", 26},
                                                         {"limits/0/amount", 27},
                                                         {"limits/0/rate", 28},
                                                         {"occupancy/blocks", 29},
                                                         {"occupancy/warps", 30},
                                                         {"occupancy/most_warps", 31},
                                                         {"occupancy/limited_by", "shared"},
                                                         {"occupancy/waves", 32},
                                                         {"occupancy/tail", 33},
                                                         {"occupancy/registers", 34},
                                                         {"predicted_gb_s", 35},
                                                         {"predicted_gflop_s", 36},
                                                         {"predicted_percent_of_ceiling", 37},
                                                         {"extra/order", 38},
                                                         {"program/exit_code", 39},
                                                         {"program/launches", 40},
                                                         {"program/hazards", 41},
                                                         {"program/timeline", 42},
                                                         {"program/copies/to_device/copies", 43},
                                                         {"program/copies/to_device/bytes", 44},
                                                         {"program/copies/to_device/predicted_ms", 45},
                                                         {"program/leaks", 2},
                                                         {"program/failed", 1},
                                                         {"program/unchecked", 1},
                                                         {"hazards", 3}};
  for (const auto& [path, value] : values) {
    EXPECT_EQ(of_row({{"name", "n"}, {"value", path}, {"equals", value}}).outcome, Assessment::kMet) << path;
    EXPECT_NE(of_row({{"name", "n"}, {"value", path}, {"equals", value}}, {}).outcome, Assessment::kMet)
        << path << " of an empty row";
  }
}

TEST(Criterion, RefusesAValueThatNoRowHas) {
  for (const char* path :
       {"counters/ptx_barrier", "counters", "extra/absent", "extra/", "limits/x/share", "limits/0",
        "limits/0/unit", "program/copies/upwards/bytes", "program/copies/to_device", "time_ms/median",
        "grid/3", "simulation_ms", "predicted_ms/0", "counters/ptx_barriers + nothing"})
    EXPECT_THAT(refused([&] {
                  of_row({{"name", "n"}, {"value", path}, {"equals", 1}});
                }),
                testing::AllOf(MentionsMessage("criterion_of", {{"place", "test"}, {"criterion", "n"}}),
                               MentionsMessage("run_value_unknown", {{"lab", "dot"}})))
        << path;
  const Json divisor{{"name", "n"}, {"value", "grid/0"}, {"per", "grid/9"}, {"equals", 1}};
  EXPECT_THAT(refused([&] { of_row(divisor); }), MentionsMessage("run_value_unknown", {{"path", "grid/9"}}));
  const Json more{
      {"name", "n"}, {"value", "grid/0"}, {"equals", 1}, {"and", {{{"value", "grid/8"}, {"equals", 1}}}}};
  EXPECT_THAT(refused([&] { of_row(more); }), MentionsMessage("run_value_unknown", {{"path", "grid/8"}}));
}

TEST(Criterion, JudgesRowsAndDocumentsAlike) {
  EXPECT_EQ(of_row({{"name", "n"}, {"value", "grid/0 + grid/1"}, {"equals", 23}}).outcome, Assessment::kMet);
  EXPECT_EQ(of_row({{"name", "n"}, {"value", "grid/0"}, {"per", "block/0"}, {"at_most", 0.7}}).outcome,
            Assessment::kMissed);
  EXPECT_EQ(of_row({{"name", "n"}, {"value", "counters/ptx_branches"}, {"equals", 0}}).outcome,
            Assessment::kNotAssessed);
  lab::Row row;
  row.extra = {{"order", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(of_row({{"name", "n"}, {"value", "extra/order"}, {"at_least", 0}}, row).outcome,
            Assessment::kNotAssessed);
  const Json grows{{"name", "n"}, {"value", "grid/0"}, {"at_most", "n / 2"}};
  EXPECT_EQ(of_row(grows, full_row(), {{"n", std::int64_t{22}}}).outcome, Assessment::kMet);
  EXPECT_EQ(of_row(grows, full_row(), {{"n", 21.0}}).outcome, Assessment::kMissed);
  EXPECT_EQ(of_row(grows, full_row(), {{"n", std::string("many")}}).outcome, Assessment::kNotAssessed);
}

TEST(Criterion, MayHaveFurtherConditions) {
  const char* text = R"({"name": "coalesced", "value": "counters/sectors.sum", "at_most": 4096,
                         "and": [{"value": "counters/requests.sum", "at_most": 1000,
                                  "says": "{value} requests, and {bound} would do"}]})";
  EXPECT_EQ(of(text).outcome, Assessment::kMissed);
  EXPECT_EQ(of(text).sentence, Message::of_course("1,024 requests, and 1,000 would do"));
  Json frugal = kRun;
  frugal["counters"]["requests.sum"] = 999;
  EXPECT_EQ(of(text, frugal).outcome, Assessment::kMet);
  frugal["counters"].erase("requests.sum");
  EXPECT_EQ(of(text, frugal).outcome, Assessment::kNotAssessed);
  EXPECT_THAT(criterion_refusal({{"name", "n"}, {"value", "v"}, {"equals", 1}, {"and", {{{"equals", 1}}}}}),
              testing::AllOf(MentionsMessage("criterion_of", {{"criterion", "n"}}),
                             MentionsMessage("criterion_lacks_text", {{"key", "value"}})));
}

TEST(Criterion, HasABoundThatGrowsWithTheOptions) {
  const Criterion few =
      criterion_from({{"name", "n"}, {"value", "counters/requests.sum"}, {"at_most", "rows * 2"}},
                     Message::verbatim("test"));
  EXPECT_EQ(assess(few, kRun, {{"rows", 512}}).outcome, Assessment::kMet);
  EXPECT_EQ(assess(few, kRun, {{"rows", 511}}).outcome, Assessment::kMissed);
  EXPECT_EQ(assess(few, kRun, {{"rows", "many"}}).outcome, Assessment::kNotAssessed);
  EXPECT_EQ(assess(few, kRun).outcome, Assessment::kNotAssessed);
  EXPECT_THAT(criterion_refusal({{"name", "n"}, {"value", "v"}, {"at_least", "2 *"}}),
              testing::AllOf(MentionsMessage("criterion_of", {{"criterion", "n"}}),
                             MentionsMessage("bound_malformed", {{"bound", "2 *"}})));
}

}  // namespace
}  // namespace cudalab::course
