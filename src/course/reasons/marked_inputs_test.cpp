// Tests what runs with chosen inputs say about a sum.
#include "course/reasons/marked_inputs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

lab::Check first_wrong(std::string found, std::string expected) {
  lab::Check check;
  check.mismatches = 1;
  check.first_mismatch = lab::Mismatch{{0}, std::move(found), std::move(expected), false};
  return check;
}

TEST(MarkedInputs, CountTheTermsOfASum) {
  EXPECT_EQ(reason_of_ones(first_wrong("16", "31"))->what, msg::evidence_ones_missing(16, 31, 15));
  EXPECT_EQ(reason_of_ones(first_wrong("32", "31"))->what, msg::evidence_ones_more(32, 31, 1));
  EXPECT_EQ(reason_of_ones(lab::Check{})->what, msg::evidence_ones_right());
  EXPECT_FALSE(reason_of_ones(first_wrong("0.5", "31")));
  EXPECT_FALSE(reason_of_ones(first_wrong("nan", "31")));
  EXPECT_FALSE(reason_of_ones(first_wrong("0", "2"))) << "too few to be a number of terms";
}

Message runs(std::size_t first, std::size_t last, std::size_t period) {
  return msg::elements_runs(period, first, last);
}
Message every(std::size_t step, std::size_t remainder) { return msg::elements_every(step, remainder); }

// A kernel that adds element i of its n elements weights[i % weights.size()] times.
AskForMarks sum_of(std::size_t n, std::vector<int> weights) {
  return [n, weights = std::move(weights)](const lab::MarkedInputs& marks) {
    std::size_t found = 0, expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!marks.has(i)) continue;
      ++expected;
      found += static_cast<std::size_t>(weights[i % weights.size()]);
    }
    lab::Check check;
    check.compared = 1;
    check.mismatches = found != expected;
    if (check.mismatches > 0)
      check.first_mismatch =
          lab::Mismatch{.found = fmt::format("{}", found), .expected = fmt::format("{}", expected)};
    return std::optional(check);
  };
}

TEST(MarkedInputs, ShowWhichTermsAreNotAddedOnce) {
  EXPECT_EQ(reason_of_first_sum(sum_of(4096, {1, 0}), 4096, 256)->what,
            msg::evidence_lost_terms(every(2, 1)));
  const Argument::List remainders{Argument(3), Argument(msg::numbers_run(5, 7))};
  EXPECT_EQ(reason_of_first_sum(sum_of(4096, {1, 1, 1, 0, 1, 0, 0, 0}), 4096, 256)->what.text(),
            msg::evidence_lost_terms(msg::elements_remainders(8, remainders)).text());
  EXPECT_EQ(reason_of_first_sum(sum_of(257, {1, 1, 0}), 257, 96)->what,
            msg::evidence_lost_terms(every(3, 2)));
  EXPECT_EQ(reason_of_first_sum(sum_of(4099, {1, 1, 1, 2, 1, 1}), 4099, 96)->what,
            msg::evidence_repeated_terms(every(6, 3), std::int64_t{2}));
  EXPECT_EQ(reason_of_first_sum(sum_of(4096, {1, 1, 0, 0}), 4096, 256)->what,
            msg::evidence_lost_terms(runs(2, 3, 4)));
  EXPECT_EQ(reason_of_first_sum(sum_of(4096, {2, 1, 1, 1}), 4096, 256)->what,
            msg::evidence_repeated_terms(every(4, 0), std::int64_t{2}));
  std::vector<int> warps(128, 1);
  std::fill(warps.begin() + 32, warps.begin() + 96, 0);
  EXPECT_EQ(reason_of_first_sum(sum_of(4096, warps), 4096, 256)->what,
            msg::evidence_lost_terms(runs(32, 95, 128)));
}

TEST(MarkedInputs, ShowTheFirstTermThatIsNotAddedOnce) {
  std::vector<int> weights(1000, 1);
  weights[700] = 0;
  EXPECT_EQ(reason_of_first_term(sum_of(1000, weights), 1000)->what, msg::evidence_first_term(700u));
  weights[33] = 3;
  EXPECT_EQ(reason_of_first_term(sum_of(1000, weights), 1000)->what, msg::evidence_first_term(33u));
  EXPECT_FALSE(reason_of_first_term(sum_of(1000, {1}), 1000));
}

TEST(MarkedInputs, LeaveRoundingErrorsAsTheReason) {
  const auto wrong = [](std::string found) {
    lab::Check check = first_wrong(std::move(found), "2");
    check.compared = 1;
    return check;
  };
  EXPECT_EQ(reason_of_rounding(wrong("2.000000002"))->what, msg::evidence_rounding("1.0e-09"));
  EXPECT_FALSE(reason_of_rounding(wrong("2.002")));
}

TEST(MarkedInputs, SayNothingOfSumsWithoutAPattern) {
  EXPECT_FALSE(reason_of_first_sum(sum_of(4096, {1}), 4096, 256));
  EXPECT_FALSE(reason_of_first_sum(sum_of(4096, {0}), 4096, 256)) << "no element is special";
  EXPECT_FALSE(reason_of_first_sum(sum_of(4096, {1, 2, 3, 1}), 4096, 256));
  std::vector<int> part(128, 1);
  part[1] = 0;
  EXPECT_FALSE(reason_of_first_sum(sum_of(4096, part), 4096, 256)) << "a part of a class";
}

}  // namespace
}  // namespace cudalab::course
