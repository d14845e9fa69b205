// Tests why the check of an exercise rejects a kernel, in which order it checks, and which sentence it
// reports.
#include "course/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/diagnostics/message_testing.h"
#include "core/work_budget.h"
#include "course/sample_exercise_testing.h"

namespace cudalab::course {
namespace {

using testing::HasSubstr;

class Check : public testing::Test {
 protected:
  void SetUp() override {
    write_course(folder.path());
    exercise = load_exercise(folder / "double/exercise/twice-each", lab);
    device.kernels["twice"] = multiply(2);
  }
  ExerciseCheck check(const std::string& kernel, std::uint64_t seed = 1) {
    write_text(folder / "mine.cu", kernel);
    const lab::Machine machine{device, lab::FakeDevice::compile, folder.path(), {"a processor", 1, 1u << 30}};
    settings.seed = seed;
    return check_exercise(exercise, lab, folder / "mine.cu", settings, machine);
  }
  static const CheckPart& missed(const ExerciseCheck& check) {
    for (const CheckPart& part : check.parts)
      if (part.outcome == CheckPart::kMissed) return part;
    throw std::out_of_range("nothing was missed");
  }
  // A kernel that behaves like `then`, and is reported with a hazard if there are `count` elements.
  static Kernel with_hazard(HazardKind kind, std::size_t count, Kernel then) {
    return [=](lab::FakeDevice& device, const device::Launch& launch, LaunchResult& result) {
      then(device, launch, result);
      if (device.at<float>(launch.arguments[0]).size() != count) return;
      Hazard hazard;
      hazard.kind = kind;
      hazard.kernel = "mine";
      hazard.what = Message::verbatim("does what it must not");
      hazard.fix = Message::verbatim("do it otherwise");
      hazard.where = {launch.kernel->name, 3};
      if (kind == HazardKind::kSharedRace) hazard.other = {launch.kernel->name, 7};
      result.hazards.push_back(hazard);
    };
  }

