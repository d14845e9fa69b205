#include "report/text/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace cudalab::report {
namespace {

TEST(Units, SignificantDigits) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(1.929), "1.93");
  EXPECT_EQ(significant(41.0), "41");
  EXPECT_EQ(significant(31.97), "32");
  EXPECT_EQ(significant(4215.4), "4215");
  EXPECT_EQ(significant(0.0123), "0.0123");
  EXPECT_EQ(significant(-2.5), "-2.5");
  EXPECT_EQ(significant(1.5e12), "1.50e+12");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(significant(-std::numeric_limits<double>::infinity()), "-infinity");
}

TEST(Units, Durations) {
  EXPECT_EQ(duration(0.0123), "12.3 us");
  EXPECT_EQ(duration(1.929), "1.93 ms");
  EXPECT_EQ(duration(41), "41.0 ms");
  EXPECT_EQ(duration(1234), "1.23 s");
}

TEST(Units, MemorySizes) {
  EXPECT_EQ(memory(512), "512 bytes");
  EXPECT_EQ(memory(233472), "228 KiB");
  EXPECT_EQ(memory(150e9), "140 GiB");
}

TEST(Units, DistancesAreExact) {
  EXPECT_EQ(distance(4), "4 bytes");
  EXPECT_EQ(distance(132), "132 bytes");
  EXPECT_EQ(distance(4096), "4 KB");
  EXPECT_EQ(distance(4100), "4100 bytes");
  EXPECT_EQ(distance(32768), "32 KB");
  EXPECT_EQ(distance(2097152), "2 MB");
}

TEST(Units, Percentages) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.2), "<1 %");
  EXPECT_EQ(percent(13.14), "13 %");
}

}  // namespace
}  // namespace cudalab::report
