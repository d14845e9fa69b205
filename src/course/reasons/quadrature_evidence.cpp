// Probes a quadrature rule with few functions: f(x) = 1, x, x*x, a step, and a pulse.
#include "course/reasons/quadrature_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "messages/course.h"

namespace cudalab::course {
namespace {

// All positions and widths are sums of powers of two, so a right kernel's results are exact.
constexpr std::int64_t kFewStrips = 8, kStripsOfSeveralBlocks = 600;
constexpr std::int64_t kMostStrips = 400'000;  // more take too long
constexpr double kWidth = 0.25;                // of a strip
constexpr double kFrom = 3, kOtherFrom = 5;
constexpr double kExact = 1e-9;  // relative
constexpr std::size_t kFewPoints = 4, kAnyNumber = std::numeric_limits<std::size_t>::max();

// Points of the known rules lie at multiples of half a strip. A pulse covers a quarter on each side.
constexpr const char *kOne = "1", *kX = "x", *kSquare = "x*x", *kStep = "x < 0 ? 1 : 0",
                     *kPulse = "fabs(x) < 0.0625 ? 1 : 0";

bool are_equal(double a, double b) {
  return std::abs(a - b) <= kExact * std::max({std::abs(a), std::abs(b), 1.0});
}

// A number as a reader expects it: 0.5, 1.333.
double rounded(double number) {
  constexpr double kThreeDigits = 1000;
  return std::round(number * kThreeDigits) / kThreeDigits;
}

// A point whose weight is wrong; `place` counts half strips from the lower limit.
struct WrongWeight {
  std::int64_t place = 0;
  double found = 0, expected = 0;
  bool is_outside() const { return expected == 0; }  // the rule has no point there
  double ratio() const { return found / expected; }
};

// The range of an integral, in strips.
struct Strips {
  double from = kFrom, width = kWidth;  // of one strip
  std::int64_t count = kFewStrips;
  double to() const { return from + width * static_cast<double>(count); }
  double length() const { return to() - from; }
  double middle() const { return (from + to()) / 2; }
};

// Thrown if a run yields no number: there is nothing to conclude.
struct NoAnswer {};

class QuadratureEvidence {
 public:
  explicit QuadratureEvidence(const AskForIntegral& ask) : ask_(ask) {}

  Message with(std::int64_t failing) {
    if (const Message said = of_few_strips(); !said.empty()) return said;
    if (const Message said = of_several_blocks(); !said.empty()) return said;
    return of_all_strips(failing);
  }

 private:
  QuadratureAnswer ask(const char* integrand, const Strips& range) {
    const auto answer = ask_({integrand, range.from, range.to(), range.count});
    if (!answer) throw NoAnswer();
    return *answer;
  }
  // The sum of the weights, as a length.
  double sum_of_weights(const Strips& range) {
    const QuadratureAnswer answer = ask(kOne, range);
    threads_ = answer.threads;
    return answer.is_right ? range.length() : answer.found;
  }
  // The mean position of the points, each with its weight.
  double mean_point(const Strips& range) {
    const QuadratureAnswer answer = ask(kX, range);
    const double moment = answer.is_right ? range.middle() * range.length() : answer.found;
    return moment / sum_of_weights(range);
  }

  Message of_few_strips() {
    const Strips few;
    const QuadratureAnswer ones = ask(kOne, few);
    if (!ones.is_right) return of_weights(few, ones.found);
    if (!ask(kX, few).is_right) return of_points(few);
    if (!ask(kSquare, few).is_right) return of_each_point(few);
    return {};
  }

  // ---- the sum of the weights is wrong -------------------------------------------------------------------

  Message of_weights(const Strips& range, double found) {
    if (!std::isfinite(found)) return msg::evidence_integral_not_finite(found);
    if (found == 0) return of_zero();
    if (const Message said = of_width(range, found); !said.empty()) return said;
    Strips elsewhere = range;
    elsewhere.from = kOtherFrom;
    if (!are_equal(sum_of_weights(elsewhere), found)) return msg::evidence_integral_depends_on_place();
    if (const Message said = of_factor(range, found); !said.empty()) return said;
    if (const Message said = of_each_point(range); !said.empty()) return said;
    return of_strip_width(range, found);
  }

  // The kernel adds nothing. If it divides the strips evenly among the threads, it does so with many strips.
  Message of_zero() {
    Strips wide;
    wide.width = 1;
    if (ask(kOne, wide).is_right) return msg::evidence_integral_whole_width(kWidth);
    if (sum_of_weights(wide) != 0) return {};
    Strips many = wide;
    many.count = kMostStrips;
    const double found = sum_of_weights(many);
    return found == 0 ? msg::evidence_integral_zero() : weights(many, found);
  }

