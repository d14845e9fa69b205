// Tests that each fact is reported for the accesses that show it, and that correct accesses report nothing.
#include "course/reasons/evidence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Counts = std::vector<std::uint32_t>;

BufferUse input(Counts loads, std::string name = "in") {
  BufferUse use{.name = std::move(name), .space = MemorySpace::kGlobal, .element_bytes = 4};
  use.loads = std::move(loads);
  use.stores.resize(use.loads.size());
  use.updates.resize(use.loads.size());
  use.lines = {{{"k.cu", 7}, AccessKind::kLoad, 4}};
  return use;
}
BufferUse output(Counts stores, std::string name = "out") {
  BufferUse use = input(Counts(stores.size()), std::move(name));
  use.stores = std::move(stores);
  use.lines = {{{"k.cu", 9}, AccessKind::kStore, 4}};
  return use;
}
BufferUse shared(Counts loads, Counts stores) {
  BufferUse use = input(std::move(loads), "tile");
  use.space = MemorySpace::kShared;
  use.stores = std::move(stores);
  return use;
}

// The reasons with ids and arguments; the type of a number does not matter.
std::vector<std::string> facts(const std::vector<BufferUse>& found, const std::vector<BufferUse>& wanted) {
  std::vector<std::string> facts;
  for (const Reason& reason : reasons_of(found, wanted)) facts.push_back(with_ids(reason.what));
  return facts;
}
Argument::List names(std::initializer_list<const char*> list) {
  Argument::List names;
  for (const char* name : list) names.emplace_back(Code{name});
  return names;
}

std::string said(const Message& fact) { return with_ids(fact); }

TEST(Evidence, IsEmptyIfAccessesMatchTheSolution) {
  const std::vector<BufferUse> uses{input({1, 1, 1}), output({1, 1}), shared({2, 2}, {1, 1})};
  EXPECT_THAT(facts(uses, uses), IsEmpty());
}

TEST(Evidence, NamesABufferThatIsNeverReadOrWritten) {
  EXPECT_THAT(facts({output({1})}, {input({1}), output({1})}),
              ElementsAre(said(msg::evidence_never_read(names({"in"})))));
  EXPECT_THAT(facts({input({1})}, {input({1}), output({1})}),
              ElementsAre(said(msg::evidence_never_written(names({"out"})))));
}

TEST(Evidence, NamesTheElementsThatAreNeverRead) {
  EXPECT_THAT(facts({input({1, 1, 0, 0})}, {input({1, 1, 1, 1})}),
              ElementsAre(said(msg::evidence_unread(msg::elements_run(2, 3), names({"in"}), 2, 4))));
  EXPECT_THAT(facts({input({1, 0, 1, 0, 1, 0})}, {input({1, 1, 1, 1, 1, 1})}),
              ElementsAre(said(msg::evidence_unread(msg::elements_every(2, 1), names({"in"}), 3, 6))));
  EXPECT_THAT(facts({input({1, 0, 0, 1, 0, 0})}, {input({1, 1, 1, 1, 1, 1})}),
              ElementsAre(said(msg::evidence_unread(msg::elements_runs(3, 1, 2), names({"in"}), 4, 6))));
  EXPECT_THAT(facts({input({0, 1, 0, 0, 1})}, {input({1, 1, 1, 1, 1})}),
              ElementsAre(said(msg::evidence_unread(msg::elements_scattered(3, 0), names({"in"}), 3, 5))));
}

TEST(Evidence, ReportsAFactAboutSeveralBuffersOnce) {
  EXPECT_THAT(facts({input({1, 0}, "a"), input({1, 0}, "b")}, {input({1, 1}, "a"), input({1, 1}, "b")}),
              ElementsAre(said(msg::evidence_unread(msg::elements_one(1), names({"a", "b"}), 1, 2))));
}

TEST(Evidence, NamesTheNeededElementsIfOthersAreRead) {
  EXPECT_THAT(facts({input({0, 1, 1})}, {input({1, 1, 0})}),
              ElementsAre(said(msg::evidence_reads_others(msg::elements_run(1, 2), names({"in"}),
                                                          msg::elements_run(0, 1)))));
}

TEST(Evidence, CountsRepeatedReadsOnlyIfTheSolutionReadsOnce) {
  EXPECT_THAT(facts({input({3, 3})}, {input({1, 1})}),
              ElementsAre(said(msg::evidence_read_times(msg::elements_run(0, 1), names({"in"}), 3))));
  EXPECT_THAT(facts({input({1, 3, 2})}, {input({1, 1, 1})}),
              ElementsAre(said(msg::evidence_read_repeatedly(msg::elements_run(1, 2), names({"in"})))));
  EXPECT_THAT(facts({input({8, 8})}, {input({2, 2})}), IsEmpty()) << "a tiled kernel reads less often";
}

TEST(Evidence, ReportsStoresToInputsAndReadsOfOutputs) {
  BufferUse changed = input({1, 1});
  changed.stores = {1, 0};
  EXPECT_THAT(facts({changed}, {input({1, 1})}),
              ElementsAre(said(msg::evidence_writes_input(names({"in"})))));
  BufferUse read = output({1, 1});
  read.loads = {1, 1};
  EXPECT_THAT(facts({read}, {output({1, 1})}), ElementsAre(said(msg::evidence_reads_output(names({"out"})))));
}

TEST(Evidence, ReportsElementsThatAreNotWrittenOrAreReplaced) {
  EXPECT_THAT(facts({output({1, 0})}, {output({1, 1})}),
              ElementsAre(said(msg::evidence_unwritten(msg::elements_one(1), names({"out"}), 1, 2))));
  EXPECT_THAT(facts({output({4, 1})}, {output({1, 1})}),
              ElementsAre(said(msg::evidence_written_times(msg::elements_one(0), names({"out"}), 4))));
  EXPECT_THAT(facts({output({4, 3})}, {output({1, 1})}),
              ElementsAre(said(msg::evidence_written_repeatedly(msg::elements_run(0, 1), names({"out"})))));
  EXPECT_THAT(facts({output({1, 1})}, {output({1, 0})}),
              ElementsAre(said(msg::evidence_overwritten(msg::elements_one(1), names({"out"})))));
  BufferUse added = output({0, 0});
  added.updates = {5, 5};
  EXPECT_THAT(facts({output({5, 5})}, {added}), ElementsAre(said(msg::evidence_replaced(names({"out"})))));
}

TEST(Evidence, ReportsUnreadElementsOfASharedArray) {
  EXPECT_THAT(facts({shared({1, 0}, {1, 1})}, {shared({1, 1}, {1, 1})}),
              ElementsAre(said(msg::evidence_shared_unread(msg::elements_one(1), names({"tile"})))));
  EXPECT_THAT(facts({shared({0, 0}, {1, 1})}, {}),
              ElementsAre(said(msg::evidence_shared_never_read(names({"tile"})))));
  EXPECT_THAT(facts({shared({1, 0}, {1, 1})}, {shared({1, 0}, {1, 1})}), IsEmpty())
      << "the solution leaves some, too";
}

TEST(Evidence, PointsToTheLineOfTheAccess) {
  const auto reasons = reasons_of(std::vector{input({1, 0})}, std::vector{input({1, 1})});
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons.front().where, (SourceLine{"k.cu", 7}));
}

}  // namespace
}  // namespace cudalab::course
