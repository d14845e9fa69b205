// Tests the output of `--metrics`.
#include "report/text/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results_testing.h"

namespace cudalab::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, HaveTheNamesOfNsightCompute) {
  const std::vector<std::string> names = metric_names();
  for (const char* name :
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "smsp__inst_executed.sum"})
    EXPECT_THAT(names, Contains(name));
}

TEST(Metrics, ArePrintedForEachKernelAsNcuDoes) {
  const std::string text = metrics_text(
      virtual_transpose(), {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"});
  EXPECT_THAT(text, HasSubstr("  naive: transpose (32, 32, 1)x(32, 32, 1), Device 0, CC 9.0\n"
                              "    Section: Command line profiler metrics\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum +sector +1,048,576\n"));
  EXPECT_THAT(text, testing::ContainsRegex("mem_global_op_st.ratio sector/request +32.00\n"));
  EXPECT_THAT(text, Not(HasSubstr("cpu-1-thread")));
}

TEST(Metrics, WithoutCountersAreNotAvailable) {
  EXPECT_THAT(metrics_text(gpu_transpose(), {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}),
              testing::ContainsRegex("op_st.sum +sector +n/a\n"));
}

TEST(Metrics, MarkPredictedValues) {
  lab::Result result = virtual_transpose();
  result.rows[2].prediction = Prediction{.card = "h200", .ms = 0.0125};
  EXPECT_THAT(metrics_text(result, {"gpu__time_duration.sum"}), HasSubstr(" ~12.50\n"));
  EXPECT_THAT(metrics_text(gpu_transpose(), {"gpu__time_duration.sum"}), HasSubstr(" 970.00\n"));
}

}  // namespace
}  // namespace cudalab::report