  // The width of a strip is missing as a factor, or is a factor twice.
  Message of_width(const Strips& range, double found) {
    Strips narrow = range;
    narrow.width /= 2;
    const double ratio = sum_of_weights(narrow) / found;
    if (are_equal(ratio, 1)) return msg::evidence_integral_without_width();
    if (are_equal(ratio, 0.25)) return msg::evidence_integral_width_twice();
    return {};
  }

  // All weights are wrong by one factor if three functions agree on it, for two numbers of strips.
  Message of_factor(const Strips& range, double found) {
    const double factor = found / range.length();
    Strips more = range;
    more.count *= 2;
    if (!are_equal(sum_of_weights(more) / more.length(), factor)) return {};
    for (const char* integrand : {kX, kSquare}) {
      const QuadratureAnswer answer = ask(integrand, range);
      if (answer.is_right || !are_equal(answer.found / answer.expected, factor)) return {};
    }
    return msg::evidence_integral_factor(rounded(factor));
  }

  // The points are as far apart as the sum of the weights says: a strip has another width.
  Message of_strip_width(const Strips& range, double found) {
    const double factor = found / range.length();
    const double spread = (mean_point(range) - range.from) / (range.middle() - range.from);
    if (are_equal(spread, factor))
      return msg::evidence_integral_strip_width(rounded(static_cast<double>(range.count) / factor),
                                                range.count);
    return weights(range, found);
  }

  Message weights(const Strips& range, double found) const {
    const double strips = found / range.width;
    if (strips == static_cast<double>(threads_) && range.count > kFewStrips)
      return msg::evidence_integral_once_per_thread(range.count, threads_);
    return msg::weights_sum(rounded(strips), range.count);
  }

  // ---- the points lie at wrong places --------------------------------------------------------------------

  double shift(const Strips& range) { return mean_point(range) - range.middle(); }

  Message of_points(const Strips& range) {
    const double here = shift(range);
    Strips elsewhere = range, more = range, narrow = range;
    elsewhere.from = kOtherFrom;
    more.count *= 2;
    narrow.width /= 2;
    if (are_equal(here, -range.from) && are_equal(shift(elsewhere), -elsewhere.from))
      return msg::evidence_integral_from_zero();
    if (!are_equal(shift(elsewhere), here)) return {};
    if (const Message said = of_each_point(range, kFewPoints); !said.empty()) return said;
    // Two numbers of strips tell a shift from another distance between the points.
    const double growth = shift(more) - here;
    const double added = range.width * static_cast<double>(more.count - range.count) / 2;
    if (!are_equal(growth, 0)) return msg::evidence_integral_distance(rounded(1 + growth / added));
    const double of_narrow = shift(narrow);
    if (!are_equal(of_narrow, here / 2))
      return msg::evidence_integral_shift_without_width(rounded(here), range.width, of_narrow, narrow.width);
    const double strips = here / range.width;
    return strips < 0 ? msg::evidence_integral_shifted_left(rounded(-strips))
                      : msg::evidence_integral_shifted_right(rounded(strips));
  }

  // ---- each point ----------------------------------------------------------------------------------------

  // Moves the range so that 0 is at this place, in half strips from the lower limit.
  static Strips with_zero_at(std::int64_t place, Strips range) {
    range.from = -static_cast<double>(place) * range.width / 2;
    return range;
  }
  // Empty if the weight is right.
  std::optional<WrongWeight> weight_at(std::int64_t place, const Strips& range) {
    const QuadratureAnswer answer = ask(kPulse, with_zero_at(place, range));
    if (answer.is_right) return std::nullopt;
    return WrongWeight{place, answer.found, answer.expected};
  }

  // Names the points with wrong weights. Empty if they do not lie where the rule needs them, or if more than
  // `most` weights are wrong.
  Message of_each_point(const Strips& range, std::size_t most = kAnyNumber) {
    constexpr std::int64_t kBeyond = 3;  // half strips outside the range
    const std::int64_t last = 2 * range.count;
    std::vector<WrongWeight> wrong;
    std::size_t lost = 0, outside = 0;
    for (std::int64_t place = -kBeyond; place <= last + kBeyond; ++place)
      if (const auto weight = weight_at(place, range)) {
        wrong.push_back(*weight);
        lost += weight->found == 0;
        outside += weight->is_outside();
      }
    if (wrong.empty() || wrong.size() > most || (lost > 2 && outside > 2)) return {};
    const auto extra = std::ranges::find_if(wrong, &WrongWeight::is_outside);
    if (outside > 0 && lost == 0) return msg::evidence_integral_outside(range.count, in_strips(extra->place));
    if (outside > 0) return {};
    return of_groups(wrong, range, sum_of_weights(range));
  }

