// Fills memory from interleaved subsequences. Host threads divide the columns among themselves, so each state
// is used by one thread.
#include "libraries/rand/sequence.h"

#include <detail/random_distributions.h>

#include <algorithm>
#include <array>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace cudalab::rand {
namespace {

template <class State>
inline constexpr bool kGivesFours = std::is_same_v<State, curandStatePhilox4_32_10_t>;

void next_subsequence(curandStateXORWOW_t& state) { skipahead_sequence(1, &state); }
void next_subsequence(curandStatePhilox4_32_10_t& state) { skipahead_sequence(1, &state); }
void next_subsequence(curandStateMRG32k3a_t& state) { skipahead_subsequence(1, &state); }

// ---- one turn of a column ----------------------------------------------------------------------------
template <class State>
auto bits(State& state, const Drawing&) {
  if constexpr (kGivesFours<State>) {
    const uint4 x = curand4(&state);
    return std::array{x.x, x.y, x.z, x.w};
  } else {
    return std::array{curand(&state)};
  }
}
template <class State>
auto uniform(State& state, const Drawing&) {
  if constexpr (kGivesFours<State>) {
    const float4 x = curand_uniform4(&state);
    return std::array{x.x, x.y, x.z, x.w};
  } else {
    return std::array{curand_uniform(&state)};
  }
}
template <class State>
auto uniform_double(State& state, const Drawing&) {
  if constexpr (kGivesFours<State>) {
    const double4 x = curand_uniform4_double(&state);
    return std::array{x.x, x.y, x.z, x.w};
  } else {
    return std::array{curand_uniform_double(&state)};
  }
}
template <class State>
auto normal(State& state, const Drawing& drawing) {
  const auto mean = static_cast<float>(drawing.mean), deviation = static_cast<float>(drawing.deviation);
  if constexpr (kGivesFours<State>) {
    const float4 x = curand_normal4(&state);
    return std::array{mean + deviation * x.x, mean + deviation * x.y, mean + deviation * x.z,
                      mean + deviation * x.w};
  } else {
    const float2 x = curand_normal2(&state);
    return std::array{mean + deviation * x.x, mean + deviation * x.y};
  }
}
template <class State>
auto normal_double(State& state, const Drawing& drawing) {
  const double mean = drawing.mean, deviation = drawing.deviation;
  if constexpr (kGivesFours<State>) {
    const double4 x = curand_normal4_double(&state);
    return std::array{mean + deviation * x.x, mean + deviation * x.y, mean + deviation * x.z,
                      mean + deviation * x.w};
  } else {
    const double2 x = curand_normal2_double(&state);
    return std::array{mean + deviation * x.x, mean + deviation * x.y};
  }
}
template <class State>
auto log_normal(State& state, const Drawing& drawing) {
  auto numbers = normal(state, drawing);
  for (float& x : numbers) x = expf(x);
  return numbers;
}
template <class State>
auto log_normal_double(State& state, const Drawing& drawing) {
  auto numbers = normal_double(state, drawing);
  for (double& x : numbers) x = exp(x);
  return numbers;
}
// Maps 32 random bits to a Poisson-distributed number: the smallest number whose cumulative probability
// exceeds them.
class PoissonQuantiles {
 public:
  explicit PoissonQuantiles(double mean) {
    constexpr double kSpread = 12;  // standard deviations; the probability beyond is less than 2^-32
    const double reach = kSpread * (sqrt(mean) + 1);
    first_ = static_cast<unsigned>(std::max(0.0, mean - reach));
    double sum = 0;
    for (unsigned k = first_; k <= mean + reach; ++k)
      cumulative_.push_back(sum += exp(k * log(mean) - mean - lgamma(k + 1.0)));
  }
  unsigned operator()(unsigned bits) const {
    const auto found = std::ranges::upper_bound(cumulative_, (bits + 0.5) * 0x1p-32);
    return first_ + static_cast<unsigned>(found - cumulative_.begin());
  }

