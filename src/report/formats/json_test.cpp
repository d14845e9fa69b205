// Tests the JSON documents of results and programs.
#include "report/formats/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/sample_results_testing.h"

namespace cudalab::report {

// The JSON of programs with short logs.

namespace {

// The program ended, or was stopped, before its first CUDA call.
TEST(ProgramJson, OfAProgramThatNeverCalledCuda) {
  const auto json = nlohmann::json::parse(program_json_text({}, {"folder/a.out", "5"}, 4, {}));
  EXPECT_EQ(json["program"]["exit_code"], 4);
  EXPECT_EQ(json["program"]["arguments"][0], "folder/a.out");
  EXPECT_TRUE(json["launches"].empty());
}

using Json = nlohmann::ordered_json;

const Tool kTool{"0.1.0", "abc"};

Json document(const lab::Result& result) { return Json::parse(json_text(result, kTool)); }

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(Json, SaysWhatItIs) {
  Json json = document(virtual_transpose());
  EXPECT_EQ(json["schema"], "cudalab.result/1");
  EXPECT_EQ(json["tool"], (Json{{"version", "0.1.0"}, {"commit", "abc"}}));
  EXPECT_EQ(json["lab"], "transpose");
  EXPECT_EQ(json["verdict"], "pass");
  EXPECT_EQ(json["evidence"], "virtual");
  EXPECT_EQ(json["device"]["driver"], nullptr);
}

TEST(Json, KeysStandInOneOrder) {
  Json json = document(virtual_transpose());
  EXPECT_THAT(keys_of(json),
              testing::ElementsAre("schema", "tool", "lab", "options", "device", "host", "request", "runs",
                                   "notes", "stopped", "verdict", "evidence"));
  EXPECT_THAT(keys_of(json["options"]), testing::ElementsAre("rows", "cols", "tile", "type", "seed"));
  EXPECT_EQ(json_text(virtual_transpose(), kTool), json_text(virtual_transpose(), kTool));
}

TEST(Json, OptionsKeepTheirTypes) {
  lab::Result result = virtual_transpose();
  result.options = {{"fast", true}, {"from", 0.1}, {"rows", std::int64_t{7}}, {"type", std::string("f32")}};
  EXPECT_EQ(document(result)["options"].dump(), R"({"fast":true,"from":0.1,"rows":7,"type":"f32"})");
}

TEST(Json, SimulationTimeIsNoTime) {
  Json naive = document(virtual_transpose())["runs"][2];
  EXPECT_EQ(naive["time_ms"], nullptr);
  EXPECT_EQ(naive["simulation_ms"], 41);
  EXPECT_EQ(naive["gb_s"], nullptr);
}

TEST(Json, PredictionsHaveTheirOwnKeys) {
  lab::Result result = virtual_transpose();
  result.card = *vgpu::find_card("t4");
  result.rows[2].prediction = Prediction{.card = "t4", .ms = 0.25};
  result.rows[2].prediction->limits = {{"dram", 0.75, 1000, 2.5, "bytes"}};
  result.rows[2].prediction->occupancy = {.blocks = 4,
                                          .warps = 16,
                                          .most_warps = 32,
                                          .limited_by = OccupancyLimit::kShared,
                                          .waves = 1.5,
                                          .tail = 0.5};
  result.rows[2].predicted.gb_s = 12;
  const Json json = document(result), naive = json["runs"][2], tiled = json["runs"][3];
  EXPECT_EQ(json["device"]["card"], "t4");
  EXPECT_EQ(json["device"]["validated"], false);
  EXPECT_EQ(naive["predicted_ms"], 0.25);
  EXPECT_EQ(naive["limits"].dump(),
            R"([{"resource":"dram","share":0.75,"amount":1000,"rate":2.5,"unit":"bytes"}])");
  EXPECT_EQ(naive["occupancy"].dump(), R"({"blocks":4,"warps":16,"most_warps":32,"limited_by":"shared",)"
                                       R"("waves":1.5,"tail":0.5,"registers":null})");
  EXPECT_EQ(naive["predicted_gb_s"], 12);
  EXPECT_EQ(naive["time_ms"], nullptr);
  EXPECT_EQ(naive["gb_s"], nullptr);
  for (const char* key : {"predicted_ms", "limits", "occupancy", "predicted_gb_s"})
    EXPECT_EQ(tiled[key], nullptr);
  EXPECT_FALSE(json["runs"][0].contains("predicted_ms"));  // a CPU version
}

TEST(Json, CountersAreIntegersUnderTheirNames) {
  Json counters = document(virtual_transpose())["runs"][2]["counters"];
  EXPECT_EQ(counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"].dump(), "1048576");
  EXPECT_FALSE(counters.contains("ptx_warp_instructions"));  // not measured, which differs from zero
}

TEST(Json, WhatAGpuDoesNotObserveIsNull) {
  Json naive = document(gpu_transpose())["runs"][2];
  EXPECT_EQ(naive["counters"], nullptr);
  EXPECT_EQ(naive["accesses"], nullptr);
  EXPECT_EQ(naive["hazards"], nullptr);
  EXPECT_EQ(naive["time_ms"]["samples"], 12);
}

TEST(Json, WhereTheVirtualGpuFoundNothingTheListIsEmpty) {
  EXPECT_EQ(document(virtual_transpose())["runs"][2]["hazards"], Json::array());
}

TEST(Json, NumbersThatAreNotFiniteBecomeNullWithAReason) {
  lab::Result result = virtual_transpose();
  result.rows[2].check->max_error = std::numeric_limits<double>::quiet_NaN();
  result.rows[3].gb_s = std::numeric_limits<double>::infinity();
  Json runs = document(result)["runs"];
  EXPECT_EQ(runs[2]["check"]["max_error"], nullptr);
  EXPECT_EQ(runs[2]["check"]["max_error_reason"], "not a number");
  EXPECT_EQ(runs[3]["gb_s"], nullptr);
  EXPECT_EQ(runs[3]["gb_s_reason"], "infinite");
}

TEST(Json, DoublesAreTheShortestTextThatReadsBack) {
  lab::Result result = virtual_transpose();
  result.rows[0].time_ms->median = 0.1;
  result.rows[0].time_ms->min = 1.0 / 3;
  std::string text = json_text(result, kTool);
  EXPECT_THAT(text, testing::HasSubstr("\"median\": 0.1,"));
  EXPECT_THAT(text, testing::HasSubstr("\"min\": 0.3333333333333333,"));
}

TEST(Json, MismatchesAndHazardsCarryTheirPlaces) {
  lab::Result result = virtual_transpose();
  result.rows[2].check->first_mismatch = lab::Mismatch{{3, 17}, "0.25", "0.5"};
  Hazard race;
  race.kind = HazardKind::kSharedRace;
  race.where = {"a.cu", 3};
  race.other = SourceLine{"a.cu", 5};
  race.address = 64;
  race.what = Message::verbatim("writes what another thread reads");
  result.rows[2].hazards = {race};
  Json naive = document(result)["runs"][2];
  EXPECT_EQ(naive["check"]["first_mismatch"].dump(), R"({"at":[3,17],"found":"0.25","expected":"0.5"})");
  EXPECT_EQ(naive["hazards"][0]["kind"], "shared_race");
  EXPECT_EQ(naive["hazards"][0]["where"].dump(), R"({"file":"a.cu","line":3})");
  EXPECT_EQ(naive["hazards"][0]["other"]["line"], 5);
  EXPECT_EQ(naive["hazards"][0]["address"], 64);
}

TEST(Json, BytesThatAreNoTextDoNotBreakTheDocument) {
  lab::Result result = virtual_transpose();
  result.rows[2].printed = "\xff\xfe sum \x01";
  EXPECT_EQ(document(result)["runs"][2]["printed"], "\uFFFD\uFFFD sum \u0001");
  EXPECT_EQ(json_document(result, {})["runs"][2]["printed"], "\uFFFD\uFFFD sum \u0001");
}

TEST(Schema, DescribesEveryCounter) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/docs/result.schema.json");
  Json described = Json::parse(file)["$defs"]["counters"]["properties"];
  std::vector<std::string> expected;
  for (const CounterInfo& row : kCounters) {
    expected.emplace_back(row.key);
    EXPECT_EQ(described[std::string(row.key)]["description"], std::string(row.meaning)) << row.key;
  }
  EXPECT_THAT(keys_of(described), testing::UnorderedElementsAreArray(expected));
}

TEST(Json, MarksACpuVersionThatABusyMachineDisturbed) {
  lab::Result result = virtual_transpose();
  EXPECT_FALSE(document(result)["runs"][0].contains("disturbed"));
  result.rows[0].time_ms->median = 3 * result.rows[0].time_ms->min;
  EXPECT_EQ(document(result)["runs"][0]["disturbed"], true);
}

TEST(Json, FiguresAreTheirLines) {
  lab::Result result = virtual_transpose();
  result.figures = {{Message::verbatim("s[2 * t]"), {"pass 1", "pass 2"}, {1}}};
  EXPECT_EQ(document(result)["figures"].dump(), R"([{"title":"s[2 * t]","lines":["pass 1","pass 2"]}])");
}

TEST(OptionFromJson, TakesOnlyWhatItsKindTakes) {
  const lab::OptionSpec flag = lab::flag("pad", "pads"), number = lab::integer("n", "elements", 1, 1, 9);
  EXPECT_EQ(option_value(flag, true), lab::OptionValue(true));
  EXPECT_EQ(option_value(flag, 1), std::nullopt);
  EXPECT_EQ(option_value(number, 7), lab::OptionValue(std::int64_t{7}));
  EXPECT_EQ(option_value(number, 7.5), std::nullopt);
  EXPECT_EQ(option_value(number, "7"), std::nullopt);
  EXPECT_EQ(option_value({.name = "from", .kind = lab::OptionKind::kReal}, 2), lab::OptionValue(2.0));
  for (const auto kind : {lab::OptionKind::kChoice, lab::OptionKind::kText}) {
    EXPECT_EQ(option_value({.name = "type", .kind = kind}, "f32"), lab::OptionValue(std::string("f32")));
    EXPECT_EQ(option_value({.name = "type", .kind = kind}, false), std::nullopt);
  }
}

}  // namespace
}  // namespace cudalab::report
