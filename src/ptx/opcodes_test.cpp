// Tests the words of opcodes and the table of what opcodes do.
#include "ptx/opcodes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ptx/word.h"

namespace cudalab::ptx {
namespace {

std::string_view row_of(std::vector<Word> words) { return facts_of(words).name; }

TEST(Word, IsTheSameWhetherItWasKnownWhileCompilingOrNot) {
  EXPECT_EQ(Word::of("global"), Word("global"));
  EXPECT_EQ(Word::of(""), Word());
  EXPECT_EQ(Word("global").text(), "global");
  EXPECT_FALSE(Word::of("global") == Word("local"));
}

TEST(Word, KeepsTextThatNoSourceNames) {
  const std::string text = "m64n128k" + std::to_string(16);
  const Word word = Word::of(text);
  EXPECT_EQ(word, Word::of("m64n128k16"));
  EXPECT_EQ(word.text(), "m64n128k16");
  EXPECT_FALSE(word == Word::of("m64n128k32"));
}

TEST(Word, IsOneForAllThreads) {
  std::vector<Word> found(8);
  std::vector<std::thread> threads;
  for (Word& word : found) threads.emplace_back([&word] { word = Word::of("named.by.threads"); });
  for (std::thread& thread : threads) thread.join();
  for (const Word word : found) EXPECT_EQ(word, found.front());
}

TEST(Opcodes, HaveOneRowEach) {
  std::set<std::string_view> names;
  for (const OpcodeFacts& row : all_opcodes()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Opcodes, AreFoundByTheLongestNameThatTheyBeginWith) {
  EXPECT_EQ(row_of({"ld", "global", "f32"}), "ld");
  EXPECT_EQ(row_of({"wmma", "store", "d", "sync"}), "wmma.store");
  EXPECT_EQ(row_of({"barrier", "cta", "red", "popc", "u32"}), "barrier.cta.red");
  EXPECT_EQ(row_of({"cp", "async", "bulk", "tensor", "2d"}), "cp.async.bulk.tensor");
  EXPECT_EQ(row_of({"cp", "async", "ca", "shared", "global"}), "cp.async");
}

TEST(Opcodes, OfUnknownInstructionsClaimNothing) {
  const OpcodeFacts& facts = facts_of(std::vector{Word::of("frobnicate"), Word("f32")});
  EXPECT_EQ(facts.name, "");
  EXPECT_FALSE(facts.is_pure);
  EXPECT_EQ(facts.lanes, Lanes::kDifferent);
  EXPECT_EQ(&facts, &facts_of({}));
}

// Facts of a row that imply each other.
TEST(Opcodes, ContradictThemselvesNowhere) {
  for (const OpcodeFacts& row : all_opcodes()) {
    SCOPED_TRACE(row.name);
    if (row.is_pure) {
      EXPECT_TRUE(row.has_result);
      EXPECT_EQ(row.access, Access::kNone);
      EXPECT_EQ(row.flow, Flow::kOn);
      EXPECT_FALSE(row.orders_memory || row.is_observable);
    }
    EXPECT_TRUE(row.is_pure || row.linear == Linear::kNone);
    EXPECT_TRUE(row.is_observable || !row.may_write_memory());
    EXPECT_FALSE(row.has_result && row.leaves_straight_line());
  }
}

}  // namespace
}  // namespace cudalab::ptx
