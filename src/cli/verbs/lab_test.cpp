// Tests that recorded times are added to the rows of the same name.
#include "cli/verbs/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "messages/cli.h"

namespace cudalab::cli {

namespace {

constexpr const char* kRecording =
    R"({"device": {"name": "NVIDIA H200"}, "options": {"rows": 8192, "type": "f32", "seed": 1}, "runs": [
        {"name": "cpu-1-thread", "time_ms": {"median": 900}}, {"name": "naive", "time_ms": {"median": 0.5}},
        {"name": "tiled", "time_ms": null}]})";

lab::Result result_of(const std::vector<std::string>& stages) {
  lab::Result result;
  for (const std::string& stage : stages)
    result.rows.push_back({.name = stage, .kind = lab::RowKind::kKernel});
  return result;
}

TEST(Recorded, TimesGoToTheRowsOfTheirNames) {
  lab::Result result = result_of({"naive", "tiled", "padded", "cpu-1-thread"});
  result.rows.back().kind = lab::RowKind::kCpu;  // times of another machine's CPU are not comparable
  add_recorded_times(result, kRecording, "r.json");
  EXPECT_EQ(result.rows[0].recorded_ms, 0.5);
  EXPECT_EQ(result.rows[1].recorded_ms, std::nullopt);
  EXPECT_EQ(result.rows[2].recorded_ms, std::nullopt);
  EXPECT_EQ(result.rows[3].recorded_ms, std::nullopt);
  EXPECT_EQ(result.recorded, msg::times_recorded_on("NVIDIA H200", "rows 8192, type f32"));
}

TEST(Recorded, WhatIsNoRecordingIsRefused) {
  lab::Result result = result_of({"naive"});
  EXPECT_THROW(add_recorded_times(result, "{}", "r.json"), Error);
  EXPECT_THROW(add_recorded_times(result, "{", "r.json"), Error);
  EXPECT_THROW(add_recorded_times(result, "no-such-lab"), Error);
}

}  // namespace
}  // namespace cudalab::cli
