// The numbers of a cuRAND generator in output order, from any position on.
//
// As cuRAND documents its orderings, the output is interleaved from many subsequences ("columns"). In its
// turn, a column gives 1 number (2 for pairs of normal numbers, 4 for Philox4x32-10); then the next column
// has its turn. Turn t belongs to column t mod columns.
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
  double mean = 0, deviation = 1;  // of the normal distribution (of the logarithm), or the Poisson mean
};

// The number of subsequences that cuRAND 10.4 interleaves for each ordering.
std::uint32_t columns_of(GeneratorKind kind, bool is_legacy);
// How many numbers one turn of a column gives.
unsigned numbers_per_turn(GeneratorKind kind, Distribution distribution);
std::size_t number_bytes(Distribution distribution);
// Integer instructions per number, counted in the generators' formulas, without those of the distribution.
double operations_per_number(GeneratorKind kind, Distribution distribution);

// A position in a sequence: the turn, and how many numbers of this turn have been given (0 to 3; only
// Philox4x32-10 stops within a turn).
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