  TemporaryFolder folder;
  lab::Lab lab = doubling_lab();
  lab::FakeDevice device{false};
  Exercise exercise;
  CheckSettings settings;
};

TEST_F(Check, ARightKernelPasses) {
  const ExerciseCheck found = check("twice");
  EXPECT_TRUE(found.passed) << found.rejected_by;
  EXPECT_EQ(found.rejected_by, "");
  ASSERT_EQ(found.parts.size(), 4u);
  for (const CheckPart& part : found.parts) EXPECT_EQ(part.outcome, CheckPart::kMet) << part.name;
  EXPECT_EQ(found.parts[3].name, "few requests");
}

TEST_F(Check, EachCaseRunsOnceAndNothingElseDoes) {
  int launches = 0;
  device.kernels["counting"] = [&](lab::FakeDevice& fake, const device::Launch& launch,
                                   LaunchResult& result) {
    ++launches;
    multiply(2)(fake, launch, result);
  };
  EXPECT_TRUE(check("counting").passed);
  EXPECT_EQ(launches, 3);
}

TEST_F(Check, ACompileErrorNamesItsLine) {
  const ExerciseCheck found = check("error: a brace is missing");
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.rejected_by, "does not compile");
  EXPECT_EQ(missed(found).name, "compiles");
  EXPECT_THAT(missed(found).sentence,
              testing::AllOf(IsMessage("compiler_message"), HasArgument("problem", "a brace is missing")));
  ASSERT_TRUE(missed(found).where);
  EXPECT_EQ(missed(found).where->line, 1);
  EXPECT_EQ(found.parts[1].outcome, CheckPart::kNotReached);
}

TEST_F(Check, AWrongResultNamesTheOptions) {
  device.kernels["short"] = multiply(2, 66);
  const ExerciseCheck found = check("short");
  EXPECT_EQ(found.rejected_by, "wrong result");
  EXPECT_EQ(found.parts[1].outcome, CheckPart::kMet);
  EXPECT_EQ(describe(missed(found).on.value()), "count 67, type f32");
  EXPECT_THAT(missed(found).sentence,
              testing::AllOf(IsMessage("first_unwritten", {{"element", "[66]"}}),
                             MentionsMessage("elements_wrong", {{"count", 1}, {"compared", 67}})));
  EXPECT_EQ(found.parts[3].outcome, CheckPart::kNotReached);
}

TEST_F(Check, AHazardInALaterCaseComesBeforeAWrongResult) {
  device.kernels["racing"] = with_hazard(HazardKind::kSharedRace, 67, multiply(3));
  const ExerciseCheck found = check("racing");
  EXPECT_EQ(found.rejected_by, "hazard: shared_race");
  EXPECT_THAT(missed(found).sentence,
              HasSubstr("`mine` does what it must not (block 0, 0, 0, thread 0, 0, 0)"));
  EXPECT_EQ(missed(found).advice, Message::verbatim("do it otherwise"));
  EXPECT_EQ(missed(found).where->line, 3);
  EXPECT_EQ(missed(found).other.value().line, 7);
}

TEST_F(Check, AHazardDoesNotHideHowManyElementsAreWrong) {
  device.kernels["racing"] = with_hazard(HazardKind::kSharedRace, 67, multiply(2, 60));
  const ExerciseCheck found = check("racing");
  EXPECT_EQ(found.rejected_by, "hazard: shared_race");
  EXPECT_EQ(found.parts[2].outcome, CheckPart::kMissed);
  EXPECT_THAT(found.parts[2].sentence,
              testing::AllOf(HasArgument("element", "[60]"),
                             MentionsMessage("elements_wrong", {{"count", 7}, {"compared", 67}})));
  EXPECT_EQ(describe(found.parts[2].on.value()), "count 67, type f32");
  device.kernels["racing"] = with_hazard(HazardKind::kSharedRace, 67, multiply(2));
  EXPECT_EQ(check("racing").parts[2].outcome, CheckPart::kNotReached);
}

TEST_F(Check, AWrongResultDoesNotBlameTheLineThatStoresIt) {
  device.kernels["short"] = [](lab::FakeDevice& fake, const device::Launch& launch, LaunchResult& result) {
    multiply(2, 66)(fake, launch, result);
    LineAccess store;
    store.kind = AccessKind::kStore;
    store.where = {"mine.cu", 4};
    result.accesses = {store};
  };
  EXPECT_FALSE(missed(check("short")).where);
}

TEST_F(Check, AllLaunchesShareOneBudget) {
  std::set<const ProcessorBudget*> budgets;
  device.kernels["watching"] = [&](lab::FakeDevice& fake, const device::Launch& launch,
                                   LaunchResult& result) {
    budgets.insert(launch.options.budget);
    multiply(2)(fake, launch, result);
  };
  EXPECT_TRUE(check("watching").passed);
  ASSERT_EQ(budgets.size(), 1u);
  EXPECT_NE(*budgets.begin(), nullptr);
  budgets.clear();
  settings.steps = 0;
  EXPECT_TRUE(check("watching").passed);
  EXPECT_EQ(budgets, std::set<const ProcessorBudget*>{nullptr});
}

TEST_F(Check, TheBudgetIsCountedInStepsAndTimeOnlyOnRequest) {
  std::set<std::pair<std::uint64_t, double>> limits;
  device.kernels["watching"] = [&](lab::FakeDevice& fake, const device::Launch& launch,
                                   LaunchResult& result) {
    limits.emplace(launch.options.budget->steps(), launch.options.budget->seconds());
    multiply(2)(fake, launch, result);
  };
  check("watching");
  settings.steps = 0;
  settings.processor_seconds = 3;
  check("watching");
  EXPECT_EQ(limits, (std::set<std::pair<std::uint64_t, double>>{{kStepsOfACheck, ProcessorBudget::kAnyTime},
                                                                {ProcessorBudget::kAnySteps, 3}}));
}

TEST_F(Check, WarningsAreShownIfTheCheckFails) {
  EXPECT_TRUE(check("twice\n//warns").warnings.empty());
  device.kernels["short"] = multiply(2, 66);
  const ExerciseCheck found = check("short\n//warns");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_THAT(found.warnings[0].where.file, testing::EndsWith("mine.cu"));
  EXPECT_EQ(found.warnings[0].where.line, 1);
  EXPECT_EQ(found.warnings[0].said, "variable \"x\" was set but never used");
}

TEST_F(Check, AHazardInTheCaseOfACriterionCounts) {
  device.kernels["late"] = with_hazard(HazardKind::kOutOfBounds, 1000, multiply(2));
  EXPECT_EQ(check("late").rejected_by, "hazard: out_of_bounds");
}

TEST_F(Check, AnEndlessLoopIsStopped) {
  device.kernels["endless"] = with_hazard(HazardKind::kStepLimit, 1, multiply(2));
  EXPECT_EQ(check("endless").rejected_by, "stopped");
}

TEST_F(Check, AMissedCriterionNamesReasonAndLine) {
  device.kernels["chatty"] = [](lab::FakeDevice& fake, const device::Launch& launch, LaunchResult& result) {
    multiply(2)(fake, launch, result);
    result.counters->set(Counter::kGlobalLoadRequests, 64);
    LineAccess good, bad, shared;
    good.kind = bad.kind = shared.kind = AccessKind::kLoad;
    good.where.line = 4, bad.where.line = 5, shared.where.line = 6;
    good.requests = bad.requests = shared.requests = 32;
    good.fewest_transactions = bad.fewest_transactions = good.transactions = 128;
    bad.transactions = 1024;
    shared.space = MemorySpace::kShared;
    shared.transactions = 9999;
    result.accesses = {good, bad, shared};
  };
  const ExerciseCheck found = check("chatty");
  EXPECT_EQ(found.rejected_by, "few requests");
  EXPECT_EQ(missed(found).sentence, Message::of_course("it makes 64 requests"));
  EXPECT_EQ(missed(found).where.value().line, 5);
  EXPECT_EQ(describe(missed(found).on.value()), "count 1000");
}

TEST_F(Check, AConstantAnswerDoesNotPassWithAnotherSeed) {
  std::vector<float> first;  // the output of the correct kernel for seed 1
  device.kernels["remembering"] = [&](lab::FakeDevice& fake, const device::Launch& launch,
                                      LaunchResult& result) {
    multiply(2)(fake, launch, result);
    const auto out = fake.at<float>(launch.arguments[1]);
    if (first.size() < 1000 && out.size() == 1000) first.assign(out.begin(), out.end());
    if (out.size() == 1000) std::copy(first.begin(), first.end(), out.begin());
  };
  EXPECT_TRUE(check("remembering", 1).passed);
  EXPECT_EQ(check("remembering", 2).rejected_by, "wrong result");
}

// ---- drawn cases

Ranges counts_to(std::int64_t most) {
  return {.ranges = {{.option = "count", .least = 1, .most = most}}, .together = {}};
}

TEST_F(Check, ADrawnCaseFindsAMistakeThatFixedCasesMiss) {
  device.kernels["short"] = multiply(2, 3000);  // enough for all cases of the exercise
  EXPECT_TRUE(check("short").passed);
  exercise.ranges = counts_to(9000);
  EXPECT_EQ(check("short").rejected_by, "wrong result");
  EXPECT_TRUE(check("twice").passed);
}

// The outputs are correct: only the hazard shows that the kernel is wrong.
TEST_F(Check, AHazardInADrawnCaseRejects) {
  device.kernels["sly"] = [](lab::FakeDevice& fake, const device::Launch& launch, LaunchResult& result) {
    multiply(2)(fake, launch, result);
    if (fake.at<float>(launch.arguments[0]).size() <= 3000) return;
    Hazard hazard;
    hazard.kind = HazardKind::kOutOfBounds;
    hazard.kernel = "mine";
    hazard.what = Message::verbatim("writes behind the end");
    hazard.where = {launch.kernel->name, 3};
    result.hazards.push_back(hazard);
  };
  EXPECT_TRUE(check("sly").passed) << "the exercise's own cases do not show it";
  exercise.ranges = counts_to(9000);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ExerciseCheck found = check("sly", seed);
    EXPECT_FALSE(found.passed);
    EXPECT_THAT(found.rejected_by, HasSubstr("hazard")) << seed;
  }
}

