// Tests that the first difference between two computations is found, also across threads, and that kernels
// that divide the work differently are not compared.
#include "course/reasons/first_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

constexpr std::uint32_t kIn = 0, kOther = 1, kOut = 2, kTile = 3;

// Line n of k.cu is the line of the event with number n in the thread.
class Trace {
 public:
  Trace() {
    history_.launches.push_back({{1, 1, 1}, {64, 1, 1}});
    history_.buffers = {{"in", MemorySpace::kGlobal},
                        {"other", MemorySpace::kGlobal},
                        {"out", MemorySpace::kGlobal},
                        {"tile", MemorySpace::kShared}};
    for (int line = 0; line < 100; ++line) history_.lines.push_back({"k.cu", line});
  }
  Trace& load(std::uint32_t buffer, std::uint64_t element, float value) {
    return add(AccessEvent::kLoad, buffer, element, value);
  }
  Trace& store(std::uint32_t buffer, std::uint64_t element, float value) {
    return add(AccessEvent::kStore, buffer, element, value);
  }
  Trace& update(std::uint32_t buffer, std::uint64_t element, float value) {
    return add(AccessEvent::kUpdate, buffer, element, value);
  }
  Trace& take(std::uint32_t from, float value) { return add(AccessEvent::kShuffle, 0, from, value); }
  Trace& by(std::uint32_t thread) {
    thread_ = thread;
    line_ = 0;
    return *this;
  }
  const AccessHistory& history() const { return history_; }

 private:
  Trace& add(AccessEvent::Kind kind, std::uint32_t buffer, std::uint64_t element, float value) {
    AccessEvent event{.kind = kind, .bytes = 4, .thread = thread_, .buffer = buffer, .line = ++line_};
    event.element = element;
    event.value = std::bit_cast<std::uint32_t>(value);
    history_.events.push_back(event);
    return *this;
  }
  AccessHistory history_;
  std::uint32_t thread_ = 0, line_ = 0;
};

const TraceWarp kNoTrace = [](std::uint32_t, Dim3, std::uint32_t) { return std::nullopt; };

std::string said(const Trace& found, const Trace& wanted) {
  const auto reason = first_difference(found.history(), wanted.history(), kNoTrace);
  return reason ? with_ids(in_line(*reason)) : "nothing";
}
std::string in(int line, Message what) {
  return with_ids(in_line({std::move(what), SourceLine{"k.cu", line}}));
}

ThreadIndex thread(std::uint32_t x) { return {{x, 0, 0}}; }
BlockIndex block(std::uint32_t x) { return {{x, 0, 0}}; }
Element out(std::int64_t i) { return {"out", {i}}; }

TEST(FirstDifferences, IsNothingForTheSameComputation) {
  const Trace run = Trace().load(kIn, 3, 1).store(kOut, 3, 2);
  EXPECT_EQ(said(run, run), "nothing");
  EXPECT_EQ(said(Trace().load(kIn, 3, 1).store(kOut, 3, 2.000001f), run), "nothing") << "rounding";
}

TEST(FirstDifferences, IsTheElementThatIsRead) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kOther, 0, 2).store(kOut, 0, 3);
  EXPECT_EQ(said(Trace().load(kIn, 0, 1).load(kOther, 8, 5).store(kOut, 0, 6), wanted),
            in(2, msg::difference_loaded(out(0), thread(0), block(0), Element{"other", {8}},
                                         Element{"other", {0}})));
}

TEST(FirstDifferences, IsTheNumberOfElements) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kIn, 1, 2).load(kIn, 2, 3).store(kOut, 0, 6);
  EXPECT_EQ(said(Trace().load(kIn, 0, 1).load(kIn, 1, 2).store(kOut, 0, 3), wanted),
            in(2, msg::difference_count(out(0), thread(0), block(0), 2u, Code{"in"}, 3u)));
}

