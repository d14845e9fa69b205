// The files of cards, and what the program says about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "vgpu/card.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kSource = CUDALAB_SOURCE_DIR;

Json parsed(const fs::path& file) { return Json::parse(read_file(file)); }

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
    const Json file = parsed(entry.path());
    EXPECT_EQ(file["name"], card->name);
    EXPECT_EQ(file["validated"], card->validated);
    EXPECT_EQ(file["figures"]["multiprocessors"]["value"], card->multiprocessors);
    EXPECT_EQ(file["figures"]["copy_us"]["value"], card->copy_us);
  }
  EXPECT_EQ(files, vgpu::cards().size());
}

TEST(CardSchema, DescribesTheFiguresAsTheProgramDoes) {
  const Json schema = parsed(kSource / "docs/card.schema.json")["properties"]["figures"];
  EXPECT_EQ(schema["properties"].size(), vgpu::card_figures().size());
  EXPECT_EQ(schema["required"].size(), vgpu::card_figures().size());
  for (const vgpu::CardFigure& figure : vgpu::card_figures()) {
    const std::string unit = figure.unit.empty() ? "" : std::string(figure.unit) + ", ";
    EXPECT_EQ(schema["properties"][std::string(figure.key)].value("description", ""),
              unit + std::string(figure.meaning))
        << figure.key;
  }
}

}  // namespace
}  // namespace cudalab::e2e
