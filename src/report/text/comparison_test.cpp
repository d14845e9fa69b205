// Tests the comparison of two result documents: numbers, which of them improved, and why.
#include "report/text/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "report/page/result_page.h"

namespace cudalab::report {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json run_of(const std::string& name, double ms, double store_sectors, const std::string& limit) {
  return {{"name", name},
          {"kind", "kernel"},
          {"verdict", "pass"},
          {"predicted_ms", ms},
          {"limits", {{{"resource", limit}, {"share", 0.75}}}},
          {"counters",
           {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", store_sectors * 100},
            {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100},
            {"ptx_active_lanes_per_instruction", 32}}}};
}

json result_of_runs(const std::vector<json>& runs) {
  return {{"lab", "transpose"}, {"options", {{"rows", 64}}}, {"runs", runs}};
}

const ComparedNumber* number_named(const ComparedRun& run, std::string_view name) {
  for (const ComparedNumber& number : run.numbers)
    if (number.name.id() == name) return &number;
  return nullptr;
}

TEST(Comparison, SaysWhatBecameBetterByHowMuchAndWhy) {
  const Comparison found = compare_results(result_of_runs({run_of("naive", 0.016, 32, "l2")}),
                                           result_of_runs({run_of("padded", 0.004, 4, "launch")}));
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(found.runs[0].name, "naive -> padded") << "the only ones";
  const ComparedNumber* stores = number_named(found.runs[0], "number_global_store_sectors");
  ASSERT_NE(stores, nullptr);
  EXPECT_EQ(stores->before, "32");
  EXPECT_EQ(stores->after, "4");
  EXPECT_EQ(stores->change, Change::kBetter);
  EXPECT_EQ(number_named(found.runs[0], "column_active_lanes")->change, Change::kSame);
  EXPECT_EQ(number_named(found.runs[0], "number_barriers"), nullptr) << "neither counted any";
  EXPECT_THAT(
      found.runs[0].why,
      ElementsAre(AllOf(IsMessage("compare_would_be_faster"), HasArgument("factor", 4),
                        HasArgument("before", "~16.0 us"), HasArgument("after", "~4.00 us")),
                  AllOf(IsMessage("compare_limits"), MentionsMessage("resource_l2"),
                        HasArgument("share_before", "75 %"), MentionsMessage("resource_launch")),
                  AllOf(IsMessage("compare_greatest_change"), MentionsMessage("number_global_store_sectors"),
                        HasArgument("before", 32), HasArgument("after", 4))));
}

TEST(Comparison, PutsRunsOfOneNameTogetherAndNamesTheOthers) {
  const Comparison found = compare_results(
      result_of_runs({run_of("naive", 1, 32, "l2"), run_of("tiled", 1, 4, "l2"), run_of("copy", 1, 4, "l2")}),
      result_of_runs({run_of("naive", 2, 32, "l2")}));
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(number_named(found.runs[0], "number_predicted_time")->change, Change::kWorse);
  EXPECT_THAT(found.only_before, ElementsAre("tiled", "copy"));
  EXPECT_THAT(found.only_after, IsEmpty());
}

TEST(Comparison, NamesOptionsThatDiffer) {
  json other = result_of_runs({run_of("naive", 1, 32, "l2")});
  other["options"]["rows"] = 128;
  EXPECT_THAT(compare_results(result_of_runs({run_of("naive", 1, 32, "l2")}), other).differing,
              ElementsAre("rows 64 -> 128"));
}

TEST(Comparison, StandsAnyDocument) {
  for (const json& strange :
       {json(), json(1), json::object({{"runs", 3}}), result_of_runs({json(1), json("x"), json::object()})})
    EXPECT_TRUE(comparison_text(compare_results(strange, strange), {}).size() < 1000);
}

TEST(Comparison, IsATableAndAPage) {
  const Comparison found = compare_results(result_of_runs({run_of("naive", 0.016, 32, "l2")}),
                                           result_of_runs({run_of("naive", 0.004, 4, "launch")}));
  EXPECT_THAT(comparison_text(found, {.width = 80}),
              HasSubstr("sectors/request, global store        32         4   0.125  better\n"));
  const std::string page = comparison_page(found, "a.json", "<b>.json");
  EXPECT_THAT(page, HasSubstr("<section id=\"run-naive\""));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;.json"));
  EXPECT_THAT(page, HasSubstr("class=\"better\""));
  EXPECT_THAT(page, Not(HasSubstr("<b>.json")));
}

json access_of(int line, int stride, int transactions) {
  return {{"file", "k.cu"},
          {"line", line},
          {"space", "global"},
          {"kind", "store"},
          {"bytes_per_lane", 4},
          {"requests", 10},
          {"lanes", 320},
          {"transactions", transactions},
          {"fewest_transactions", 40},
          {"lane_stride_bytes", stride}};
}

Comparison of_accesses(const json& before, const json& after) {
  json was = run_of("naive", 1, 32, "l2"), is = run_of("padded", 1, 4, "l2");
  was["accesses"] = json::array({access_of(7, 4, 40), before});
  is["accesses"] = json::array({after});
  return compare_results(result_of_runs({was}), result_of_runs({is}));
}

TEST(Comparison, ShowsTheDearestRequestsBeforeAndAfter) {
  const Comparison found = of_accesses(access_of(8, 256, 320), access_of(9, 4, 40));
  ASSERT_EQ(found.runs.at(0).accesses.size(), 1u);
  EXPECT_EQ(found.runs[0].accesses[0].before.where.line, 8);
  const std::string page = comparison_page(found, "a.json", "b.json");
  EXPECT_THAT(
      page, HasSubstr("<figcaption>a.json, line 8: store in global memory, 4 bytes per thread</figcaption>"));
  EXPECT_THAT(page, HasSubstr("32 sectors of 32 bytes move 1024 bytes"));
  EXPECT_THAT(page, HasSubstr("4 sectors of 32 bytes move 128 bytes"));
}

// No request is drawn that contradicts the counted sums: here the cost comes from other lanes than the stride
// describes.
TEST(Comparison, DrawsNoRequestThatDoesNotCostWhatWasCounted) {
  const Comparison found = of_accesses(access_of(8, 256, 310), access_of(9, 4, 40));
  ASSERT_EQ(found.runs.at(0).accesses.size(), 1u);
  EXPECT_THAT(comparison_page(found, "a", "b"), Not(HasSubstr("figcaption>a, line")));
  EXPECT_THAT(of_accesses(access_of(8, 4, 40), access_of(9, 4, 40)).runs.at(0).accesses, IsEmpty());
}

}  // namespace
}  // namespace cudalab::report
