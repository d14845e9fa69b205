#include "vgpu/card_text.h"

#include <gtest/gtest.h>

#include "core/refusal_testing.h"

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
    EXPECT_NE(refusal_of([&] { description_from(text); }), "") << text;
}

}  // namespace
}  // namespace cudalab::vgpu
