// Two result documents side by side: numbers, which of them became better, and why.
#include "report/text/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/page/comparison_page.h"

namespace cudalab::report {
namespace {

using nlohmann::json;
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

const ComparedNumber* number_named(const ComparedRun& run, const std::string& name) {
  for (const ComparedNumber& number : run.numbers)
    if (number.name == name) return &number;
  return nullptr;
}

TEST(Comparison, SaysWhatBecameBetterByHowMuchAndWhy) {
  const Comparison found = compare_results(result_of_runs({run_of("naive", 0.016, 32, "l2")}),
                                           result_of_runs({run_of("padded", 0.004, 4, "launch")}));
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(found.runs[0].name, "naive -> padded") << "the only ones";
  const ComparedNumber* stores = number_named(found.runs[0], "sectors a global store");
  ASSERT_NE(stores, nullptr);
  EXPECT_EQ(stores->before, "32");
  EXPECT_EQ(stores->after, "4");
  EXPECT_EQ(stores->change, Change::kBetter);
  EXPECT_EQ(number_named(found.runs[0], "lanes at work")->change, Change::kSame);
  EXPECT_EQ(number_named(found.runs[0], "barriers"), nullptr) << "neither counted any";
  EXPECT_THAT(
      found.runs[0].why,
      ElementsAre("It would be 4 times as fast: ~16.0 us became ~4.00 us.",
                  "What limited it most was the L2 cache (75 %); now it is starting the kernel (75 %).",
                  "The greatest change: sectors a global store, from 32 to 4."));
}

TEST(Comparison, PutsRunsOfOneNameTogetherAndNamesTheOthers) {
  const Comparison found = compare_results(
      result_of_runs({run_of("naive", 1, 32, "l2"), run_of("tiled", 1, 4, "l2"), run_of("copy", 1, 4, "l2")}),
      result_of_runs({run_of("naive", 2, 32, "l2")}));
  ASSERT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(number_named(found.runs[0], "predicted time")->change, Change::kWorse);
  EXPECT_THAT(found.only_before, ElementsAre("tiled", "copy"));
  EXPECT_THAT(found.only_after, IsEmpty());
}

TEST(Comparison, NamesOptionsThatDiffer) {
  json other = result_of_runs({run_of("naive", 1, 32, "l2")});
  other["options"]["rows"] = 128;
  EXPECT_THAT(compare_results(result_of_runs({run_of("naive", 1, 32, "l2")}), other).differing,
              ElementsAre("rows 64 and 128"));
}

TEST(Comparison, StandsAnyDocument) {
  for (const json& strange :
       {json(), json(1), json::object({{"runs", 3}}), result_of_runs({json(1), json("x"), json::object()})})
    EXPECT_TRUE(comparison_text(compare_results(strange, strange), {}).size() < 1000);
}

TEST(Comparison, IsATableAndAPage) {
  const Comparison found = compare_results(result_of_runs({run_of("naive", 0.016, 32, "l2")}),
                                           result_of_runs({run_of("naive", 0.004, 4, "launch")}));
  EXPECT_THAT(comparison_text(found, {.width = 60}),
              HasSubstr("sectors a global store        32         4   0.125  better\n"));
  const std::string page = comparison_page(found, "a.json", "<b>.json");
  EXPECT_THAT(page, HasSubstr("<section id=\"run-naive\""));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;.json"));
  EXPECT_THAT(page, HasSubstr("class=\"better\""));
  EXPECT_THAT(page, Not(HasSubstr("<b>.json")));
}

}  // namespace
}  // namespace cudalab::report
