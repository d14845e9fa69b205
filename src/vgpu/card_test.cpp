// Tests GPU models: every figure has a source, and a wrong file is rejected with the reason.
#include "vgpu/card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"

namespace cudalab::vgpu {
namespace {

TEST(CardText, IsTheSameCardAgain) {
  for (const CardDescription& description : card_descriptions()) {
    const Card card = card_of(description), again = card_of(description_from(text_of(description)));
    EXPECT_EQ(again.id, card.id);
    EXPECT_EQ(again.name, card.name);
    for (const CardFigure& figure : card_figures())
      std::visit([&](auto field) { EXPECT_EQ(again.*field, card.*field) << figure.key; }, figure.field);
  }
}

TEST(CardText, NoOtherTextIsOne) {
  for (const char* text :
       {"id\nname\nclock_mhz", "id\nname\nclock_mhz=", "id\nname\nclock_mhz=1x", "id\nname\n\n"})
    EXPECT_THAT(refused([&] { description_from(text); }), IsMessage("card_line_no_figure")) << text;
}

using testing::AllOf;

// The error message for the changed description; empty if it is valid.
template <class Change>
Message objection(Change change) {
  CardDescription description = card_descriptions().front();
  change(description.figures);
  return refused([&] { card_of(description); });
}

GivenFigure& figure(std::vector<GivenFigure>& figures, std::string_view key) {
  return *std::ranges::find(figures, key, &GivenFigure::key);
}

TEST(Cards, TheFirstIsTheH200) { EXPECT_EQ(cards().front().id, "h200"); }

TEST(Cards, AreAtLeastSixAndHaveEveryFigureThatIsNeeded) {
  EXPECT_GE(cards().size(), 6u);
  for (const CardDescription& card : card_descriptions())
    for (const CardFigure& needed : card_figures())
      EXPECT_TRUE(needed.is_optional || std::ranges::count(card.figures, needed.key, &GivenFigure::key) == 1)
          << card.id << ": " << needed.key;
}

TEST(Cards, NameTheSourceOfEveryFigure) {
  for (const CardDescription& card : card_descriptions())
    for (const GivenFigure& given : card.figures) EXPECT_GT(given.source.size(), 5u) << card.id << given.key;
}

TEST(Cards, AreFoundByTheirId) {
  EXPECT_EQ(find_card("t4")->name, "Tesla T4");
  EXPECT_EQ(find_card("t4")->max_threads_per_multiprocessor, 1024u);
  EXPECT_EQ(find_card("h200")->dram_gb_per_second, 4814);
  EXPECT_EQ(find_card("voodoo"), nullptr);
}

// Two transfers per cycle; programs compute the bandwidth from clock and width.
TEST(Cards, HaveTheMemorysClockAndWidthThatGiveItsBandwidth) {
  for (const Card& card : cards()) {
    const double gb_per_second = card.memory_clock_mhz * 2 * card.memory_bus_bits / 8 / 1000;
    EXPECT_NEAR(gb_per_second, card.dram_gb_per_second, 0.01 * card.dram_gb_per_second) << card.id;
  }
}

TEST(Cards, NeedEveryFigureOnceButWhatProgramsAloneSee) {
  EXPECT_TRUE(objection([](auto&) {}).empty());
  EXPECT_TRUE(objection([](auto& all) {
                std::erase_if(all, [](auto& f) {
                  return f.key.starts_with("memory_bus") || f.key == "memory_clock_mhz" ||
                         f.key == "texture_latency_clocks";
                });
              }).empty());
  EXPECT_THAT(objection([](auto& all) { std::erase_if(all, [](auto& f) { return f.key == "clock_mhz"; }); }),
              AllOf(IsMessage("card_figure_missing"), HasArgument("figure", Code{"clock_mhz"})));
  EXPECT_THAT(objection([](auto& all) { all.push_back(all.front()); }), IsMessage("card_figure_twice"));
  EXPECT_THAT(objection([](auto& all) {
                all.push_back({"warp_size", 32, "a guide"});
              }),
              AllOf(IsMessage("card_figure_unknown"), HasArgument("figure", Code{"warp_size"})));
}

TEST(Cards, HaveOnlyPossibleFigures) {
  EXPECT_THAT(objection([](auto& all) { figure(all, "schedulers").value = 0; }),
              IsMessage("card_figure_not_positive"));
  EXPECT_THAT(objection([](auto& all) { figure(all, "clock_mhz").value = -1; }),
              IsMessage("card_figure_not_positive"));
  EXPECT_THAT(
      objection([](auto& all) { figure(all, "clock_mhz").value = std::numeric_limits<double>::infinity(); }),
      IsMessage("card_figure_not_positive"));
  EXPECT_THAT(objection([](auto& all) { figure(all, "multiprocessors").value = 1.5; }),
              IsMessage("card_figure_not_whole"));
  EXPECT_THAT(objection([](auto& all) { figure(all, "multiprocessors").value = 1e10; }),
              IsMessage("card_figure_not_whole"));
  EXPECT_TRUE(objection([](auto& all) { figure(all, "compute_minor").value = 0; }).empty());
  EXPECT_TRUE(objection([](auto& all) { figure(all, "clock_mhz").value = 1.5; }).empty());
}

}  // namespace
}  // namespace cudalab::vgpu
