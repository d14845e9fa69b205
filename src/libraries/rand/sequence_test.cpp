// Tests the order in which a generator takes numbers from its subsequences, and that neither the lengths of
// calls nor the number of threads change the numbers.
#include "libraries/rand/sequence.h"

#include <detail/random_distributions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace cudalab::rand {
namespace {

constexpr std::uint64_t kSeed = 1234;
constexpr GeneratorKind kKinds[] = {GeneratorKind::kXorwow, GeneratorKind::kMrg32k3a, GeneratorKind::kPhilox};

std::unique_ptr<Sequence> begun(GeneratorKind kind, std::uint64_t offset = 0, bool is_legacy = false) {
  return sequence_from(kind, columns_of(kind, is_legacy), kSeed,
                       after({}, offset, numbers_per_turn(kind, Distribution::kBits)));
}

template <class Number>
std::vector<Number> drawn(Sequence& sequence, const Drawing& drawing, std::size_t count,
                          unsigned threads = 1) {
  std::vector<Number> numbers(count);
  sequence.fill(drawing, numbers.data(), count, threads);
  return numbers;
}

std::vector<unsigned> bits(Sequence& sequence, std::size_t count) {
  return drawn<unsigned>(sequence, {Distribution::kBits}, count);
}

template <class State>
unsigned draw(std::uint64_t subsequence, std::uint64_t offset) {
  State state;
  curand_init(kSeed, subsequence, offset, &state);
  return curand(&state);
}

TEST(Sequence, TakesANumberOfEachSubsequenceInTurn) {
  const auto xorwow = bits(*begun(GeneratorKind::kXorwow), 10'000);
  const auto mrg = bits(*begun(GeneratorKind::kMrg32k3a), 100'000);
  const auto legacy = bits(*begun(GeneratorKind::kMrg32k3a, 0, true), 10'000);
  for (const std::size_t n : {0u, 1u, 4095u, 4096u, 9999u}) {
    EXPECT_EQ(xorwow[n], draw<curandStateXORWOW_t>(n % 4096, n / 4096)) << n;
    EXPECT_EQ(legacy[n], draw<curandStateMRG32k3a_t>(n % 4096, n / 4096)) << n;
  }
  for (const std::size_t n : {0u, 4096u, 81919u, 81920u, 99999u})
    EXPECT_EQ(mrg[n], draw<curandStateMRG32k3a_t>(n % 81920, n / 81920)) << n;
}

TEST(Sequence, TakesFourNumbersOfEachPhiloxSubsequence) {
  const auto numbers = bits(*begun(GeneratorKind::kPhilox), 300'000);
  for (const std::size_t n : {0u, 1u, 5u, 262143u, 262144u, 299999u})
    EXPECT_EQ(numbers[n], draw<curandStatePhilox4_32_10_t>(n / 4 % 65536, n / 262144 * 4 + n % 4)) << n;
}

TEST(Sequence, BeginsAtAnOffset) {
  for (const GeneratorKind kind : kKinds) {
    const auto all = bits(*begun(kind), 100'000);
    for (const std::size_t offset : {1u, 3u, 4096u, 90'001u})
      EXPECT_EQ(bits(*begun(kind, offset), 9'000),
                std::vector(all.begin() + offset, all.begin() + offset + 9'000));
  }
}

TEST(Sequence, DoesNotDependOnTheLengthsOfCallsOrOnThreads) {
  for (const GeneratorKind kind : kKinds) {
    const auto whole = bits(*begun(kind), 120'000);
    const auto parts = begun(kind);
    std::vector<unsigned> joined;
    for (const std::size_t count : {1u, 10u, 5000u, 3u, 114'986u}) {
      const auto part = drawn<unsigned>(*parts, {Distribution::kBits}, count, 4);
      joined.insert(joined.end(), part.begin(), part.end());
    }
    EXPECT_EQ(joined, whole);
  }
}

TEST(Sequence, GivesPairsOfNormalNumbersOfOneSubsequence) {
  const auto numbers = drawn<float>(*begun(GeneratorKind::kXorwow), {Distribution::kNormal, 5, 2}, 10);
  curandStateXORWOW_t state;
  curand_init(kSeed, 3, 0, &state);
  const float2 pair = curand_normal2(&state);
  EXPECT_EQ(numbers[6], 5 + 2 * pair.x);
  EXPECT_EQ(numbers[7], 5 + 2 * pair.y);
}

// As in cuRAND, the next call gets the unused ones of four numbers, whatever its distribution.
TEST(Sequence, ContinuesATurnOfPhiloxWithAnotherDistribution) {
  const auto sequence = begun(GeneratorKind::kPhilox);
  bits(*sequence, 3);
  const auto numbers = drawn<float>(*sequence, {Distribution::kUniform}, 2);
  curandStatePhilox4_32_10_t first, second;
  curand_init(kSeed, 0, 0, &first);
  curand_init(kSeed, 1, 0, &second);
  EXPECT_EQ(numbers[0], curand_uniform4(&first).w);
  EXPECT_EQ(numbers[1], curand_uniform(&second));
}

TEST(Sequence, HasTheMomentsOfPoissonNumbers) {
  for (const GeneratorKind kind : kKinds)
    for (const double mean : {0.5, 30.0, 300.0, 5000.0}) {
      const auto numbers = drawn<unsigned>(*begun(kind), {Distribution::kPoisson, mean}, 20'000);
      double sum = 0, squares = 0;
      for (const unsigned x : numbers) sum += x, squares += (x - mean) * (x - mean);
      const double tolerance = 5 * std::sqrt(mean / 20'000);  // five standard errors
      EXPECT_NEAR(sum / 20'000, mean, tolerance);
      EXPECT_NEAR(squares / 20'000 / mean, 1, 0.06);
    }
}

TEST(Positions, CountTurnsAndNumbersWithinTheLastTurn) {
  EXPECT_EQ(after({2, 3}, 6, 4).turn, 4u);
  EXPECT_EQ(after({2, 3}, 6, 4).given, 1u);
  EXPECT_EQ(after({7, 0}, 6, 2).turn, 10u);
}

}  // namespace
}  // namespace cudalab::rand