TEST(FirstDifferences, IsABufferThatTheThreadDoesNotRead) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kOther, 0, 2).store(kOut, 0, 3);
  EXPECT_EQ(said(Trace().load(kIn, 0, 1).load(kIn, 0, 1).store(kOut, 0, 2), wanted),
            in(3, msg::difference_count(out(0), thread(0), block(0), 0u, Code{"other"}, 1u)));
}

// The thread that adds up everything is also the one that reads the wrong buffer.
TEST(FirstDifferences, IsFoundInAnEarlierPartOfTheSameThread) {
  const auto run = [](std::uint32_t buffer, float value) {
    return Trace()
        .load(kIn, 0, 1)
        .load(buffer, 0, value)
        .store(kTile, 0, value)
        .load(kTile, 0, value)
        .store(kOut, 0, value);
  };
  EXPECT_EQ(said(run(kIn, 1), run(kOther, 2)),
            in(3, msg::difference_count(Element{"tile", {0}}, thread(0), block(0), 0u, Code{"other"}, 1u)));
}

// A loop over the terms ends too early, and what follows it is the same.
TEST(FirstDifferences, IsTheNumberOfElementsThoughMoreAreReadLater) {
  const auto run = [](int terms) {
    Trace trace;
    for (int i = 0; i < terms; ++i) trace.load(kIn, static_cast<std::uint64_t>(i), 1);
    return trace.load(kIn, 9, 2).store(kOut, 0, static_cast<float>(terms));
  };
  EXPECT_EQ(said(run(3), run(5)),
            in(3, msg::difference_count(out(0), thread(0), block(0), 4u, Code{"in"}, 6u)));
}

TEST(FirstDifferences, IsAStoreThatIsMissing) {
  const Trace wanted =
      Trace().load(kIn, 0, 1).store(kTile, 0, 1).store(kTile, 0, 0).load(kTile, 0, 0).store(kOut, 0, 0);
  EXPECT_EQ(said(Trace().load(kIn, 0, 1).store(kTile, 0, 1).load(kTile, 0, 1).store(kOut, 0, 1), wanted),
            in(3, msg::difference_stores(thread(0), block(0), Element{"tile", {0}}, 1u, 2u)));
}

// A kernel that reads nothing computes its values from indexes, which a history does not contain.
TEST(FirstDifferences, IsNothingIfNoElementIsRead) {
  EXPECT_EQ(said(Trace().store(kOut, 0, 2), Trace().store(kOut, 0, 3)), "nothing");
}

TEST(FirstDifferences, IsWhatIsComputedFromTheRightElements) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kOther, 0, 2).store(kOut, 0, 3);
  EXPECT_EQ(said(Trace().load(kIn, 0, 1).load(kOther, 0, 2).store(kOut, 0, -1), wanted),
            in(3, msg::difference_computation(thread(0), block(0), out(0))));
}

// Thread 0 adds what threads 0 and 1 left in shared memory; thread 1 has read another element.
TEST(FirstDifferences, IsFoundInTheThreadThatStoredAWrongValue) {
  const auto run = [](std::uint64_t element, float value) {
    return Trace()
        .by(0)
        .load(kIn, 0, 1)
        .store(kTile, 0, 1)
        .by(1)
        .load(kIn, element, value)
        .store(kTile, 1, value)
        .by(0)
        .load(kTile, 0, 1)
        .load(kTile, 1, value)
        .store(kOut, 0, 1 + value);
  };
  EXPECT_EQ(said(run(5, 9), run(1, 2)),
            in(1, msg::difference_loaded(Element{"tile", {1}}, thread(1), block(0), Element{"in", {5}},
                                         Element{"in", {1}})));
}

