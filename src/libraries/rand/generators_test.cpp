// Tests cuRAND's generators against the values that their authors published, and skips against other ways to
// compute the same states.
#include <detail/random_distributions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace cudalab::rand {
namespace {

using testing::ElementsAre;

template <class State>
std::vector<unsigned> draws(State state, int count) {
  std::vector<unsigned> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(curand(&state));
  return numbers;
}

template <class State>
State seeded(unsigned long long seed, unsigned long long subsequence = 0, unsigned long long offset = 0) {
  State state;
  curand_init(seed, subsequence, offset, &state);
  return state;
}

// The first numbers of the program in Marsaglia's "Xorshift RNGs", section 4, with its initial values.
TEST(Generators, XorwowGivesMarsagliasNumbers) {
  curandStateXORWOW_t state{};
  state.d = 6615241;
  const unsigned published[] = {123456789, 362436069, 521288629, 88675123, 5783321};
  std::copy(std::begin(published), std::end(published), state.v);
  EXPECT_THAT(draws(state, 5), ElementsAre(246875399u, 3690007200u, 1264581005u, 3906711041u, 1866187943u));
}

// Known answers of philox4x32-10 in Random123.
TEST(Generators, PhiloxGivesTheKnownAnswersOfItsAuthors) {
  const auto philox = [](uint4 counter, uint2 key) {
    const uint4 x = cudalab_philox(counter, key);
    return std::array{x.x, x.y, x.z, x.w};
  };
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

// The first numbers of RngStreams (L'Ecuyer et al.), which also uses the initial values 12345. RngStreams
// divides by m1 + 1; cuRAND divides by m1.
TEST(Generators, Mrg32k3aGivesLEcuyersNumbers) {
  auto state = seeded<curandStateMRG32k3a_t>(0);
  for (const double published : {0.127011122046577, 0.318527565396794, 0.309186015832701, 0.825846862527144})
    EXPECT_NEAR(curand_uniform_double(&state), published, 1e-9);
}

// Recorded from NVIDIA's curand_kernel.h of CUDA 13.0.
TEST(Generators, GiveNvidiasNumbersForSeedsSubsequencesAndOffsets) {
  EXPECT_THAT(draws(seeded<curandStateXORWOW_t>(0), 3), ElementsAre(3179217846u, 1883133293u, 2220552389u));
  EXPECT_THAT(draws(seeded<curandStateXORWOW_t>(1234, 567, 89), 3),
              ElementsAre(1009610723u, 871497720u, 3169459720u));
  EXPECT_THAT(draws(seeded<curandStatePhilox4_32_10_t>(0), 3),
              ElementsAre(1713891541u, 3781805453u, 3159862348u));
  EXPECT_THAT(draws(seeded<curandStatePhilox4_32_10_t>(1234, 567, 89), 3),
              ElementsAre(2953854097u, 3828711326u, 2861993065u));
  EXPECT_THAT(draws(seeded<curandStateMRG32k3a_t>(0), 3), ElementsAre(545508615u, 1368065476u, 1327943825u));
  EXPECT_THAT(draws(seeded<curandStateMRG32k3a_t>(1234, 567, 89), 3),
              ElementsAre(1519651064u, 3458077486u, 348687583u));
}

template <class State>
class Skips : public testing::Test {};
using States = testing::Types<curandStateXORWOW_t, curandStatePhilox4_32_10_t, curandStateMRG32k3a_t>;
TYPED_TEST_SUITE(Skips, States);

TYPED_TEST(Skips, EqualDraws) {
  for (const int distance : {0, 1, 3, 4, 15, 16, 17, 255, 4096, 5000}) {
    auto skipped = seeded<TypeParam>(7, 1), drawn = skipped;
    skipahead(distance, &skipped);
    for (int i = 0; i < distance; ++i) curand(&drawn);
    EXPECT_EQ(draws(skipped, 6), draws(drawn, 6)) << distance;
  }
}

TYPED_TEST(Skips, AddUp) {
  const unsigned long long a = 0x123456789abcdefull, b = 0x0fedcba987654321ull;
  auto once = seeded<TypeParam>(7), twice = once;
  skipahead(a + b, &once);
  skipahead(a, &twice), skipahead(b, &twice);
  EXPECT_EQ(draws(once, 6), draws(twice, 6));
  skipahead_sequence(a + b, &once);
  skipahead_sequence(a, &twice), skipahead_sequence(b, &twice);
  EXPECT_EQ(draws(once, 6), draws(twice, 6));
}

// A linear map of XORWOW's 160 bits: the image of each bit.
using Map = std::array<std::array<unsigned, 5>, 160>;

std::array<unsigned, 5> image(const Map& map, const unsigned* v) {
  std::array<unsigned, 5> result{};
  for (int bit = 0; bit < 160; ++bit)
    if (v[bit / 32] >> bit % 32 & 1)
      for (int i = 0; i < 5; ++i) result[i] ^= map[bit][i];
  return result;
}

TEST(Skips, OfAXorwowSubsequenceEqualTheStepMatrixSquared67Times) {
  Map power;
  for (int bit = 0; bit < 160; ++bit) {
    power[bit] = {};
    power[bit][bit / 32] = 1u << bit % 32;
    cudalab_xorwow_step(power[bit].data());
  }
  for (int i = 0; i < 67; ++i) {
    Map square;
    for (int bit = 0; bit < 160; ++bit) square[bit] = image(power, power[bit].data());
    power = square;
  }
  auto state = seeded<curandStateXORWOW_t>(99);
  const auto expected = image(power, state.v);
  skipahead_sequence(1, &state);
  EXPECT_THAT(state.v, testing::ElementsAreArray(expected));
}

// A subsequence is 2^76 steps long, computed here as 2^26 times 2^50.
TEST(Skips, OfAMrg32k3aSubsequenceEqualManySteps) {
  auto once = seeded<curandStateMRG32k3a_t>(99, 1), stepwise = seeded<curandStateMRG32k3a_t>(99);
  cudalab_mrg_skip<50>(1ull << 26, &stepwise);
  EXPECT_EQ(draws(once, 6), draws(stepwise, 6));
}

TEST(Skips, OfPhiloxCarryIntoTheUpperHalfOfTheCounter) {
  auto skipped = seeded<curandStatePhilox4_32_10_t>(5), next = seeded<curandStatePhilox4_32_10_t>(5, 1);
  for (int i = 0; i < 4; ++i) skipahead(1ull << 63, &skipped);
  for (int i = 0; i < 4; ++i) skipahead(1ull << 63, &skipped);
  EXPECT_EQ(draws(skipped, 6), draws(next, 6));
}

// curand_normal() returns the second number of a pair without another draw, unless another distribution was
// used in between.
TEST(Distributions, KeepTheSecondNumberOfAPair) {
  auto state = seeded<curandStateXORWOW_t>(3), pair = state;
  const float2 both = curand_normal2(&pair);
  EXPECT_EQ(curand_normal(&state), both.x);
  EXPECT_EQ(curand_normal(&state), both.y);
  EXPECT_EQ(curand(&state), curand(&pair));
}

TEST(Distributions, DiscardTheSecondNumberForAnotherDistribution) {
  auto state = seeded<curandStateXORWOW_t>(3), pairs = state;
  curand_normal2(&pairs);
  const float2 second = curand_log_normal2(&pairs, 0, 1);
  curand_normal(&state);
  EXPECT_EQ(curand_log_normal(&state, 0, 1), second.x);
}

}  // namespace
}  // namespace cudalab::rand