 private:
  unsigned first_ = 0;
  std::vector<double> cumulative_{};
};

// From this mean on, the number is a rounded normal number, as in cuRAND.
constexpr double kManyPoisson = 2000;

template <class State>
auto poisson_of_normal(State& state, const Drawing& drawing) {
  const auto rounded = [&](float x) {
    return static_cast<unsigned>(sqrt(drawing.mean) * x + drawing.mean + 0.5);
  };
  if constexpr (kGivesFours<State>) {
    const float4 x = curand_normal4(&state);
    return std::array{rounded(x.x), rounded(x.y), rounded(x.z), rounded(x.w)};
  } else {
    return std::array{rounded(curand_normal2(&state).x)};
  }
}

// ---- all turns ---------------------------------------------------------------------------------------
// Calls body(begin, end) for parts of `count` on up to `threads` threads.
template <class Body>
void in_parts(std::size_t count, std::size_t least_part, unsigned threads, const Body& body) {
  const std::size_t parts = std::clamp<std::size_t>(count / least_part, 1, std::max(threads, 1u));
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < parts; ++i)
    helpers.emplace_back([&, i] { body(count * i / parts, count * (i + 1) / parts); });
  body(0, count / parts);
}

template <class State>
class Interleaved final : public Sequence {
 public:
  Interleaved(std::uint32_t columns, std::uint64_t seed, Position position)
      : columns_(columns), seed_(seed), first_turn_(position.turn), given_(position.given) {}

  void fill(const Drawing& drawing, void* output, std::size_t count, unsigned threads) override {
    switch (drawing.distribution) {
      case Distribution::kBits: return turns(bits<State>, drawing, output, count, threads);
      case Distribution::kUniform: return turns(uniform<State>, drawing, output, count, threads);
      case Distribution::kUniformDouble: return turns(uniform_double<State>, drawing, output, count, threads);
      case Distribution::kNormal: return turns(normal<State>, drawing, output, count, threads);
      case Distribution::kNormalDouble: return turns(normal_double<State>, drawing, output, count, threads);
      case Distribution::kLogNormal: return turns(log_normal<State>, drawing, output, count, threads);
      case Distribution::kLogNormalDouble:
        return turns(log_normal_double<State>, drawing, output, count, threads);
      case Distribution::kPoisson: return fill_poisson(drawing, output, count, threads);
    }
  }

 private:
  // The state of the column whose first turn here is first_turn_ + index.
  State state_at(std::size_t index) const {
    constexpr unsigned draws_per_turn = kGivesFours<State> ? 4 : 1;
    const std::uint64_t turn = first_turn_ + index;
    State state;
    curand_init(seed_, turn % columns_, turn / columns_ * draws_per_turn, &state);
    return state;
  }

  void fill_poisson(const Drawing& drawing, void* output, std::size_t count, unsigned threads) {
    if (drawing.mean >= kManyPoisson) return turns(poisson_of_normal<State>, drawing, output, count, threads);
    const auto draw = [quantiles = PoissonQuantiles(drawing.mean)](State& state, const Drawing& given) {
      auto numbers = bits(state, given);
      for (unsigned& x : numbers) x = quantiles(x);
      return numbers;
    };
    turns(draw, drawing, output, count, threads);
  }

  // Initializes the state of a column before its first turn, because small outputs use few columns.
  void prepare(std::size_t count, unsigned threads) {
    const std::size_t before = states_.size(), more = std::min<std::size_t>(count, columns_);
    if (more <= before) return;
    states_.resize(more);
    constexpr std::size_t kLeastPart = 256;
    in_parts(more - before, kLeastPart, threads, [&](std::size_t begin, std::size_t end) {
      State state;
      for (std::size_t i = before + begin; i < before + end; ++i) {
        const bool is_new_row = (first_turn_ + i) % columns_ == 0;
        if (i == before + begin || is_new_row)
          state = state_at(i);
        else
          next_subsequence(state);
        states_[i] = state;
      }
    });
  }