TEST(FirstDifferences, IsFoundInTheLaneThatAValueCameFrom) {
  const auto run = [](float sum) {
    return Trace().by(1).load(kIn, 1, 2).by(0).load(kIn, 0, 1).take(1, sum).store(kOut, 0, 1 + sum);
  };
  EXPECT_EQ(said(run(4), run(2)),
            in(2, msg::difference_computation(thread(1), block(0), msg::difference_exchanged_value(2))));
  const Trace other_lane = Trace().by(0).load(kIn, 0, 1).take(2, 7).store(kOut, 0, 8);
  EXPECT_EQ(said(other_lane, Trace().by(0).load(kIn, 0, 1).take(1, 2).store(kOut, 0, 3)),
            in(2, msg::difference_lane(thread(0), block(0), 2u, 1u)));
}

TEST(FirstDifferences, IsTheFirstUpdateThatDiffers) {
  const auto run = [](float second) {
    return Trace().by(0).load(kIn, 0, 1).update(kOut, 0, 1).by(1).load(kIn, 1, 2).update(kOut, 0, 1 + second);
  };
  EXPECT_EQ(said(run(4), run(2)), in(2, msg::difference_computation(thread(1), block(0), out(0))));
}

TEST(FirstDifferences, IsTheNumberOfUpdatesIfTheResultGrewAlike) {
  const auto sum_of = [](int updates, float each) {
    Trace trace;
    for (int i = 1; i <= updates; ++i) trace.update(kOut, 0, each * static_cast<float>(i));
    return trace;
  };
  EXPECT_EQ(said(sum_of(8, 3), sum_of(2, 3)), in(8, msg::difference_updates(out(0), 8u, 2u)));
  EXPECT_EQ(said(sum_of(8, 1), sum_of(2, 3)), "nothing")
      << "each thread adds a part of what the solution's add";
}

TEST(FirstDifferences, IsNothingIfTheWorkIsDividedDifferently) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kIn, 1, 2).store(kOut, 0, 3);
  const Trace through_shared = Trace().load(kIn, 0, 1).store(kTile, 0, 1).load(kTile, 0, 1).store(kOut, 0, 1);
  EXPECT_EQ(said(through_shared, wanted), "nothing");
}

// The sum is wrong, but not because its terms are added backwards.
TEST(FirstDifferences, IsNotTheOrderOfTheTerms) {
  const Trace wanted = Trace().load(kIn, 0, 1).load(kIn, 1, 2).load(kIn, 2, 3).store(kOut, 0, 6);
  EXPECT_EQ(said(Trace().load(kIn, 2, 3).load(kIn, 1, 2).load(kIn, 0, 1).store(kOut, 0, 7), wanted),
            in(4, msg::difference_computation(thread(0), block(0), out(0))));
}

// Thread 1 should have written what thread 0 reads.
TEST(FirstDifferences, IsTheStoreThatShouldHaveWrittenAnElement) {
  const auto run = [](std::uint64_t element, float value) {
    return Trace()
        .by(1)
        .load(kIn, 1, 5)
        .store(kTile, element, 5)
        .by(0)
        .load(kTile, 1, value)
        .store(kOut, 0, value);
  };
  EXPECT_EQ(said(run(2, 0), run(1, 5)),
            in(2, msg::difference_stored(thread(1), block(0), Element{"tile", {2}}, Element{"tile", {1}})));
}

TEST(FirstDifferences, BeginWithTheBufferThatIsStoredFirst) {
  const auto run = [](std::uint64_t from, float time) {
    return Trace()
        .load(kIn, from, static_cast<float>(from))
        .store(kOut, 0, static_cast<float>(from))
        .store(kOther, 0, time);
  };
  EXPECT_EQ(
      said(run(3, 8), run(4, 9)),
      in(1, msg::difference_loaded(out(0), thread(0), block(0), Element{"in", {3}}, Element{"in", {4}})));
}

TEST(FirstDifferences, NeedsWholeHistories) {
  AccessHistory part = Trace().load(kIn, 0, 1).store(kOut, 0, 3).history();
  part.is_complete = false;
  EXPECT_FALSE(first_difference(part, Trace().load(kIn, 1, 1).store(kOut, 0, 4).history(), kNoTrace));
}

}  // namespace
}  // namespace cudalab::course