TEST_F(Check, ADrawnCaseThatFailsShrinks) {
  device.kernels["short"] = multiply(2, 3000);
  exercise.ranges = counts_to(9000);
  for (const std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_EQ(describe(missed(check("short", seed)).on.value()), "count 3001");
}

TEST_F(Check, AKernelThatIsWrongForOneRemainderIsFoundWithAnySeed) {
  device.kernels["odd"] = [](lab::FakeDevice& fake, const device::Launch& launch, LaunchResult& result) {
    multiply(fake.at<float>(launch.arguments[0]).size() % 29 == 11 ? 3 : 2)(fake, launch, result);
  };
  EXPECT_TRUE(check("odd").passed) << "the exercise's own cases do not show it";
  exercise.ranges = counts_to(9000);
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    EXPECT_EQ(describe(missed(check("odd", seed)).on.value()), "count 11");
}

TEST_F(Check, AnInstructorsOwnCasesRunToo) {
  device.kernels["short"] = multiply(2, 3000);
  settings.cases = {{{"count", std::int64_t{5000}}}};
  EXPECT_EQ(describe(missed(check("short")).on.value()), "count 5000");
}

TEST_F(Check, TheCaseOfACriterionMayBeDrawn) {
  exercise.criteria[0].drawn_from = counts_to(9000);
  exercise.criteria[0].criterion.formula = "count + 1";
  std::set<std::size_t> counts;
  device.kernels["counting"] = [&](lab::FakeDevice& fake, const device::Launch& launch,
                                   LaunchResult& result) {
    multiply(2)(fake, launch, result);
    counts.insert(fake.at<float>(launch.arguments[0]).size());
    result.counters->set(Counter::kGlobalLoadRequests,
                         static_cast<double>(fake.at<float>(launch.arguments[0]).size()));
  };
  EXPECT_TRUE(check("counting", 1).passed);
  EXPECT_TRUE(check("counting", 2).passed);
  EXPECT_EQ(counts.size(), 4u);  // two of the exercise, and one per seed
  exercise.criteria[0].criterion.formula = "count - 1";
  EXPECT_EQ(check("counting").rejected_by, "few requests");
}

}  // namespace
}  // namespace cudalab::course
