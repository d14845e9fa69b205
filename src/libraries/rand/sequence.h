// The numbers of a cuRAND generator in the order of its output, from any position on.
//
// As cuRAND documents its orderings, the output is interleaved from many subsequences ("columns"): each turn
// of a column gives 1 number (a pair of normal numbers: 2; Philox4x32-10: 4), then it is the next column's
// turn. Turn t belongs to column t mod columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cudalab::rand {

enum class GeneratorKind : std::uint8_t { kXorwow, kMrg32k3a, kPhilox };

enum class Distribution : std::uint8_t {
  kBits,             // unsigned int
  kUniform,          // float
  kUniformDouble,    // double
  kNormal,           // float
  kNormalDouble,     // double
  kLogNormal,        // float
  kLogNormalDouble,  // double
  kPoisson,          // unsigned int
};

struct Drawing {
  Distribution distribution = Distribution::kBits;
  double mean = 0, deviation = 1;  // of the (logarithm's) normal distribution; Poisson: the mean alone
};

// Of the subsequences that cuRAND 10.4 interleaves for each ordering.
std::uint32_t columns_of(GeneratorKind kind, bool is_legacy);
// Numbers that one turn of a column gives.
unsigned numbers_per_turn(GeneratorKind kind, Distribution distribution);
std::size_t number_bytes(Distribution distribution);
// Integer instructions per number, counted in the generators' formulas; the distribution's own are left out.
double operations_per_number(GeneratorKind kind, Distribution distribution);

// Where a sequence stands: `turn`, and how many numbers of this turn were given (Philox4x32-10 alone: 0 to
// 3).
struct Position {
  std::uint64_t turn = 0;
  unsigned given = 0;
};
Position after(Position position, std::size_t count, unsigned per_turn);

class Sequence {
 public:
  virtual ~Sequence() = default;
  // Writes the next `count` numbers. Their values do not depend on `threads`.
  virtual void fill(const Drawing& drawing, void* output, std::size_t count, unsigned threads) = 0;
};

std::unique_ptr<Sequence> sequence_from(GeneratorKind kind, std::uint32_t columns, std::uint64_t seed,
                                        Position position);

}  // namespace cudalab::rand
