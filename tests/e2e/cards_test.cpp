// The files of GPU models, and what the program prints about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"
#include "vgpu/card.h"
#include "vgpu/time/occupancy.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

TEST(CardFiles, FollowTheirSchema) {
  if (run_command({"python3", "-c", "import jsonschema"}).code != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed (scripts/setup installs it)";
  const char* validate =
      "import json, sys, jsonschema\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "for file in sys.argv[2:]:\n"
      "    for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(file))):\n"
      "        print(file, error.json_path, error.message)\n";
  std::vector<std::string> words{"python3", "-c", validate, (kSource / "docs/card.schema.json").string()};
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "cards"))
    words.push_back(entry.path().string());
  ASSERT_GE(words.size(), 4u + 6u);
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(CardFiles, AreAllBuiltInUnderTheirNames) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "cards")) {
    ++files;
    const vgpu::Card* card = vgpu::find_card(entry.path().stem().string());
    ASSERT_TRUE(card) << entry.path();
    const OrderedJson file = json_of(entry.path());
    EXPECT_EQ(file["name"], card->name);
    EXPECT_EQ(file["validated"], card->validated);
    EXPECT_EQ(file["figures"]["multiprocessors"]["value"], card->multiprocessors);
    EXPECT_EQ(file["figures"]["copy_us"]["value"], card->copy_us);
  }
  EXPECT_EQ(files, vgpu::cards().size());
}

TEST(CardSchema, DescribesTheFiguresAsTheProgramDoes) {
  const OrderedJson schema = json_of(kSource / "docs/card.schema.json")["properties"]["figures"];
  EXPECT_EQ(schema["properties"].size(), vgpu::card_figures().size());
  const std::set<std::string> required = schema["required"];
  for (const vgpu::CardFigure& figure : vgpu::card_figures()) {
    EXPECT_EQ(required.contains(std::string(figure.key)), !figure.is_optional) << figure.key;
    const std::string unit = figure.unit.empty() ? "" : std::string(figure.unit) + ", ";
    EXPECT_EQ(schema["properties"][std::string(figure.key)].value("description", ""),
              unit + std::string(figure.meaning))
        << figure.key;
  }
}

// ---- recorded on cards -------------------------------------------------------------------------------

// What a GPU's driver returns: first its attributes, then the blocks per SM, one line per launch.
std::vector<OrderedJson> recorded(const std::string& card) {
  std::istringstream lines(read_file(kSource / "expected" / card / "occupancy.jsonl"));
  std::vector<OrderedJson> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(OrderedJson::parse(line));
  return rows;
}

class RecordedCard : public testing::TestWithParam<const char*> {};

TEST_P(RecordedCard, HasTheFiguresThatItsDriverSays) {
  const OrderedJson attributes = recorded(GetParam()).at(0);
  const vgpu::Card& card = *vgpu::find_card(GetParam());
  EXPECT_EQ(attributes["card"], card.name);
  EXPECT_EQ(attributes["multiprocessors"], card.multiprocessors);
  EXPECT_EQ(attributes["clock_khz"], card.clock_mhz * 1000);
  EXPECT_EQ(attributes["l2_bytes"], card.l2_bytes);
  EXPECT_EQ(attributes["threads_per_multiprocessor"], card.max_threads_per_multiprocessor);
  EXPECT_EQ(attributes["blocks_per_multiprocessor"], card.max_blocks_per_multiprocessor);
  EXPECT_EQ(attributes["shared_per_multiprocessor"], card.shared_per_multiprocessor);
  EXPECT_EQ(attributes["shared_reserved_per_block"], card.shared_reserved_per_block);
  EXPECT_EQ(attributes["shared_per_block_optin"], card.shared_per_block_optin);
  EXPECT_EQ(attributes["registers_per_multiprocessor"], card.registers_per_multiprocessor);
  EXPECT_EQ(attributes["registers_per_block"], card.registers_per_block);
  EXPECT_EQ(attributes["memory_clock_khz"], card.memory_clock_mhz * 1000);
  EXPECT_EQ(attributes["memory_bus_bits"], card.memory_bus_bits);
  const double gb_per_second =
      card.memory_clock_mhz * 2 * card.memory_bus_bits / 8 / 1000;  // two bits per cycle
  EXPECT_NEAR(gb_per_second, card.dram_gb_per_second, 0.5);
}

TEST_P(RecordedCard, HoldsAsManyBlocksAsIsComputed) {
  const std::vector<OrderedJson> rows = recorded(GetParam());
  ASSERT_GE(rows.size(), 1u + 200u);
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    const KernelResources resources{.registers = row->at("registers"),
                                    .shared_bytes = row->at("static_shared")};
    const LaunchSpec spec{.grid = {1'000'000},
                          .block = {row->at("threads").get<std::uint32_t>()},
                          .dynamic_shared_bytes = row->at("dynamic_shared")};
    const Occupancy occupancy = vgpu::occupancy_of(*vgpu::find_card(GetParam()), resources, spec);
    EXPECT_EQ(occupancy.blocks, row->at("blocks")) << *row;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RecordedCard, testing::Values("h200", "h100"));

// ---- the program -------------------------------------------------------------------------------------

TEST(CardsVerb, ListsThemAndTheSourcesOfEach) {
  const Outcome list = cudalab({"cards"});
  EXPECT_EQ(list.code, 0);
  for (const vgpu::Card& card : vgpu::cards()) EXPECT_THAT(list.out, HasSubstr(card.id + " "));
  const Outcome one = cudalab({"cards", "t4"});
  EXPECT_THAT(one.out, HasSubstr("multiprocessors                40"));
  EXPECT_THAT(one.out, HasSubstr("NVIDIA T4 data sheet"));
  EXPECT_EQ(cudalab({"cards", "voodoo"}).code, 2);
}

