// Counters of launches, given to the rows that made them.
#include "lab/running/profile.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace cudalab::lab {
namespace {

Counters loads(double requests) {
  Counters counters;
  counters.set(Counter::kGlobalLoadRequests, requests);
  return counters;
}

Result two_rows() {
  Result result;
  result.rows.resize(3);
  result.rows[1].launches = 1;
  result.rows[2].launches = 2;
  return result;
}

TEST(Profile, LaunchesOfARowAddUp) {
  Result result = two_rows();
  const Counters kernels[] = {loads(5), loads(7), loads(11)};
  add_profile(result, kernels);
  EXPECT_FALSE(result.rows[0].counters) << "a CPU version launches nothing";
  EXPECT_FALSE(result.rows[0].is_profiled);
  EXPECT_EQ(result.rows[1].counters->get(Counter::kGlobalLoadRequests), 5);
  EXPECT_EQ(result.rows[2].counters->get(Counter::kGlobalLoadRequests), 18);
  EXPECT_TRUE(result.rows[2].is_profiled);
}

TEST(Profile, AnotherNumberOfKernelsIsRefused) {
  Result result = two_rows();
  const Counters kernels[] = {loads(5), loads(7)};
  EXPECT_THROW(add_profile(result, kernels), Error);
  EXPECT_FALSE(result.rows[1].counters);
}

}  // namespace
}  // namespace cudalab::lab
