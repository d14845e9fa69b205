#include "report/text/bank_pattern.h"

#include <gtest/gtest.h>

namespace cudalab::report {
namespace {

void expect_pattern(BankPattern found, int banks, int passes) {
  EXPECT_EQ(found.banks, banks);
  EXPECT_EQ(found.passes, passes);
}

TEST(BankPattern, WordStrides) {
  expect_pattern(bank_pattern(0, 4, 32), 1, 1);  // all lanes read one word
  expect_pattern(bank_pattern(4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(2 * 4, 4, 32), 16, 2);
  expect_pattern(bank_pattern(3 * 4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(16 * 4, 4, 32), 2, 16);
  expect_pattern(bank_pattern(32 * 4, 4, 32), 1, 32);
  expect_pattern(bank_pattern(33 * 4, 4, 32), 32, 1);
  expect_pattern(bank_pattern(-32 * 4, 4, 32), 1, 32);
}

TEST(BankPattern, AHalfWarpOfRows) {
  expect_pattern(bank_pattern(16 * 4, 4, 16), 2, 8);
  expect_pattern(bank_pattern(17 * 4, 4, 16), 16, 1);
}

TEST(BankPattern, WideValuesUseSeveralBanks) {
  expect_pattern(bank_pattern(8, 8, 16), 32, 1);
  expect_pattern(bank_pattern(32 * 8, 8, 16), 2, 16);
  expect_pattern(bank_pattern(33 * 8, 8, 16), 32, 1);
}

TEST(BankPattern, SmallValuesShareWords) {
  expect_pattern(bank_pattern(1, 1, 32), 8, 1);
  expect_pattern(bank_pattern(2, 2, 32), 16, 1);
}

}  // namespace
}  // namespace cudalab::report
