// Tests user-defined GPU descriptions, and the errors for invalid ones.
#include "cli/options/card_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/files.h"

namespace cudalab::cli {
namespace {

using Json = nlohmann::ordered_json;

Json h200() { return Json::parse(read_text(CUDALAB_SOURCE_DIR "/cards/h200.json")); }

Message objection(const std::string& text) {
  return refused([&] { description_in(text, "my.json"); });
}

TEST(CardFile, IsReadAsTheBuiltInOnesAre) {
  for (const vgpu::Card& built_in : vgpu::cards()) {
    const std::string file = CUDALAB_SOURCE_DIR "/cards/" + built_in.id + ".json";
    const vgpu::CardDescription description = described_card(file);
    const vgpu::Card card = vgpu::card_of(description);
    EXPECT_EQ(card.id, built_in.id);
    EXPECT_EQ(card.name, built_in.name);
    EXPECT_EQ(card.validated, built_in.validated);
    for (const vgpu::CardFigure& figure : vgpu::card_figures())
      std::visit([&](auto field) { EXPECT_EQ(card.*field, built_in.*field) << figure.key; }, figure.field);
    EXPECT_FALSE(description.figures.front().source.empty());
  }
}

TEST(CardFile, MayDifferFromAllOthers) {
  Json mine = h200();
  mine["id"] = "mine";
  mine["figures"]["multiprocessors"]["value"] = 7;
  const vgpu::Card card = vgpu::card_of(description_in(mine.dump(), "my.json"));
  EXPECT_EQ(card.id, "mine");
  EXPECT_EQ(card.multiprocessors, 7u);
}

TEST(CardFile, ThatIsNoneIsRefusedWithTheReason) {
  EXPECT_THAT(objection("{"), IsMessage("card_not_json", {{"file", "my.json"}}));
  EXPECT_THAT(objection("[]"), IsMessage("card_schema_wrong", {{"file", "my.json"}}));
  EXPECT_THAT(objection("{\"schema\": 3}"), IsMessage("card_schema_wrong"));
  EXPECT_THAT(objection("{\"schema\": \"cudalab.card/1\"}"), IsMessage("card_key_missing", {{"key", "id"}}));
  Json card = h200();
  card["figures"] = 3;
  EXPECT_THAT(objection(card.dump()), IsMessage("card_figures_not_object"));
}

TEST(CardFile, WithAWrongFigureIsRefusedWithItsName) {
  const auto with = [](const Json& figure) {
    Json card = h200();
    card["figures"]["clock_mhz"] = figure;
    return objection(card.dump());
  };
  EXPECT_THAT(with(3), IsMessage("card_figure_not_object", {{"figure", "clock_mhz"}}));
  EXPECT_THAT(with({{"value", "fast"}, {"source", "a guess"}}),
              IsMessage("card_figure_not_object", {{"figure", "clock_mhz"}}));
  EXPECT_THAT(with({{"value", 1000}}), IsMessage("card_figure_no_source", {{"figure", "clock_mhz"}}));
  EXPECT_THAT(with({{"value", -1000}, {"source", "a guess"}}),
              IsMessage("card_figure_not_positive", {{"figure", "clock_mhz"}}));
  EXPECT_TRUE(with({{"value", 1000}, {"source", "a guess"}}).empty());
}

TEST(CardFile, ANameIsNoFile) {
  EXPECT_EQ(described_card("t4").name, "Tesla T4");
  EXPECT_THROW(described_card("voodoo"), Error);
  EXPECT_THROW(described_card("./voodoo"), Error);
}

}  // namespace
}  // namespace cudalab::cli