  template <class Draw>
  void turns(const Draw& draw, const Drawing& drawing, void* output, std::size_t count, unsigned threads) {
    using Numbers = decltype(draw(std::declval<State&>(), drawing));
    using Number = typename Numbers::value_type;
    constexpr std::size_t per_turn = std::tuple_size_v<Numbers>;
    auto* const numbers = static_cast<Number*>(output);
    const std::size_t all = given_ + count, last = (all + per_turn - 1) / per_turn;
    prepare(turns_done_ + last, threads);
    const auto turn = [&](State& state, std::size_t index) {
      const std::size_t begin = index * per_turn;
      const bool is_whole = begin >= given_ && begin + per_turn <= all;
      if (is_whole) {
        const Numbers drawn = draw(state, drawing);
        std::copy_n(drawn.begin(), per_turn, numbers + (begin - given_));
        return;
      }
      State next = state;
      const Numbers drawn = draw(next, drawing);
      for (std::size_t i = std::max<std::size_t>(begin, given_); i < std::min(begin + per_turn, all); ++i)
        numbers[i - given_] = drawn[i - begin];
      if (begin + per_turn <= all) state = next;  // a partly used turn is repeated by the next call
    };
    constexpr std::size_t kLeastPart = 64;
    const std::size_t states = std::min<std::size_t>(last, columns_), at = turns_done_ % columns_;
    in_parts(states, kLeastPart, last < kFewTurns ? 1 : threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = 0; row < last; row += columns_)
        for (std::size_t i = row + begin; i < std::min(row + end, last); ++i)
          turn(states_[(at + i) % columns_], i);
    });
    turns_done_ += all / per_turn;
    given_ = all % per_turn;
  }

  static constexpr std::size_t kFewTurns = 1 << 14;  // this many turns take less time than starting threads
  std::uint32_t columns_ = 0;
  std::uint64_t seed_ = 0, first_turn_ = 0;
  std::size_t turns_done_ = 0;  // since first_turn_
  unsigned given_ = 0;
  std::vector<State> states_{};  // element i: the state of turn first_turn_ + i
};

struct GeneratorFigures {
  std::uint32_t columns, legacy_columns;
  double operations;  // per 32 bits
};
// Indexed by GeneratorKind. The numbers of columns are those of NVIDIA's cuRAND 10.4, found by searching its
// output for the values of subsequences. Its documentation states them for XORWOW and for the legacy
// orderings.
constexpr GeneratorFigures kGenerators[] = {{4096, 4096, 9}, {81920, 4096, 20}, {65536, 65536, 20}};

const GeneratorFigures& figures(GeneratorKind kind) { return kGenerators[static_cast<std::size_t>(kind)]; }

bool is_normal(Distribution distribution) {
  return distribution >= Distribution::kNormal && distribution <= Distribution::kLogNormalDouble;
}

}  // namespace

std::uint32_t columns_of(GeneratorKind kind, bool is_legacy) {
  return is_legacy ? figures(kind).legacy_columns : figures(kind).columns;
}

unsigned numbers_per_turn(GeneratorKind kind, Distribution distribution) {
  if (kind == GeneratorKind::kPhilox) return 4;
  return is_normal(distribution) ? 2 : 1;
}

std::size_t number_bytes(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniformDouble:
    case Distribution::kNormalDouble:
    case Distribution::kLogNormalDouble: return sizeof(double);
    default: return sizeof(float);
  }
}

double operations_per_number(GeneratorKind kind, Distribution distribution) {
  return figures(kind).operations * static_cast<double>(number_bytes(distribution)) / sizeof(float);
}

Position after(Position position, std::size_t count, unsigned per_turn) {
  const std::size_t all = position.given + count;
  return {position.turn + all / per_turn, static_cast<unsigned>(all % per_turn)};
}

std::unique_ptr<Sequence> sequence_from(GeneratorKind kind, std::uint32_t columns, std::uint64_t seed,
                                        Position position) {
  switch (kind) {
    case GeneratorKind::kXorwow:
      return std::make_unique<Interleaved<curandStateXORWOW_t>>(columns, seed, position);
    case GeneratorKind::kMrg32k3a:
      return std::make_unique<Interleaved<curandStateMRG32k3a_t>>(columns, seed, position);
    case GeneratorKind::kPhilox:
      return std::make_unique<Interleaved<curandStatePhilox4_32_10_t>>(columns, seed, position);
  }
  return nullptr;
}

}  // namespace cudalab::rand