// No compiler generates machine code for compute capability 7.0.
TEST(CardOption, SaysWhereNobodyKnowsTheRegisters) {
  const std::string solution = CUDALAB_SOURCE_DIR "/labs/dot/exercise/resident-blocks/solution.cu";
  const auto check_on = [&](const char* card) {
    return by_ids({"check", solution, "--exercise", "resident-blocks", "--card", card}).out;
  };
  EXPECT_THAT(check_on("v100"), HasSubstr("full SMs\n        advice_registers_unknown()"));
  EXPECT_THAT(check_on("h200"), Not(Says("advice_registers_unknown")));
  const auto lab_on = [](const char* card) {
    return by_ids({"transpose", "--stage", "tiled", "--rows", "64", "--cols", "64", "--card", card}).out;
  };
  EXPECT_THAT(lab_on("v100"), HasSubstr("\nheader_registers_unknown("));
  EXPECT_THAT(lab_on("h200"), Not(Says("legend_registers_unknown")));
}

TEST(CardOption, ChoosesWhatTheVirtualGpuStandsFor) {
  const OrderedJson result = OrderedJson::parse(
      cudalab({"transpose", "--stage", "tiled", "--rows", "64", "--cols", "64", "--card", "t4", "--json"})
          .out);
  EXPECT_EQ(result["device"]["card"], "t4");
  EXPECT_EQ(result["device"]["compute_capability"], "7.5");
  EXPECT_EQ(result["request"]["card"], "t4");
  EXPECT_EQ(result["runs"][0]["occupancy"]["most_warps"], 32);
  EXPECT_GT(result["runs"][0]["predicted_ms"], 0);
}

TEST(CardOption, TakesAFileOfTheUsers) {
  Folder folder;
  OrderedJson card = json_of(kSource / "cards/t4.json");
  card["id"] = "mine";
  card["name"] = "My Card";
  write_file(folder / "mine.json", card.dump());
  const Outcome outcome = by_ids({"transpose", "--stage", "tiled", "--rows", "64", "--cols", "64", "--card",
                                  (folder / "mine.json").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("header_not_validated"));
  const Outcome gpu = by_ids({"transpose", "--device", "gpu", "--card", "t4"});
  EXPECT_EQ(gpu.code, 2);
  EXPECT_THAT(gpu.err, Says("card_with_gpu"));
}

// The register count of a lab's kernel is what ptxas reports for the selected GPU.
TEST(Prediction, KnowsTheRegistersOfALabsKernel) {
  const auto occupancy_on = [](const char* card) {
    return OrderedJson::parse(cudalab({"matmul", "--stage", "best", "--card", card, "--arows", "64",
                                       "--acols", "64", "--bcols", "64", "--json"})
                                  .out)["runs"][0]["occupancy"];
  };
  EXPECT_GT(occupancy_on("h200")["registers"], 64);  // it keeps 8 x 8 results in registers
  EXPECT_EQ(occupancy_on("h200")["limited_by"], "grid");
}

TEST(Prediction, CanBeTurnedOffAndThenNothingIsMarked) {
  const std::vector<std::string> words{"transpose", "--stage", "tiled",  "--device", "virtual",
                                       "--rows",    "64",      "--cols", "64"};
  std::vector<std::string> off = words;
  off.insert(off.end(), {"--predict", "off"});
  EXPECT_THAT(cudalab(words).out, HasSubstr("~"));
  EXPECT_THAT(cudalab(off).out, Not(HasSubstr("~")));
  off.push_back("--json");
  const OrderedJson run = OrderedJson::parse(cudalab(off).out)["runs"][0];
  EXPECT_TRUE(run["predicted_ms"].is_null());
  EXPECT_TRUE(run["limits"].is_null());
  EXPECT_TRUE(run["occupancy"].is_null());
  EXPECT_FALSE(run["counters"].is_null());
}

TEST(Prediction, StandsUnderTheRoofOfItsCard) {
  const Outcome outcome = by_ids({"matmul", "--stage", "tiled", "--card", "a100", "--roofline"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("roofline_heading", {{"card", "NVIDIA A100"}, {"bandwidth", 1555}}));
}

TEST(Prediction, StandsBesideWhatWasRecorded) {
  const Outcome outcome = cudalab({"transpose", "--stage", "tiled", "--device", "virtual", "--recorded"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("recorded on an NVIDIA H200 with rows"));
  EXPECT_THAT(outcome.out, HasSubstr("on an H200"));
}

TEST(Prediction, DrawsATimelineOfCopiesThatCannotRunHere) {
  const Outcome outcome = by_ids({"transfer", "--device", "virtual"});
  EXPECT_THAT(outcome.out, Says("title_predicted_chunks", {{"stage", "overlapped"}}));
  EXPECT_THAT(outcome.out, Says("note_pageable_is_slower", {{"slow", "pageable"}, {"fast", "pinned"}}));
  const OrderedJson runs =
      OrderedJson::parse(cudalab({"transfer", "--device", "virtual", "--json"}).out)["runs"];
  for (const OrderedJson& run : runs) {
    if (run["kind"] == "cpu") continue;
    EXPECT_GT(run["predicted_ms"], 0) << run["name"];
    EXPECT_EQ(run["verdict"], run["name"] == "kernel" ? "pass" : "not_assessed");
  }
}

}  // namespace
}  // namespace cudalab::e2e
