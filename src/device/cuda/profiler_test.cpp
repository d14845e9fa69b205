// Reading what Nsight Compute writes; running it needs a GPU.
#include "device/cuda/profiler.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace cudalab::device {
namespace {

constexpr const char* kCsv =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
    "\"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct\",\"other\"\n"
    "\"\",\"\",\"\",\"request\",\"%\",\"\"\n"
    "\"0\",\"7\",\"copy(float *, int)\",\"1,048,576\",\"12.50\",\"3\"\n"
    "\"1\",\"7\",\"other\",\"32\",\"n/a\",\"4\"\n";

TEST(NsightCsv, IsReadByTheNamesOfItsColumns) {
  const std::vector<Counters> kernels = counters_from_csv(kCsv);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].get(Counter::kGlobalLoadRequests), 1048576);
  EXPECT_EQ(kernels[0].get(Counter::kGlobalLoadBytesPercent), 12.5);
  EXPECT_EQ(kernels[1].get(Counter::kGlobalLoadRequests), 32);
  EXPECT_FALSE(kernels[1].get(Counter::kGlobalLoadBytesPercent)) << "no number stood there";
  EXPECT_FALSE(kernels[0].get(Counter::kGlobalStoreRequests)) << "it has no column";
}

TEST(NsightCsv, WithoutAKernelSaysSo) {
  EXPECT_THROW(counters_from_csv("==PROF== Connected\n==WARNING== No kernels were profiled.\n"), Error);
  EXPECT_THROW(counters_from_csv(""), Error);
}

TEST(NsightCsv, ARowThatEndsEarlyKeepsWhatItHas) {
  const std::string text = "\"ID\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\"\n\"\",\"\"\n\"0\"\n";
  ASSERT_EQ(counters_from_csv(text).size(), 1u);
  EXPECT_FALSE(counters_from_csv(text)[0].get(Counter::kGlobalLoadRequests));
}

}  // namespace
}  // namespace cudalab::device
