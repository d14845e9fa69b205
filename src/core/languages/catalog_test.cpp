// Plural rules of three languages.
#include "core/languages/catalog.h"

#include <gtest/gtest.h>

#include "core/refusal_testing.h"

namespace cudalab {
namespace {

constexpr const char* kRussianRule =
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";

TEST(PluralRule, EnglishHasTwoForms) {
  EXPECT_EQ(PluralRule().form_of(std::uint64_t{1}), 0u);
  for (const std::uint64_t n : {0, 2, 11, 21, 101}) EXPECT_EQ(PluralRule().form_of(n), 1u) << n;
}

TEST(PluralRule, RussianHasThreeForms) {
  const PluralRule rule(kRussianRule, "here");
  EXPECT_EQ(rule.forms(), 3u);
  for (const std::uint64_t n : {1, 21, 101, 1021}) EXPECT_EQ(rule.form_of(n), 0u) << n;
  for (const std::uint64_t n : {2, 3, 4, 22, 104}) EXPECT_EQ(rule.form_of(n), 1u) << n;
  for (const std::uint64_t n : {0, 5, 11, 12, 14, 20, 111, 112}) EXPECT_EQ(rule.form_of(n), 2u) << n;
}

TEST(PluralRule, ChineseHasOneForm) {
  const PluralRule rule("nplurals=1; plural=0;", "here");
  EXPECT_EQ(rule.forms(), 1u);
  EXPECT_EQ(rule.form_of(std::uint64_t{7}), 0u);
}

TEST(PluralRule, ReadsNumbersInTextForm) {
  const PluralRule rule(kRussianRule, "here");
  EXPECT_EQ(rule.form_of(std::string_view("1,021")), 0u);
  EXPECT_EQ(rule.form_of(std::string_view("1.5")), 1u);  // in Russian, 1.5 takes the form for 2
  EXPECT_EQ(rule.form_of(std::string_view("`x`")), 1u);
}

TEST(PluralRule, RejectsRulesThatYieldNoForm) {
  for (const char* rule :
       {"", "nplurals=2; plural=n;", "nplurals=2; plural=n != ;", "nplurals=2; plural=(n != 1;",
        "nplurals=2; plural=n % 0;", "nplurals=2; plural=n != 1 1;", "nplurals=2; plural=n > 1 | n < 1;",
        "nplurals=x; plural=0;"})
    EXPECT_THROW(PluralRule(rule, "here"), Error) << rule;
}

}  // namespace
}  // namespace cudalab