  static double in_strips(std::int64_t place) { return static_cast<double>(place) / 2; }

  // Points with the same ratio, at most two groups of them.
  static Message of_groups(const std::vector<WrongWeight>& wrong, const Strips& range, double found) {
    std::vector<std::pair<double, std::vector<std::int64_t>>> groups;
    for (const WrongWeight& weight : wrong) {
      const double ratio = rounded(weight.ratio());
      auto group = std::ranges::find(groups, ratio, [](const auto& each) { return each.first; });
      if (group == groups.end()) group = groups.insert(groups.end(), {ratio, {}});
      group->second.push_back(weight.place);
    }
    const double factor = groups[0].first, strips = static_cast<double>(range.count);
    // All of the points are in one group if the sum of the weights is wrong by the same factor.
    if (groups.size() == 1 && factor != 0 && are_equal(rounded(found / range.length()), factor))
      return msg::evidence_integral_width_of_weights(factor, rounded(strips * range.length() / found),
                                                     range.count);
    const auto sentence = [&](std::size_t i) {
      const auto& [ratio, places] = groups[i];
      Message points = points_at(places, range);
      return ratio == 0 ? msg::weight_is_missing(std::move(points))
                        : msg::weight_is(std::move(points), ratio);
    };
    Message all = sentence(0);
    if (groups.size() == 2) all = msg::weights_of_two(std::move(all), sentence(1));
    if (groups.size() > 2) all = msg::clause_and_more(std::move(all), groups.size() - 1);
    return msg::evidence_integral_weights(range.count, std::move(all));
  }

  static Message points_at(const std::vector<std::int64_t>& places, const Strips& range) {
    const std::int64_t last = 2 * range.count;
    const auto are_all = [&](std::int64_t first, std::int64_t end) {
      std::vector<std::int64_t> all;
      for (std::int64_t place = first; place <= end; place += 2) all.push_back(place);
      return places == all;
    };
    if (places == std::vector<std::int64_t>{0, last}) return msg::points_at_both_ends();
    if (places == std::vector<std::int64_t>{0}) return msg::points_at_start();
    if (places == std::vector<std::int64_t>{last}) return msg::points_at_end();
    if (are_all(2, last - 2)) return msg::points_between_strips();
    if (are_all(1, last - 1)) return msg::points_in_the_middle();
    if (places.size() == 1) return msg::points_one(in_strips(places.front()));
    return msg::points_several(places.size(), in_strips(places.front()));
  }

  // ---- more strips ---------------------------------------------------------------------------------------

  // Finds the first point with a wrong weight by bisection: a step has its left side at 1.
  Message of_several_blocks() {
    Strips range;
    range.count = kStripsOfSeveralBlocks;
    const QuadratureAnswer ones = ask(kOne, range);
    if (ones.is_right && ask(kX, range).is_right) return {};
    threads_ = ones.threads;
    // Places between two points.
    const auto is_right_before = [&](std::int64_t place) {
      Strips moved = with_zero_at(place, range);
      moved.from += range.width / 4;
      return ask(kStep, moved).is_right;
    };
    std::int64_t right = -1, wrong = 2 * range.count + 1;
    while (wrong - right > 1) {
      const std::int64_t middle = right + (wrong - right) / 2;
      (is_right_before(middle) ? right : wrong) = middle;
    }
    const auto weight = weight_at(right, range);
    if (!weight || weight->is_outside()) return ones.is_right ? Message() : weights(range, ones.found);
    if (weight->found == 0) return msg::evidence_integral_first_missing(range.count, in_strips(right));
    return msg::evidence_integral_first_weight(range.count, in_strips(right), rounded(weight->ratio()));
  }

  // Only the number of strips that is known to fail is left.
  Message of_all_strips(std::int64_t failing) {
    Strips range;
    range.count = std::min(failing, kMostStrips);
    if (range.count <= kStripsOfSeveralBlocks) return {};
    const QuadratureAnswer ones = ask(kOne, range);
    threads_ = ones.threads;
    return ones.is_right ? Message() : weights(range, ones.found);
  }

  const AskForIntegral& ask_;
  std::uint64_t threads_ = 0;
};

}  // namespace

std::optional<Reason> reason_of_quadrature(const AskForIntegral& ask, std::int64_t failing) {
  try {
    const Message said = QuadratureEvidence(ask).with(failing);
    return said.empty() ? std::nullopt : std::optional(Reason{said});
  } catch (const NoAnswer&) {
    return std::nullopt;
  }
}

}  // namespace cudalab::course
