// Tests looking up values by name, and names by value.
#include "core/named.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

enum class Fruit { kApple, kPear, kPlum };
constexpr Named<Fruit> kFruit[]{{"pear", Fruit::kPear}, {"apple", Fruit::kApple}};

TEST(Named, FindsTheValueOfAName) {
  EXPECT_EQ(value_called("pear", kFruit), Fruit::kPear);
  EXPECT_EQ(value_called("apple", kFruit), Fruit::kApple);
}

TEST(Named, MatchesWholeNamesOnly) {
  for (const char* name : {"", "pea", "pears", "Pear", "plum"})
    EXPECT_EQ(value_called(name, kFruit), std::nullopt) << name;
}

TEST(Named, FindsTheNameOfAValue) {
  EXPECT_EQ(name_in(kFruit, Fruit::kApple), "apple");
  EXPECT_EQ(name_in(kFruit, Fruit::kPlum), "");
}

}  // namespace
}  // namespace cudalab
